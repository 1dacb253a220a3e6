"""The part `search` of suite.py: what phobos-kbench says of searches on the device, besides which points pass."""
import csv, json, os, re, tempfile, time

from suite_base import part, sh, tool

HISTOGRAM = """@autotune(T in [128, 256])
@launch(T)
@grid(x = cdiv(N, T))
kernel hist(X: tensor<i32>[N], H: tensor<i32>[B]) {
  let i = ctx.block.x * T + ctx.thread
  if i < N {
    let old = atomic_add(H, X[i]MASK, 1)
  }
}
"""
FEW = """@autotune(T in [1, 2, 4, 8, 16])
@grid(x = cdiv(N, T))
kernel few(A: tensor<f32>[N], B: tensor<f32>[N]) {
  if ctx.block.x < 4 { B[ctx.block.x * T :+ T] = A[ctx.block.x * T :+ T] }
}
"""
FILL = """@autotune(T in [256, 512])
kernel fill(B: tensor<TYPE>[N]) {
  var t: tile<TYPE>[T] = VALUE
  B[ctx.block.x * T :+ T] = t
}
"""
SUMS = """@autotune(T in [1024, 4096])
kernel sums(X: tensor<f32>[N], S: tensor<f32>[M]) {
  S[ctx.block.x] = sum(X[ctx.block.x * T :+ T])
}
"""


def search():
    t0, passed, failed, notes = time.time(), 0, 0, []
    folder = tempfile.TemporaryDirectory()

    def check(what, ok, text=""):
        nonlocal passed, failed
        passed, failed = passed + bool(ok), failed + (not ok)
        if not ok:
            notes.append(f"{what}: {text[-250:]}".replace("\n", " | "))

    def kbench(source, *args, expect=0, target="gpu"):
        path, out, table = (os.path.join(folder.name, x) for x in ("k.pho", "out.json", "out.csv"))
        with open(path, "w") as f:
            f.write(source)
        files = [] if "--list" in args else ["--json", out, "--csv", table]
        r = sh([tool("phobos-kbench"), "--target", target, "--ledger", "none", "--quiet", "--budget", "20", *files, *args, path])
        check(f"exit of {args}", r.returncode == expect, r.stdout + r.stderr)
        result = None
        if files and os.path.exists(out):
            with open(out) as f:
                result = json.load(f)
            with open(table, newline="") as f:
                result["head"] = next(csv.reader(f), [])
        return r.stdout, result or {"points": [], "unknown_traffic": "", "head": []}

    # Which counters are touched only data tells; where it is a handful it does not matter.
    heads = set()
    out, j = kbench(HISTOGRAM.replace("MASK", ""), "--dim", "N=4194304", "--dim", "B=4194304")
    check("data decides", "H" in j["unknown_traffic"] and "no % of it" in out and all("percent_of_roof" not in p for p in j["points"]), out)
    heads.add(tuple(j["head"]))
    out, j = kbench(HISTOGRAM.replace("MASK", " & 255"), "--dim", "N=4194304", "--dim", "B=4194304")
    check("256 counters", not j["unknown_traffic"] and all(0 < p["percent_of_roof"] <= 100 for p in j["points"]), out)
    heads.add(tuple(j["head"]))
    # Nothing is above the roof without a word: a kernel that only reads may be.
    out, j = kbench(SUMS, "--dim", "N=268435456", "--dim", "M=262144", "--pin", "T=1024")
    above = any(p.get("percent_of_roof", 0) >= 100.5 for p in j["points"])
    check("above the roof", above == ("above it (to " in out), out)
    notes.append("sums: " + ", ".join(f"{p['percent_of_roof']:.0f}% of {p['roof']}" for p in j["points"] if "percent_of_roof" in p))
    # Elements that no block stores show at full size, whatever the small sizes show; what looks like it does not.
    out, j = kbench(FEW, "--dim", "N=90", expect=1)
    check("left out", "5 points: 5 wrong" in out and "26 of 90 elements of 'B' are stored by no block, first 'B[64]', at full size" in out, out)
    for kind, value in (("i8", "i8(-91)"), ("bool", "true"), ("f32", "f32(nan)"), ("f16", "f16(nan)"), ("i64", "i64(-6510615555426900571)")):
        out, j = kbench(FILL.replace("TYPE", kind).replace("VALUE", value), "--dim", "N=100000")
        check(f"poison as a value of {kind}", "2 points: 2 ok" in out and "not verified" not in out, out)
    # The columns are the same however points end.
    for fault in ("wrong", "compile-error"):
        os.environ["PHOBOS_KBENCH_FAULT"] = fault
        _, j = kbench(HISTOGRAM.replace("MASK", " & 7"), "--dim", "N=4096", "--dim", "B=8", expect=1)
        del os.environ["PHOBOS_KBENCH_FAULT"]
        heads.add(tuple(j["head"]))
    check("columns", len(heads) == 1 and "registers" in next(iter(heads)), str(heads))
    # Points of another processor than this one.
    out, _ = kbench(FEW, "--list", "--dim", "N=90", target="sm_80")
    check("--list for sm_80", re.search(r"^5 points$", out, re.M), out)
    folder.cleanup()
    part("search", passed, failed, since=t0, notes=notes)
