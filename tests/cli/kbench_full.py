#!/usr/bin/env python3
"""phobos-kbench from outside: points at full size, where the time went, roofs. `kbench_full.py BIN_DIR [TestName..]`."""
import json, os, sys, unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kbench_case import Case, GEMM

POINTWISE = '''
@autotune(T in [8, 16])
kernel k(X: tensor<f32>[N]) {
  X[ctx.block.x * T :+ T] = f32(T)
}
'''


class Time(Case):
    def test_it_is_said_where_the_time_went(self):
        self.assertRegex(self.kbench('--dim', 'N=50').stdout, r'took   \d+\.\d s: the device verified at small sizes for ')
        self.rows('--dim', 'N=50', '--fresh')
        seconds = self.result['seconds']
        self.assertGreater(seconds['total'], 0)
        self.assertGreater(seconds['compiling'], 0)
        self.assertLess(seconds['small_sizes'] + seconds['full_size'] + seconds['timing'], seconds['total'])


class FullSize(Case):
    """Every timed point is compared at the size at which it is timed with a plain point of the same kernel."""

    def test_timed_points_are_verified_at_full_size(self):
        for target in ('interp', 'cpu'):
            rows = self.rows('--dim', 'M=61 N=47 K=70', source=GEMM, target=target)
            self.assertTrue(all(p['verified_full_size'] for p in rows.values()), rows)
            self.assertEqual(self.result['full_size_reference'], 'TILE_M=8 TILE_N=8 TILE_K=4')
            self.assertTrue(self.result['winner_held'])
        self.assertIn('small sizes and at full size', self.kbench('--dim', 'M=20 N=20 K=20', source=GEMM).stdout)

    def test_the_roof_is_measured(self):
        rows = self.rows('--dim', 'M=128 N=128 K=128', '--pin', 'TILE_M=16 TILE_N=16', source=GEMM, target='cpu')
        roof = self.result['roof']
        self.assertTrue(roof['copy_gbps'] > 0 and all(v['gflops'] > 0 for v in roof['products'].values()), roof)
        self.assertEqual(sorted(roof['products']), ['f32', 'f64'])
        self.assertTrue(all(0 < p['percent_of_roof'] and p['roof'] in ('dot f32', 'copy') for p in rows.values()), rows)
        out = self.kbench('--dim', 'N=100000', '--pin', 'T=32', target='cpu').stdout
        self.assertIn('% of roof', out)
        self.assertRegex(out, r'roof   measured here( \d+ min ago \(--fresh measures again\))?: a copy moves')

    def keptRoofs(self, ledger):
        """A machine on which no two measurements agree keeps none."""
        roofs = {}
        if os.path.exists(ledger + '.roof'):
            with open(ledger + '.roof') as f:
                roofs = json.load(f)
        if not roofs:
            self.skipTest('this machine is too busy for a roof')
        return roofs

    def test_the_roof_is_kept_for_a_week(self):
        ledger = self.path('l.sqlite')
        def run(*args):
            return self.kbench('--dim', 'N=100000', '--pin', 'T=32', '--ledger', ledger, *args, target='cpu').stdout
        kept = '0 min ago (--fresh measures again)'
        self.assertNotIn(kept, run())
        roofs = self.keptRoofs(ledger)
        self.assertIn(kept, run())
        self.assertNotIn(kept, run('--fresh'))
        for key in roofs:
            roofs[key]['when'] -= 8 * 24 * 3600
        for text in (json.dumps(roofs), 'damaged', '[]', '{"x": 1}'):
            with open(ledger + '.roof', 'w') as f:
                f.write(text)
            self.assertNotIn(kept, run())
        self.assertNotIn('min ago', self.kbench('--dim', 'N=1000', '--ledger', 'none', target='cpu').stdout)
        out = self.kbench('--roof', source=None, target='cpu').stdout
        self.assertRegex(out, r'a copy moves \d+ GB/s')
        self.assertIn('dot f32 makes', out)

    def test_a_roof_that_a_point_is_above_is_measured_again(self):
        ledger, files = self.path('l.sqlite'), ('--dim', 'M=128 N=128 K=128', '--pin', 'TILE_M=16 TILE_N=16 TILE_K=8')
        def run():
            out = self.kbench(*files, '--ledger', ledger, source=GEMM, target='cpu').stdout
            return out, self.keptRoofs(ledger)
        _, roofs = run()
        key, = roofs
        for halved in ([['f32', 1e-3, 'in a bad moment']], [['f64', 1e9, '']]):
            roofs[key]['roofs'], roofs[key]['when'] = halved, roofs[key]['when'] - 3600
            with open(ledger + '.roof', 'w') as f:
                json.dump(roofs, f)
            out, roofs = run()
            if halved[0][0] == 'f32':
                self.assertNotIn('h ago', out)
                self.assertGreater({r[0]: r[1] for r in roofs[key]['roofs']}['f32'], 1)
            else:
                self.assertIn('1 h ago', out)  # nothing is above what is not known

    def test_points_without_a_common_small_size_are_compared_at_another(self):
        # The sizes of the tile of 64 are beyond what the tile of 16 takes, and those of 16 are none of 64.
        source = ('@autotune(NC in [16, 64])\n@require(NC >= N)\nkernel rows(X: tensor<f32>[R, N], Y: tensor<f32>[R, N]) {\n'
                  '  let x = load(X[ctx.block.x :+ 1, 0 :+ NC], fill = -inf)\n  Y[ctx.block.x :+ 1, 0 :+ NC] = exp(x - rowmax(x))\n}\n')
        rows = self.rows('--dim', 'R=7 N=16', source=source)
        self.assertEqual(len(rows), 3)
        self.assertTrue(all(p['verified_full_size'] for p in rows.values()), rows)
        self.assertNotIn('WARNING', self.kbench('--dim', 'R=7 N=16', source=source).stdout)

    def test_an_unverified_best_is_warned_of(self):
        out = self.kbench('--dim', 'N=50', '--grid', '7').stdout
        self.assertIn('WARNING  the best point was not verified at the size at which it was timed', out)
        self.assertRegex(out, '(?m)^ +1 .* not verified at full size$')

    def test_wrong_at_full_size_alone(self):
        rows = self.rows('--dim', 'N=50', fault='wrong-full@T=16,U=2')
        self.assertEqual(rows['T=16 U=2']['status'], 'wrong')
        self.assertRegex(rows['T=16 U=2']['detail'], 'expected .* at full size, by the plain point T=8 U=1')
        self.assertEqual(sum(p['status'] == 'ok' for p in rows.values()), 5)

    def test_in_place_kernels_start_from_the_same(self):
        source = '@autotune(T in [8, 16])\nkernel k(X: tensor<f32>[N]) {\n  X[ctx.block.x * T :+ T] = X[ctx.block.x * T :+ T] * 2.0\n}\n'
        rows = self.rows('--dim', 'N=90', source=source, target='cpu')
        self.assertTrue(all(p['verified_full_size'] for p in rows.values()), rows)

    def test_it_is_left_out_with_a_reason(self):
        rows = self.rows('--dim', 'N=64', source=POINTWISE)
        self.assertTrue(rows['T=8']['verified_full_size'])
        self.assertEqual(rows['T=16']['status'], 'ok')
        self.assertIn('depends on the point', rows['T=16']['detail'])
        self.assertEqual([rows[p]['rule'] for p in ('T=8', 'T=16')], ['', 'depends-on-point'])
        out = self.kbench('--dim', 'N=64', '--grid', '8', '--fresh', source=POINTWISE).stdout
        self.assertIn('not verified at full size (2 points): --grid', out)

    def test_a_reference_that_fails_is_no_reference(self):
        rows = self.rows('--dim', 'N=50', fault='wrong@T=8,U=1')
        self.assertEqual(rows['T=8 U=1']['status'], 'wrong')
        self.assertEqual(self.result['full_size_reference'], 'T=16 U=1')


if __name__ == '__main__':
    unittest.main(verbosity=2)
