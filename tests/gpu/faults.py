#!/usr/bin/env python3
"""faults.py BIN_DIR [--target gpu|cpu]: makes a point of a search end in each of the eight ways, by the test-only fault injection, and shows that
the others and the run's best are not affected. Where the target has no device it says so and exits with 77. Last line: `N passed, N failed`."""
import argparse, json, os, subprocess, sys, tempfile

KERNEL = """@autotune(T in [128, 512], U in [1, 2])
kernel scale(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  Y[ctx.block.x * (T * U) :+ T * U] = X[ctx.block.x * (T * U) :+ T * U] * a
}
"""
STRUCK = {"T": 256, "U": 2}
# What is injected, how the point must end, and words of its detail.
FAULTS = [("illegal", "illegal", ""), ("compile-error", "compile-error", ""), ("compile-crash", "compile-error", "signal 6"),
          ("compile-hang", "compile-timeout", "no answer"), ("fault", "fault", "signal 11"), ("fault-timing", "fault", "signal 11"),
          ("hang", "hang", "no answer"), ("hang-timing", "hang", "no answer"), ("wrong", "wrong", "expected"),
          ("wrong-full", "wrong", "at full size"), ("overrun", "wrong", "behind its last element"), ("lost", "lost", "twice"),
          ("compile-lost", "lost", "twice"), ("lost-once", "ok", "")]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("bin")
    ap.add_argument("--target", default="gpu")
    a = ap.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "scale.pho"), os.path.join(folder, "out.json")
        with open(path, "w") as f:
            f.write(KERNEL)
        for fault, status, words in FAULTS:
            env = {**os.environ, "XDG_STATE_HOME": folder, "PHOBOS_KBENCH_FAULT": f"{fault}@T=256,U=2"}
            # A worker that starts opens the device, which may take seconds; a deadline counts from the request.
            command = [os.path.join(a.bin, "phobos-kbench"), "--target", a.target, "--dim", "N=100003", "--budget", "5", "--ledger", "none", "--quiet",
                       "--compile-timeout", "10", "--run-timeout", "10", "--json", out, path]
            r = subprocess.run(command, capture_output=True, text=True, env=env)
            if r.returncode == 3 and "there is no device" in r.stderr:
                print("skipped: " + r.stderr.strip())
                return 77
            why = "" if r.returncode == 0 else f"exit {r.returncode}: {r.stderr[-200:]}"
            if not why:
                with open(out) as f:
                    result = json.load(f)
                struck = [p for p in result["points"] if p["point"] == STRUCK][0]
                others = [p["status"] for p in result["points"] if p["point"] != STRUCK]
                if struck["status"] != status or words not in struck["detail"]:
                    why = f"ended as {struck['status']}: {struck['detail']}"
                elif set(others) != {"ok"} or len(others) != 5:
                    why = f"the others: {others}"
                elif status != "ok" and (result["best"] == STRUCK or struck["rank"]):
                    why = "it is ranked"
                elif not result["winner_held"]:
                    why = "the winner was not confirmed"
            passed, failed = passed + (not why), failed + bool(why)
            if why:
                print(f"FAIL {fault}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
