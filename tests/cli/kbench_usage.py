#!/usr/bin/env python3
"""phobos-kbench from outside: the ledger, --list, every flag and every exit status. `kbench_usage.py BIN_DIR [TestName..]`."""
import csv, json, os, re, resource, signal, sqlite3, subprocess, sys, time, unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kbench_case import BIN, Case, GEMM, KBENCH, SCALE

class Ledger(Case):
    def test_an_interrupted_search_ranks_what_it_has_and_is_taken_up(self):
        source = self.write('kernel.pho', SCALE.replace('[1, 2]', '[1, 64]'))
        command = [KBENCH, '--target', 'interp', '--dim', 'N=3000', '--budget', '5', '--ledger', self.path('l.sqlite'), source]
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=self.environment(fault='hang@T=32,U=64'))
        deadline = time.time() + 60
        while time.time() < deadline:
            time.sleep(0.2)
            try:
                with sqlite3.connect(f'file:{self.path("l.sqlite")}?mode=ro', uri=True) as db:
                    if db.execute('SELECT count(*) FROM run').fetchone()[0]:
                        break
            except sqlite3.Error:
                pass
        time.sleep(1)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        self.assertIn('interrupted', out)
        with sqlite3.connect(self.path('l.sqlite')) as db:
            done = db.execute('SELECT count(*) FROM measurement').fetchone()[0]
            self.assertEqual(db.execute('SELECT count(*) FROM finish').fetchone()[0], 0)
        r = subprocess.run(command, capture_output=True, text=True, env=self.environment())
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn(f'taking up an interrupted search: {done} points', r.stdout)
        self.assertIn('21 points: 21 ok', r.stdout)
        r = subprocess.run(command, capture_output=True, text=True, env=self.environment())
        self.assertNotIn('taking up', r.stdout)

    def test_best_without_anything_measured(self):
        self.kbench('--best', '--dim', 'N=50', '--ledger', self.path('l.sqlite'), expect=1)

    def test_best_is_of_the_arguments_that_are_asked_for(self):
        ways = [(), ('--arg', 'X=uniform(0, 1)', '--arg', 'a=3'), ('--seed', '7'), ('--arg', 'a=2', '--seed', '7')]
        shown = ['   (default arguments)', " --arg 'X=uniform(0, 1)' --arg a=3", ' --seed 7', ' --arg a=2 --seed 7']
        def best(*more, expect=0):
            return self.kbench('--best', '--dim', 'N=50', '--ledger', self.path('l.sqlite'), *more, expect=expect)
        for i, way in enumerate(ways):
            err = best(*way, expect=1).stderr
            self.assertEqual([s for s in shown if '--best' + s + '\n' in err], shown[:i], err)
            self.kbench('--dim', 'N=50', '--pin', f'U=1 T={8 << i}', '--ledger', self.path('l.sqlite'), *way)
        for i, way in enumerate(ways):
            out = best(*way).stdout
            self.assertEqual(re.findall(r'(?m)^ .*  (\S+ \S+)$', out), [f'T={8 << i} U=1'], out)
            self.assertIn(f'again  phobos-kbench --target interp --autotune "T={8 << i} U=1" --dim N=50{shown[i] if i else ""} ', out)

    def test_best_of_the_points_that_are_asked_for(self):
        self.kbench('--dim', 'N=50')
        listed = self.write('p.txt', 'T=16 U=2\nT=32 U=1\n')
        for ask, points in ((('--pin', 'T=16'), ['T=16 U=1', 'T=16 U=2']), (('--autotune', 'T=32'), ['T=32 U=1']),
                            (('--pin', 'T=8', '--pin', 'U=2'), ['T=8 U=2']), (('--points', listed), ['T=16 U=2', 'T=32 U=1'])):
            out = self.kbench('--best', '--dim', 'N=50', *ask).stdout
            self.assertEqual(sorted(re.findall(r'(?m)^ .*  (\S+ \S+)$', out)), points, out)
            self.assertIn(f'left out: {6 - len(points)} points that were not asked for', out)
            self.assertIn(re.search(r'--autotune "(.*?)"', out)[1], points)
            if '--autotune' not in ask:
                out = self.kbench('--best', '--limit', '1', '--dim', 'N=50', *ask).stdout
                self.assertEqual(len(re.findall(r'(?m)^ ', out)), 1)
        self.assertIn('6 points of this kernel at N=50 on this device, but none with T=24',
                      self.kbench('--best', '--dim', 'N=50', '--pin', 'T=24', expect=1).stderr)
        self.assertIn('--shard', self.kbench('--best', '--dim', 'N=50', '--shard', '1/2', expect=2).stderr)

    def test_a_damaged_ledger(self):
        """One that was asked for is missed; without the default one a search goes on."""
        ledger = self.path('phobos/kbench.sqlite')
        self.kbench('--dim', 'N=50')
        for damage, at in ((b'\xa5' * 16384, 8192), (b'no ledger at all' * 300, 0)):
            with open(ledger, 'r+b') as f:
                f.seek(at)
                f.write(damage)
            r = self.kbench('--dim', 'N=50')
            self.assertIn('going on without a ledger', r.stderr)
            self.assertIn('6 points: 6 ok', r.stdout)
            r = self.kbench('--dim', 'N=50', '--ledger', ledger, expect=3)
            self.assertIn("--ledger names another, 'none' keeps nothing", r.stderr)
            best = self.kbench('--best', '--dim', 'N=50', '--ledger', ledger, expect=3)
            self.assertNotIn('holds nothing', best.stderr)

    def test_what_cannot_be_written_is_no_ending_of_a_point(self):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
        r = subprocess.run([KBENCH, '--target', 'interp', '--dim', 'N=900', '--ledger', 'none', self.write('kernel.pho', SCALE)],
                           capture_output=True, text=True, env=self.environment(), timeout=120, preexec_fn=small)
        self.assertEqual(r.returncode, 3, r.stdout + r.stderr)
        self.assertIn('File too large; TMPDIR names another folder', r.stderr)
        self.assertIn('no point was finished', r.stdout)
        self.assertNotIn('compile-error', r.stdout)

    def test_a_file_that_is_no_ledger(self):
        text = self.write('l.sqlite', 'no ledger at all, but long enough to have a header ' * 9)
        self.assertIn('l.sqlite', self.kbench('--ledger', text, '--dim', 'N=9', expect=3).stderr)


class List(Case):
    def test_points_of_a_processor_need_no_device(self):
        source = (GEMM.replace('TILE_M in [8, 16], TILE_N in [8, 16], TILE_K in [4, 8]', 'TILE_M in [32, 256], TILE_N in [128], TILE_K in [32], STAGES in [6]')
                  .replace('f32>[M, K]', 'f16>[M, K]').replace('f32>[K, N]', 'f16>[K, N]'))
        seen = {}
        for processor in ('sm_80', 'sm_86', 'sm_90', 'sm_90a'):
            out = self.kbench('--list', source=source, target=processor).stdout
            self.assertIn('TILE_M=256', out)
            seen[processor] = 'a block may use 101376' in out
        self.assertEqual(seen, {'sm_80': False, 'sm_86': True, 'sm_90': False, 'sm_90a': False})
        if not os.path.exists('/dev/nvidia0') and not os.path.exists('/dev/dxg'):
            self.assertIn('as sm_90a', self.kbench('--list', target='gpu', expect=3).stderr)
            self.assertIn('no device', self.kbench('--dim', 'N=9', target='sm_90a', expect=3).stderr)

    def test_points_in_order_and_their_number(self):
        lines = self.kbench('--list').stdout.splitlines()
        self.assertEqual(lines[0], 'T=8 U=1')
        self.assertEqual(lines[1], 'T=8 U=2')
        self.assertEqual(lines[-1], '6 points')

    def test_a_billion_points_with_a_selective_require(self):
        names = 'ABCDEFGHI'
        choices = ', '.join(f'{n} in [{", ".join(str(i) for i in range(1, 11))}]' for n in names)
        source = (f'@autotune({choices})\n@require({" * ".join(names)} == 5040 && A + B < C + D)\n'
                  f'kernel k(X: tensor<f32>[N]) {{\n  X[ctx.block.x * A :+ A] = 1.0\n}}\n')
        started = time.time()
        p = subprocess.Popen([KBENCH, '--list', self.write('big.pho', source)], stdout=subprocess.PIPE, text=True, env=self.environment())
        first = p.stdout.readline()
        page = time.time() - started
        rest = p.stdout.read()
        p.stdout.close()
        self.assertEqual(p.wait(), 0)
        self.assertLess(page, 4)
        self.assertLess(time.time() - started, 12)
        self.assertTrue(first.startswith('A=1 '))
        # The exact count, from tables of products of the pairs.
        from collections import Counter
        pairs = Counter((a + b, a * b) for a in range(1, 11) for b in range(1, 11))
        left, right = Counter(), Counter({1: 1})
        for (s1, p1), c1 in pairs.items():
            for (s2, p2), c2 in pairs.items():
                if s1 < s2:
                    left[p1 * p2] += c1 * c2
        for _ in range(5):
            step = Counter()
            for p_, c in right.items():
                for v in range(1, 11):
                    step[p_ * v] += c
            right = step
        want = sum(c * right[5040 // p_] for p_, c in left.items() if 5040 % p_ == 0)
        self.assertIn(f'{want} points of 1000000000', rest)

    def test_illegal_points_are_listed_with_their_rule(self):
        source = SCALE.replace('\nkernel', '\n@require(T * U <= 32, "too much")\nkernel')
        out = self.kbench('--list', source=source).stdout
        self.assertIn('T=32 U=2  illegal: ', out)
        self.assertIn('too much', out)
        self.assertIn('5 points of 6: the others fail @require; 1 of the 6 shown cannot be had', out)
        self.assertIn('N=16777216*', out)

    def test_a_shard_is_listed(self):
        out = self.kbench('--list', '--shard', '2/2').stdout.splitlines()
        self.assertEqual(out[:3], ['T=8 U=2', 'T=16 U=2', 'T=32 U=2'])
        self.assertIn('shard 2/2: 3 of 6 points', out[-1])

    def test_limit_sets_the_page(self):
        out = self.kbench('--list', '--limit', '2').stdout.splitlines()
        self.assertEqual(out[:3], ['T=8 U=1', 'T=8 U=2', '.. (--limit N prints N)'])


class Status(Case):
    """Exit statuses of what goes wrong before a search."""

    def test_usage(self):
        self.kbench(source=None, target=None, expect=2)
        self.kbench('--nonsense', expect=2)
        self.assertIn("'W'", self.kbench('--pin', 'W=3', expect=1).stderr)
        self.kbench('--pin', 'T=zero', expect=2)
        self.kbench('--target', 'abacus', target=None, expect=2)
        self.kbench('--dim', 'Q=3', expect=1)
        self.kbench('--dim', 'N=0x', expect=2)
        self.kbench('--dim', 'N=-3', expect=2)
        self.kbench('--grid', '1,2,3,4', expect=2)
        self.kbench('--arg', 'Z=1', expect=1)
        self.kbench('--arg', 'Z', expect=2)
        self.kbench('--shard', '3/2', '--dim', 'N=9', expect=2)
        self.kbench('--shard', '1/2', '--list', expect=0)
        self.kbench('--points', self.write('p.txt', 'T=8\n'), '--pin', 'T=8', expect=2)
        self.kbench('--limit', '0', expect=2)
        self.kbench('--device', '-1', expect=2)
        for option, bad in (('--jobs', '-1'), ('--jobs', '100000'), ('--jobs', '1.5'), ('--seed', '-3'), ('--seed', 'x'), ('--device', '-1'), ('--limit', '0'), ('--limit', '')):
            r = self.kbench(option, bad, expect=2)
            self.assertIn(f"{option}: '{bad}' is not a whole number from ", r.stderr)
            self.assertLess(len(r.stderr), 200)
        for one, other in (('--list', '--best'), ('--list', '--roof'), ('--best', '--roof')):
            self.assertIn(f'{one} and {other} print different things', self.kbench(other, one, expect=2).stderr)
        for option in ('--budget', '--run-timeout', '--compile-timeout'):
            for value in ('nan', 'inf', '1e300', '-5', '0', ''):
                self.assertIn('above 0', self.kbench(option, value, expect=2).stderr)

    def test_a_file_of_points_is_judged_with_places(self):
        path = self.write('p.txt', 'T=8 U=1\n  T=16  V=3 # no V\nT=0\nT=8 U\n')
        err = self.kbench('--points', path, '--dim', 'N=9', expect=1).stderr
        for words in ('p.txt:2:9: error[E0913]', "'V'", 'p.txt:3:3: error[E0913]', 'p.txt:4:5: error[E0913]'):
            self.assertIn(words, err)
        # Each mistake stands at its own name, though the names and words of one are in another.
        path = self.write('p.txt', "T=8 UT=8 TU=1\n")
        err = self.kbench('--points', path, '--dim', 'N=9', expect=1).stderr
        self.assertEqual([int(c) for c in re.findall(r'p.txt:1:(\d+): error', err)], [5, 10], err)
        self.assertIn('lists no point', self.kbench('--points', self.write('p.txt', '# none\n'), expect=1).stderr)

    def test_a_gpu_by_either_name(self):
        for tool, more in (('phobos-run', ['--arg', 'X=arange', '--arg', 'a=1']), ('phobos-kbench', [])):
            for target in ('gpu', 'sm_90a'):
                r = subprocess.run([os.path.join(BIN, tool), '--target', target, '--dim', 'N=64', *more, self.write('k.pho', SCALE)],
                                   capture_output=True, text=True, env=self.environment(), timeout=120)
                self.assertNotEqual(r.returncode, 2, r.stderr)
                self.assertNotIn('not known', r.stderr)

    def test_where_there_is_no_gpu_it_is_said_what_there_is(self):
        if os.path.exists('/dev/nvidia0') or os.path.exists('/dev/dxg'):
            self.skipTest('there is one')
        for target in ('gpu', 'sm_90a'):
            err = self.kbench('--dim', 'N=9', target=target, expect=3).stderr
            self.assertIn(f"no device for target 'gpu' on this machine (--target {target}); --target cpu measures on the processor", err)
            self.assertIn('--target cpu', self.kbench('--roof', target=target, source=None, expect=3).stderr)
        out = self.kbench('--roof', target='interp', source=None).stdout
        self.assertIn('a copy: this target has none', out)

    def test_a_require_that_leaves_nothing(self):
        source = SCALE.replace('\nkernel', '\n@require(T > 100, "needs large tiles")\nkernel')
        err = self.kbench('--dim', 'N=50', source=source, expect=1).stderr
        self.assertIn('help: no point is allowed: add choices to @autotune, or relax the @require', err)
        self.assertIn('T=128', self.kbench('--dim', 'N=50', '--pin', 'T=128', source=source).stdout)
        source = SCALE.replace('\nkernel', '\n@require(N > 100)\nkernel')
        self.assertIn('help: at these extents no point is allowed', self.kbench('--dim', 'N=50', source=source, expect=1).stderr)

    def test_what_does_not_end_is_not_read_to_its_end(self):
        self.assertIn('16777216', self.kbench('--points', '/dev/zero', expect=1).stderr)

    def test_extents(self):
        self.assertIn('nothing to time', self.kbench('--dim', 'N=0', expect=1).stderr)
        run = lambda n: subprocess.run([os.path.join(BIN, 'phobos-run'), '--target', 'interp', '--arg', 'X=arange', '--arg', 'a=1', '--dim', f'N={n}',
                                        self.write('k.pho', SCALE)], capture_output=True, text=True)
        self.assertEqual(run(0).returncode, 0, run(0).stderr)
        for bad in ('-1', '1.5', str(2**60)):  # both tools refuse them in the same words
            a, b = self.kbench('--dim', f'N={bad}', expect=2).stderr, run(bad).stderr
            self.assertEqual([x for x in a.splitlines() if 'E0927' in x], [x for x in b.splitlines() if 'E0927' in x])
        huge = self.kbench('--dim', f'N={2**45}', expect=3).stderr
        self.assertIn('GB', huge)

    def test_a_file_with_errors(self):
        self.assertIn('error[E', self.kbench(source='kernel k( {', expect=1).stderr)

    def test_the_environment(self):
        self.kbench(self.path('none.pho'), source=None, expect=3)
        self.kbench('--points', self.path('none.txt'), expect=3)
        self.kbench('--ledger', '/nonexistent/l.sqlite', expect=3)
        for option in ('--csv', '--json'):  # before anything is measured
            r = self.kbench(option, '/nonexistent/x.csv', '--dim', 'N=9', expect=3)
            self.assertEqual(r.stdout, '')
        self.assertIn('no device 99', self.kbench('--device', '99', '--dim', 'N=9', target='cpu', expect=3).stderr)
        self.kbench('--merge', self.path('none.sqlite'), source=None, target=None, expect=3)

    def test_nothing_is_merged_into_nothing(self):
        self.kbench('--dim', 'N=9', '--ledger', self.path('l.sqlite'))
        for more in ((), (self.path('kernel.pho'), '--dim', 'N=9')):
            r = self.kbench('--ledger', 'none', '--merge', self.path('l.sqlite'), *more, source=None, expect=2)
            self.assertIn('name a ledger', r.stderr)
        best = self.kbench('--best', '--ledger', self.path('new.sqlite'), '--merge', self.path('l.sqlite'), '--dim', 'N=9')
        self.assertIn('rows added', best.stdout)
        self.assertIn('T=', self.kbench('--best', '--ledger', self.path('new.sqlite'), '--dim', 'N=9').stdout)

    def test_a_reader_that_has_enough(self):
        source = self.write('large.pho', SCALE.replace('@autotune(', '@autotune(V in [' + ', '.join(map(str, range(1, 200))) + '], '))
        r = subprocess.run(['/bin/bash', '-c', 'set -o pipefail; "$0" --target interp --list --limit 2000 "$1" | head -1', KBENCH, source],
                           capture_output=True, text=True, env=self.environment(), timeout=120)
        self.assertEqual((r.returncode, r.stderr.count('interrupted')), (0, 0), r.stderr)
        self.assertIn('T=', r.stdout)

    def test_no_output_takes_the_place_of_anything(self):
        source, ledger, points = self.path('kernel.pho'), self.path('l.sqlite'), self.write('points.txt', 'T=8 U=1\n')
        self.kbench('--dim', 'N=9', '--ledger', ledger)
        before = open(ledger, 'rb').read()
        for option in ('--csv', '--json'):
            for what, path in (('the source', source), ('the ledger', ledger), ('the ledger', ledger + '-wal'), ('a file of points', points)):
                if path != ledger + '-wal' or os.path.exists(path):
                    r = self.kbench('--dim', 'N=9', '--ledger', ledger, '--points', points, option, path, expect=2)
                    self.assertIn('would overwrite ' + what, r.stderr)
            self.assertIn('names no file', self.kbench(option, '', '--dim', 'N=9', expect=2).stderr)
        self.assertIn('another output', self.kbench('--csv', self.path('x'), '--json', self.path('x'), '--dim', 'N=9', expect=2).stderr)
        self.assertIn('names no file', self.kbench('--ledger', '', '--dim', 'N=9', expect=2).stderr)
        self.assertEqual(open(ledger, 'rb').read(), before)
        self.assertEqual(open(source).read(), SCALE)

    def test_a_name_twice_in_a_line_of_points(self):
        self.assertIn('E0913', self.kbench('--points', self.write('p.txt', 'T=8 T=32\n'), '--dim', 'N=9', expect=1).stderr)

    def test_a_point_that_is_listed_twice_is_measured_once(self):
        one, two = self.write('p.txt', 'T=8 U=1\nT=16\nT=8\n'), self.write('q.txt', 'U=1 T=16\n')  # U=1 is the first choice
        for option in ((), ('--list',)):
            out = self.kbench('--points', one, '--points', two, '--dim', 'N=50', *option).stdout
            self.assertRegex(out, r'2 listed points \(2 more stand twice\)')
        self.assertIn('2 points: 2 ok', self.kbench('--points', one, '--points', two, '--dim', 'N=50').stdout)
        self.assertIn('1 point: 1 ok', self.kbench('--points', one, '--limit', '1', '--dim', 'N=50').stdout)
        self.assertIn('1 listed point ', self.kbench('--points', two, '--dim', 'N=50').stdout)

    def test_a_limit_below_a_second_is_told_as_such(self):
        out = self.kbench('--dim', 'N=50', '--compile-timeout', '0.0001', '--pin', 'T=8 U=1', source=SCALE, fault='compile-hang', expect=1).stdout
        self.assertIn('no answer within 1 ms', out)

    def test_a_shard_is_two_numbers(self):
        for bad in ('1/-1', '0/2', '3/2', '1', '1/2x', '/2', '99999999999999999999/1'):
            self.assertIn('--shard', self.kbench('--shard', bad, '--dim', 'N=9', expect=2).stderr)

    def test_help_and_version(self):
        r = self.kbench('--help', source=None, target=None)
        for words in ('--pin', '--autotune', 'compile-timeout', 'Exit status', 'PHOBOS_LEDGER', 'phobos-kbench gemm.pho'):
            self.assertIn(words, r.stdout)
        self.assertIn('phobos-kbench', self.kbench('--version', source=None, target=None).stdout)


if __name__ == '__main__':
    unittest.main(verbosity=2)
