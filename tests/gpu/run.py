#!/usr/bin/env python3
"""run.py DIR: runs the programs that gpu-pack wrote, each on every entry point that its arguments allow, and compares with the interpreter.
Needs a CUDA driver and NumPy. Without a driver it says so and exits with 77 (CTest: skipped)."""
import ctypes, json, os, sys
import numpy as np
try: cu = ctypes.CDLL('libcuda.so.1')
except OSError: print('skipped: no CUDA driver'); sys.exit(77)
P = ctypes.c_void_p
class Fault(Exception): pass
def ck(r, what):
    if r:
        s = ctypes.c_char_p(); cu.cuGetErrorName(r, ctypes.byref(s)); raise Fault(f'{what}: {s.value.decode()}')
dev, ctx = ctypes.c_int(), P()
if cu.cuInit(0): print('skipped: no CUDA device'); sys.exit(77)
ck(cu.cuDeviceGet(ctypes.byref(dev), 0), 'device'); ck(cu.cuDevicePrimaryCtxRetain(ctypes.byref(ctx), dev), 'context'); ck(cu.cuCtxSetCurrent(ctx), 'context')
WIDTH = {'bool': 1, 'i8': 1, 'u8': 1, 'f8e4m3': 1, 'f8e5m2': 1, 'f16': 2, 'bf16': 2, 'f32': 4, 'i32': 4, 'u32': 4, 'f64': 8, 'i64': 8, 'index': 8}
def values(raw, elem):
    """As f64 or integers, for comparison."""
    if elem == 'bf16': return (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if elem in ('f8e4m3', 'f8e5m2'):
        b = np.arange(256); m, e = (3, 7) if elem == 'f8e4m3' else (2, 15)
        ex, fr = (b >> m) & ((1 << (7 - m)) - 1), b & ((1 << m) - 1)
        v = np.where(ex == 0, fr * 2.0 ** (1 - e - m), (1 + fr / 2.0 ** m) * 2.0 ** (ex - e)) * np.where(b & 128, -1, 1)
        if elem == 'f8e4m3': v[(b & 127) == 127] = np.nan
        else: v = np.where(ex == 31, np.where(fr == 0, np.inf * np.where(b & 128, -1, 1), np.nan), v)
        return v[np.frombuffer(raw, np.uint8)]
    t = {'f16': np.float16, 'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'u32': np.uint32, 'i64': np.int64, 'index': np.int64, 'i8': np.int8}.get(elem, np.uint8)
    a = np.frombuffer(raw, t)
    return a.astype(np.float64) if a.dtype.kind == 'f' else a
def difference(arg, got, want):
    g, w = values(got, arg['elem']), values(want, arg['elem'])
    if g.dtype.kind == 'f':
        with np.errstate(all='ignore'): bad = ~((g == w) | (np.isnan(g) & np.isnan(w)) | (np.abs(g - w) <= arg['tolerance']))
    else: bad = g != w
    return '' if not bad.any() else f"{arg['name']}: element {int(np.argmax(bad))} of {arg['shape']} is {g[np.argmax(bad)]!r}, expected {w[np.argmax(bad)]!r}; {int(bad.sum())} differ"
def run(d, L, entry):
    ptrs, keep = {}, []
    try:
        for i, a in enumerate(L['args']):
            if 'bits' in a: continue
            raw = open(f"{d}/{a['name']}.in", 'rb').read(); p = ctypes.c_uint64()
            ck(cu.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(max(16, len(raw)))), 'allocate'); ptrs[i] = p.value
            if raw: ck(cu.cuMemcpyHtoD_v2(p, raw, ctypes.c_size_t(len(raw))), 'upload')
        space = 0
        if entry['workspace']:
            w = ctypes.c_uint64(); ck(cu.cuMemAlloc_v2(ctypes.byref(w), ctypes.c_size_t(entry['workspace'])), 'allocate'); space = ptrs['workspace'] = w.value
            ck(cu.cuMemsetD8_v2(w, 0, ctypes.c_size_t(entry['workspace'])), 'clear')
        for kind, p, ax, elem in L['params']:
            v = (ptrs[p] if kind == 0 else int(np.prod(L['args'][p]['shape'][ax + 1:], dtype=np.int64)) if kind == 1 else L['args'][p]['bits'] if kind == 2
                 else L['dims'][p] if kind == 3 else L['grid'][ax] if kind == 4 else space)
            keep.append(ctypes.c_uint64(v & (2**64 - 1)))
        args = (P * len(keep))(*[ctypes.cast(ctypes.pointer(k), P) for k in keep])
        g = L['grid']; g = [g[0] * entry['parts'], g[1], g[2]]; total = g[0] * g[1] * g[2]
        if total:
            grid = ((total + 1) // 2, 1, 1) if L['persistent'] else g if entry['native'] else (min(total, 2**31 - 1), -(-total // (2**31 - 1)), 1)
            m, f = P(), P(); ck(cu.cuModuleLoadData(ctypes.byref(m), open(d + '/k.cubin', 'rb').read()), 'load')
            ck(cu.cuModuleGetFunction(ctypes.byref(f), m, entry['symbol'].encode()), 'function'); ck(cu.cuFuncSetAttribute(f, 8, entry['shared']), 'shared')
            ck(cu.cuLaunchKernel(f, *map(ctypes.c_uint, grid), ctypes.c_uint(entry['threads']), 1, 1, ctypes.c_uint(entry['shared']), None, args, None), 'launch')
            ck(cu.cuCtxSynchronize(), 'run'); cu.cuModuleUnload(m)
        for i, a in enumerate(L['args']):
            if 'bits' in a: continue
            want = open(f"{d}/{a['name']}.out", 'rb').read(); got = ctypes.create_string_buffer(max(1, len(want)))
            if want: ck(cu.cuMemcpyDtoH_v2(got, ctypes.c_uint64(ptrs[i]), ctypes.c_size_t(len(want))), 'download')
            why = difference(a, got.raw[:len(want)], want) if want else ''
            if why: return why
        return ''
    finally:
        for p in ptrs.values(): cu.cuMemFree_v2(ctypes.c_uint64(p))
passed = failed = 0
for n in sorted(os.listdir(sys.argv[1])):
    d = os.path.join(sys.argv[1], n); L = json.load(open(d + '/launch.json'))
    aligned = all(int(np.prod(a['shape'][ax + 1:])) * WIDTH[a['elem']] % 16 == 0 for a in L['args'] if 'shape' in a for ax in range(len(a['shape']) - 1))
    for entry in L['entries']:
        if entry['aligned'] and not aligned: continue
        try: why = run(d, L, entry)
        except Fault as e: print(f'FAULT {n} {entry["symbol"]}: {e}'); print(f'{passed} passed, {failed + 1} failed; the rest was not run'); sys.exit(1)
        if why: failed += 1; print(f'FAIL {n} {entry["symbol"]}: {why}')
        else: passed += 1
print(f'{passed} passed, {failed} failed'); sys.exit(failed != 0)
