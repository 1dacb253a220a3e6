"""The little frame of the command-line tests: a case is a command, the exit status it must have, and texts that must (not) be there.

Each test file makes a Suite(BIN_DIR), adds cases and ends with suite.finish(). The last line is `N passed, N failed`.
"""
import os, subprocess, sys, tempfile

# A kernel with a small space.
SCALE = """@autotune(T in [8, 32], U in [1, 2])
kernel scale(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  Y[ctx.block.x * (T * U) :+ T * U] = X[ctx.block.x * (T * U) :+ T * U] * a
}
"""


class Suite:
    def __init__(self, bin_dir):
        self.bin = os.path.abspath(bin_dir)
        self.passed = self.failed = 0
        self.dir = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def file(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def run(self, tool, *args, stdin=None, env=None, timeout=120):
        cmd = [os.path.join(self.bin, tool), *args]
        return subprocess.run(cmd, input=stdin, capture_output=True, text=True, timeout=timeout, env={**os.environ, **(env or {})}, cwd=self.dir.name)

    def case(self, name, tool, *args, status=0, out=(), err=(), not_out=(), not_err=(), stdin=None, env=None, timeout=120):
        try:
            r = self.run(tool, *args, stdin=stdin, env=env, timeout=timeout)
        except subprocess.TimeoutExpired:
            return self.check(name, False, "timed out")
        why = []
        if r.returncode != status:
            why.append(f"exit {r.returncode}, expected {status}")
        for what, stream, must in (("stdout", r.stdout, out), ("stderr", r.stderr, err)):
            for t in [must] if isinstance(must, str) else must:
                if t not in stream:
                    why.append(f"{what} lacks {t!r}")
        for what, stream, mustnt in (("stdout", r.stdout, not_out), ("stderr", r.stderr, not_err)):
            for t in [mustnt] if isinstance(mustnt, str) else mustnt:
                if t in stream:
                    why.append(f"{what} has {t!r}")
        if why:
            why.append(f"\n  stdout: {r.stdout[-600:]}\n  stderr: {r.stderr[-600:]}")
        self.check(name, not why, "; ".join(why))
        return r

    def shell(self, name, line, status, err=(), not_err=(), timeout=60):
        """A line of bash with $BIN: redirections that a list of arguments cannot say. `status` may be a tuple."""
        r = subprocess.run(["/bin/bash", "-c", "set -o pipefail; " + line], capture_output=True, text=True, timeout=timeout, cwd=self.dir.name, env={**os.environ, "BIN": self.bin})
        ok = r.returncode in (status if isinstance(status, tuple) else (status,)) and all(t in r.stderr for t in err) and not any(t in r.stderr for t in not_err)
        self.check(name, ok, f"exit {r.returncode}, expected {status}\n  stderr: {r.stderr[-600:]}")

    def check(self, name, ok, why=""):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print(f"FAIL {name}: {why}")

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)
