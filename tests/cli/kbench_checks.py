#!/usr/bin/env python3
"""phobos-kbench makes the checks of phobos-run --check: what the interpreter agrees with may still be wrong. `kbench_checks.py BIN_DIR [TestName..]`."""
import os, sys, unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kbench_case import Case

TWO_BLOCKS = '''@autotune(T in [4, 8])
@grid(x = cdiv(N, T))
kernel race(A: tensor<f32>[N], B: tensor<f32>[T]) {
  B[0 :+ T] = A[ctx.block.x * T :+ T]
}
'''
OTHER_BLOCK = '''@autotune(T in [4, 8])
kernel shift(A: tensor<f32>[N]) {
  A[ctx.block.x * T :+ T] = A[ctx.block.x * T + T :+ T]
}
'''
THREADS = '''@launch(32)
@grid(x = 1)
kernel threads(A: tensor<f32>[N], B: tensor<f32>[32]) {
  B[ctx.thread] = A[ctx.thread]
  let x = B[ctx.thread]
  B[(ctx.thread + 1) % 32] = x
}
'''
SMALL_GRID = '''@autotune(T in [4, 8])
@grid(x = N / T)
kernel small(A: tensor<f32>[N], B: tensor<f32>[N]) {
  B[ctx.block.x * T :+ T] = A[ctx.block.x * T :+ T]
}
'''
FEW = '''@autotune(T in [1, 2, 4, 8, 16])
@grid(x = cdiv(N, T))
kernel few(A: tensor<f32>[N], B: tensor<f32>[N]) {
  if ctx.block.x < 4 { B[ctx.block.x * T :+ T] = A[ctx.block.x * T :+ T] }
}
'''
HALF = '''@autotune(T in [4, 8], S in [4, 8])
kernel half(A: tensor<f32>[N], B: tensor<f32>[N]) {
  if ctx.block.x % (T / S + 1) == 0 { B[ctx.block.x * T :+ T] = A[ctx.block.x * T :+ T] }
}
'''


class Checks(Case):
    def wrong(self, source, code, place, *args):
        r = self.kbench('--dim', 'N=60', *args, source=source, expect=1)
        self.assertIn(f'.pho:{place}: error[{code}]', r.stdout)
        self.assertIn('no point passed', r.stdout)
        return r.stdout

    def test_two_blocks_that_store_one_element(self):
        for target in ('interp', 'cpu'):
            r = self.kbench('--dim', 'N=60', source=TWO_BLOCKS, target=target, expect=1)
            self.assertIn(':4:3: error[E1001]: block (1, 0, 0) stores ', r.stdout)
            self.assertIn('2 points: 2 wrong', r.stdout)

    def test_a_block_that_reads_what_another_stores(self):
        self.wrong(OTHER_BLOCK, 'E1003', '3:29')

    def test_threads_that_race(self):
        self.wrong(THREADS, 'E1005', '6:3')

    def test_a_grid_that_is_too_small(self):
        out = self.wrong(SMALL_GRID, 'E1002', '3:33')
        self.assertRegex(out, r"elements of 'B' are stored by no block, first 'B\[\d+\]' \(at N=\d+\); @aligned")

    def test_elements_that_are_left_out_at_full_size_alone(self):
        """The fault is one for all points, whatever their small sizes show."""
        for tensor in ('f32', 'i32', 'i8'):
            source = FEW.replace('f32', tensor)
            for target in ('interp', 'cpu'):
                r = self.kbench('--dim', 'N=90', source=source, target=target, expect=1)
                self.assertIn('5 points: 5 wrong', r.stdout)
                self.assertIn("26 of 90 elements of 'B' are stored by no block, first 'B[64]', at full size", r.stdout)

    def test_what_looks_like_what_was_there_is_right(self):
        # Bytes of -91 and NaN are what tensors that are only written hold before.
        for tensor, value in (('i8', 'i8(-91)'), ('bool', 'true'), ('f32', 'f32(nan)')):
            source = f'''@autotune(T in [4, 8])
kernel fill(B: tensor<{tensor}>[N]) {{
  var t: tile<{tensor}>[T] = {value}
  B[ctx.block.x * T :+ T] = t
}}
'''
            for target in ('interp', 'cpu'):
                out = self.kbench('--dim', 'N=60', source=source, target=target).stdout
                self.assertIn('2 points: 2 ok', out)
                self.assertNotIn('not verified', out)

    def test_what_the_size_makes_whole_is_right(self):
        aligned = SMALL_GRID.replace('kernel', '@aligned(N = T)\nkernel')
        self.assertIn('2 ok', self.kbench('--dim', 'N=64', source=aligned).stdout)

    def test_the_points_that_leave_elements_out_alone_are_wrong(self):
        out = self.kbench('--dim', 'N=60', source=HALF).stdout
        self.assertIn('4 points: 1 ok, 3 wrong', out)
        self.assertIn('best   T=4 S=8', out)

    def test_elements_that_may_be_left_are_warned_of(self):
        out = self.kbench('--dim', 'N=60', source=SMALL_GRID.replace(' = A', ' += A')).stdout
        self.assertRegex(out, r'(?s)WARNING  \S+:3:33: warning\[W1008\]: .* \(at N=\d+\)\n         at T=.*\nbest ')

    def test_a_grid_of_the_host_leaves_nothing_out(self):
        host = SMALL_GRID.replace('@grid(x = N / T)', '@grid(host)')
        out = self.kbench('--dim', 'N=60', '--grid', '1', '--pin', 'T=4', source=host).stdout
        self.assertNotIn('E1002', out)

    def test_an_access_outside_is_no_fault(self):
        out = self.kbench('--dim', 'N=60', source='''@launch(32)
kernel copy(A: tensor<f32>[N], B: tensor<f32>[N]) {
  let i = ctx.block.x * 32 + ctx.thread
  B[ctx.block.x * 32 :+ 32] = A[ctx.block.x * 32 :+ 32]
  if A[i] > 9.0 { B[i] = 9.0 }
}
''').stdout
        self.assertIn('1 ok', out)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
