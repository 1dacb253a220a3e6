#!/usr/bin/env python3
"""The standard library's functions of f16 and bf16 against exact values: `narrow.py BIN_DIR [--target cpu|interp|sm_90a]`.

Those of one argument at each of the 2^16 numbers, as tiles of both ranks and as scalars; the others and those of rows at random ones. A
result may be 1 unit in the last place of its own type from the exact value: computed in f32 and rounded once, each is.
Needs NumPy. The last line is `N passed, N failed`.
"""
import argparse, math, os, subprocess, sys, tempfile
import numpy as np

ap = argparse.ArgumentParser(); ap.add_argument('bin'); ap.add_argument('--target', default='cpu'); a = ap.parse_args()
np.seterr(all='ignore')
passed = failed = 0
# (bits below the first, least exponent, largest): of f16 and bf16
TYPES = {'f16': (10, -24, 65504.0), 'bf16': (7, -133, float(np.uint32(0x7f7f0000).view(np.float32)))}


def every(t):
    bits = np.arange(1 << 16, dtype=np.uint32)
    return bits.astype(np.uint16).view(np.float16).astype(np.float32) if t == 'f16' else (bits << 16).view(np.float32)


def narrow(x, t):
    """To the nearest of a type, as f32."""
    below, least, _ = TYPES[t]
    unit = np.maximum(np.frexp(x)[1] - 1 - below, least)
    return np.ldexp(np.rint(np.ldexp(np.asarray(x, np.float64), -unit)), unit).astype(np.float32)


def ulps(got, exact, t):
    below, least, largest = TYPES[t]
    unit = np.ldexp(1.0, np.maximum(np.frexp(exact)[1] - 1 - below, least))
    off = np.abs(got.astype(np.float64) - exact) / unit
    over = np.abs(exact) > largest  # infinity or the largest
    off = np.where(over & (np.abs(got) >= largest) & (np.sign(got) == np.sign(exact)), 0, off)
    off = np.where(got == exact, 0, off)
    return np.where(np.isnan(exact), np.where(np.isnan(got), 0, np.inf), np.where(np.isnan(off), np.inf, off))


def run(name, kernel, args, exact, t):
    global passed, failed
    with tempfile.TemporaryDirectory() as d:
        open(os.path.join(d, 'k.pho'), 'w').write(kernel)
        cmd = [os.path.join(a.bin, 'phobos-run'), os.path.join(d, 'k.pho'), '--target', a.target]
        for k, v in args.items():
            np.save(os.path.join(d, k + '.npy'), v); cmd += ['--arg', f'{k}={d}/{k}.npy']
        for k in exact: cmd += ['--out', f'{k}={d}/{k}.npy']
        r = subprocess.run(cmd, capture_output=True, text=True)
        if r.returncode:
            failed += 1; print(f'FAIL {name}: {r.stderr.strip()[:400]}'); return
        for k, e in exact.items():
            off = ulps(np.load(os.path.join(d, k + '.npy')), e, t)
            bad = off > 1
            passed += not bad.any(); failed += bool(bad.any())
            if bad.any():
                i = int(np.argmax(np.where(bad, off, 0))); g = np.load(os.path.join(d, k + '.npy')).ravel()[i]
                x = {n: float(v.ravel()[i]) for n, v in args.items() if v.size == e.size}
                print(f'FAIL {name} {k}: {g!r} at {x}, expected {e.ravel()[i]!r}; {int(bad.sum())} of {bad.size} are off')


erfc = np.vectorize(math.erfc, otypes=[np.float64])
def sigmoid(x): return 1 / (1 + np.exp(-x))
def least(x): return np.maximum(x, -1e300)  # -inf times 0 is to be the limit
ONE = {
    'relu': lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)),
    'gelu': lambda x: least(x) * 0.5 * erfc(-x / math.sqrt(2)),
    'gelu_tanh': lambda x: least(x) * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)),
    'silu': lambda x: least(x) * sigmoid(x),
    'softplus': lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    'log1p_of': lambda x: np.where((x >= 0) & (x <= 1), np.log1p(x), np.nan)}


def of_one():
    for t in TYPES:
        x = every(t); wide = x.astype(np.float64); n = x.size
        for f, exact in ONE.items():
            e = exact(wide)
            at = lambda v: f'{f}({v})' if f != 'log1p_of' else f'where({v} >= 0.0 && {v} <= 1.0, log1p_of({v}), nan)'
            body = f'''@launch(128)
@grid(x = {n // 128})
kernel k(X: tensor<{t}>[{n}], P: tensor<{t}>[{n}], Q: tensor<{t}>[{n}], S: tensor<{t}>[{n}]) {{
  let p = ctx.block.x * 128
  let v = X[p :+ 128]
  P[p :+ 128] = {at('v')}
  let w = reshape(v, [8, 16])
  Q[p :+ 128] = reshape({at('w')}, [128])
  let x = X[p + ctx.thread]
  S[p + ctx.thread] = {at('x')}
}}
'''
            run(f'{f} {t}', body, {'X': x}, {k: e for k in 'PQS'}, t)


def of_rows():
    rng = np.random.default_rng(1)
    for t in TYPES:
        r, c = 64, 64
        x = narrow(rng.normal(0, 4, (r, c)), t); y = narrow(rng.uniform(0, 1, (r, c)), t); z = narrow(x + rng.normal(0, 0.5, (r, c)), t)
        x64, y64, z64 = (v.astype(np.float64) for v in (x, y, z))
        m = x64.max(1, keepdims=True); d = x64 - m; s = np.exp(d).sum(1, keepdims=True); dz = np.abs(x64 - z64)
        target = rng.integers(0, c, (r, 1)).astype(np.int32)
        whole = lambda v: np.broadcast_to(v, (r, c)).copy()
        centred = x64 - x64.mean(1, keepdims=True)
        cases = {
            'softmax(x)': np.exp(d) / s, 'log_softmax(x)': d - np.log(s),
            'attention_weights(x, rowmax(z))': np.exp(x64 - z64.max(1, keepdims=True)),
            'broadcast(attention_correction(rowmax(y), rowmax(x)), [64, 64])': whole(np.exp(y64.max(1, keepdims=True) - m)),
            'broadcast(cross_entropy(x, target), [64, 64])': whole(np.log(s) - np.take_along_axis(d, target.astype(np.int64), 1)),
            'binary_cross_entropy(x, y)': np.maximum(x64, 0) - x64 * y64 + np.log1p(np.exp(-np.abs(x64))),
            'squared_error(x, z)': (x64 - z64) ** 2,
            'huber(x, z, 0.7)': np.where(dz <= 0.7, 0.5 * dz * dz, 0.7 * (dz - 0.35)),
            'layer_norm(x, 1e-5)': centred / np.sqrt(x64.var(1, keepdims=True) + 1e-5),
            'rms_norm(x, 1e-5)': x64 / np.sqrt((x64 * x64).mean(1, keepdims=True) + 1e-5),
            'dequantize(i8(x), y)': np.trunc(x64) * y64}
        for expr, e in cases.items():
            body = f'''@grid(x = 1)
kernel k(X: tensor<{t}>[64, 64], Y: tensor<{t}>[64, 64], Z: tensor<{t}>[64, 64], T: tensor<i32>[64, 1], O: tensor<{t}>[64, 64]) {{
  let x = X[:, :]
  let y = Y[:, :]
  let z = Z[:, :]
  let target = T[:, :]
  O[:, :] = {expr}
}}
'''
            run(f'{expr} {t}', body, {'X': x, 'Y': y, 'Z': z, 'T': target}, {'O': e}, t)


of_one()
of_rows()
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
