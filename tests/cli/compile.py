"""phobos-compile: every flag, every exit status."""
import json, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import Suite

s = Suite(sys.argv[1])
T = "phobos-compile"
saxpy = s.file("saxpy.pho", """@autotune(BLOCK in [256, 4096])
kernel saxpy(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  let i = ctx.block.x * BLOCK
  Y[i :+ BLOCK] = a * X[i :+ BLOCK] + Y[i :+ BLOCK]
}
""")
gemm = s.file("gemm.pho", """@autotune(TILE in [16, 32])
kernel gemm(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  var acc: tile<f32>[TILE, TILE] = 0.0
  for k in range(0, K, TILE) {
    acc += dot(A[ctx.block.x * TILE :+ TILE, k :+ TILE], B[k :+ TILE, ctx.block.y * TILE :+ TILE])
  }
  C[ctx.block.x * TILE :+ TILE, ctx.block.y * TILE :+ TILE] = acc
}
""")
bad = s.file("bad.pho", "kernel k(X: tensor<f32>[N]) {\n  X[0] = Z\n}\n")
warns = s.file("warns.pho", "@cluster(2)\nkernel k(X: tensor<f32>[N]) {\n  X[0] = 1.0\n}\n")
two = s.file("two.pho", "kernel a(X: tensor<f32>[N]) {\n  X[0] = 1.0\n}\nkernel b(X: tensor<f32>[N]) {\n  X[0] = 2.0\n}\n")
std = s.file("std.pho", "kernel k(X: tensor<f32>[N]) {\n  X[0 :+ 8] = relu(X[0 :+ 8])\n}\n")

s.case("help", T, "--help", out=["--target", "--point", "--emit", "--check", "--space", "--explain", "--legality", "phobos-compile --check gemm.pho"])
s.case("no file", T, status=2, err="no FILE")
s.case("unknown flag", T, "--frobnicate", saxpy, status=2)
s.case("unknown target", T, "--target", "tpu", saxpy, status=2, err=["tpu", "cpu"])
s.case("ptx version", T, "--target", "sm_90a", "--ptx", "9.0", saxpy, out=".version 9.0")
s.case("usual ptx version", T, "--target", "sm_80", saxpy, out=".version 7.0")
s.case("ptx too old", T, "--target", "sm_90a", "--ptx", "7.8", saxpy, status=2, err=["E0910", "sm_90a needs PTX 8.0", "--ptx gives 7.8"])
s.case("ptx too new", T, "--target", "sm_80", "--ptx", "9.9", saxpy, status=2, err=["E0910", "9.9", "up to 9.0"])
s.case("ptx is no version", T, "--target", "sm_80", "--ptx", "new", saxpy, status=2, err=["E0910", "as in 8.4"])
s.case("ptx of the CPU", T, "--target", "cpu", "--ptx", "8.0", saxpy, status=2, err=["E0910", "GPU"])
s.case("unknown emit", T, "--emit", "wasm", saxpy, status=2)
s.case("missing file", T, "--check", s.path("absent.pho"), status=3, err=["E0901", "absent.pho"])

s.case("directory as file", T, "--check", s.path("."), status=3, err=["E0901", "is a directory"])
s.case("a file without end", T, "--check", "/dev/zero", status=1, err=["E0908", "'/dev/zero'", "16777216"])
s.case("standard input without end", T, "--check", "-", stdin=" " * (16 * 2**20 + 1), status=1, err=["E0908", "<stdin>"])

s.case("check is silent", T, "--check", saxpy, not_out="define", not_err="error")
s.case("check reports", T, "--check", bad, status=1, err=["bad.pho:2:10: error[E", "'Z'", "^"])
s.case("standard input", T, "--check", "-", stdin=open(bad).read(), status=1, err="<stdin>:2:10")
s.case("warning passes", T, "--check", warns, err="warning[W")
s.case("-Werror", T, "--check", "-Werror", warns, status=1, err="warning[W")
r = s.case("json", T, "--check", "--diagnostics=json", bad, status=1)
d = [json.loads(x) for x in r.stderr.splitlines()]
s.check("json fields", len(d) == 1 and {"severity", "code", "file", "line", "column", "message", "notes", "help"} <= set(d[0]) and d[0]["line"] == 2, str(d))

s.case("space", T, "--space", saxpy, out="BLOCK: 256 512 1024 2048 4096\n")
s.case("point", T, "--emit", "typed", "--point", "BLOCK=512", saxpy, out="512")
s.case("point not a choice", T, "--check", "--point", "BLOCK=300", saxpy)
s.case("point malformed", T, "--check", "--point", "BLOCK", saxpy, status=2, err="NAME=VALUE")
s.case("point repeated", T, "--check", "--point", "BLOCK=512", "--point", "BLOCK=256", saxpy, status=2, err=["E0937", "BLOCK=512", "BLOCK=256"])
s.case("point unknown name", T, "--check", "--point", "BLOKC=256", saxpy, status=1, err=["BLOKC", "BLOCK"])

s.case("emit ast", T, "--emit", "ast", saxpy, out="saxpy")
s.case("emit ir", T, "--emit", "ir", saxpy, out=["pho.load", "@saxpy"])
s.case("emit llvm", T, "--emit", "llvm", saxpy, out="define")
s.case("emit asm", T, "--emit", "asm", saxpy, out=".text")
s.case("default target and emit", T, saxpy, out=".text")
s.case("emit obj to a file", T, "--target", "cpu", "--emit", "obj", "-o", s.path("x.o"), saxpy)
s.check("object is ELF", open(s.path("x.o"), "rb").read(4) == b"\x7fELF")
refused = [s.case(f"a point that rules refuse{' is not explained' if more else ''}", T, *more, "--target", "sm_75", "--point", "TILE_M=128 TILE_N=128 TILE_K=256",
                  os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "gemm.pho"), status=1, err="error[E0801]: illegal point: ", not_out=" ") for more in ([], ["--explain"])]
s.check("it is refused in the same words", refused[0].stderr == refused[1].stderr, refused[1].stderr)
for sm in ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_101a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"):
    s.case(f"PTX for {sm}", T, "--target", sm, "--emit", "ptx", saxpy, out=f".target {sm}")
for sm in ("sm_70", "sm_90b", "sm_", "sm_99", "sm_89a", "sm_1000"):
    s.case(f"no processor is {sm}", T, "--target", sm, "--emit", "ptx", saxpy, status=2, err=["E0919", sm])
s.case("output cannot be written", T, "--emit", "asm", "-o", s.path("no/such/x.s"), saxpy, status=3, err="E0906")
s.case("print after a pass", T, "--emit", "ir", "--print-ir-after=cse", saxpy, err="IR Dump After")
s.case("print after all", T, "--emit", "ir", "--print-ir-after-all", saxpy, err="IR Dump After")
s.case("print after a pass that is none", T, "--emit", "ir", "--print-ir-after=nothing", saxpy, status=2, err="nothing")
s.case("explain", T, "--explain", gemm, out=["dot"])
bf16 = s.file("bf16.pho", open(gemm).read().replace("tensor<f32>", "tensor<bf16>"))
odd = s.file("odd.pho", open(bf16).read().replace("16, 32", "24, 24"))
cored = s.file("cored.pho", "@tensorcore(tf32)\n" + open(gemm).read())
matvec = s.file("matvec.pho", "kernel k(A: tensor<f32>[32, 32], B: tensor<f32>[32, 1], C: tensor<f32>[32, 1]) {\n  C[:, :] = dot(A[:, :], B[:, :])\n}\n")
HOPPER = """@autotune(TILE_M in [64], TILE_N in [64], TILE_K in [32]%s)
kernel g(A: tensor<bf16>[M, K], B: tensor<bf16>[K, N], C: tensor<f32>[M, N]) {
  let m = ctx.block.x * TILE_M
  let n = ctx.block.y * TILE_N
  var acc: tile<f32>[TILE_M, TILE_N] = 0.0
  %s
  C[m :+ TILE_M, n :+ TILE_N] = acc
}
"""
a, b, loop = "A[m :+ TILE_M, k :+ TILE_K]", "B[k :+ TILE_K, n :+ TILE_N]", "for k in range(0, K, TILE_K) { %s }"
product = loop % f"acc += dot({a}, {b})"
fits, single, warps = (s.file(name, HOPPER % (more, product))
                       for name, more in [("fits.pho", ""), ("single.pho", ", STAGES in [1]"), ("warps.pho", ", WARP_M in [32], WARP_N in [32]")])
computed = s.file("computed.pho", HOPPER % ("", loop % f"acc += dot({a} * 2.0, {b})"))
more = s.file("more.pho", HOPPER % ("", loop % f"acc += dot({a}, {b}); C[0, 0] = f32(k)"))
nested = s.file("nested.pho", HOPPER % ("", "for r in range(0, 2) { %s }" % product))
used = s.file("used.pho", HOPPER % ("", loop % f"acc = acc * 0.5 + dot({a}, {b})"))
kept = s.file("kept.pho", HOPPER % ("", "let q = A[m :+ TILE_M, 0 :+ TILE_K]; var two: tile<f32>[TILE_M, TILE_N] = 0.0\n  " +
                                      loop % f"let b = {b}; acc += dot({a}, b); two += dot(q, b)" + "\n  acc = acc + two"))
for name, target, file, path, why in [
    ("simt", "sm_90a", gemm, "path: simt", "not mma: the tensor cores would round f32 operands; @tensorcore(tf32)"),
    ("mma of bf16", "sm_80", bf16, "path: mma (bf16", None),
    ("wgmma of bf16", "sm_90a", fits, "path: wgmma (bf16 on the tensor cores, by warpgroups), 4x1 warps, 4 more bring the operands", None),
    ("a processor without warpgroups' products", "sm_90", fits, "path: mma (bf16", "not wgmma: warpgroups multiply on sm_90a, the target is sm_90"),
    ("rows of no warpgroup", "sm_90a", bf16, "path: mma (bf16", "not wgmma: 16 rows are not a whole number of the instruction's 64"),
    ("another type", "sm_90a", cored, "path: mma (tf32", "not wgmma: by warpgroups go products of f16 and bf16 into f32"),
    ("operands that are computed", "sm_90a", computed, "path: mma (bf16", "not wgmma: an operand is not copied as it lies in memory"),
    ("an operand of all steps", "sm_90a", kept, "path: mma (bf16", "not wgmma: an operand of a product of its loop is not loaded in the loop"),
    ("a loop that does more", "sm_90a", more, "path: mma (bf16", "not wgmma: its loop does more than multiply what it loads"),
    ("a loop in a loop", "sm_90a", nested, "path: mma (bf16", "not wgmma: its loop stands in another loop or under a condition"),
    ("sums that are used", "sm_90a", used, "path: mma (bf16", "not wgmma: it does not accumulate in a loop of its own"),
    ("warp tiles that are given", "sm_90a", warps, "path: mma (bf16", "not wgmma: WARP_M shapes the warp tiles of mma"),
    ("one stage", "sm_90a", single, "path: mma (bf16", "not wgmma: producing warps run ahead in at least two stages; 1 are set or fit"),
    ("mma of rounded f32", "sm_80", cored, "path: mma (tf32", None),
    ("an old processor", "sm_75", bf16, "path: simt", "not mma: bf16 on the tensor cores begins with sm_80, this is sm_75"),
    ("steps not filled", "sm_80", odd, "path: simt", "not mma: a product over 24 elements does not fill the tensor cores' steps of 16 (bf16)"),
    ("the CPU", "cpu", gemm, "path: packed micro-kernel", None),
    ("the CPU, widened", "cpu", bf16, "operands packed as f32", None),
    ("the CPU, one column", "cpu", matvec, "path: plain (one f32 at a time)", "the result has one column")]:
    s.case("explain the path: " + name, T, "--explain", "--target", target, file, out=[path] + ([why] if why else []), not_out=() if why else ["not mma", "not wgmma"])
s.case("explain parts of k", T, "--explain", "--target", "sm_90a", "--point", "SPLIT_K=4", gemm, out=["k in 4 parts (SPLIT_K)", "MB times the blocks of the grid"])
s.case("explain k in one part", T, "--explain", "--target", "sm_90a", gemm, not_out="SPLIT_K")
s.case("explain parts of k on the CPU", T, "--explain", "--target", "cpu", "--point", "SPLIT_K=4", gemm, not_out="parts (SPLIT_K)")
s.case("explain without dot or loop", T, "--explain", saxpy, out=["kernel saxpy", "no dot and no loop"])
s.case("explain what was folded away", T, "--explain", "-", out=["<stdin>:2:3: for", "gone:"],
       stdin="kernel k(X: tensor<f32>[1]) {\n  for i in range(0, 0) { X[0] = 1.0 }\n  X[0] = 2.0\n}\n")
varied = "@autotune(T in [4, 16])\nkernel k(X: tensor<f32>[N]) {\n  let i = ctx.block.x\n  let a: tile<f32>[8] = %s\n  X[i * 8 :+ 8] = a\n}\n"
s.case("check looks at every point [errors.points.1]", T, "--check", "-", stdin=varied % "zeros<f32>([T + 4])", status=1, err=["4:25: error[E0404]", "note: at T=8"])
s.case("check of a point looks at it alone", T, "--check", "--point", "T=4", "-", stdin=varied % "zeros<f32>([T + 4])")
s.case("a point that @require forbids is not checked", T, "--check", "-", stdin="@require(T == 4)\n" + varied % "zeros<f32>([T + 4])")
s.case("a space without a legal point", T, "--check", "-", stdin="@require(T == 5)\n" + varied % "zeros<f32>([8])", status=1, err="E0801")
large = "@autotune(T in [4, 16], U in [1, 1024], V in [1, 1024])\n" + varied.split("\n", 1)[1] % "full<f32>([8], f32(T + U + V))"
s.case("check of a large space says that it samples", T, "--check", "-", stdin=large, err="checked at 256 points")

s.case("kernel", T, "--emit", "ir", "--kernel", "b", two, out="@b", not_out="@a")
s.case("kernel repeated", T, "--emit", "ir", "--kernel", "a", "--kernel", "b", two, out=["@a", "@b"])
s.case("kernel unknown", T, "--check", "--kernel", "c", two, status=1, err=["'c'", "a, b"])
s.case("one kernel for machine code", T, two, status=1, err=["a, b", "--kernel"])
s.case("stdlib", T, "--check", std)
s.case("no stdlib", T, "--check", "--no-std", std, status=1, err="relu")

s.case("bundle", T, saxpy, "-o", s.path("saxpy.phx"), "--point", "BLOCK=512 @ N <= 1000", "--point", "BLOCK=4096")
r = s.case("bundle show", "phobos-bundle", "show", s.path("saxpy.phx"), out=["kernel saxpy for cpu", "BLOCK=512", "serves  N <= 1000", "BLOCK=4096", "X: tensor<f32>[N]", "cdiv(N, 512)"])
s.case("bundle verify", "phobos-bundle", "verify", s.path("saxpy.phx"), not_out=" ")
s.case("bundle extract", "phobos-bundle", "extract", s.path("saxpy.phx"), "-o", s.path("code"), out=["saxpy.cpu.0.o", "saxpy.cpu.1.o"])
s.check("extracted object is ELF", open(s.path("code/saxpy.cpu.0.o"), "rb").read(4) == b"\x7fELF")
s.case("bundle of two kernels", T, two, "-o", s.path("two.phx"))
s.case("bundle shows both", "phobos-bundle", "show", s.path("two.phx"), out=["kernel a", "kernel b"])
for condition, why in [("Q <= 1000", "'Q' is no runtime dimension of kernel 'saxpy'; it has N"), ("", "expected an expression"), ("N", "'N' is a number where a condition"),
                       ("!N", "'N' is a number where a condition"), ("(N < 3) + 1 > 2", "'(N < 3)' is a condition where a number"), ("N < 99999999999999999999", "does not fit"),
                       ("N < 3.5", "'3.5': only integers, dimensions"), ("N < 3 @ N > 1", "found '@'"), ("abs(N) < 3 && true", "'abs(N)'"), ("1 if N < 3 else 0", "'1' is a number"),
                       ("N < 3 < 4", "cannot be chained"), ("ctx.block.x < 3", "'ctx.block.x'"), ("X < 3", "'X' is no runtime dimension")]:
    s.case("bundle condition malformed: " + condition, T, saxpy, "-o", s.path("x.phx"), "--point", "BLOCK=512 @ " + condition, status=2, err=["E0905", why, "@ M <= 1024"])
for condition in ["true", "N % 16 == 0 && !(N < 3) || N == BLOCK", "(N < 3) if N > 1 else N == 7", "min(N, 3) < cdiv(N, 2) - -1", "N & 15 == 0", "N /\n 0 == 0"]:
    s.case("bundle condition: " + condition, T, saxpy, "-o", s.path("x.phx"), "--point", "BLOCK=512 @" + condition)
    s.case("is shown: " + condition, "phobos-bundle", "show", s.path("x.phx"), out="serves  " + condition.replace("\n", " "))
s.case("a point that none reaches [W0911]", T, saxpy, "-o", s.path("x.phx"), "--target", "cpu", "--target", "cpu", "--point", "BLOCK=512", "--point", "BLOCK=1024 @ N > 100",
       err=["W0911", "point 'BLOCK=1024 @ N > 100' of kernel 'saxpy' is left out: point 'BLOCK=512' before it", "put the points with a condition"])
s.check("what is named twice is there once", s.run("phobos-bundle", "show", s.path("x.phx")).stdout.count("kernel saxpy") == 1)
divided = s.file("divided.pho", "@autotune(T in [64, 128])\n@aligned(N = T)\nkernel k(X: tensor<f32>[N]) { X[ctx.block.x * T :+ T] = 1.0 }\n")
s.case("a point that takes what the first refuses is reached", T, divided, "-o", s.path("x.phx"), "--point", "T=128", "--point", "T=64", not_err="W0911")
s.case("emit c", T, saxpy, "--emit", "c", out=["saxpy_bundle[", "saxpy_bundle_size"])
s.case("emit header", T, saxpy, "--emit", "header", out=["struct saxpy", "Exactly<float> a", "const ::phobos::TensorView &X"])
s.case("bundle to standard output", T, saxpy, "--emit", "bundle", status=2, err="-o")
cut = open(s.path("saxpy.phx"), "rb").read()[:-20]
open(s.path("cut.phx"), "wb").write(cut)
s.case("bundle truncated", "phobos-bundle", "verify", s.path("cut.phx"), status=1, err="truncated or corrupt")
s.case("bundle foreign", "phobos-bundle", "show", saxpy, status=1, err=["error[E0909]", "not a Phobos bundle"])
s.case("bundle absent", "phobos-bundle", "show", s.path("none.phx"), status=3, err="none.phx")
s.case("a folder for a bundle", "phobos-bundle", "verify", s.path("."), status=3, err="it is a directory")
s.case("bundle of standard input that is none", "phobos-bundle", "verify", "-", stdin="x", status=1, err="error[E0909]: bundle '<stdin>': not a Phobos bundle")
s.case("bundle entries with their predicates", T, saxpy, "-o", s.path("x.phx"), "--target", "sm_80")
s.case("are shown", "phobos-bundle", "show", s.path("x.phx"), out="where addresses and rows are multiples of 16 bytes")
s.case("bundle usage", "phobos-bundle", status=2)
s.case("bundle help", "phobos-bundle", "--help", out=["show", "extract", "verify"])
s.case("legality", T, "--legality", "warptile", "--shared-limit", "49152",
       stdin="TILE_M,TILE_N,TILE_K,WARP_M,WARP_N,WARP_NITER,TILE_TM,TILE_TN,THREADS\n64,64,16,32,32,1,4,8,128\n64,64,16,32,48,1,4,8,128\n",
       out="block-in-warp-tiles")
s.case("legality unknown list", T, "--legality", "nonsense", stdin="A\n1\n", status=2, err="warptile")
s.case("legality bad csv", T, "--legality", "warptile", stdin="TILE_M\nx\n", status=1)
points = s.file("points.csv", "TILE_M\n64\n")
s.case("legality into a file", T, "--legality", "warptile", "-o", s.path("verdicts.txt"), not_out="legal",
       stdin="TILE_M,TILE_N,TILE_K,WARP_M,WARP_N,WARP_NITER,TILE_TM,TILE_TN,THREADS\n64,64,16,32,32,1,4,8,128\n64,64,16,32,48,1,4,8,128\n")
s.check("which holds it", open(s.path("verdicts.txt")).read().endswith("block-in-warp-tiles\n"))
s.case("legality of a FILE", T, "--legality", "warptile", points, stdin="", status=2, err=["standard input", "< " + points])
for more in (["--target", "sm_80"], ["--check"], ["--point", "TILE_M=8"]):
    s.case(f"legality with {more[0]}", T, "--legality", "warptile", *more, stdin="", status=2, err=more[0] + " does not go with it")
s.case("legality of a quantity that no rule has", T, "--legality", "warptile",
       stdin="TILE_M,TILE_N,TILE_K,WARP_M,WARP_N,WARP_NITER,TILE_TM,TILE_TN,THREADS,TYPO\n64,64,16,32,32,1,4,8,128,1\n", status=1, err=["line 1", "'TYPO'"])

# What -o names says what is written.
for name, target, start in (("x.ptx", "sm_80", b"//"), ("x.s", "cpu", b"\t"), ("x.ll", "cpu", b"; Mod"), ("x.o", "cpu", b"\x7fELF"), ("x.mlir", "cpu", b"module"), ("x.c", "cpu", b""), ("x.h", "cpu", b"")):
    s.case("-o " + name, T, saxpy, "--target", target, "-o", s.path(name))
    text = open(s.path(name), "rb").read()
    s.check(name + " holds its kind", (text.startswith(start) if start else b"{" in text) and b"phobos-bundle" not in text[:64], str(text[:64]))
s.case("-o .ptx of the CPU", T, saxpy, "-o", s.path("y.ptx"), status=2, err="--target sm_80")
s.case("-o of any other name", T, saxpy, "-o", s.path("kernels"))
s.case("is a bundle", "phobos-bundle", "verify", s.path("kernels"))
s.case("--emit is above the name", T, saxpy, "--emit", "bundle", "-o", s.path("z.s"))
s.case("and holds", "phobos-bundle", "verify", s.path("z.s"))
s.finish()
