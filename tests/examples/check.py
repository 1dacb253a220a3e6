#!/usr/bin/env python3
"""Runs every file of examples/ with phobos-run and compares with NumPy: `check.py BIN_DIR EXAMPLES_DIR [--target cpu] [NAME..]`.

Each file is checked at its first point and at a second one, at sizes that are no multiple of any tile. A file of examples/
without an entry here fails. The last line is `N passed, N failed`.
"""
import argparse, os, re, shlex, subprocess, sys, tempfile
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument('bin')
parser.add_argument('examples')
parser.add_argument('--target', default='cpu')
parser.add_argument('only', nargs='*')
options = parser.parse_intermixed_args()
rng = np.random.default_rng(1)
f32 = np.float32


def uniform(*shape):
    return rng.uniform(-1, 1, shape).astype(f32)


def bf16(x):
    """Rounded to the nearest bf16, as f32."""
    bits = np.asarray(x, f32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(f32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def erf(x):
    from math import erf as scalar
    return np.vectorize(scalar)(x)


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def philox(seed, offset):
    mask = np.uint64(0xFFFFFFFF)
    c = [offset & mask, offset >> np.uint64(32), np.zeros_like(offset), np.zeros_like(offset)]
    k = [np.uint64(seed) & mask, np.uint64(seed) >> np.uint64(32)]
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ k[0], p1 & mask, (p0 >> np.uint64(32)) ^ c[3] ^ k[1], p0 & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return (c[0] >> np.uint64(8)).astype(np.float64) * 2.0 ** -24


class Case:
    """Arguments by name (arrays, or numbers for scalars), what comes out, and the second point to try."""

    def __init__(self, args, expected, point, tolerance=2e-5):
        self.args, self.expected, self.point, self.tolerance = args, expected, point, tolerance


def nan(*shape):
    return np.full(shape, np.nan, f32)


def gemm():
    a, b = uniform(77, 45), uniform(45, 83)
    return Case({'A': a, 'B': b, 'C': nan(77, 83)}, {'C': a.astype(float) @ b}, 'TILE_M=128 TILE_N=64 TILE_K=32')


def gemm_bf16():
    a, b = bf16(uniform(77, 100)), bf16(uniform(100, 83))
    return Case({'A': a, 'B': b, 'C': nan(77, 83)}, {'C': a.astype(float) @ b}, 'TILE_N=128 TILE_K=64', 1e-2)


def gemm_int8():
    a, b = rng.integers(-128, 128, (70, 150), np.int8), rng.integers(-128, 128, (150, 90), np.int8)
    sa, sb = uniform(70, 1), uniform(90)
    return Case({'A': a, 'B': b, 'C': nan(70, 90), 'sa': sa, 'sb': sb}, {'C': (a.astype(float) @ b.astype(float)) * sa * sb}, 'TILE_M=128 TILE_K=128')


def gemm_batched():
    x, y = uniform(3, 50, 37), uniform(3, 37, 41)
    return Case({'X': x, 'Y': y, 'Z': nan(3, 50, 41)}, {'Z': x.astype(float) @ y}, 'TILE_N=64 TILE_K=32')


def gemm_splitk():
    x, w, bias = bf16(uniform(7, 1000)), bf16(uniform(1000, 90)), uniform(90)
    return Case({'X': x, 'W': w, 'bias': bias, 'Y': nan(7, 90)}, {'Y': np.maximum(x.astype(float) @ w + bias, 0)}, 'TILE_N=128 TILE_K=64 SPLIT_K=3', 2e-2)


def gemm_epilogue():
    a, b, c, bias = bf16(uniform(70, 100)), bf16(uniform(100, 90)), bf16(uniform(70, 90)), uniform(90)
    return Case({'A': a, 'B': b, 'C': c, 'bias': bias, 'alpha': 0.5, 'beta': 0.25},
                {'C': gelu(0.5 * (a.astype(float) @ b) + 0.25 * c + bias)}, 'TILE_M=128 TILE_K=64', 2e-2)


def saxpy():
    x, y = uniform(1000), uniform(1000)
    return Case({'X': x, 'Y': y, 'a': 0.5}, {'Y': f32(0.5) * x + y}, 'BLOCK=512')


def softmax_case(name, second):
    x = uniform(13, 700) * 8
    return Case({'X': x, 'Y': nan(13, 700)}, {'Y': softmax(x.astype(float))}, second)


def layer_norm():
    x, gain, bias = uniform(11, 700), uniform(700), uniform(700)
    d = x.astype(float) - x.mean(axis=1, keepdims=True, dtype=float)
    y = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * gain + bias
    return Case({'X': x, 'gain': gain, 'bias': bias, 'Y': nan(11, 700), 'eps': 1e-5}, {'Y': y}, 'ROWS=4')


def attention():
    q, k, v = bf16(uniform(2, 3, 70, 128)), bf16(uniform(2, 3, 90, 128)), bf16(uniform(2, 3, 90, 128))
    scale = 0.125
    s = softmax(q.astype(float) @ k.astype(float).swapaxes(2, 3) * scale)
    return Case({'Q': q, 'K': k, 'V': v, 'O': nan(2, 3, 70, 128), 'scale': scale}, {'O': s @ v}, 'BC=128', 2e-2)


def partial_sums():
    x = uniform(1, 5000)
    expected = np.stack([x[0, t::256].sum(dtype=float) for t in range(256)])[None]
    return Case({'X': x, 'O': nan(1, 256)}, {'O': expected}, 'U=8')


def rope():
    x = uniform(100, 64)
    angle = np.arange(100)[:, None] * 10000.0 ** (-2 * np.arange(32) / 64)
    lo, hi = x[:, :32].astype(float), x[:, 32:].astype(float)
    y = np.concatenate([lo * np.cos(angle) - hi * np.sin(angle), hi * np.cos(angle) + lo * np.sin(angle)], axis=1)
    return Case({'X': x, 'Y': nan(100, 64), 'theta': 10000.0}, {'Y': y}, 'ROWS=64', 1e-4)


def dropout():
    x = uniform(1000)
    keep = philox(7, np.arange(1000, dtype=np.uint64)) >= f32(0.25)
    return Case({'X': x, 'Y': nan(1000), 'p': 0.25, 'seed': 7}, {'Y': np.where(keep, x / 0.75, 0)}, 'BLOCK=1024')


def transpose():
    x = uniform(50, 70)
    return Case({'X': x, 'Y': nan(70, 50)}, {'Y': x.T}, 'TM=64', 0)


def histogram():
    x = rng.integers(-2, 12, 10000).astype(np.int32)
    return Case({'X': x, 'H': np.zeros(10, np.int32)}, {'H': np.bincount(x[(x >= 0) & (x < 10)], minlength=10).astype(np.int32)}, 'PER_BLOCK=8192', 0)


def cumsum():
    x = uniform(13, 300)
    return Case({'X': x, 'Y': nan(13, 300)}, {'Y': x.cumsum(axis=1, dtype=float)}, 'ROWS=8 C=128', 1e-4)


def argmax():
    x = -np.abs(uniform(9, 700))
    x[3, 100] = x[3, 200] = 5
    return Case({'X': x, 'I': np.full((9, 1), -1, np.int32)}, {'I': x.argmax(axis=1)[:, None]}, 'NC=2048', 0)


def gelu_fn():
    x = bf16(uniform(9, 700) * 4)
    v = x.astype(float)
    return Case({'X': x, 'Y': nan(9, 700)}, {'Y': v / (1 + np.exp(-1.702 * v))}, 'R=4', 1e-2)


cases = {
    'gemm': gemm, 'gemm_bf16': gemm_bf16, 'gemm_int8': gemm_int8, 'gemm_batched': gemm_batched, 'gemm_epilogue': gemm_epilogue, 'gemm_splitk': gemm_splitk,
    'saxpy': saxpy, 'softmax': lambda: softmax_case('softmax', 'ROWS=4'), 'softmax_online': lambda: softmax_case('softmax_online', 'C=512'),
    'layer_norm': layer_norm, 'attention': attention, 'partial_sums': partial_sums, 'rope': rope, 'dropout': dropout, 'transpose': transpose,
    'histogram': histogram, 'cumsum': cumsum, 'argmax': argmax, 'gelu_fn': gelu_fn,
}
passed = failed = 0


def report(name, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    if problem:
        print(f'FAIL {name}: {problem}')


def execute(command, folder=None):
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
        return (r.stderr or r.stdout).strip()[:400] or f'exit status {r.returncode}' if r.returncode else ''
    except (subprocess.TimeoutExpired, OSError) as e:
        return str(e)


def run(path, case, point, folder, check=False):
    command = [os.path.join(options.bin, 'phobos-run'), path] + (['--check'] if check else ['--target', options.target])
    if point:
        command += ['--point', point]
    for k, v in case.args.items():
        if isinstance(v, np.ndarray):
            np.save(os.path.join(folder, k + '.npy'), v)
            v = os.path.join(folder, k + '.npy')
        command += ['--arg', f'{k}={v}']
    for k in case.expected:
        command += ['--out', f'{k}={os.path.join(folder, "out-" + k + ".npy")}']
    problem = execute(command)
    if problem:
        return problem
    for k, exact in case.expected.items():
        got = np.load(os.path.join(folder, 'out-' + k + '.npy'))
        if got.shape != exact.shape:
            return f'{k} has shape {got.shape}, expected {exact.shape}'
        bound = case.tolerance * np.maximum(1, np.abs(exact))
        bad = ~(np.abs(got.astype(float) - exact) <= bound)
        if bad.any():
            i = tuple(int(x) for x in np.argwhere(bad)[0])
            return f'{k}{list(i)} is {got[i]}, expected {exact[i]}; {int(bad.sum())} of {bad.size} differ'
    return ''


if not os.path.exists(os.path.join(options.bin, 'phobos-run')):
    print('phobos-run is not built: skipped')
    sys.exit(77)
for file in sorted(os.listdir(options.examples)):
    name, extension = os.path.splitext(file)
    if extension != '.pho' or (options.only and name not in options.only):
        continue
    path = os.path.join(options.examples, file)
    if name not in cases:
        report(name, 'no entry in tests/examples/check.py')
        continue
    report(f'{name}, check', execute([os.path.join(options.bin, 'phobos-compile'), '--check', '-Werror', path]))
    for point in ('', cases[name]().point):
        with tempfile.TemporaryDirectory() as folder:
            report(f'{name} at {point or "its first point"}', run(path, cases[name](), point, folder))
    if options.target == 'interp':  # races, elements that nobody stores, points outside
        with tempfile.TemporaryDirectory() as folder:
            report(f'{name} with --check', run(path, cases[name](), '', folder, check=True))
# The tutorial shows its kernels as they stand in the files it names.
tutorial = open(os.path.join(options.examples, '..', 'docs', 'tutorial.md'), encoding='utf-8').read()
for name, text in re.findall(r'^`examples/(\w+)\.pho`:\n\n```\n(.*?)```', tutorial, re.S | re.M):
    whole = open(os.path.join(options.examples, name + '.pho'), encoding='utf-8').read()
    report(f'{name} in the tutorial', '' if text in whole else 'differs from the file')
# And its commands work, from the source's root (those of phobos-kbench are another test's).
for line in re.findall(r'^(phobos-(?:run|compile) .*)$', ''.join(re.findall(r'```sh\n(.*?)```', tutorial, re.S)), re.M):
    command = shlex.split(line, comments=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.join(os.path.abspath(options.bin), command[0])] + [re.sub(r'(\w+)=(\w+\.npy)', rf'\1={folder}/\2', c) for c in command[1:]]
        report(line, execute(command, os.path.join(options.examples, '..')))
print(f'{passed} passed, {failed} failed')
sys.exit(1 if failed or not passed else 0)
