"""What a mistyped command line is told, by every tool: the nearest right word; and other small mistakes with their fixes. `mistakes.py BIN_DIR`."""
import os, pty, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import SCALE, Suite

s = Suite(sys.argv[1])
k = s.file("scale.pho", SCALE)
two = s.file("two.pho", SCALE + SCALE.replace("kernel scale", "kernel other"))
GIVEN = ["--arg", "X=arange", "--arg", "a=1", "--dim", "N=6"]
RUN, KBENCH = ["phobos-run", k, "--target", "interp"], ["phobos-kbench", k, "--target", "interp", "--ledger", "none"]

# A word that is nearly right, in every place where one of a list belongs: (command, what was meant).
nearly = [
    (["phobos-run", k, "--agr", "X=arange"], "--arg"),
    (["phobos-run", k, "--agr=X=arange"], "--arg"),
    (["phobos-run", k, "--diagnostics", "jsn"], "json"),
    (["phobos-compile", k, "--chek"], "--check"),
    (["phobos-compile", k, "-chek"], "--check"),
    (["phobos-compile", k, "--emit", "object"], "obj"),
    (["phobos-compile", k, "--emit", "lvm"], "llvm"),
    (["phobos-compile", k, "--print-ir-after", "canonicalise"], "canonicalize"),
    (["phobos-compile", "--legality", "wraptile"], "warptile"),
    (["phobos-kbench", k, "--autotun", "T=8"], "--autotune"),
    (["phobos-kbench", k, "--baseline", "cublass"], "cublas"),
    (["phobos-bundle", "shw", k], "show"),
    (["phobos-bundle", "extract", k, "--ouput", "x"], "--output"),
    (["phobos", "kbensh"], "kbench"),
]
for command, meant in nearly:
    s.case("nearly " + " ".join(command[:1] + command[-2:]), *command, status=2, err=f"help: did you mean '{meant}'?")
for command, meant in [
    (["phobos-run", two, "--kernel", "scal", *GIVEN], "scale"),
    (["phobos-compile", two, "--kernel", "ohter", "--emit", "asm"], "other"),
    (["phobos-kbench", two, "--kernel", "scal", "--ledger", "none"], "scale"),
    ([*RUN, "--arg", "x=arange"], "X"),
    ([*RUN, *GIVEN, "--point", "t=8"], "T"),
    ([*KBENCH, "--pin", "u=2"], "U"),
    ([*KBENCH, "--dim", "n=2"], "N"),
    ([*RUN, *GIVEN, "--out", "y=f.npy"], "Y"),
]:
    code = s.run(*command).returncode
    s.case("nearly " + " ".join(command[:1] + command[-2:]), *command, status=code, err=f"did you mean '{meant}'?")
    s.check("status of " + command[-1], code in (1, 2), f"{code}")
# A shell makes words of what stands without quotes: the second is no file, nor anything else.
for command, written in [
    (["phobos-kbench", "--pin", "T=8", "U=1", k], '--pin "T=8 U=1"'),
    (["phobos-kbench", k, "--pin", "T=8", "U=1"], '--pin "T=8 U=1"'),
    (["phobos-kbench", "--pin", "T=8", "U=1"], '--pin "T=8 U=1"'),
    (["phobos-kbench", "--dim", "N=5", "--autotune=T=8", "U=1", "V=2", k], '--autotune "T=8 U=1 V=2"'),
    (["phobos-kbench", k, "--dim", "M=8", "N=1"], '--dim "M=8 N=1"'),
    (["phobos-run", "--point", "T=8", "U=1", k], '--point "T=8 U=1"'),
    (["phobos-run", k, "--arg", "X=arange", "Y=const(1)"], "--arg X=arange --arg Y=const(1)"),
    (["phobos-compile", "--point", "T=8", "U=1", k, "--emit", "asm"], '--point "T=8 U=1"'),
]:
    stray = written.replace('"', "").replace(" --arg", "").split()[2]
    s.case("unquoted " + " ".join(command[:1] + command[-3:]), *command, status=2, err=[f"'{stray}' is a word of its own: write {written}"])
s.case("words that nothing precedes", "phobos-kbench", k, "T=8", status=2, not_err="word of its own")
s.case("nothing near is not guessed", "phobos-run", k, "--quux", status=2, not_err="did you mean")

# Values.
s.case("a number past f64", *RUN, "--arg", "X=arange", "--dim", "N=6", "--arg", "a=1e400", status=2, err=["1e400", "written inf"])
s.case("a number past f32", *RUN, "--arg", "X=arange", "--dim", "N=6", "--arg", "a=1e39", status=1, err=["[E0926]", "f32", "written inf"])
s.case("in a rule", *RUN, "--arg", "X=const(1e400)", "--dim", "N=6", "--arg", "a=1", status=2, err=["1e400", "written inf"])
s.case("inf is a number", *RUN, "--arg", "X=const(inf)", "--dim", "N=6", "--arg", "a=-inf", out="-inf")
for elem, rule in [("f32", "uniform(-1,1)"), ("i32", "uniform(-8,8)"), ("u8", "uniform(0,8)"), ("bool", "uniform(0,1)")]:
    kernel = s.file(elem + ".pho", f"kernel k(X: tensor<{elem}>[N], Y: tensor<{elem}>[N]) {{ Y[ctx.block.x * 4 :+ 4] = X[ctx.block.x * 4 :+ 4] }}\n")
    s.case(f"a rule for {elem}", "phobos-run", kernel, "--dim", "N=8", status=1, err=["[E0922]", f"'X={rule}'"])
    s.case(f"which it takes for {elem}", "phobos-run", kernel, "--dim", "N=8", "--target", "interp", "--arg", f"X={rule}", out="Y: ")

s.case("steps below none", *RUN, *GIVEN, "--max-steps", "-1", status=2, err="'-1' is not a whole number from 0")
import array, struct
npy = s.path("ints.npy")  # six numbers of type i32
head = "{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }"
head += " " * (-(len(head) + 11) % 64) + "\n"
open(npy, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + array.array("i", range(6)).tobytes())
s.case("an array of another type", *RUN, "--arg", "X=" + npy, "--arg", "a=1", status=1, err=["[E0923]", f"numpy.save('{npy[:-4]}_float32.npy', numpy.load('{npy}')"])
for text, what in ((b"\xff\xfe" + SCALE.encode("utf-16-le"), "UTF-16"), (open(s.bin + "/phobos-run", "rb").read(9000), "binary data")):
    open(s.path("no.pho"), "wb").write(text)
    for tool, more in (("phobos-compile", ["--check"]), ("phobos-run", []), ("phobos-kbench", ["--ledger", "none"])):
        r = s.case(f"{what} in {tool}", tool, s.path("no.pho"), *more, status=1, err=["error[E0118]", what])
        s.check("alone", r and r.stderr.count("error[") == 1, r and r.stderr)

# A grid from the host covers what the stores do not say (E0220), in every tool that runs.
unknown = s.file("unknown.pho", "kernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n  let b = ctx.block.x * ctx.block.x\n  Y[b * 4 :+ 4] = X[b * 4 :+ 4]\n}\n")
ARGS = ["--arg", "X=const(3)", "--dim", "N=4"]
s.case("no grid", "phobos-run", unknown, *ARGS, status=1, err="[E0220]")
for target in ("interp", "cpu"):
    s.case(f"the host's grid on {target}", "phobos-run", unknown, "--target", target, "--grid", "1", *ARGS, out="Y: f32[4] 3 3 3 3", not_err="error")
    s.case(f"the host's grid in kbench on {target}", "phobos-kbench", unknown, "--target", target, "--grid", "1", "--dim", "N=4", "--budget", "5", "--ledger", "none",
           out="1 point: 1 ok")

# Points that rules refuse.
gemm = s.file("gemm.pho", """@autotune(TILE_M in [32, 128], TILE_N in [32, 128], TILE_K in [8, 16])
@require(TILE_M * TILE_N <= 4096, "the accumulator must fit")
@require(TILE_M <= M)
kernel gemm(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  var acc: tile<f32>[TILE_M, TILE_N] = 0.0
  for kt in range(0, K, TILE_K) {
    acc += dot(A[ctx.block.x * TILE_M :+ TILE_M, kt :+ TILE_K], B[kt :+ TILE_K, ctx.block.y * TILE_N :+ TILE_N])
  }
  C[ctx.block.x * TILE_M :+ TILE_M, ctx.block.y * TILE_N :+ TILE_N] = acc
}
""")
BENCH = ["phobos-kbench", gemm, "--target", "interp", "--ledger", "none", "--budget", "5", "--dim", "N=64", "--dim", "K=16"]
s.case("one point by a constant rule", *BENCH, "--autotune", "TILE_M=128 TILE_N=128", "--dim", "M=256", status=1,
       err=["gemm.pho:2:", "[E0801]", "TILE_M * TILE_N <= 4096: the accumulator must fit (TILE_M = 128, TILE_N = 128)", 'help: the nearest that is allowed: --autotune "TILE_M=32 TILE_N=128 TILE_K=8"'],
       not_err=["no point", "E0932"])
s.case("one point by the extents", *BENCH, "--autotune", "TILE_M=128", "--dim", "M=64", status=1,
       err=["gemm.pho:3:", "[E0801]", "TILE_M <= M: does not hold (TILE_M = 128, M = 64)", '--autotune "TILE_M=32'], not_err="no point")
s.case("a space by its pins", *BENCH, "--pin", "TILE_M=128 TILE_N=128", "--dim", "M=256", status=1,
       err=["gemm.pho:2:", "[E0932]", "no point of the space satisfies @require(TILE_M * TILE_N <= 4096)", "TILE_N = 128", "this one is allowed"], not_err=":3:")
s.case("a space by its extents", *BENCH, "--dim", "M=16", status=1, err=["[E0932]", "M = 16", "--dim gives others"])
s.case("a launch by the extents", "phobos-run", gemm, "--target", "interp", "--arg", "A=normal", "--arg", "B=normal", "--dim", "M=16", "--dim", "N=16", "--dim", "K=4", status=1,
       err=["gemm.pho:3:1: error[E0932]", "M = 16", "help: give other extents, or another point with --point"])
s.case("--check at a point asks the target's rules", "phobos-compile", "--check", "--target", "sm_90a", "--point", "WARP_M=48", gemm, status=1,
       err=["[E0801]", "block-in-warp-tiles", "48x"], not_err="?")
s.case("and is silent where they take it", "phobos-compile", "--check", "--target", "sm_90a", "--point", "TILE_M=64 TILE_N=64", gemm, not_err="error")
threads = s.file("threads.pho", "@autotune(THREADS in [32, 64])\n@launch(THREADS)\nkernel k(X: tensor<f32>[N]) {\n  let i = ctx.block.x * THREADS + ctx.thread\n  if i < N { X[i] = 1.0 }\n}\n")
r = s.case("threads that are no warps", "phobos-compile", "--check", "--point", "THREADS=50", threads, status=1, err=["[E0801]", "the nearest is 64"])
s.check("said once", r and r.stderr.count("error[") == 1, r and r.stderr)

# Bytes do not go to a terminal unasked.
def on_terminal(*command):
    master, slave = pty.openpty()
    p = subprocess.run([os.path.join(s.bin, command[0]), *command[1:]], stdout=slave, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(slave)
    os.close(master)
    return p

r = on_terminal("phobos-compile", "--emit", "obj", k)
s.check("an object on a terminal", r.returncode == 2 and "-o" in r.stderr, r.stderr)
r = on_terminal("phobos-compile", "--emit", "obj", k, "--check")
s.check("a check on a terminal", r.returncode == 0, r.stderr)

# Folders and standard input.
bundle = s.path("k.phx")
s.case("a bundle", "phobos-compile", k, "-o", bundle)
s.case("extract onto a file", "phobos-bundle", "extract", bundle, "-o", k, status=3, err=["[E0906]", "it is a file"])
s.case("extract below a file", "phobos-bundle", "extract", bundle, "-o", k + "/x", status=3, err=["[E0906]", "cannot be made"])
s.case("points from standard input", *KBENCH, "--points", "-", "--dim", "N=50", "--budget", "5", stdin="T=8 U=2\n# none\nT=40\n", out=["2 listed points", "2 points: 2 ok"])
s.case("standard input twice", "phobos-kbench", "-", "--points", "-", "--target", "interp", stdin="", status=2, err="standard input")
s.case("no driver is nobody's line", "phobos-run", k, "--target", "gpu", *GIVEN, status=3, err="[E0934]", not_err="scale.pho:") if not os.path.exists("/dev/nvidia0") else None

# Names and numbers that can only be slips.
s.case("-o ''", "phobos-compile", k, "-o", "", status=2, err="names no file")
s.case("PTX of the CPU", "phobos-compile", k, "--emit", "ptx", status=2, err=["--emit ptx is of a GPU", "sm_80"])
for option in ("--limit", "--seed"):
    s.case(f"{option} below 0", *KBENCH, option, "-1", status=2, err=option)
s.case("--seed of a run below 0", "phobos-run", k, *GIVEN, "--seed", "-1", status=2, err="--seed")
for mode in ("--list", "--best", "--roof"):
    for output in ("--csv", "--json"):
        s.case(f"{mode} with {output}", *KBENCH, mode, output, s.path("none.out"), status=2, err=[mode, "do not go with it"])
s.check("nothing was written", not os.path.exists(s.path("none.out")))
s.case("--best of no ledger", "phobos-kbench", "--target", "cpu", "--best", "--ledger", s.path("none.sqlite"), "--dim", "N=50", k, status=1)
s.check("looking makes no ledger", not os.path.exists(s.path("none.sqlite")))
s.case("a ledger", "phobos-kbench", "--target", "interp", "--ledger", s.path("l.sqlite"), "--dim", "N=50", "--autotune", "T=8", k)
s.case("a ledger into itself", "phobos-kbench", "--ledger", s.path("l.sqlite"), "--merge", s.path("l.sqlite"), status=2, err="is the ledger itself")
s.finish()
