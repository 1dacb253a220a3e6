"""Each kernel of gemm.pho against NumPy on the CPU target and in the interpreter, and what `--explain` says of its products.

`check.py BIN_DIR`; the last line is `N passed, N failed`.
"""
import os, re, subprocess, sys, tempfile

try:
    import numpy as np
except ImportError:
    print("no NumPy: skipped")
    sys.exit(77)

BIN, HERE = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "gemm.pho")
M, N, K = 37, 29, 43
CONTRACTION = "a contraction over the loop"
# what --explain must say of the kernel's product
SAYS = {
    "loops_inside": CONTRACTION, "sum_spelt_out": CONTRACTION, "dot_t": CONTRACTION, "transposed_loads": CONTRACTION,
    "bias": CONTRACTION, "conditional": "it runs under a condition", "scaled": "not simply added to a sum",
    "early_exit": "may be left early", "in_memory": "its sum is read from a tensor", "while": "its loop is a while",
    "per_thread": "v11_per_thread", "even_odd": CONTRACTION, "minus": "not simply added to a sum", "counted_tiles": CONTRACTION,
    "running_k": "does not follow the loop's counter", "through_function": CONTRACTION, "masked": "not a slice of a tensor",
    "prefetch": "carried from step to step",
}


def tool(name, *args, source=SOURCE):
    return subprocess.run([os.path.join(BIN, name), source, *args], capture_output=True, text=True)


def main():
    rng = np.random.default_rng(0)
    uniform = lambda *shape: rng.uniform(-1, 1, shape).astype(np.float32)
    a, b, bias = uniform(M, K), uniform(K, N), uniform(N)
    product = a.astype(float) @ b
    passed = failed = 0

    def judge(ok, what):
        nonlocal passed, failed
        passed, failed = passed + bool(ok), failed + (not ok)
        if not ok:
            print(what)

    kernels = re.findall(r"kernel (v\d+_(\w+))\((.*?)\) \{", open(SOURCE).read())
    judge({k[1] for k in kernels} == set(SAYS), "SAYS does not list the kernels of gemm.pho")
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name + ".npy")
        for name, array in {"a": a, "at": a.T, "b": b, "bt": b.T, "bias": bias}.items():
            np.save(path(name), np.ascontiguousarray(array))
        for kernel, short, params in kernels:
            args = ["--arg", "A=" + path("at" if "A: tensor<f32>[K, M]" in params else "a"),
                    "--arg", "B=" + path("bt" if "B: tensor<f32>[N, K]" in params else "b")]
            want = product
            if "bias:" in params:
                args, want = args + ["--arg", "bias=" + path("bias")], product + bias
            if "skip:" in params:
                args, want = args + ["--arg", "skip=2"], product - a[:, 16:24].astype(float) @ b[16:24]
            if "alpha:" in params:
                args, want = args + ["--arg", "alpha=0.5"], 0.5 * product
            if "limit:" in params:
                args, want = args + ["--arg", "limit=17"], a[:, :24].astype(float) @ b[:24]
            if short == "in_memory":
                args += ["--arg", "C=const(7)"]
            for target in ("interp", "cpu"):
                r = tool("phobos-run", "--kernel", kernel, "--target", target, "--dim", f"M={M}", "--dim", f"N={N}",
                         *args, "--out", "C=" + path("c"))
                ok = r.returncode == 0 and np.abs(np.load(path("c")) - want).max() < 1e-5
                judge(ok, f"{kernel} on {target}: {r.stderr or 'another result'}")
            r = tool("phobos-compile", "--kernel", kernel, "--explain", "--target", "cpu")
            judge(r.returncode == 0 and SAYS[short] in r.stdout, f"{kernel}: no '{SAYS[short]}' in\n{r.stdout}{r.stderr}")
    # What is a contraction takes the names of one, though the kernel declares none; so sema's look at the text knows.
    for source in (SOURCE, os.path.join(HERE, "..", "contractions.pho")):
        for kernel in re.findall(r"^kernel (\w+)", open(source).read(), re.M):
            r = tool("phobos-compile", "--kernel", kernel, "--explain", "--target", "cpu", source=source)
            if CONTRACTION in r.stdout:
                r = tool("phobos-compile", "--kernel", kernel, "--explain", "--target", "cpu", "--point", "GROUP_M=1", source=source)
                judge(r.returncode == 0, f"{kernel} of {source} refuses GROUP_M:\n{r.stderr}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
