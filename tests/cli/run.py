"""phobos-run's command line (what each flag does to a run is in tests/run)."""
import ctypes, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import Suite

SCALE = "kernel scale(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {\n  let i = ctx.block.x * 4\n  Y[i :+ 4] = X[i :+ 4] * a\n}\n"

s = Suite(sys.argv[1])
k = s.file("scale.pho", SCALE)
two = s.file("two.pho", SCALE + SCALE.replace("scale", "other"))
loop = s.file("loop.pho", "kernel k(Y: tensor<f32>[1]) {\n  var i = 0\n  while i < 10 { i = i * 1 }\n  Y[0] = 1.0\n}\n")
args = ["--arg", "X=arange", "--arg", "a=0.5", "--dim", "N=6"]

s.case("help", "phobos-run", "--help", out=["--target", "--point", "--grid", "--arg", "--dim", "--out", "--check", "--seed", "uniform(low,high)", "phobos-run gemm.pho"])
s.case("no arguments", "phobos-run", status=2)
s.case("unknown flag", "phobos-run", k, "--frobnicate", status=2)
s.case("bad seed", "phobos-run", k, "--seed", "many", status=2)
for target in "interp", "cpu":
    s.case(f"{target} prints", "phobos-run", k, "--target", target, *args, out="Y: f32[6] 0 0.5 1 1.5 2 2.5\n")
s.case("one tool of many", "phobos", "run", k, *args, out="Y: f32[6]")
s.case("standard input", "phobos-run", "-", "--target", "interp", *args, stdin=SCALE, out="Y: f32[6]")
s.case("kernel", "phobos-run", two, "--kernel", "other", *args, out="Y: f32[6]")
s.case("no kernel", "phobos-run", s.file("empty.pho", "// nothing\n"), status=1, err="E0902")
s.case("which kernel", "phobos-run", two, *args, status=1, err=["E0903", "scale, other"])
s.case("out", "phobos-run", k, *args, "--out", f"Y={s.path('y.npy')}", not_out="Y:")
s.case("in", "phobos-run", k, "--arg", f"X={s.path('y.npy')}", "--arg", "a=2", out="Y: f32[6] 0 1 2 3 4 5\n")
s.case("seed", "phobos-run", k, "--arg", "X=uniform(0,1)", "--arg", "a=1", "--dim", "N=2", "--seed", "7", out="Y: f32[2] ")
s.case("check", "phobos-run", k, "--check", *args)
s.case("check fails", "phobos-run", k, "--check", "--grid", "1", *args, status=1, err=["E1002", "2 of 6", "scale.pho:1:"])
s.case("check is the interpreter's", "phobos-run", k, "--check", "--target", "cpu", *args, status=2, err="--check")
s.case("limit", "phobos-run", loop, "--target", "interp", "--max-steps", "100", status=1, err="E1006")
# as `timeout -s INT` does, which signals the process and then its group
interrupts = "p=$!; sleep 1; for n in 1 2 3 4 5 6; do kill -INT $p 2>/dev/null; done; wait $p"
s.shell("an interrupt told twice is one", f"$BIN/phobos-run {loop} --target interp --max-steps 0 & {interrupts}", 1, err=["E1007"])
s.case("json", "phobos-run", k, "--diagnostics", "json", status=1, err='"code":"E0922"')
s.case("no file", "phobos-run", s.path("none.pho"), status=3, err="E0901")
try: ctypes.CDLL("libcuda.so.1")
except OSError: s.case("no GPU", "phobos-run", k, "--target", "sm_80", *args, status=3, err=["E0934", "scale"])
s.finish()
