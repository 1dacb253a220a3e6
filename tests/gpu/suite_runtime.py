"""Parts of suite.py: libphobos-runtime, the examples that embed it, and all under compute-sanitizer."""
import json, os, re, shutil, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from suite_base import CASES, HERE, TARGET, a, part, program, sh, tool
from suite_gemm import split_bundles


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
