"""The frame of the tests of phobos-kbench from outside: a folder, a source and the command, with the exit status it must have."""
import json, os, subprocess, sys, tempfile, unittest

BIN = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else 'build/dev/bin')
KBENCH = os.path.join(BIN, 'phobos-kbench')

SCALE = '''
@autotune(T in [8, 32], U in [1, 2])
kernel scale(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  Y[ctx.block.x * (T * U) :+ T * U] = X[ctx.block.x * (T * U) :+ T * U] * a
}
'''
GEMM = '''
@autotune(TILE_M in [8, 16], TILE_N in [8, 16], TILE_K in [4, 8])
kernel gemm(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  var acc: tile<f32>[TILE_M, TILE_N] = 0.0
  for kt in range(0, K, TILE_K) {
    acc += dot(A[ctx.block.x * TILE_M :+ TILE_M, kt :+ TILE_K], B[kt :+ TILE_K, ctx.block.y * TILE_N :+ TILE_N])
  }
  C[ctx.block.x * TILE_M :+ TILE_M, ctx.block.y * TILE_N :+ TILE_N] = acc
}
'''


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), 'w') as f:
            f.write(text)
        return self.path(name)

    def environment(self, fault=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith('PHOBOS')}
        env['XDG_STATE_HOME'] = self.folder.name
        if fault:
            env['PHOBOS_KBENCH_FAULT'] = fault
        return env

    def kbench(self, *args, source=SCALE, target='interp', fault=None, expect=0):
        command = [KBENCH, *args]
        if target:
            command += ['--target', target, '--budget', '5']
        if source is not None:
            command.append(self.write('kernel.pho', source))
        r = subprocess.run(command, capture_output=True, text=True, env=self.environment(fault), timeout=300)
        self.assertEqual(r.returncode, expect, f'{command}\n{r.stdout}\n{r.stderr}')
        return r

    def rows(self, *args, **kw):
        self.kbench('--json', self.path('out.json'), *args, **kw)
        with open(self.path('out.json')) as f:
            self.result = json.load(f)
        return {' '.join(f'{k}={v}' for k, v in p['point'].items()): p for p in self.result['points']}
