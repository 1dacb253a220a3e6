"""The time to compile grows with the program, not with its square: kernels of a thousand statements of each kind
compile within a few seconds of processor time on every target."""
import os, resource, subprocess, sys, tempfile

BIN, N, LIMIT = sys.argv[1], 1000, 12  # seconds; the longest takes two on a machine at rest
PARAMS = "X: tensor<f32>[N], Y: tensor<f32>[N], n: i32"


def kernel(lines, first="", last="", threads=False):
    body = "\n".join(lines(i) for i in range(N))
    return f"@grid(x = 1)\n{'@launch(64)' if threads else ''}\nkernel k({PARAMS}) {{\n{first}\n{body}\n{last}\n}}\n"


SHAPES = {
    "scalar ifs": kernel(lambda i: f"if n > {i} {{ s = s + {i % 7} }}", "var s = 0", "Y[0] = f32(s)"),
    "tile ifs": kernel(lambda i: f"if n > {i} {{ s = s + {i}.0 }}", "var s = X[0 :+ 64]", "Y[0 :+ 64] = s"),
    "ifs that store": kernel(lambda i: f"if n > {i} {{ Y[{i}] = X[{i}] }}"),
    "per-thread ifs": kernel(lambda i: f"if s > {i}.0 {{ s = s + 1.0 }}", "let t = ctx.thread\nvar s = X[t]", "Y[t] = s", True),
    "ifs in a loop": kernel(lambda i: f"if i > {i} {{ s = s + {i} }}", "var s = 0\nfor i in range(0, n) {", "}\nY[0] = f32(s)"),
    "early exits": kernel(lambda i: f"if n == {i} {{ return }}\nY[{i}] = 1.0"),
    "slices": kernel(lambda i: f"Y[{64 * i} :+ 64] = X[{64 * i} :+ 64] + 1.0"),
    "names": kernel(lambda i: f"let a{i + 1} = a{i} * 1.5 + {i}.0", "let a0 = X[0]", f"Y[0] = a{N}"),
    "calls": kernel(lambda i: "s = gelu(s)", "var s = X[0 :+ 64]", "Y[0 :+ 64] = s"),
    "loops": kernel(lambda i: f"for i in range(0, n) {{ s = s * 1.5 + {i}.0 }}", "var s = 0.0", "Y[0] = s"),
    "barriers": kernel(lambda i: f"Y[t + {i}] = 1.0\nbarrier()", "let t = ctx.thread", "", True),
}

failed = 0
with tempfile.TemporaryDirectory() as folder:
    path, out = os.path.join(folder, "k.pho"), os.path.join(folder, "out")
    for name, text in SHAPES.items():
        open(path, "w").write(text)
        for target, kind in ("cpu", "obj"), ("sm_80", "ptx"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run = subprocess.run([os.path.join(BIN, "phobos-compile"), "--target", target, "--emit", kind, path, "-o", out], capture_output=True, text=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{name:16} {target:6} {seconds:5.2f} s")
            if run.returncode:
                failed += 1
                print(f"FAILED {name} for {target}: status {run.returncode}\n{run.stderr[:500]}")
    for name, isLarge in ("loops", True), ("slices", True), ("small", False):
        open(path, "w").write(SHAPES.get(name) or kernel(lambda i: "", "var s = X[0 :+ 64]", "Y[0 :+ 64] = s"))
        for target in "cpu", "sm_80":
            run = subprocess.run([os.path.join(BIN, "phobos-compile"), "--target", target, "--explain", path], capture_output=True, text=True)
            if run.returncode or ("Very large kernels" in run.stdout) != isLarge:
                failed += 1
                print(f"FAILED --explain of {name} for {target}: {run.stdout[:200]}{run.stderr[:500]}")
sys.exit(1 if failed else 0)
