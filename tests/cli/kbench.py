#!/usr/bin/env python3
"""phobos-kbench from outside: the search, every way a point can end, what is reported. `kbench.py BIN_DIR [TestName..]`.

Runs on the interpreter as a target where the search is what is tested, so that a test takes moments; on the CPU where it says so."""
import csv, json, os, signal, sqlite3, subprocess, sys, time, unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kbench_case import Case, GEMM, KBENCH, SCALE

FIRST = '''
@autotune(T in [4, 8])
kernel first(X: tensor<f32>[N], Y: tensor<f32>[1]) {
  Y[0] = sum(X[0 :+ T])
}
'''


class Search(Case):
    def test_points_that_compute_different_things_are_told(self):
        r = self.kbench('--dim', 'N=100', source=FIRST)
        self.assertIn('WARNING  the points do not compute the same: 1 of 2', r.stdout)
        self.assertNotIn('WARNING', self.kbench('--dim', 'N=100').stdout)

    def test_every_point_is_verified_and_ranked(self):
        rows = self.rows('--dim', 'N=100')
        self.assertEqual(len(rows), 6)
        self.assertTrue(all(p['status'] == 'ok' and p['verified_sizes'] >= 2 and p['samples_ns'] for p in rows.values()))
        self.assertEqual(sorted(p['rank'] for p in rows.values()), [1, 2, 3, 4, 5, 6])
        self.assertTrue(self.result['winner_held'])
        self.assertIn('--autotune', self.result['reproduce'])

    def test_the_winner_command_runs(self):
        self.rows('--dim', 'N=100')
        command = self.result['reproduce'].replace('phobos-kbench', KBENCH, 1)
        r = subprocess.run(command, shell=True, capture_output=True, text=True, env=self.environment())
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn('1 point: 1 ok', r.stdout)

    def test_the_report_names_best_and_worst(self):
        out = self.kbench('--dim', 'N=100').stdout
        for words in ('6 points on interp', 'best', 'worst', 'again  phobos-kbench', 'GB/s'):
            self.assertIn(words, out)
        self.assertRegex(out, 'times as fast|the noise allows no ratio of the two')

    def test_defaults_are_stated(self):
        out = self.kbench('--dim', 'M=20', '--pin', 'TILE_M=8 TILE_N=8', source=GEMM).stdout
        self.assertIn('M=20', out)
        self.assertIn('N=64*', out)
        self.assertIn('by default', out)

    def test_dimensions_and_flags_repeat(self):
        rows = self.rows('--dim', 'M=20', '--dim', 'N=21,K=9', '--pin', 'TILE_M=8', '--pin', 'TILE_N=16', source=GEMM)
        self.assertEqual(self.result['dims'], {'M': 20, 'N': 21, 'K': 9})
        self.assertEqual(set(rows), {'TILE_M=8 TILE_N=16 TILE_K=4', 'TILE_M=8 TILE_N=16 TILE_K=8'})

    def test_no_progress_line_where_there_is_no_terminal(self):
        self.assertEqual(self.kbench('--dim', 'N=10').stderr, '')

    def test_a_pin_need_not_be_a_choice(self):
        self.assertEqual(set(self.rows('--pin', 'T=24 U=1', '--dim', 'N=50')), {'T=24 U=1'})

    def test_autotune_measures_one_point_and_mentions_pin(self):
        r = self.kbench('--autotune', 'U=2', '--dim', 'N=50')
        self.assertIn('T=8', r.stdout)
        self.assertIn('--pin "U=2"', r.stdout)
        self.assertIn('1 point: 1 ok', r.stdout)

    def test_points_from_a_file(self):
        path = self.write('points.txt', '# mine\nT=8 U=2\n\nT=16, U=1  # second\nT=40\n')
        self.assertEqual(set(self.rows('--points', path, '--dim', 'N=50')), {'T=8 U=2', 'T=16 U=1', 'T=40 U=1'})

    def test_names_that_points_alone_have_are_columns(self):
        path = self.write('points.txt', 'TILE_M=8 TILE_N=8 WARP_M=8\nTILE_M=8 TILE_N=8 WARP_M=4\nTILE_M=8 TILE_N=8\n')
        self.kbench('--points', path, '--dim', 'M=9 N=9 K=9', '--csv', self.path('out.csv'), source=GEMM)
        with open(self.path('out.csv'), newline='') as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(sorted(r['WARP_M'] for r in rows), ['', '4', '8'])
        out = self.kbench('--points', path, '--dim', 'M=9 N=9 K=9', source=GEMM).stdout
        self.assertRegex(out, r'(?m)^ +\d +8 +8 +4 +- +(finals|search)')

    def test_limit_spreads_points(self):
        self.assertEqual(len(self.rows('--limit', '3', '--dim', 'N=50')), 3)
        self.assertIn('3 of 6 points on interp', self.kbench('--limit', '3', '--dim', 'N=50', '--fresh').stdout)
        self.assertIn(': 6 points on interp', self.kbench('--limit', '9', '--dim', 'N=50', '--fresh').stdout)

    def test_shards_cover_the_space_and_merge(self):
        seen = []
        for i in (1, 2):
            seen += self.rows('--shard', f'{i}/2', '--dim', 'N=50', '--ledger', self.path(f'{i}.sqlite'))
        self.assertEqual(len(seen), 6)
        self.assertEqual(len(set(seen)), 6)
        r = self.kbench('--ledger', self.path('all.sqlite'), '--merge', self.path('1.sqlite'), '--merge', self.path('2.sqlite'),
                        source=None, target=None)
        self.assertIn('1 runs', r.stdout)
        best = self.kbench('--ledger', self.path('all.sqlite'), '--best', '--dim', 'N=50')
        self.assertEqual(best.stdout.count('T='), 7)  # six points and the command

    def test_a_limit_takes_different_points_of_the_space_that_is_announced(self):
        source = GEMM.replace('TILE_K in [4, 8])', 'TILE_K in [4, 8], STAGES in [2, 3, 4], WARP_M in [8, 16, 32])')
        for shares in ((), ('--shard', '1/2')):
            self.rows('--limit', '7', '--dim', 'M=9 N=9 K=9', '--ledger', 'none', *shares, source=source)
            points = [tuple(p['point'][n] for n in ('TILE_M', 'TILE_N', 'TILE_K')) for p in self.result['points']]
            self.assertEqual(len(points), 4 if shares else 7)
            self.assertEqual(len(set(points)), len(points), points)

    def test_csv(self):
        self.kbench('--csv', self.path('out.csv'), '--dim', 'N=50')
        with open(self.path('out.csv'), newline='') as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(len(rows), 6)
        self.assertEqual([r['rank'] for r in rows], ['1', '2', '3', '4', '5', '6'])
        self.assertLessEqual(float(rows[0]['ci95_low_ms']), float(rows[0]['median_ms']))

    def test_standard_output_holds_one_format_alone(self):
        """Whatever else a run has to say, of points, ignored names, merged ledgers and a search that is taken up."""
        self.kbench('--dim', 'N=50', '--ledger', self.path('other.sqlite'))
        for name in ('-', '/dev/stdout'):
            for option, read in (('--csv', lambda text: list(csv.DictReader(text.splitlines()))), ('--json', lambda text: json.loads(text)['points'])):
                for more in ((), ('--autotune', 'T=8'), ('--limit', '2'), ('--merge', self.path('other.sqlite'), '--pin', 'T=16')):
                    r = self.kbench(option, name, '--dim', 'N=50', *more)
                    self.assertGreater(len(read(r.stdout)), 0)
                    self.assertTrue(r.stdout.startswith('rank,' if option == '--csv' else '{'), r.stdout)
                    for words in ('scale: ', 'best   T=', 'again  '):
                        self.assertIn(words, r.stderr)
        for both in (('--csv', '-', '--json', '-'), ('--csv', '-', '--csv', '/dev/stdout'), ('--json', '-', '--json', '-')):
            r = self.kbench(*both, '--dim', 'N=50', expect=2)
            self.assertIn('one of them', r.stderr)
            self.assertEqual(r.stdout, '')

    def test_csv_has_the_same_columns_however_points_end(self):
        for target in ('interp', 'cpu'):
            heads = set()
            for extra, fault, status in ((('--pin', 'T=8'), None, 0), (('--autotune', 'T=8'), None, 0), ((), 'wrong', 1),
                                         (('--pin', 'U=1'), 'compile-error', 1), (('--pin', 'U=1'), 'illegal', 1)):
                self.kbench('--csv', self.path('out.csv'), '--dim', 'N=50', '--ledger', 'none', *extra, target=target, fault=fault, expect=status)
                with open(self.path('out.csv'), newline='') as f:
                    heads.add(f.readline())
            self.assertEqual(len(heads), 1, heads)
            self.assertEqual('scratch_bytes' in heads.pop(), target == 'cpu')

    def test_arguments_and_scalars(self):
        self.rows('--arg', 'X=arange', '--arg', 'a=0.5', '--dim', 'N=50')
        self.assertEqual(self.result['args'], ['X=arange', 'a=0.5'])

    def test_a_grid_from_the_host(self):
        source = '@autotune(T in [8, 16])\n@grid(host)\nkernel k(X: tensor<f32>[N]) {\n  X[ctx.block.x * T :+ T] = 1.0\n}\n'
        self.assertIn('--grid', self.kbench('--dim', 'N=16', source=source, expect=1).stderr)
        self.assertEqual(len(self.rows('--dim', 'N=16', '--grid', '2', source=source)), 2)

    def test_one_kernel_of_several(self):
        two = SCALE + SCALE.replace('kernel scale', 'kernel other')
        self.assertIn('scale, other', self.kbench('--dim', 'N=9', source=two, expect=1).stderr)
        self.rows('--kernel', 'other', '--dim', 'N=9', source=two)
        self.assertIn('--kernel other', self.result['reproduce'])

    def test_refused_points_are_listed_with_their_reason(self):
        source = SCALE.replace('\nkernel', '\n@require(T * U <= 32, "illegal point: too much")\nkernel')
        rows = self.rows('--dim', 'N=50', source=source)
        self.assertEqual(len(rows), 6)
        bad = [p for p in rows.values() if p['status'] == 'illegal']
        self.assertEqual([p['point'] for p in bad], [{'T': 32, 'U': 2}])
        self.assertIn('illegal point: too much', bad[0]['detail'])
        self.assertEqual(bad[0]['rule'], 'T * U <= 32')

    def test_names_the_target_ignores_multiply_nothing(self):
        source = GEMM.replace('TILE_K in [4, 8]', 'TILE_K in [4, 8], STAGES in [2, 4], WARP_M in [4, 8]')
        r = self.kbench('--dim', 'M=9 N=9 K=9', source=source)
        self.assertIn('8 points', r.stdout)
        self.assertIn('STAGES, WARP_M: ignored', r.stdout)

    def test_names_the_cpu_ignores_unless_the_text_uses_them(self):
        """[env.gemm.5]"""
        parts = GEMM.replace('TILE_K in [4, 8]', 'TILE_K in [4, 8], STAGES in [2, 4], SPLIT_K in [1, 16]')
        r = self.kbench('--dim', 'M=9 N=9 K=9', source=parts, target='cpu')
        self.assertIn('8 points', r.stdout)
        self.assertIn('STAGES, SPLIT_K: ignored by target cpu', r.stdout)
        declared = GEMM.replace('TILE_K in [4, 8]', 'TILE_K in [4, 8], STAGES in [2, 4]')
        r = self.kbench('--dim', 'M=9 N=9 K=9', source=declared, target='cpu')
        self.assertIn('8 points', r.stdout)
        self.assertIn('STAGES: ignored by target cpu', r.stdout)
        used = declared.replace('= acc', '= acc * f32(STAGES - STAGES + 1)')
        self.assertNotEqual(used, declared)
        r = self.kbench('--dim', 'M=9 N=9 K=9', source=used, target='cpu')
        self.assertIn('16 points', r.stdout)
        self.assertNotIn('ignored', r.stdout)

    def test_names_that_nothing_of_a_target_depends_on(self):
        """[env.gemm.5]: attributes and choices, body, names ignored where threads go in lock-step"""
        copy = 'X[ctx.block.x * T :+ T] = 1.0'
        for head, body, cpu in (
                ('@launch(THREADS, 2, REGS)\n@autotune(THREADS in [32, 64], REGS in [64, 128], T in [8, 16])', copy, 'THREADS, REGS'),
                ('@launch(THREADS)\n@autotune(THREADS in [32, 64], T in [8, 16])', 'if ctx.thread < 4 { X[ctx.thread] = 1.0 }\n  ' + copy, ''),
                ('@autotune(THREADS in [32, 64], T in [8, 16])', copy, 'THREADS'),
                ('@pipeline(S)\n@autotune(S in [2, 3], T in [8, 16])', copy, 'S'),
                ('@cluster(C)\n@autotune(C in [1, 2], T in [8, 16])', copy, 'C'),
                ('@autotune(WARP_M in [16, 32], T in [8, 16])', copy, 'WARP_M'),
                ('@require(R * T <= 32)\n@autotune(R in [1, 2], T in [8, 16])', copy, '')):
            source = f'{head}\n@grid(x = cdiv(N, T))\nkernel k(X: tensor<f32>[N]) {{\n  {body}\n}}\n'
            for target in ('cpu', 'interp'):
                r = self.kbench('--list', '--dim', 'N=64', source=source, target=target)
                if cpu:
                    self.assertIn(f'{cpu}: ignored by target {target}', r.stdout)
                    self.assertRegex(r.stdout, r'\b2 points')
                else:
                    self.assertNotIn('ignored', r.stdout)
                    self.assertRegex(r.stdout, r'\b4 points')

    def test_the_cpu_target(self):
        rows = self.rows('--dim', 'M=100 N=90 K=70', source=GEMM, target='cpu')
        self.assertEqual({p['status'] for p in rows.values()}, {'ok'})
        self.assertTrue(all('scratch_bytes' in p['resources'] for p in rows.values()))
        self.assertTrue(all(0 < p['error_per_bound'] <= 1 for p in rows.values()))


class BaselineLibrary(Case):
    def test_openblas_beside_the_finalists(self):
        self.rows('--dim', 'M=100 N=90 K=70', '--baseline', 'openblas', source=GEMM, target='cpu')
        b = self.result['baseline']
        if 'cannot be opened' in b['note']:
            self.skipTest(b['note'])
        self.assertTrue(b['name'].startswith('openblas'), b)
        self.assertGreaterEqual(len(b['samples_ns']), 24)
        self.assertTrue(b['verified_full_size'])
        best = min((p for p in self.result['points'] if p['rank'] == 1), key=lambda p: p['rank'])
        ratio = 100 * b['median_ms'] / best['median_ms']
        self.assertNotEqual('percent' in b, 'no_percent' in b)  # noise may not allow it
        if 'percent' in b:
            self.assertLessEqual(b['percent'], ratio)
            self.assertGreater(b['percent'], ratio - 0.11)
        with sqlite3.connect(self.path('phobos/kbench.sqlite')) as db:
            rows = db.execute("SELECT point, status, detail, median_ns FROM measurement WHERE stage = 'baseline'").fetchall()
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0][:2], ('', 'ok'))
        best = self.kbench('--best', '--dim', 'M=100 N=90 K=70', source=GEMM, target='cpu').stdout
        self.assertNotIn('openblas', best)
        self.assertTrue(all('TILE_M' in line for line in best.splitlines() if not line.startswith('ranked')), best)

    def test_a_library_that_computes_something_else_has_no_time(self):
        source = GEMM.replace('] = acc', '] = acc * 2.0')
        r = self.kbench('--dim', 'M=32 N=32 K=32', '--pin', 'TILE_M=8 TILE_N=8', '--baseline', 'openblas', source=source, target='cpu')
        self.assertRegex(r.stdout, 'openblas  not timed: (it does not compute what the kernel does|libopenblas)')

    def test_a_kernel_that_is_no_product(self):
        r = self.kbench('--dim', 'N=100', '--baseline', 'openblas', target='cpu')
        self.assertIn('openblas  not timed: the kernel is not recognised as C = A @ B', r.stdout)

    def test_a_target_without_the_library(self):
        r = self.kbench('--dim', 'M=20 N=20 K=20', '--baseline', 'cublas', source=GEMM)
        self.assertIn("cublas  not timed: this target has no baseline 'cublas'", r.stdout)
        self.kbench('--baseline', 'nonsense', expect=2)


class Statuses(Case):
    """Each way a point can end, by injection; the others are not touched."""

    def strike(self, fault, status, *args, others=5, expect=0):
        rows = self.rows('--dim', 'N=50', *args, fault=fault + '@T=16,U=2', expect=expect)
        struck = rows['T=16 U=2']
        self.assertEqual(struck['status'], status, struck)
        self.assertEqual(sum(p['status'] == 'ok' for p in rows.values()), others)
        self.assertIsNone(struck['rank']) if status != 'ok' else None
        return struck

    def test_illegal(self):
        self.assertEqual(self.strike('illegal', 'illegal')['rule'], 'injected')

    def test_compile_error(self):
        self.strike('compile-error', 'compile-error')

    def test_a_compiler_that_aborts(self):
        self.assertIn('signal 6', self.strike('compile-crash', 'compile-error')['detail'])

    def test_compile_timeout(self):
        struck = self.strike('compile-hang', 'compile-timeout', '--compile-timeout', '1')
        self.assertEqual(struck['detail'], "no answer within 1.0 s, while a test's fault kept it (--compile-timeout gives more)")

    def test_a_winner_that_does_not_compile_again(self):
        rows = self.rows('--dim', 'N=50', '--pin', 'U=1', '--compile-timeout', '2', fault='compile-hang-final@T=8;compile-hang-final@T=32')
        self.assertEqual(self.result['best'], {'T': 16, 'U': 1})
        for point in ('T=8 U=1', 'T=32 U=1'):
            self.assertIn(rows[point]['status'], ('compile-timeout', 'ok'))  # one that was never ahead was not compiled again
        self.assertIn('compile-timeout', [p['status'] for p in rows.values()])

    def test_fault(self):
        self.assertIn('signal 11', self.strike('fault', 'fault')['detail'])

    def test_hang(self):
        self.assertIn('(--run-timeout gives more)', self.strike('hang', 'hang', '--run-timeout', '1')['detail'])

    def test_wrong(self):
        self.assertIn('expected', self.strike('wrong', 'wrong')['detail'])

    def test_writing_outside(self):
        self.assertIn('behind its last element', self.strike('overrun', 'wrong')['detail'])

    def test_lost_twice(self):
        self.strike('lost', 'lost')
        self.strike('compile-lost', 'lost', '--fresh')

    def test_lost_once_is_tried_again(self):
        self.strike('lost-once', 'ok', others=6)

    def test_fault_and_hang_while_timing(self):
        self.strike('fault-timing', 'fault')
        self.strike('hang-timing', 'hang', '--run-timeout', '1', '--fresh')

    def test_a_winner_that_fails_again_is_no_winner(self):
        self.rows('--dim', 'N=50', '--pin', 'U=1', fault='wrong-final@T=8;wrong-final@T=32')
        self.assertEqual(self.result['best'], {'T': 16, 'U': 1})

    def test_nothing_passed(self):
        self.kbench('--dim', 'N=50', fault='wrong', expect=1)


LOOP = '''
@autotune(T in [8, 16])
kernel k(X: tensor<f32>[N]) {
  var n = 0
  while n < 1 { n = n * 1 }
  X[ctx.block.x * T :+ T] = 1.0
}
'''
PARTLY = '''
@autotune(T in [8, 32])
kernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {
  var t: tile<f32>[16] = 0.0
  t = X[ctx.block.x * 16 :+ T]
  Y[ctx.block.x * 16 :+ 16] = t
}
'''


class Ends(Case):
    """What a run leaves behind, however it ends."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path('tmp'))

    def start(self, *args, fault=None, **kw):
        command = [KBENCH, '--target', 'interp', '--dim', 'N=50', '--budget', '5', *args, self.write('kernel.pho', SCALE)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**self.environment(fault), 'TMPDIR': self.path('tmp')}, **kw)

    def assertClean(self, p):
        self.assertEqual([n for n in os.listdir(self.path('tmp')) if not n.endswith('.lock')], [])
        tmp = self.path('tmp')
        def mine(pid):
            try:
                return tmp.encode() in open(f'/proc/{pid}/environ', 'rb').read()
            except OSError:
                return False
        self.assertEqual([pid for pid in os.listdir('/proc') if pid.isdigit() and mine(pid)], [])

    def test_signals_print_and_write_what_was_measured(self):
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            out = self.path(f'{which}.json')
            p = self.start('--fresh', '--jobs', '1', '--json', out, fault='hang-timing@T=32,U=2')
            deadline = time.time() + 60
            while time.time() < deadline and not os.path.exists(out):
                time.sleep(0.1)  # the file appears while the search goes on
            p.send_signal(which)
            text, _ = p.communicate(timeout=60)
            self.assertIn('interrupted', text)
            with open(out) as f:
                rows = json.load(f)
            self.assertTrue(rows['interrupted'] and rows['points'])
            self.assertClean(p)

    def test_a_reader_that_leaves(self):
        p = self.start('--jobs', '1', fault='hang@T=8,U=1')
        p.stdout.readline()
        p.stdout.close()
        self.assertIn(p.wait(timeout=30), (0, 1))
        p.stderr.close()
        self.assertClean(p)

    def test_what_a_killed_run_left_is_removed_by_the_next(self):
        p = self.start('--jobs', '1', fault='hang-timing@T=32,U=2')
        p.stdout.readline()
        deadline = time.time() + 60
        while time.time() < deadline and not os.listdir(self.path('tmp')):
            time.sleep(0.05)
        other = self.start('--fresh', '--jobs', '1', '--seed', '2', fault='hang-timing@T=32,U=2')  # goes on meanwhile
        other.stdout.readline()
        folders = lambda: sorted(n for n in os.listdir(self.path('tmp')) if not n.endswith('.lock'))
        self.assertEqual(len(folders()), 2, 'a run that lives keeps its folder')
        p.kill()
        p.communicate()
        self.assertEqual(len(folders()), 2)
        strange = self.path('tmp/phobos-kbench-notes')
        os.mkdir(strange)  # no owner: not a run's
        last = self.start('--list')
        last.communicate(timeout=60)
        left = folders()
        self.assertEqual(len(left), 2, left)
        self.assertIn('phobos-kbench-notes', left)
        os.rmdir(strange)
        other.send_signal(signal.SIGINT)
        text, _ = other.communicate(timeout=60)
        self.assertIn('interrupted', text)
        self.assertClean(other)

    def test_an_interrupt_while_the_roof_is_measured(self):
        p = subprocess.Popen([KBENCH, '--roof', '--target', 'cpu'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**self.environment(), 'TMPDIR': self.path('tmp')})
        self.assertIn('cpu on', p.stdout.readline())  # what the device is; the first roof takes longer
        p.send_signal(signal.SIGINT)
        _, err = p.communicate(timeout=30)
        self.assertEqual(p.returncode, 1)
        self.assertIn('interrupted', err)
        self.assertClean(p)

    def test_an_interrupt_before_any_point(self):
        p = self.start('--jobs', '1', fault='compile-hang')
        p.stdout.readline()
        p.send_signal(signal.SIGINT)
        text, _ = p.communicate(timeout=30)
        self.assertIn('no point was finished', text)
        self.assertNotIn('0 points', text)
        self.assertClean(p)


class Reports(Case):
    def test_a_kernel_that_never_ends_hangs(self):
        rows = self.rows('--dim', 'N=50', '--run-timeout', '1', source=LOOP, target='cpu', expect=1)
        self.assertEqual({p['status'] for p in rows.values()}, {'hang'})
        self.assertIn('the interpreter at N=', rows['T=8']['detail'])

    def test_an_error_is_said_once_with_its_place(self):
        r = self.kbench('--dim', 'N=50', source=PARTLY)
        self.assertEqual(r.stdout.count('error[E'), 1, r.stdout)
        self.assertRegex(r.stdout, r'compile-error \(2 points\): .*kernel.pho:5:\d+: error\[E\d+\]: ')

    def test_finalists_come_first_and_best_agrees(self):
        rows = self.rows('--dim', 'N=5000', '--pin', 'T=8', source=SCALE.replace('[1, 2]', '[1, 64]'), target='cpu')
        ranked = sorted((p for p in rows.values() if p['rank']), key=lambda p: p['rank'])
        kinds = [p['timed_in'] for p in ranked]
        self.assertEqual(kinds, sorted(kinds))  # finals, then search
        for kind in ('finals', 'search'):
            medians = [p['median_ms'] for p in ranked if p['timed_in'] == kind]
            if kind == 'finals':
                medians = medians[1:]  # a tie goes to fewer resources
            self.assertEqual(medians, sorted(medians))
        best = self.kbench('--best', '--dim', 'N=5000', source=SCALE.replace('[1, 2]', '[1, 64]'), target='cpu').stdout
        self.assertIn(' '.join(f'{k}={v}' for k, v in self.result['best'].items()), best.splitlines()[0])
        self.assertRegex(best.splitlines()[0], rf'winner of {len(rows)} ')

    def test_best_tells_a_point_that_was_measured_alone(self):
        self.kbench('--dim', 'N=50', '--autotune', 'T=8 U=1')
        self.assertRegex(self.kbench('--best', '--dim', 'N=50').stdout, r'(?m)^ +1 .* alone +T=8 U=1$')
        self.kbench('--dim', 'N=50', '--pin', 'T=16')
        self.kbench('--dim', 'N=50', '--autotune', 'T=16 U=2')  # a search ranks it
        out = self.kbench('--best', '--dim', 'N=50').stdout
        self.assertRegex(out, r'(?m)^ +1 .* winner of \d ')
        self.assertRegex(out, r'(?m)^ +\d .* of \d +T=16 U=2$')
        self.assertRegex(out, r'(?m)^ +\d .* alone +T=8 U=1$')

    def test_a_kernel_without_names(self):
        out = self.kbench('--dim', 'N=50', source='kernel k(X: tensor<f32>[N]) {\n  X[ctx.block.x * 8 :+ 8] = 1.0\n}\n').stdout
        self.assertIn("best   the kernel's only point", out)
        self.assertIn('at N=50', self.kbench('--list', '--dim', 'N=50', source='kernel k(X: tensor<f32>[N]) {\n  X[ctx.block.x * 8 :+ 8] = 1.0\n}\n').stdout)


if __name__ == '__main__':
    unittest.main(verbosity=2)
