"""Every E09xx and W09xx code by a command that produces it, with the exit status that docs/diagnostics.md gives for it. A code of the list
without a command fails. And what two tools read alike they refuse alike: the same words, the same status."""
import os, re, struct, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import SCALE, Suite

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
with open(os.path.join(ROOT, "compiler/driver/Driver.def")) as f:
    LISTED = re.findall(r'DIAGNOSTIC\(\s*"([EW]09\d\d)"', f.read())
with open(os.path.join(ROOT, "docs/diagnostics.md")) as f:
    DOCUMENTED = {code: int(status) for code, status in re.findall(r"^\| ([EW]09\d\d) \| \w+ \| (\d) \|", f.read(), re.M)}

s = Suite(sys.argv[1])
k = s.file("scale.pho", SCALE)
two = s.file("two.pho", SCALE + SCALE.replace("kernel scale", "kernel other"))
none = s.file("none.pho", "fn twice(x: f32) -> f32 { return x + x }\n")
whole = s.file("whole.pho", SCALE.replace("\nkernel", '\n@require(N % T == 0, "whole tiles")\nkernel'))
narrow = s.file("narrow.pho", "kernel k(X: tensor<i8>[N], Y: tensor<i8>[N]) { Y[ctx.block.x * 4 :+ 4] = X[ctx.block.x * 4 :+ 4] }\n")
fixed = s.file("fixed.pho", "@grid(host)\n@autotune(T in [8, 16])\nkernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n  Y[ctx.block.x * T :+ T] = X[ctx.block.x * T :+ T]\n}\n")
staged = s.file("staged.pho", """@pipeline(STAGES)
@autotune(STAGES in [2])
kernel k(A: tensor<f16>[M, K], B: tensor<f16>[K, N], C: tensor<f32>[M, N]) {
  var acc: tile<f32>[64, 64] = 0.0
  for i in range(0, K, 32) { acc += dot(A[ctx.block.x * 64 :+ 64, i :+ 32], B[i :+ 32, ctx.block.y * 64 :+ 64]) }
  C[ctx.block.x * 64 :+ 64, ctx.block.y * 64 :+ 64] = acc
}
""")
points = s.file("points.txt", "T=8 U=1\nT=0\n")
empty = s.file("empty.txt", "# none\n")
bad = s.file("bad.npy", "not an array")
ir = s.file("empty.mlir", "module {}\n")


def array(name, extents, kind="f4"):
    size = 1
    for e in extents:
        size *= e
    head = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, extents))},), }}"
    head += " " * ((64 - (len(head) + 11) % 64) % 64) + "\n"
    with open(s.path(name), "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(size * int(kind[1:])))
    return s.path(name)


six, five, square, ints = array("six.npy", [6]), array("five.npy", [5]), array("square.npy", [2, 3]), array("ints.npy", [6], "i4")
RUN, KBENCH = ["phobos-run", k, "--target", "interp"], ["phobos-kbench", k, "--target", "interp", "--ledger", "none"]
GIVEN = ["--arg", "X=arange", "--arg", "a=1", "--dim", "N=6"]

# (code, command, words of the message). Several commands may produce a code.
cases = [
    ("E0901", ["phobos-run", s.path("absent.pho")], ["absent.pho"]),
    ("E0901", ["phobos-compile", "--check", s.path(".")], ["is a directory"]),
    ("E0901", ["phobos-bundle", "show", s.path(".")], ["is a directory"]),
    ("E0901", ["phobos-bundle", "verify", s.path("absent.phx")], ["absent.phx"]),
    ("E0901", ["phobos-opt", s.path("absent.mlir")], ["absent.mlir"]),
    ("E0901", [*KBENCH, "--points", s.path("absent.txt")], ["absent.txt"]),
    ("E0902", ["phobos-compile", none, "--emit", "asm"], ["no kernel"]),
    ("E0902", ["phobos-run", none], ["no kernel"]),
    ("E0903", ["phobos-run", two, *GIVEN], ["scale, other"]),
    ("E0903", ["phobos-kbench", two, "--target", "interp", "--ledger", "none"], ["scale, other"]),
    ("E0904", [*RUN, "--kernel", "scal", *GIVEN], ["'scal'"]),
    ("E0905", [*RUN, "--point", "T=zero", *GIVEN], ["'T=zero'"]),
    ("E0905", [*KBENCH, "--pin", "T=zero"], ["'T=zero'"]),
    ("E0905", ["phobos-compile", k, "-o", s.path("x.phx"), "--point", "T=8 @ Q"], ["'Q'"]),
    ("E0906", ["phobos-compile", k, "--emit", "ir", "-o", "/dev/full"], ["/dev/full"]),
    ("E0906", [*RUN, *GIVEN, "--out", "Y=/dev/full"], ["/dev/full"]),
    ("E0906", ["phobos-opt", ir, "-o", "/dev/full"], ["/dev/full"]),
    ("E0906", ["phobos-opt", ir, "-o", s.path("no/such/folder.mlir")], ["folder.mlir"]),
    ("E0907", ["phobos-compile", "--target", "sm_75", "--emit", "ptx", staged], ["sm_75", "@pipeline"]),
    ("E0908", ["phobos-compile", "--check", "/dev/zero"], ["16777216"]),
    ("E0908", [*KBENCH, "--points", "/dev/zero"], ["16777216"]),
    ("E0909", ["phobos-bundle", "show", k], ["not a Phobos bundle"]),
    ("E0913", [*KBENCH, "--points", points], ["points.txt:2:3"]),
    ("E0910", ["phobos-compile", k, "--target", "sm_90a", "--emit", "ptx", "--ptx", "7.8"], ["sm_90a needs PTX"]),
    ("E0910", [*RUN[:2], "--target", "sm_90a", *GIVEN, "--ptx", "7.8"], ["sm_90a needs PTX"]),
    ("W0911", ["phobos-compile", k, "-o", s.path("two.phx"), "--point", "T=8", "--point", "T=32"], ["T=32"]),
    ("E0914", [*KBENCH, "--points", empty], ["empty.txt"]),
    ("E0912", [*KBENCH, "--dim", f"N={2**45}"], ["GB", "--dim"]),
    ("E0919", ["phobos-run", k, "--target", "abacus"], ["abacus"]),
    ("E0919", ["phobos-compile", k, "--target", "abacus"], ["abacus"]),
    ("E0919", ["phobos-kbench", k, "--target", "abacus", "--ledger", "none"], ["abacus"]),
    ("E0922", [*RUN, "--arg", "X=arange", "--dim", "N=6"], ["'a'"]),
    ("E0928", [*RUN, "--arg", "X=arange", "--arg", "a=1"], ["'N'"]),
    ("E0929", [*RUN, "--arg", "X=arange", "--arg", "a=1", "--dim", f"N={2**45}"], ["'X'"]),
    ("E0931", [*RUN, *GIVEN, "--out", "Y"], ["NAME=FILE.npy"]),
    ("E0932", ["phobos-run", whole, "--point", "T=32", "--arg", "X=arange", "--arg", "a=1", "--dim", "N=100"], ["whole tiles", "N = 100, T = 32"]),
    ("E0932", ["phobos-kbench", whole, "--target", "interp", "--ledger", "none", "--dim", "N=30"], ["whole tiles", "N = 30"]),
    ("E0934", ["phobos-run", k, "--target", "sm_120", *GIVEN], ["scale"]),
    ("E0936", [*RUN, *GIVEN, "--out", "Q=q.npy"], ["'Q'", "X, Y"]),
    ("W0933", [*RUN, *GIVEN, "--grid", "0"], ["grid"]),
    ("E0939", [*RUN, *GIVEN, "--grid", "2147483647,2147483647,2147483647"], ["2^63"]),
    ("E0939", ["phobos-run", k, "--target", "cpu", *GIVEN, "--grid", "2147483647,2147483647,2147483647"], ["2^63"]),
]
# What is given by --arg, --dim and --grid is read once: (code, options, words), for phobos-run and phobos-kbench.
FULL = ["--arg", "a=1"]
alike = [
    ("E0920", ["--arg", "X"], ["NAME=VALUE"]),
    ("E0920", ["--arg", "X=unifrm(0,1)"], ["unifrm", "uniform"]),
    ("E0921", ["--arg", "Z=1"], ["'Z'", "X, Y, a"]),
    ("E0923", ["--arg", f"X={ints}", *FULL], ["tensor<f32>[N]", "i32", "astype('float32')"]),
    ("E0924", ["--arg", f"X={square}", *FULL], ["tensor<f32>[N]", "[2, 3]"]),
    ("E0925", ["--arg", "X=0.5", *FULL, "--dim", "N=6"], ["const(0.5)"]),
    ("E0926", ["--arg", f"a={six}", "--arg", "X=arange", "--dim", "N=6"], ["'a'"]),
    ("E0927", ["--dim", "N=zero"], ["'N=zero'"]),
    ("E0927", ["--dim", "N"], ["NAME=VALUE"]),
    ("E0930", ["--grid", "1,2,3,4"], ["1,2,3,4"]),
    ("E0932", ["--arg", f"X={six}", *FULL, "--dim", "N=5"], ["6", "5"]),
    ("E0932", ["--arg", f"X={six}", "--arg", f"Y={five}", *FULL], ["6", "5", "'X'", "'Y'"]),
    ("E0935", ["--dim", "Q=5"], ["'Q'", "N"]),
    ("E0937", ["--arg", "a=1", "--arg", "a=2"], ["'a=1'", "'a=2'"]),
    ("E0937", ["--dim", "N=6", "--dim", "N=7"], ["'N=6'", "'N=7'"]),
    ("E0938", ["--arg", f"X={bad}", *FULL], ["bad.npy"]),
    ("E0901", ["--arg", f"X={s.path('absent.npy')}", *FULL], ["absent.npy"]),
    ("E0901", ["--arg", f"X={s.path('.')}/", *FULL], ["directory"]),
]


def heads(text):
    """The message lines, without what a place or a help adds."""
    return re.findall(r"error\[(E\d{4})\]: (.*)", text)


def produce(code, command, words):
    r = s.case(f"{code} by {command[0]}", *command, status=DOCUMENTED.get(code, -1), err=[f"[{code}]", *words])
    return r.stderr if r else ""


for code, command, words in cases:
    produce(code, command, words)
for code, options, words in alike:
    a, b = produce(code, [*RUN, *options], words), produce(code, [*KBENCH, *options], words)
    s.check(f"{code}: both tools say the same of {options}", heads(a) == heads(b), f"\n  {heads(a)}\n  {heads(b)}")
for tool in ("phobos-run", "phobos-kbench"):  # a rule that leaves the type's range, a grid that the host must give
    more = ["--ledger", "none"] if tool == "phobos-kbench" else []
    produce("E0926", [tool, narrow, "--target", "interp", *more, "--arg", "X=const(300)", "--dim", "N=8"], ["i8"])
    produce("E0932", [tool, fixed, "--target", "interp", *more, "--arg", "X=arange", "--dim", "N=8"], ["@grid(host)"])

# A run of years is told at once, and goes on until it is stopped.
STOPPED = ["W0940"]
s.shell("W0940 by phobos-run", f"timeout -s INT 4 $BIN/phobos-run {k} --target interp --arg X=arange --arg a=1 --dim N=6 --grid 2147483647,2147483647", 124, err=["[W0940]", "[E1007]"])

# A device of a processor that no compiler of today knows, by the driver of tests/runtime/fake.
NEWER = ["W0941"]
s.shell("W0941 by phobos-run", f"FAKE_SM=130 LD_LIBRARY_PATH=$BIN/../tests/fake-cuda $BIN/phobos-run {k} --target gpu --arg X=arange --arg a=1 --dim N=6", 0,
        err=["[W0941]", "sm_130a is not known here: what runs on it is PTX for sm_121"])
s.shell("an old one by phobos-run", f"FAKE_SM=61 LD_LIBRARY_PATH=$BIN/../tests/fake-cuda $BIN/phobos-run {k} --target gpu --arg X=arange --arg a=1 --dim N=6", 3,
        err=["[E0934]", "nothing is compiled for its sm_61"])

for code in LISTED:
    s.check(f"{code} has a command", code in STOPPED + NEWER or any(c == code for c, *_ in cases + alike), "no command of this test produces it")
    s.check(f"{code} has a documented exit status", code in DOCUMENTED)
# No message says a word twice that its option has said.
for options in (["--point", "T=zero"], ["--point", "T"], ["--dim", "N=zero"], ["--dim", "N"], ["--arg", "X"]):
    text = s.run(*RUN, *options).stderr
    s.check(f"{options} is quoted once", text.count(f"'{options[1]}'") == 1, text)
# phobos-opt: usage is 2, the input's fault is 1, a standard output that takes nothing is 3.
s.case("opt usage", "phobos-opt", "--frobnicate", status=2)
s.case("opt input", "phobos-opt", "-", stdin="modul {}\n", status=1)
s.case("opt", "phobos-opt", ir, out="module {")
for what in (ir, "--help", "--show-dialects"):
    s.shell(f"opt {what}, disk full", f"$BIN/phobos-opt {what} >/dev/full", 3)
s.finish()
