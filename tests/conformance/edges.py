#!/usr/bin/env python3
"""Writes the cases run/edges_*: `edges.py`. Each operation and type at its edges (denormals, NaN, infinities, zeros of both signs, the least and
the largest, halves between neighbours), expected exactly, so that what a device does of its own shows."""
import json, os
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run')
np.seterr(all='ignore')


# Types ----------------------------------------------------------------------------------------------------------------

def bits32(x): return np.asarray(x, np.float32).view(np.uint32)
def from32(bits): return np.asarray(bits, np.uint32).view(np.float32)
def f16(bits): return np.asarray(bits, np.uint16).view(np.float16).astype(np.float32)
def bf16(bits): return from32(np.asarray(bits, np.uint32) << 16)


def f8(bits, exponents, mantissas, bias, infinite):
    out = []
    for b in np.asarray(bits, np.uint32):
        e, m = (int(b) & 127) >> mantissas, int(b) & ((1 << mantissas) - 1)
        top = e == (1 << exponents) - 1
        v = float('inf') if infinite and top and m == 0 else float('nan') if top and (infinite or m == (1 << mantissas) - 1) else \
            np.ldexp(m, 1 - bias - mantissas) if e == 0 else np.ldexp((1 << mantissas) + m, e - bias - mantissas)
        out.append(-v if b & 128 else v)
    return np.array(out, np.float32)


def e4m3(bits): return f8(bits, 4, 3, 7, False)
def e5m2(bits): return f8(bits, 5, 2, 15, True)


def rounded(x, mantissas, least, largest, saturates):
    """An f64 to the nearest number of so many bits below the first, multiples of 2^least, ties to even."""
    x = np.asarray(x, np.float64)
    _, e = np.frexp(x)
    unit = np.maximum(e - 1 - mantissas, least)
    r = np.copysign(np.ldexp(np.rint(np.ldexp(x, -unit)), unit), x)
    over = np.abs(r) > largest
    r = np.where(over, np.copysign(largest if saturates else np.inf, x), r)
    return np.where(np.isnan(x), np.nan, r)


def convert(x, t):
    """T(x) of floats, and of integers that an f64 holds."""
    x = np.asarray(x)
    if t == 'f64': return x.astype(np.float64)
    if t == 'f32': return x.astype(np.float32)
    if t == 'f16': return rounded(x, 10, -24, 65504, False).astype(np.float32)
    if t == 'bf16': return rounded(x, 7, -133, float(from32(0x7f7f0000)), False).astype(np.float32)
    if t == 'f8e4m3': return rounded(x, 3, -9, 448, True).astype(np.float32)
    if t == 'f8e5m2': return rounded(x, 2, -16, 57344, True).astype(np.float32)
    kind = np.dtype(INTS[t]); info = np.iinfo(kind)
    def one(v):
        v = float(v)
        return 0 if v != v else info.max if v >= float(info.max) else info.min if v <= float(info.min) else int(v)
    return np.array([one(v) for v in x.ravel()], kind).reshape(x.shape)


INTS = {'i8': np.int8, 'u8': np.uint8, 'i32': np.int32, 'u32': np.uint32, 'i64': np.int64}
VALUES = {
    'f16': f16([0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3800, 0x4200, 0x6401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1400, 0x0c00, 0x5f40]),
    'bf16': bf16([0, 0x8000, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f00, 0x4040, 0x4381, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x2000, 0x0200, 0x4f00]),
    'f32': from32([0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f000000, 0x40400000, 0x4b800000, 0x4f000000,
                   0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x1f800000, 0x400000]),
    'f64': np.array([0, 1 << 63, 1, 1 << 63 | 1, 0xfffffffffffff, 0x10000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fe0000000000000, 0x4008000000000000,
                     0x4340000000000000, 0x43e0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x2000000000000000], np.uint64).view(np.float64),
    'f8e4m3': e4m3(range(256)), 'f8e5m2': e5m2([b for b in range(256) if b % 128 != 124])} # an array's infinities become 57344 on their way in
# What lies between numbers of narrower types, and about the ends of the integers.
BETWEEN = [2.0**-25, 3 * 2.0**-26, 2.0**-24 + 2.0**-40, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-30, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 65504, 65519.99, 65520, 448, 464, 463.99, 480, 57344, 61440, 2.0**-10,
           2.0**-9, 3 * 2.0**-11, 2.0**-17, 2.0**-134, 3 * 2.0**-134, 2.0**-150, 3 * 2.0**-151, 127.5, 128, 127.99, -128, -128.99, -129, 255, 255.99, 256, -0.99, 2.0**31, 2.0**31 - 1, -2.0**31, -2.0**31 - 1, 2.0**32,
           2.0**32 - 1, 2.0**63, 2.0**63 - 1024, -2.0**63, -2.0**63 - 2048, 2.0**64, 3.4e38, 3.4028235677973366e38, 3.4028235677973362e38, 1e300]
FLOATS = ['f16', 'bf16', 'f32', 'f64', 'f8e4m3', 'f8e5m2']


def integers(t):
    info = np.iinfo(INTS[t]); w = info.bits
    v = {0, 1, 2, 3, 7, w - 1, w, w + 1, 100, info.max, info.max - 1, info.min, info.min + 1, info.max // 2, (1 << w // 2) + 1} | ({-1, -2, -3, -7, -w} if info.min else {info.max - 6})
    return np.array(sorted(x for x in v if info.min <= x <= info.max), INTS[t])


def pairs(a, b):
    x, y = np.meshgrid(a, b, indexing='ij')
    return x.ravel().copy(), y.ravel().copy()


# Cases ----------------------------------------------------------------------------------------------------------------

def write(name, kernel, args, expect, least=None):
    folder = os.path.join(HERE, 'edges_' + name)
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, 'kernel.pho'), 'w').write(kernel)
    for k, v in args.items(): np.save(os.path.join(folder, k + '.npy'), np.ascontiguousarray(v))
    for k, v in expect.items(): np.save(os.path.join(folder, k + '.expect.npy'), np.ascontiguousarray(v))
    case = {'point': {}, 'scalars': {}, 'rtol': 0, 'atol': 0, 'args': {k: k + '.npy' for k in args}, 'expect': {k: k + '.expect.npy' for k in expect}}
    if least: case['least_sm'] = least
    json.dump(case, open(os.path.join(folder, 'case.json'), 'w'), indent=1)


def elementwise(name, args, outputs):
    """`outputs`: name, type, expression of a, b, .., what it gives. By tiles and by threads."""
    params = ', '.join([f'{n}: tensor<{t}>[N]' for n, (t, _) in args.items()] + [f'{p}{n}: tensor<{t}>[N]' for p in 'TS' for n, t, _, _ in outputs])
    text = f'@launch(128)\n@grid(x = cdiv(N, 128))\nkernel edges({params}) {{\n  let p = ctx.block.x * 128\n'
    text += ''.join(f'  let {n.lower()} = {n}[p :+ 128]\n' for n in args) + ''.join(f'  T{n}[p :+ 128] = {e}\n' for n, _, e, _ in outputs)
    text += '  if p + ctx.thread < N {\n    let q = p + ctx.thread\n' + ''.join(f'    let {n.lower()} = {n}[q]\n' for n in args)
    text += ''.join(f'    S{n}[q] = {e}\n' for n, _, e, _ in outputs) + '  }\n}\n'
    write(name, text, {n: v for n, (_, v) in args.items()}, {p + n: v for p in 'TS' for n, _, _, v in outputs})


def maximum(a, b, sign):
    r = np.where(a == b, np.where(np.signbit(a) == (sign > 0), b, a), np.maximum(a, b) if sign > 0 else np.minimum(a, b))
    return np.where(np.isnan(a) | np.isnan(b), np.nan, r).astype(a.dtype)


def arithmetic():
    for t in ['f16', 'bf16', 'f32', 'f64']:
        a, b = pairs(VALUES[t], VALUES[t])
        wide = (lambda x: x) if t in ('f32', 'f64') else (lambda x: x.astype(np.float64)) # f32's own operations round once
        x, y = wide(a), wide(b)
        r = lambda v: convert(v, t)
        elementwise(f'arithmetic_{t}', {'A': (t, a), 'B': (t, b)}, [
            ('0', t, 'a + b', r(x + y)), ('1', t, 'a - b', r(x - y)), ('2', t, 'a * b', r(x * y)), ('3', t, 'a / b', r(x / y)),
            ('4', t, 'max(a, b)', maximum(a, b, 1)), ('5', t, 'min(a, b)', maximum(a, b, -1)), ('6', t, '-a', -a), ('7', t, 'abs(b)', np.abs(b)),
            ('8', 'bool', 'a < b', a < b), ('9', 'bool', 'a != b', a != b), ('10', t, 'where(a >= b, a, b)', np.where(a >= b, a, b))])


def conversions():
    for t in FLOATS:
        v = VALUES[t] if t.startswith('f8') else np.concatenate([VALUES[t].astype(np.float64), BETWEEN, np.negative(BETWEEN)])
        v = convert(v, t) if t in ('f16', 'bf16', 'f32') else v
        if t == 'f16': v = np.unique(v.view(np.uint32)).view(np.float32)
        elementwise(f'convert_{t}', {'A': (t, v)}, [(u, u, f'{u}(a)', v if u == t else convert(v, u)) for u in FLOATS + list(INTS)] +
                    [('bool', 'bool', 'bool(a)', v != 0)])
    for t in INTS:
        v = integers(t)
        if t == 'i64': v = np.concatenate([v, np.array([2**53 + 1, 2**53 + 3, 2**24 + 1, 2**40 + 2**15, 2**62 + 2**38 + 1, 2**62 + 2**38, -2**62 - 2**54 - 1, -2**62 - 2**54], np.int64)])
        exact = lambda x, m: np.array([round_integer(int(i), m) for i in x])
        cut = {'f16': 10, 'bf16': 7, 'f32': 23, 'f64': 52, 'f8e4m3': 3, 'f8e5m2': 2}
        elementwise(f'convert_{t}', {'A': (t, v)}, [(u, u, f'{u}(a)', convert(exact(v, cut[u]), u)) for u in FLOATS] + [(u, u, f'{u}(a)', v.astype(INTS[u])) for u in INTS] +
                    [('bool', 'bool', 'bool(a)', v != 0)])


def round_integer(v, mantissas):
    """To nearest, ties to even, as a float that is exact."""
    sign, v = (-1, -v) if v < 0 else (1, v)
    drop = max(0, v.bit_length() - 1 - mantissas)
    q, rest = v >> drop, v & ((1 << drop) - 1)
    if drop and (2 * rest > 1 << drop or (2 * rest == 1 << drop and q & 1)): q += 1
    return sign * float(q << drop)


def wholes():
    for t in ['i8', 'u8', 'u32', 'i64']:
        a, b = pairs(integers(t), integers(t))
        info = np.iinfo(INTS[t]); w = info.bits
        wrap = lambda v: np.array([int(x) & ((1 << w) - 1) for x in v], np.uint64).astype({8: np.uint8, 32: np.uint32, 64: np.uint64}[w]).view(INTS[t])
        x, y = [int(i) for i in a], [int(i) for i in b]
        def quotient(i, j): return 0 if j == 0 else abs(i) // abs(j) * (1 if (i < 0) == (j < 0) else -1)
        def up(i, j): return 0 if j == 0 else -((-i) // j)
        def shift(i, j, left):
            if j < 0 or j >= w: return 0 if left or i >= 0 else -1
            return i << j if left else i >> j
        z = list(zip(x, y))
        elementwise(f'integers_{t}', {'A': (t, a), 'B': (t, b)}, [
            ('0', t, 'a / b', wrap(quotient(i, j) for i, j in z)), ('1', t, 'a % b', wrap(i - quotient(i, j) * j for i, j in z)), ('2', t, 'a << b', wrap(shift(i, j, True) for i, j in z)),
            ('3', t, 'a >> b', wrap(shift(i, j, False) for i, j in z)), ('4', t, 'cdiv(a, b)', wrap(up(i, j) for i, j in z)), ('5', t, 'a * b', wrap(i * j for i, j in z)),
            ('6', t, 'abs(a)', wrap(abs(i) for i in x)), ('7', t, '-b', wrap(-j for j in y)), ('8', t, 'max(a, b)', np.maximum(a, b)), ('9', 'bool', 'a < b', a < b)])


def products():
    """Denormals through the matrix units and sums that begin at numbers of many bits: each row of A has one element
    that is not 0, so that nothing is rounded."""
    for t, attribute in [('f16', ''), ('bf16', ''), ('f8e4m3', ''), ('f8e5m2', ''), ('f32', ''), ('f64', ''), ('f32', '@tensorcore(tf32)\n')]:
        if attribute: rows = np.ldexp([1, 3, 1023, -1, 5], [-136, -130, -136, -127, -126]).astype(np.float32)
        else: rows = VALUES[t][np.isfinite(VALUES[t]) & (VALUES[t] != 0)]
        if t in ('f32', 'f64'): rows = rows[np.abs(rows) < 1e30]
        a = np.zeros((64, 64), rows.dtype)
        for i in range(64): a[i, (7 * i) % 64] = rows[i % len(rows)]
        b = np.where((np.arange(64)[:, None] * 5 + np.arange(32) * 3) % 4 < 2, 1, -1).astype(rows.dtype)
        acc = 'f64' if t == 'f64' else 'f32'
        exact = a.astype(np.float64) @ b.astype(np.float64)
        large = 4097.0009765625 if t.startswith('f8') else 0.0
        big, fits = a, exact
        if large: # what still fits an f32 beside it
            big = np.where((np.abs(a) < 64) & (np.abs(a) >= 2.0**-4), a, 0).astype(np.float32)
            fits = large + big.astype(np.float64) @ b.astype(np.float64)
        text = f'''{attribute}@grid(x = 1)
kernel edges(A: tensor<{t}>[64, K], B: tensor<{t}>[K, 32], D: tensor<{t}>[64, K], C: tensor<{acc}>[64, 32], S: tensor<{acc}>[64, 32]) {{
  var acc: tile<{acc}>[64, 32] = 0.0
  for k in range(0, K, 32) {{ acc += dot(A[:, k :+ 32], B[k :+ 32, :]) }}
  C[:, :] = acc
  var sum: tile<{acc}>[64, 32] = {large}
  for k in range(0, K, 32) {{ sum += dot(D[:, k :+ 32], B[k :+ 32, :]) }}
  S[:, :] = sum
}}
'''
        dtype = np.float64 if t == 'f64' else np.float32
        write(f'products_{"tf32" if attribute else t}', text, {'A': a, 'B': b, 'D': big}, {'C': (exact + 0.0).astype(dtype), 'S': (fits + 0.0).astype(dtype)}, 80 if attribute else None)


def sums_of_zeros():
    for t in ['f16', 'f32', 'f64']:
        acc = 'f64' if t == 'f64' else 'f32'
        a = np.full((20, 37), -0.0, VALUES[t].dtype); a[::2, 5] = 0.0
        zero = lambda mixed: np.where(mixed, 0.0, -0.0).astype(np.float64 if t == 'f64' else np.float32)
        rows = np.arange(20) % 2 == 0
        text = f'''kernel edges(A: tensor<{t}>[M, 37], R: tensor<{acc}>[M, 1], C: tensor<{acc}>[M, 37], X: tensor<{t}>[M, 1]) {{
  let a = A[ctx.block.x * 5 :+ 5, :]
  R[ctx.block.x * 5 :+ 5, :] = rowsum(a)
  C[ctx.block.x * 5 :+ 5, :] = cumsum(a, 1)
  X[ctx.block.x * 5 :+ 5, :] = rowmax(a)
}}
'''
        write(f'zeros_{t}', text.replace('A[ctx.block.x * 5 :+ 5, :]\n', 'load(A[ctx.block.x * 5 :+ 5, :], fill = 0.0)\n', 1), {'A': a}, {
            'R': zero(rows)[:, None], 'C': zero(rows[:, None] & (np.arange(37) >= 5)[None, :]), 'X': zero(rows)[:, None].astype(a.dtype)})


def atomics():
    for t in ['f32', 'f64', 'i64', 'u32']:
        v = VALUES[t] if t[0] == 'f' else integers(t)
        a, b = pairs(v, v)
        isFloat = t[0] == 'f'
        low, high = (maximum(a, b, -1), maximum(a, b, 1)) if isFloat else (np.minimum(a, b), np.maximum(a, b))
        same = (a.view(f'u{a.itemsize}') == b.view(f'u{b.itemsize}'))
        added = a + b
        text = f'''@launch(128)
@grid(x = cdiv(N, 128))
kernel edges(B: tensor<{t}>[N], ADD: tensor<{t}>[N], MAX: tensor<{t}>[N], MIN: tensor<{t}>[N], CAS: tensor<{t}>[N], OLD: tensor<{t}>[4, N]) {{
  let p = ctx.block.x * 128 + ctx.thread
  if p < N {{
    OLD[0, p] = atomic_add(ADD, p, B[p])
    OLD[1, p] = atomic_max(MAX, p, B[p])
    OLD[2, p] = atomic_min(MIN, p, B[p])
    OLD[3, p] = atomic_cas(CAS, p, B[p], {t}(7))
    if p == 3 {{ OLD[0, 3] = atomic_add(ADD, N, B[p]) }}
  }}
}}
'''
        old = np.stack([a] * 4)
        old[0, 3] = 0
        write(f'atomics_{t}', text, {'B': b, 'ADD': a, 'MAX': a, 'MIN': a, 'CAS': a}, {'ADD': added, 'MAX': high, 'MIN': low, 'CAS': np.where(same, a.dtype.type(7), a), 'OLD': old})


def loops_and_starts():
    # Their names are none in PTX.
    most = 2**63 - 1
    bounds = [(0, 0, 1), (0, -5, 1), (-7, 8, 3), (0, 10, 0), (0, 10, -1), (most - 10, most, 3), (most - 10, most, most), (-most - 1, -most + 7, 3), (-most - 1, most, most), (2**31 - 5, 2**31 + 5, 3), (2**32 - 3, 2**32 + 3, 2),
              (most, most, 1), (-3, 3, most)]
    table = np.array(bounds, np.int64)
    last, count, total = [], [], []
    for lo, hi, step in bounds:
        values = list(range(lo, hi, step)) if step > 0 else []
        last.append(values[-1] if values else -1), count.append(len(values)), total.append((sum(values) + 2**63) % 2**64 - 2**63)
    text = '''@launch(32)
@grid(x = cdiv(N, 32))
kernel _(B: tensor<i64>[N, 3], LAST: tensor<i64>[N], COUNT: tensor<i32>[N], TOTAL: tensor<i64>[N]) {
  let p = ctx.block.x * 32 + ctx.thread
  if p < N {
    var last: i64 = -1
    var count = 0
    var total: i64 = 0
    for i in range(B[p, 0], B[p, 1], B[p, 2]) {
      last = i
      count += 1
      total += i
    }
    LAST[p] = last
    COUNT[p] = count
    TOTAL[p] = total
  }
}
'''
    write('loops', text, {'B': table}, {'LAST': np.array(last, np.int64), 'COUNT': np.array(count, np.int32), 'TOTAL': np.array(total, np.int64)})
    starts = np.array([0, -1, -3, -16, -17, 5, 36, 37, 100, 2**31, 2**31 - 1, -2**31, -2**31 - 5, 2**32, 2**32 - 4, -2**32, 2**61, 2**62, -2**62, most, most - 3, -most, -most - 1, 2**60, 2**60 + 2, 384307168202282325], np.int64)
    a = (np.arange(37 * 48) % 100 + 1).astype(np.float32).reshape(37, 48)
    def slice_of(s, r, fill):
        out = np.full((16, 32), fill, np.float32)
        for i in range(16):
            for j in range(32):
                if 0 <= int(s) + i < 37 and 0 <= int(r) + j < 48: out[i, j] = a[int(s) + i, int(r) + j]
        return out
    w = np.zeros((len(starts), 37), np.float32)
    for n, s in enumerate(starts):
        for i in range(4):
            if 0 <= int(s) + i < 37: w[n, int(s) + i] = 1
    text = '''@grid(x = N)
kernel WARP_SZ(A: tensor<f32>[M, 48], S: tensor<i64>[N], R: tensor<f32>[N, 16, 32], F: tensor<f32>[N, 16, 32], W: tensor<f32>[N, M], P: tensor<f32>[N]) {
  let n = ctx.block.x
  let s = S[n]
  R[n, 0 :+ 16, 0 :+ 32] = A[s :+ 16, s :+ 32]
  F[n, 0 :+ 16, 0 :+ 32] = load(A[s :+ 16, 3 :+ 32], fill = 9.0)
  W[n, s :+ 4] = full<f32>([4], 1.0)
  P[n] = A[s, s]
}
'''
    point = np.array([a[s, s] if 0 <= s < 37 else 0 for s in map(int, starts)], np.float32)
    write('starts', text, {'A': a, 'S': starts, 'W': np.zeros_like(w)}, {'R': np.stack([slice_of(s, s, 0) for s in starts]), 'F': np.stack([slice_of(s, 3, 9) for s in starts]), 'W': w, 'P': point})


def bytes_of_bools():
    v = (np.arange(24 * 40) * 37 % 256).astype(np.uint8); v[::3] = 0
    a = v.reshape(24, 40)
    text = '''kernel edges(A: tensor<bool>[M, 40], R: tensor<bool>[M, 40], U: tensor<u8>[M, 40], T: tensor<bool>[40, M], C: tensor<i32>[M, 1]) {
  let p = ctx.block.x * 8
  let a = A[p :+ 8, :]
  R[p :+ 8, :] = a
  U[p :+ 8, :] = u8(a)
  T[:, p :+ 8] = transpose(!a)
  C[p :+ 8, :] = rowsum(a)
}
'''
    is_set = a != 0
    write('bools', text, {'A': a.view(bool)}, {'R': is_set, 'U': is_set.astype(np.uint8), 'T': ~is_set.T, 'C': is_set.sum(1, keepdims=True).astype(np.int32)})


def carried(t):
    """What a block's scalars keep from one round of a loop to the next, and past an if: all bits of denormals."""
    a, b = pairs(VALUES[t], VALUES[t]); k = (np.arange(a.size) % 4).astype(np.int32)
    def rounds(step, v):
        for i in range(3): v = np.where(k > i, step(v), v)
        return v
    text = f'''@grid(x = N)
kernel edges(A: tensor<{t}>[N], B: tensor<{t}>[N], K: tensor<i32>[N], KEPT: tensor<{t}>[N], SWAPPED: tensor<{t}>[N], CHOSEN: tensor<{t}>[N], SUM: tensor<{t}>[N], HALVED: tensor<{t}>[N], MOST: tensor<{t}>[N]) {{
  let a = A[ctx.block.x]
  let b = B[ctx.block.x]
  let k = K[ctx.block.x]
  var kept = -a
  var x = a
  var y = b
  var sum = {t}(0.0)
  var halved = a
  for i in range(k) {{
    kept = where(kept == kept, a, kept)
    let z = x
    x = y
    y = z
    sum += a
    halved = halved * {t}(0.5)
  }}
  KEPT[ctx.block.x] = kept
  SWAPPED[ctx.block.x] = x
  SUM[ctx.block.x] = sum
  HALVED[ctx.block.x] = halved
  var chosen = b
  if k > 1 {{ chosen = a }}
  CHOSEN[ctx.block.x] = chosen
  var most = b
  var i = 0
  while i < k {{
    if a > most {{ most = a }} else {{ i += 1 }}
    i += 1
  }}
  MOST[ctx.block.x] = most
}}
'''
    wide = a.astype(np.float64)
    expect = {'KEPT': np.where(k > 0, a, -a), 'SWAPPED': np.where(k % 2 == 0, a, b), 'CHOSEN': np.where(k > 1, a, b), 'SUM': rounds(lambda v: convert(v + wide, t), np.zeros_like(wide)),
              'HALVED': rounds(lambda v: convert(v * 0.5, t), wide), 'MOST': np.where((k > 0) & (a > b), a, b)}
    write('carried_' + t, text, {'A': a, 'B': b, 'K': k}, {n: v.astype(np.float32) for n, v in expect.items()})


arithmetic(), conversions(), wholes(), products(), sums_of_zeros(), atomics(), loops_and_starts(), bytes_of_bools(), carried('bf16'), carried('f16')
