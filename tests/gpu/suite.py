#!/usr/bin/env python3
"""suite.py BIN_DIR [--random N] [--jobs N] [--only PART ..]: everything that shows on a GPU that the compiled kernels are right.

  conformance   every conformance case on the device against its expected arrays
  spaces        every legal point of GEMM spaces at ragged sizes, for each type, verified by phobos-kbench
  splitk        kernels in SPLIT_K parts of k, bit for bit as in one part and twice on one workspace (gpu-split-check); floats the same from run to
                run; spaces of them, verified by phobos-kbench
  persistent    the same of @persistent kernels: a grid larger than what the device holds at once, a smaller one, one block; GROUP_M
  random        N random programs against the interpreter (phobos-selftest), by default 5000
  faults        each of the eight ways a point of a search can end, injected; the others and the best unaffected
  roof          what the device can do at most, as phobos-kbench measures it: a copy, products of each type
  large         a tensor of more than 2^31 elements, as a vector and as rows
  accuracy      every f32 input of the functions of one argument, 2^32 pairs of pow, every conversion to and from a narrow type, as code for each processor up to this one
  runtime       libphobos-runtime: contexts, threads, graphs, devices, misuse (gpu-runtime-check), the cost of a launch (gpu-launch-cost)
  embed         examples/embed_* built with g++ and with CMake against the installed package and run on the device, embed_python beside PyTorch
  memcheck, racecheck, synccheck   the conformance cases, the runtime's checks and the examples under compute-sanitizer, where it is installed

BIN_DIR holds the tools. Needs NumPy and a CUDA driver; without a driver it says so and exits with 77 (CTest: skipped). Prints one line a
part and last `N passed, N failed, N skipped`.
"""
import argparse, ctypes, json, os, re, shutil, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "conformance")
ap = argparse.ArgumentParser()
ap.add_argument("bin")
ap.add_argument("--random", type=int, default=5000)
ap.add_argument("--jobs", type=int, default=os.cpu_count())
ap.add_argument("--only", nargs="*", default=[])
a = ap.parse_args()


def device():
    """`sm_90a` of the first device, or None."""
    try:
        cu = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    n = ctypes.c_int()
    if cu.cuInit(0) or cu.cuDeviceGetCount(ctypes.byref(n)) or not n.value:
        return None
    major, minor = ctypes.c_int(), ctypes.c_int()
    cu.cuDeviceGetAttribute(ctypes.byref(major), 75, 0)
    cu.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0)
    sm = major.value * 10 + minor.value
    return f"sm_{sm}" + ("a" if sm >= 90 else "")


TARGET = device()
if not TARGET:
    print("skipped: no CUDA device on this machine")
    sys.exit(77)
totals = [0, 0, 0]


def tool(name):
    return os.path.join(os.path.abspath(a.bin), name)


def sh(cmd, timeout=600):
    try:
        return subprocess.run(cmd, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(cmd, 124, (e.stdout or b"").decode() if isinstance(e.stdout, bytes) else e.stdout or "", "timed out")


def part(name, passed, failed, skipped=0, since=None, notes=()):
    totals[0] += passed
    totals[1] += failed
    totals[2] += skipped
    for n in notes:
        print("  " + n[:300])
    print(f"{name:12} {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "") + (f"   {time.time() - since:.0f} s" if since else ""), flush=True)


def conformance():
    t = time.time()
    r = sh([sys.executable, os.path.join(CASES, "check.py"), a.bin, "--target", TARGET])
    m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
    part("conformance", int(m[1]) if m else 0, int(m[2]) if m else 1, since=t, notes=[x for x in r.stdout.splitlines() if x.startswith("FAIL")][:10])


def older():
    """Code for older processors, assembled for this one: their instructions (mma of half size on sm_75) and ways (loads ahead through registers)."""
    t, passed, failed, notes = time.time(), 0, 0, []
    for target in [x for x in ("sm_75", "sm_80") if int(x[3:]) < int(TARGET[3:].rstrip("a"))]:
        r = sh([sys.executable, os.path.join(CASES, "check.py"), a.bin, "--target", target])
        m = re.search(r"(\d+) passed, (\d+) failed", r.stdout)
        passed, failed = passed + (int(m[1]) if m else 0), failed + (int(m[2]) if m else 1)
        notes += [f"{target}: {x}" for x in r.stdout.splitlines() if x.startswith("FAIL")][:10]
        r = sh([tool("phobos-selftest"), "--target", target, "--first", "1", "--count", "200"])
        passed, failed = passed + (r.returncode == 0), failed + (r.returncode != 0)
        notes += [f"{target}: {x}" for x in (r.stdout + r.stderr).splitlines()[-1:] if r.returncode]
    part("older", passed, failed, since=t, notes=notes)


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
        failed += int(m[2])
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


def program(name):
    """A program of this folder: packed beside this file, or in the build."""
    places = [os.path.join(HERE, "bin", name), os.path.join(os.path.abspath(a.bin), "..", "tests", "bin", name)]
    return next((p for p in places if os.path.exists(p)), None)


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
    part("accuracy", passed, failed, since=t0, notes=notes)


def runtime_bundle(folder):
    path = os.path.join(folder, "runtime.phx")
    older = ["--target", "sm_80"] if TARGET != "sm_80" else []
    r = sh([tool("phobos-compile"), os.path.join(HERE, "runtime", "runtime.pho"), *older, "--target", TARGET, "--target", "cpu", "--point", "BLOCK=64 @ N <= 2000",
            "--point", "BLOCK=256", "-o", path])
    return path, r.stderr if r.returncode else ""


def runtime():
    t0 = time.time()
    check, cost = program("gpu-runtime-check"), program("gpu-launch-cost")
    if not check or not cost:
        return part("runtime", 0, 0, 1, notes=["skipped: gpu-runtime-check and gpu-launch-cost were not built"])
    with tempfile.TemporaryDirectory() as d:
        bundle, why = runtime_bundle(d)
        if why:
            return part("runtime", 0, 1, notes=[why])
        r, c = sh([check, bundle]), sh([cost, bundle])
        m = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped", r.stdout)
        counts = [int(x) for x in m.groups()] if m else [0, 1, 0]
        counts[1 if c.returncode else 0] += 1
        notes = [x for x in r.stdout.splitlines() if x.startswith(("FAIL", "FAULT", "skipped"))][:20] + ([] if m else [(r.stdout + r.stderr)[-300:]])
        part("runtime", *counts, since=t0, notes=notes + (c.stdout + c.stderr).splitlines())


def embed_programs(folder, done):
    """Builds what can be built here of the examples; (name, command) of each, failures through `done(name, why)`."""
    prefix = os.path.dirname(os.path.abspath(a.bin))
    include, lib, examples = (os.path.join(prefix, *x) for x in (("include",), ("lib",), ("share", "phobos", "examples")))
    if not os.path.exists(include):  # a build folder, not a package
        include, examples = os.path.join(HERE, "..", "..", "runtime", "include"), os.path.join(HERE, "..", "..", "examples")
    saxpy, gemm = os.path.join(folder, "saxpy.phx"), os.path.join(folder, "gemm.phx")
    for name, out in (("saxpy", saxpy), ("gemm", gemm)):
        r = sh([tool("phobos-compile"), os.path.join(examples, name + ".pho"), "--target", TARGET, "--target", "cpu", "-o", out])
        if r.returncode:
            done("compile " + name, r.stderr)
    os.environ["XDG_CACHE_HOME"] = folder  # what embed_from_source compiled before is not there
    pc = os.path.join(lib, "pkgconfig")

    def flags(package):
        """As pkg-config says them, where it is installed."""
        if shutil.which("pkg-config") and os.path.exists(pc):
            r = subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True, text=True, env=dict(os.environ, PKG_CONFIG_PATH=pc))
            return r.stdout.split() + ["-ldl"]
        return ["-I" + include, "-L" + lib, "-Wl,-rpath," + lib, *(["-lphobos"] if package == "phobos" else []), "-lphobos-runtime", "-ldl"]

    commands = []
    for name, compiler, source, package, args in (("embed_cpp", ["g++", "-std=c++20", "-O2"], "main.cpp", "phobos-runtime", [saxpy, "cuda"]),
                                                  ("embed_c", ["gcc", "-std=c11", "-O2"], "main.c", "phobos-runtime", [saxpy, "cuda"]),
                                                  ("embed_from_source", ["g++", "-std=c++20", "-O2"], "main.cpp", "phobos", [])):
        if not shutil.which(compiler[0]):
            done(name, f"skipped: no {compiler[0]} on this machine")
            continue
        exe = os.path.join(folder, name)
        r = sh(compiler + [os.path.join(examples, name, source), "-o", exe] + flags(package))
        if r.returncode:
            done(name, r.stderr[-300:])
            continue
        commands += [(name, [exe, *args])] * (2 if package == "phobos" else 1)  # the second finds what the first compiled
        if name == "embed_c":  # whose project asks for pkg-config
            continue
        if not shutil.which("cmake") or not os.path.exists(os.path.join(lib, "cmake")):
            done(name + " by CMake", "skipped: no cmake, or no package")
        else:
            made = os.path.join(folder, name + ".cmake")
            r = sh(["cmake", "-S", os.path.join(examples, name), "-B", made, "-DCMAKE_PREFIX_PATH=" + prefix])
            r = r if r.returncode else sh(["cmake", "--build", made])
            if r.returncode:
                done(name + " by CMake", (r.stdout + r.stderr)[-300:])
            else:
                commands.append((name + " by CMake", [os.path.join(made, name), *args]))
    if sh([sys.executable, "-c", "import torch"]).returncode:
        done("embed_python", "skipped: no PyTorch for " + sys.executable)
    else:
        os.environ["PHOBOS_RUNTIME"] = os.path.join(lib, "libphobos-runtime.so")
        commands.append(("embed_python", [sys.executable, os.path.join(examples, "embed_python", "embed.py"), gemm]))
    return commands


def embed():
    t0 = time.time()
    counts, notes = [0, 0, 0], []

    def done(name, why):
        counts[2 if why.startswith("skipped") else 1] += 1
        notes.append(f"{name}: {why}")

    with tempfile.TemporaryDirectory() as d:
        seen = set()
        for name, command in embed_programs(d, done):
            first = name not in seen
            seen.add(name)
            r = sh(command)
            if r.returncode:
                done(name, (r.stdout + r.stderr)[-300:].replace("\n", " | "))
            elif " on cpu" in r.stdout:
                done(name, "it ran on the CPU")
            elif name == "embed_from_source" and ("compiled now" if first else "from the cache") not in r.stdout:
                done(name, "the cache was not used as it should be: " + r.stdout.strip())
            else:
                counts[0] += 1
                notes.append(f"{name}: {r.stdout.strip().splitlines()[-1]}")
    part("embed", *counts, since=t0, notes=notes)


def sanitizer(kind):
    t0 = time.time()
    checker = shutil.which("compute-sanitizer") or next((p for p in ["/usr/local/cuda/bin/compute-sanitizer"] if os.path.exists(p)), None)
    if not checker:
        return part(kind, 0, 0, 1, notes=["skipped: compute-sanitizer is not installed"])
    run = os.path.join(CASES, "run")

    def case(name):
        c = json.load(open(os.path.join(run, name, "case.json")))
        cmd = [checker, "--tool", kind, "--error-exitcode", "9", tool("phobos-run"), os.path.join(run, name, "kernel.pho"), "--target", TARGET]
        if c.get("kernel"): cmd += ["--kernel", c["kernel"]]
        if c["point"]: cmd += ["--point", " ".join(f"{k}={v}" for k, v in c["point"].items())]
        if c.get("grid"): cmd += ["--grid", ",".join(map(str, c["grid"]))]
        for k, v in c["args"].items(): cmd += ["--arg", f"{k}={os.path.join(run, name, v)}"]
        for k, v in c["scalars"].items(): cmd += ["--arg", f"{k}={v}"]
        r = sh(cmd, timeout=200)
        return name, r.returncode, r.stdout + r.stderr

    with ThreadPoolExecutor(min(a.jobs, 8)) as pool:
        results = list(pool.map(case, sorted(os.listdir(run))))
    if kind == "memcheck":  # what the runtime itself does, leaks of device memory too; PyTorch's own program is not ours to judge
        with tempfile.TemporaryDirectory() as d:
            commands = [(n, c) for n, c in embed_programs(d, lambda name, why: None) if n != "embed_python"]
            bundle, _ = runtime_bundle(d)
            if program("gpu-runtime-check"):
                commands.append(("gpu-runtime-check", [program("gpu-runtime-check"), bundle]))
            if program("gpu-split-check"):
                commands.append(("gpu-split-check", [program("gpu-split-check"), *split_bundles(d, (1, 3))[0]]))
            for name, command in commands:
                # calls that are meant to fail (a host address asked about) are not errors of ours: --report-api-errors no
                r = sh([checker, "--tool", kind, "--report-api-errors", "no", "--leak-check", "full", "--error-exitcode", "9", *command])
                results.append((name, r.returncode, r.stdout + r.stderr))
    bad = [(n, next((x for x in out.splitlines() if "=========" in x and ("Error" in x or "Invalid" in x or "Leaked" in x or "hazard" in x or "Barrier" in x)), out[-150:].replace("\n", " | "))) for n, rc, out in results if rc]
    part(kind, len(results) - len(bad), len(bad), since=t0, notes=[f"{n}: {why}" for n, why in bad][:10])


PARTS = {"conformance": conformance, "older": older, "accuracy": accuracy, "runtime": runtime, "embed": embed, "spaces": spaces, "persistent": persistent, "splitk": splitk, "random": random, "faults": faults, "roof": roof, "large": large, **{k: (lambda k=k: sanitizer(k)) for k in ("memcheck", "racecheck", "synccheck")}}
print(f"target {TARGET}, {a.jobs} jobs", flush=True)
for name, f in PARTS.items():
    if not a.only or name in a.only:
        f()
print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
sys.exit(1 if totals[1] else 0)
