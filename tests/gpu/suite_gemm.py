"""Parts of suite.py: products of matrices in every legal point of their spaces, in parts of k, and by blocks that walk over the grid."""
import os, re, tempfile, time
import numpy as np
from suite_base import HERE, TARGET, part, program, sh, tool


GEMM = """@autotune(TILE_M in [32, 128], TILE_N in [32, 128], TILE_K in [{k0}, {k1}])
kernel gemm(A: tensor<{t}>[M, K], B: tensor<{t}>[K, N], C: tensor<{o}>[M, N]) {{
  let m = ctx.block.x * TILE_M
  let n = ctx.block.y * TILE_N
  var acc: tile<{acc}>[TILE_M, TILE_N] = {zero}
  for k in range(0, K, TILE_K) {{ acc += dot(A[m :+ TILE_M, k :+ TILE_K], B[k :+ TILE_K, n :+ TILE_N]) }}
  C[m :+ TILE_M, n :+ TILE_N] = acc
}}
"""


SPACES = (("f32", "f32", "f32", (8, 32)), ("f64", "f64", "f64", (8, 16)), ("f16", "f32", "f32", (16, 64)), ("bf16", "f32", "f32", (16, 64)),
          ("i8", "i32", "i32", (32, 64)), ("f8e4m3", "f32", "f32", (32, 64)), ("f8e5m2", "f32", "f32", (32, 64)))
SPLIT_SPACES = (("f32", "f32", "f32", (16, 16)), ("f64", "f64", "f64", (16, 16)), ("bf16", "f32", "f32", (32, 32)), ("i8", "i32", "i32", (64, 64)))


def search_spaces(folder, types, more_names="", attributes="", dims=("M=301", "N=263", "K=173")):
    """Every legal point of a GEMM's space for each of the types, verified by phobos-kbench: how many were right, how many not, and what went wrong."""
    passed = failed = 0
    notes = []
    for t, o, acc, ks in types:
        path = os.path.join(folder, f"gemm_{t}.pho")
        text = GEMM.format(t=t, o=o, acc=acc, k0=ks[0], k1=ks[1], zero="0" if acc == "i32" else "0.0")
        open(path, "w").write(text.replace("@autotune(", attributes + "@autotune(" + more_names))
        csv = os.path.join(folder, "out.csv")
        r = sh([tool("phobos-kbench"), "--target", "gpu", "--ledger", "none", *[w for x in dims for w in ("--dim", x)], "--csv", csv, "--budget", "5", "--quiet", path])
        m = re.findall(r"(\d+) (ok|illegal|compile-error|compile-timeout|fault|hang|wrong|lost)\b", r.stdout)
        counts = {s: int(n) for n, s in m}
        bad = sum(n for s, n in counts.items() if s not in ("ok", "illegal"))
        passed += counts.get("ok", 0)
        failed += bad if m else 1
        if bad or not counts.get("ok"):
            notes.append(f"gemm {t}: {counts or (r.stdout + r.stderr)[-200:]}")
    return passed, failed, notes


def spaces():
    t0 = time.time()
    with tempfile.TemporaryDirectory() as d:
        passed, failed, notes = search_spaces(d, SPACES)
    part("spaces", passed, failed, since=t0, notes=notes)


ROLES = """{attributes}@autotune(TILE_M in [64, 128], TILE_N in [{columns}], TILE_K in [16, 32, 64, 128]{more})
kernel roles(A: tensor<{t}>[{a}], B: tensor<{t}>[{b}], D: tensor<{t}>[{b}], E: tensor<f32>[N], C: tensor<f32>[M, N]) {{
  let m = ctx.block.x * TILE_M
  let n = ctx.block.y * TILE_N
  var acc: tile<f32>[TILE_M, TILE_N] = 0.0
  var other: tile<f32>[TILE_M, TILE_N] = 1.0
  for k in range(0, K, TILE_K) {{
    let a = {sliceA}
    acc += {dot}(a, B[{sliceB}])
    {within}
  }}
  {after}
  C[m :+ TILE_M, n :+ TILE_N] = relu(acc + E[n :+ TILE_N]) * other
}}
"""


def roles():
    """Warps of a role of their own: each way in which operands lie, several products and several loops, rows at multiples of 16 bytes (the tensors' extents are)."""
    t0, passed, failed, notes = time.time(), 0, 0, []
    lies = {"nn": ("M, K", "K, N", "A[m :+ TILE_M, k :+ TILE_K]", "k :+ TILE_K, n :+ TILE_N", "dot"),
            "nt": ("M, K", "N, K", "A[m :+ TILE_M, k :+ TILE_K]", "n :+ TILE_N, k :+ TILE_K", "dot_t"),
            "tn": ("K, M", "K, N", "transpose(A[k :+ TILE_K, m :+ TILE_M])", "k :+ TILE_K, n :+ TILE_N", "dot"),
            "tt": ("K, M", "N, K", "transpose(A[k :+ TILE_K, m :+ TILE_M])", "n :+ TILE_N, k :+ TILE_K", "dot_t")}
    with tempfile.TemporaryDirectory() as d:
        for lie, (a, b, slice_a, slice_b, dot) in lies.items():
            again = f"for k in range(0, K, TILE_K) {{ other += {dot}({slice_a}, D[{slice_b}]) }}"
            kinds = [("one", "f16", "", "", "", "16, 64, 192, 256", ""), ("two", "bf16", "", f"other += {dot}(a, D[{slice_b}])", "", "32, 64", "@launch(256)\n"),
                     ("loops", "bf16", ", STAGES in [2, 3]", "", again, "64, 128", "@persistent\n"), ("parts", "bf16", ", SPLIT_K in [3]", "", "", "64, 128", "")]
            for kind, t, more, within, after, columns, attributes in kinds:
                path, csv = os.path.join(d, "roles.pho"), os.path.join(d, "out.csv")
                open(path, "w").write(ROLES.format(t=t, a=a, b=b, sliceA=slice_a, sliceB=slice_b, dot=dot, more=more, within=within, after=after, columns=columns, attributes=attributes))
                for dims in (("M=136", "N=200", "K=312"), ("M=1000", "N=776", "K=8")):
                    r = sh([tool("phobos-kbench"), "--target", "gpu", "--ledger", "none", *[w for x in dims for w in ("--dim", x)], "--csv", csv, "--budget", "5", "--quiet", path])
                    counts = {s: int(n) for n, s in re.findall(r"(\d+) (ok|illegal|compile-error|compile-timeout|fault|hang|wrong|lost)\b", r.stdout)}
                    bad = sum(n for s, n in counts.items() if s not in ("ok", "illegal"))
                    passed, failed = passed + counts.get("ok", 0), failed + (bad if counts.get("ok") else 1)
                    if bad or not counts.get("ok"):
                        notes.append(f"{lie} {kind} {' '.join(dims)}: {counts or (r.stdout + r.stderr)[-300:]}")
    part("roles", passed, failed, since=t0, notes=notes)


def persistent():
    """Blocks that walk over the grid: more of it than the device holds at once, less, one block; in either order of blocks."""
    t0, passed, failed, notes = time.time(), 0, 0, []
    types = [s for s in SPLIT_SPACES if s[0] != "f64"]
    with tempfile.TemporaryDirectory() as d:
        for dims in (("M=4001", "N=6007", "K=75"), ("M=301", "N=263", "K=173"), ("M=19", "N=27", "K=41")):
            p, f, n = search_spaces(d, types, "GROUP_M in [1, 8], ", "@persistent\n", dims)
            passed, failed, notes = passed + p, failed + f, notes + [f"{' '.join(dims)}: {x}" for x in n]
    part("persistent", passed, failed, since=t0, notes=notes)


def split_bundles(folder, counts):
    """split.pho in each number of parts; the paths, and what went wrong."""
    paths = []
    for n in counts:
        paths.append(os.path.join(folder, f"split_{n}.phx"))
        r = sh([tool("phobos-compile"), os.path.join(HERE, "runtime", "split.pho"), "--target", TARGET, "--point", f"SPLIT_K={n}", "-o", paths[-1]])
        if r.returncode:
            return paths, r.stderr
    return paths, ""


def splitk():
    t0, passed, failed, skipped, notes = time.time(), 0, 0, 0, []
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as d:
        check = program("gpu-split-check")
        if check:
            paths, why = split_bundles(d, (1, 2, 3, 4, 8))
            r = sh([check, *paths]) if not why else None
            m = re.search(r"(\d+) passed, (\d+) failed", r.stdout) if r else None
            passed, failed = passed + (int(m[1]) if m else 0), failed + (int(m[2]) if m else 1)
            notes += [x for x in r.stdout.splitlines() if x.startswith(("FAIL", "FAULT"))][:10] if r else [why]
            if r and not m and not notes:
                notes.append((r.stdout + r.stderr)[-300:])
        else:
            skipped += 1
            notes.append("skipped: gpu-split-check was not built")
        # Sums that round: the same bits in each run, whoever is last; near NumPy's.
        source = os.path.join(HERE, "runtime", "split.pho")
        for kernel, dtype, tolerance in (("plain", np.float32, 1e-4), ("doubles", np.float64, 1e-12), ("batched", np.float16, 1e-3)):
            x, y = (rng.uniform(-1, 1, s).astype(dtype) for s in (((2, 100, 3000), (2, 90, 3000)) if kernel == "batched" else ((100, 3000), (3000, 90))))
            z = np.zeros((2, 100, 90) if kernel == "batched" else (100, 90), np.float32 if dtype == np.float16 else dtype)
            for name, array in (("x", x), ("y", y), ("z", z)):
                np.save(os.path.join(d, name + ".npy"), array)
            want = x.astype(np.float64) @ (y.transpose(0, 2, 1) if kernel == "batched" else y).astype(np.float64)
            a_name, b_name = ("X", "Y") if kernel == "batched" else ("A", "B")
            for parts in (2, 3, 8, 64):
                outs = []
                for k in range(3):
                    out = os.path.join(d, f"out{k}.npy")
                    r = sh([tool("phobos-run"), source, "--kernel", kernel, "--target", TARGET, "--point", f"SPLIT_K={parts}", "--arg", f"{a_name}={d}/x.npy",
                            "--arg", f"{b_name}={d}/y.npy", "--arg", f"C={d}/z.npy", "--out", f"C={out}"])
                    outs.append(np.load(out) if r.returncode == 0 else r.stderr[-200:])
                ok = all(isinstance(o, np.ndarray) and o.tobytes() == outs[0].tobytes() for o in outs) and np.abs(outs[0] - want).max() <= tolerance * 30
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    notes.append(f"{kernel} SPLIT_K={parts}: " + (outs[0] if isinstance(outs[0], str) else f"runs differ, or are {np.abs(outs[0] - want).max()} off"))
        ok, bad, more = search_spaces(d, SPLIT_SPACES, 'SPLIT_K in [1, 2, 3, 4, 8], ')
        passed, failed, notes = passed + ok, failed + bad, notes + more
    part("splitk", passed, failed, skipped, since=t0, notes=notes)
