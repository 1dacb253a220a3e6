#!/usr/bin/env python3
"""suite.py BIN_DIR [--random N] [--jobs N] [--only PART ..]: everything that shows on a GPU that the compiled kernels are right.

  conformance   every conformance case on the device against its expected arrays
  spaces        every legal point of GEMM spaces at ragged sizes, for each type, verified by phobos-kbench
  roles         products by warps of a role beside others: each way in which operands lie, several products and loops, persistent, in parts of k
  splitk        kernels in SPLIT_K parts of k, bit for bit as in one part and twice on one workspace (gpu-split-check); floats the same from run to
                run; spaces of them, verified by phobos-kbench
  persistent    the same of @persistent kernels: a grid larger than what the device holds at once, a smaller one, one block; GROUP_M
  random        N random programs against the interpreter (phobos-selftest), by default 5000
  faults        each of the eight ways a point of a search can end, injected; the others and the best unaffected
  search        what phobos-kbench says of searches: the share of the roof where atomics or data decide what moves, elements left out at full size,
                the columns of its CSV, --list for another processor
  roof          what the device can do at most, as phobos-kbench measures it: a copy, products of each type
  growth        kernels past the bounds of the short pipeline (hundreds of loops and ifs), bit for bit as the interpreter says, for older processors too
  large         a tensor of more than 2^31 elements, as a vector and as rows
  accuracy      every f32 input of the functions of one argument, 2^32 pairs of pow, every conversion to and from a narrow type, as code for each processor up to this one; the standard library's functions of f16 and bf16
  runtime       libphobos-runtime: contexts, threads, graphs, devices, misuse (gpu-runtime-check), the cost of a launch (gpu-launch-cost)
  embed         examples/embed_* built with g++ and with CMake against the installed package and run on the device, embed_python beside PyTorch
  memcheck, racecheck, synccheck   the conformance cases, the runtime's checks and the examples under compute-sanitizer, where it is installed

BIN_DIR holds the tools. Needs NumPy and a CUDA driver; without a driver it says so and exits with 77 (CTest: skipped). Prints one line a
part and last `N passed, N failed, N skipped`.
"""
import os, re, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np

sys.dont_write_bytecode = True  # the installed folder stays as it is
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from suite_base import CASES, HERE, TARGET, a, part, program, sh, tool, totals
from suite_gemm import persistent, roles, spaces, splitk
from suite_runtime import embed, runtime, sanitizer
from suite_search import search


def conformance():
    t = time.time()
    r = sh([sys.executable, os.path.join(CASES, "check.py"), a.bin, "--target", TARGET])
    m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
    part("conformance", int(m[1]) if m else 0, int(m[2]) if m else 1, since=t, notes=[x for x in r.stdout.splitlines() if x.startswith("FAIL")][:10])


def older():
    """Code for older processors, assembled for this one: their instructions (mma of half size on sm_75) and ways (loads ahead through registers, sums of f8 products apart)."""
    t, passed, failed, notes = time.time(), 0, 0, []
    step = lambda what: print(f"  {what} done after {time.time() - t:.0f} s", flush=True)  # where a run that is cut off was
    for target in [x for x in ("sm_75", "sm_80", "sm_89") if int(x[3:]) < int(TARGET[3:].rstrip("a"))]:
        r = sh([sys.executable, os.path.join(CASES, "check.py"), a.bin, "--target", target])
        m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
        passed, failed = passed + (int(m[1]) if m else 0), failed + (int(m[2]) if m else 1)
        notes += [f"{target}: {x}" for x in r.stdout.splitlines() if x.startswith("FAIL")][:10]
        step(f"{target}: conformance")
        r = sh([tool("phobos-selftest"), "--target", target, "--first", "1", "--count", "200"])
        passed, failed = passed + (r.returncode == 0), failed + (r.returncode != 0)
        notes += [f"{target}: {x}" for x in (r.stdout + r.stderr).splitlines() if r.returncode and x.startswith("seed")][:5]
        notes += [f"{target}: {x}" for x in (r.stdout + r.stderr).splitlines()[-1:] if r.returncode]
        step(f"{target}: random programs")
    part("older", passed, failed, since=t, notes=notes)


def random():
    t0 = time.time()
    each = -(-a.random // a.jobs)
    def shard(i):
        return sh([tool("phobos-selftest"), "--target", TARGET, "--first", str(1 + i * each), "--count", str(each)], timeout=1500)
    with ThreadPoolExecutor(a.jobs) as pool:
        results = list(pool.map(shard, range(a.jobs)))
    run = failed = 0
    notes = []
    for r in results:
        m = re.search(r"(\d+) programs on \S+, (\d+) failed", r.stdout)
        if not m:
            failed += 1
            notes.append((r.stdout + r.stderr)[-200:].replace("\n", " | "))
            continue
        run += int(m[1])
        failed += max(int(m[2]), r.returncode != 0)  # too many illegal ones are a failure too
        notes += [x for x in r.stdout.splitlines() if x.startswith("seed")][:3]
    part("random", run - failed, failed, since=t0, notes=notes[:12])


def faults():
    t0 = time.time()
    r = sh([sys.executable, os.path.join(HERE, "faults.py"), a.bin, "--target", "gpu"], timeout=1200)
    m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
    part("faults", int(m[1]) if m else 0, int(m[2]) if m else 1, since=t0, notes=[x for x in r.stdout.splitlines() if x.startswith("FAIL")] if m else [(r.stdout + r.stderr)[-200:]])


def roof():
    """Every type of product has a rate, and the rates are in the order that the hardware has them in."""
    t0 = time.time()
    r = sh([tool("phobos-kbench"), "--roof", "--target", "gpu"])
    rates = {m[0]: float(m[1]) for m in re.findall(r"dot (\w+) makes (\S+) GFLOP/s", r.stdout)}
    sm = int(re.sub(r"\D", "", TARGET))
    wanted = ["f32", "f64", "f16", "f8e4m3", "f8e5m2", "i8", "u8", "bf16"] + (["tf32"] if sm >= 80 else [])
    checks = [(f"no rate of {x}", x in rates) for x in (wanted if sm < 100 else ["f32", "f64"])]
    if sm in (80, 90):
        checks += [(f"{a} is not faster than {b}: {rates}", rates.get(a, 0) > factor * rates.get(b, 0) > 0)
                   for a, b, factor in (("tf32", "f32", 1.5), ("bf16", "tf32", 1.5), ("f16", "tf32", 1.5), ("i8", "f16", 1.3), ("f64", "f32", 0.4))]
    if sm == 90:
        checks.append((f"f8e4m3 is not faster than f16: {rates}", rates.get("f8e4m3", 0) > 1.3 * rates.get("f16", 1e9)))
    checks.append(("repeated measurements did not agree: is something else on this GPU?", "did not agree" not in r.stdout))
    bad = [why for why, ok in checks if not ok]
    part("roof", len(checks) - len(bad), len(bad), since=t0, notes=r.stdout.splitlines() + bad + ([r.stderr[-200:]] if r.returncode else []))


LARGE = """kernel vec(X: tensor<u8>[N], Y: tensor<u8>[N]) {
  let i = ctx.block.x * 4096
  Y[i :+ 4096] = X[i :+ 4096] + 1
}
kernel rows(X: tensor<u8>[R, C], Y: tensor<u8>[R, C]) {
  let r = ctx.block.x * 16
  let c = ctx.block.y * 256
  Y[r :+ 16, c :+ 256] = X[r :+ 16, c :+ 256] ^ 1
}
"""


def large():
    t0 = time.time()
    passed = failed = 0
    notes = []
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "large.pho")
        open(path, "w").write(LARGE)
        for kernel, shape, f in (("vec", (2**31 + 12345,), lambda x: x + 1), ("rows", (46349, 46351), lambda x: x ^ 1)):
            x = np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint8).reshape(shape)
            np.save(os.path.join(d, "x.npy"), x)
            np.save(os.path.join(d, "y.npy"), np.zeros(shape, np.uint8))
            r = sh([tool("phobos-run"), path, "--kernel", kernel, "--target", TARGET, "--arg", f"X={d}/x.npy", "--arg", f"Y={d}/y.npy", "--out", f"Y={d}/out.npy"])
            ok = r.returncode == 0 and np.array_equal(np.load(os.path.join(d, "out.npy")), f(x))
            passed += ok
            failed += not ok
            if not ok:
                notes.append(f"{kernel}: {r.stderr[-200:] or 'wrong elements'}")
    part("large", passed, failed, since=t0, notes=notes)


def growth_kernels():
    """Kernels of more loops and blocks than are optimized (compiler/target/common/ShortPipeline.h): of tiles, with masks at the edge; of single threads."""
    lines = lambda form, count: "\n".join(form(i) for i in range(count))
    # Integers wrap, and the floats are whole numbers below 2^24: every order and every contraction has the same bits.
    tiles = f"""@grid(x = cdiv(N, 64))
kernel tiles(X: tensor<i32>[N], F: tensor<f32>[N], Y: tensor<i32>[N], G: tensor<f32>[N], Z: tensor<i32>[M], n: i32) {{
  let at = ctx.block.x * 64
  var s = X[at :+ 64]
  var f = F[at :+ 64]
{lines(lambda i: f"  for i in range(0, n) {{ s = s * {i % 7 + 3} + X[at - i * 32 + {i % 5} :+ 64] }}" if i % 2 else
       f"  for i in range(0, n) {{ f = f + F[at + i * 32 :+ 64] * {i % 3}.0 }}", 400)}
  if ctx.block.x == 0 {{
{lines(lambda i: f"    if X[{i}] > n * {i % 3} {{ Z[{i}] = X[{i}] + {i} }}", 500)}
  }}
  Y[at :+ 64] = s
  G[at :+ 64] = f
}}
"""
    threads = f"""@grid(x = 4) @launch(64)
kernel threads(X: tensor<i32>[N], Y: tensor<i32>[N], Z: tensor<i32>[M], n: i32) {{
  let t = ctx.block.x * 64 + ctx.thread
  var s = X[t]
{lines(lambda i: f"  if s % {i % 11 + 2} == 0 {{ s = s * 3 + {i} }}", 500)}
{lines(lambda i: f"  for i in range(0, s & 3) {{ s = s * 5 + X[i + {i % 50}] }}", 250)}
  Y[t] = s
{lines(lambda i: f"  if s > {i} * n {{ Z[t * 2 + {i % 2}] = s - {i} }}", 500)}
}}
"""
    return {"tiles": (tiles, ("Y", "G", "Z")), "threads": (threads, ("Y", "Z"))}


def growth():
    t0, passed, failed, notes = time.time(), 0, 0, []
    rng = np.random.default_rng(7)
    whole = {"X": rng.integers(-1000, 1000, 555).astype(np.int32), "F": rng.integers(-9, 9, 555).astype(np.float32), "Y": np.zeros(555, np.int32),
             "G": np.zeros(555, np.float32), "Z": np.zeros(600, np.int32)}
    with tempfile.TemporaryDirectory() as d:
        for name, (text, outs) in growth_kernels().items():
            path = os.path.join(d, name + ".pho")
            open(path, "w").write(text)
            got = {}
            for target in ["interp", TARGET] + [x for x in ("sm_75", "sm_80", "sm_89") if int(x[3:]) < int(TARGET[3:].rstrip("a"))]:
                args = ["--arg", "n=3"]
                for k, v in whole.items():
                    if f"{k}: tensor" in text:
                        np.save(os.path.join(d, k + ".npy"), v)
                        args += ["--arg", f"{k}={d}/{k}.npy"]
                for k in outs:
                    args += ["--out", f"{k}={d}/out_{k}.npy"]
                r = sh([tool("phobos-run"), path, "--target", target, *args])
                got[target] = [np.load(os.path.join(d, f"out_{k}.npy")).tobytes() for k in outs] if r.returncode == 0 else r.stderr[-200:]
                if target == "interp" and r.returncode == 0:
                    continue
                ok = r.returncode == 0 and got[target] == got["interp"]
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    notes.append(f"{name} on {target}: " + (got[target] if r.returncode else "other than the interpreter: " + ", ".join(k for k, x, y in zip(outs, got[target], got["interp"]) if x != y)))
    part("growth", passed, failed, since=t0, notes=notes)


def accuracy():
    t0, passed, failed, notes = time.time(), 0, 0, []
    sweep = program("common-gpu-sweep")
    number = lambda sm: int(re.match(r"sm_(\d+)", sm)[1])
    code = {sm: program(f"sweep-{sm}.ptx") for sm in ("sm_75", "sm_80", "sm_89", "sm_90a")}
    # Code for an architecture's own features (`a`) runs on that one alone.
    fitting = [sm for sm in code if code[sm] and (sm == TARGET if sm.endswith("a") else number(sm) <= number(TARGET))]
    if not sweep or not fitting:
        return part("accuracy", 0, 0, 1, notes=["skipped: common-gpu-sweep and its PTX were not built"])
    for sm in fitting:
        r = sh([sweep, code[sm]])
        m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
        passed, failed = passed + (int(m[1]) if m else 0), failed + (int(m[2]) if m else 1)
        notes += [f"{sm}: {x}" for x in r.stdout.splitlines() if x.startswith("FAIL")] + ([] if m else [f"{sm}: {(r.stdout + r.stderr)[-200:]}"])
    r = sh([sys.executable, os.path.join(CASES, "narrow.py"), a.bin, "--target", TARGET])
    m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
    passed, failed = passed + (int(m[1]) if m else 0), failed + (int(m[2]) if m else 1)
    notes += [x for x in r.stdout.splitlines() if x.startswith("FAIL")] + ([] if m else [f"narrow.py: {(r.stdout + r.stderr)[-200:]}"])
    part("accuracy", passed, failed, since=t0, notes=notes)


PARTS = {"conformance": conformance, "older": older, "accuracy": accuracy, "runtime": runtime, "embed": embed, "spaces": spaces, "persistent": persistent, "splitk": splitk, "roles": roles, "random": random, "faults": faults, "search": search, "roof": roof, "growth": growth, "large": large, **{k: (lambda k=k: sanitizer(k)) for k in ("memcheck", "racecheck", "synccheck")}}
if unknown := set(a.only) - set(PARTS):
    sys.exit(f"suite.py: no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
print(f"target {TARGET}, {a.jobs} jobs", flush=True)
for name, f in PARTS.items():
    if not a.only or name in a.only:
        f()
print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
sys.exit(1 if totals[1] else 0)
