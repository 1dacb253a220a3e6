"""What a tool prints arrives, or its exit status says that it did not: a full disk, a closed or a broken standard output, for every tool."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import Suite

s = Suite(sys.argv[1])
k = s.file("scale.pho", """@autotune(T in [4, 64])
kernel scale(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  let i = ctx.block.x * T
  Y[i :+ T] = X[i :+ T] * a
}
""")
s.file("points.csv", "TILE_M,TILE_N,TILE_K,WARP_M,WARP_N,WARP_NITER,TILE_TM,TILE_TN,THREADS\n64,64,16,32,32,1,4,8,128\n")
s.case("a bundle to look into", "phobos-compile", k, "-o", s.path("scale.phx"))
RUN = f"$BIN/phobos-run {k} --arg X=arange --arg a=2 --dim N=10"
KBENCH = f"$BIN/phobos-kbench --target cpu --ledger none --dim N=1000 {k}"
commands = {
    **{f"--emit {e}": f"$BIN/phobos-compile --emit {e} {k}" for e in ("ast", "typed", "ir", "llvm", "asm", "obj", "c", "header")},
    "--space": f"$BIN/phobos-compile --space {k}",
    "--explain": f"$BIN/phobos-compile --explain {k}",
    "--legality": "$BIN/phobos-compile --legality warptile < points.csv",
    "run": RUN,
    "run in the interpreter": RUN + " --target interp",
    "kbench": KBENCH + " --autotune T=4",
    "kbench --list": KBENCH + " --list",
    "kbench --csv -": KBENCH + " --autotune T=4 --csv -",
    "bundle show": "$BIN/phobos-bundle show scale.phx",
    "bundle extract": "$BIN/phobos-bundle extract scale.phx -o code",
    "selftest": "$BIN/phobos-selftest --count 2",
    "phobos --help": "$BIN/phobos --help",
    **{f"{t} {o}": f"$BIN/phobos-{t} {o}" for t in ("compile", "run", "kbench", "bundle", "selftest") for o in ("--help", "--version")},
}
for name, command in commands.items():
    s.shell(f"{name}", command + " >/dev/null", 0)
    s.shell(f"{name}, disk full", command + " >/dev/full", 3, err=["E0906", "'<stdout>'", "No space left"])
    s.shell(f"{name}, closed", command + " >&-", 3, err=["E0906", "Bad file descriptor"])
# A reader that goes away needs no message, but a failure is one.
s.shell("the reader went away", f"$BIN/phobos-compile {k} | true; exit ${{PIPESTATUS[0]}}", (0, 3, 141), not_err=["E0906"])
s.shell("the reader went away, and signals are ignored", f"trap '' PIPE; (sleep 0.2; $BIN/phobos-compile --space {k}) | true; exit ${{PIPESTATUS[0]}}", 3, not_err=["E0906"])
s.shell("as JSON", f"$BIN/phobos-compile --diagnostics=json --space {k} >/dev/full", 3, err=['"code":"E0906"'])
# An error stays what it is, and nothing that the tool opens takes the place of a closed stream.
s.shell("an error keeps its status", "$BIN/phobos-compile --check none.pho >/dev/full", 3, err=["E0901"])
s.shell("a fault of the input keeps its status", "$BIN/phobos-compile --legality warptile </dev/null >&-", 1)
s.shell("no stream at all", f"{RUN} --out Y=y.npy <&- >&- 2>&-", 0)
s.check("the array is whole", os.path.getsize(s.path("y.npy")) == 128 + 40)
s.shell("a ledger with standard output closed", f"$BIN/phobos-kbench --target cpu --ledger kept.sqlite --dim N=1000 --autotune T=4 {k} >&-", 3)
s.check("the ledger is one", open(s.path("kept.sqlite"), "rb").read(15) == b"SQLite format 3")
# Files named for output.
s.case("-o", "phobos-compile", k, "-o", "/dev/full", status=3, err="E0906")
s.case("--out", "phobos-run", k, "--arg", "X=arange", "--arg", "a=2", "--dim", "N=10", "--out", "Y=/dev/full", status=3, err="E0906")
s.case("--csv", "phobos-kbench", "--target", "cpu", "--ledger", "none", "--dim", "N=1000", "--autotune", "T=4", "--csv", "/dev/full", k, status=3, err="/dev/full")
# A result is whole or not there: what stood in its place stays.
s.shell("a file cut off", f"echo old >old.txt; ulimit -f 0; $BIN/phobos-compile --emit ir {k} -o old.txt", 3, err=["E0906", "File too large"])
s.check("what was there stays", open(s.path("old.txt")).read() == "old\n")
s.shell("an array cut off", f"ulimit -f 0; {RUN} --out Y=cut.npy", 3, err=["E0906", "File too large"])
s.check("nothing remains of it", not [f for f in os.listdir(os.path.dirname(s.path("old.txt"))) if f.startswith(("cut.npy", "old.txt."))])
# No output takes the place of an input or of another output.
s.shell("-o onto the source", f"cp {k} own.pho; ln -s own.pho link.pho; $BIN/phobos-compile --emit ir own.pho -o link.pho", 2, err=["source itself"])
s.check("the source stays", open(s.path("own.pho")).read() == open(k).read())
s.shell("--out onto the source", "$BIN/phobos-run own.pho --arg X=arange --arg a=2 --dim N=10 --out Y=link.pho", 2, err=["it would overwrite the source"])
s.check("the source stays", open(s.path("own.pho")).read() == open(k).read())
s.case("two arrays into one file", "phobos-run", k, "--arg", "X=arange", "--arg", "a=2", "--dim", "N=10", "--out", "Y=one.npy", "--out", "X=one.npy", status=2, err="'Y' goes to this file already")
s.finish()
