"""What every part of suite.py leans on: the command line, the device, the tools, the count of what passed."""
import argparse, ctypes, os, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "conformance")
ap = argparse.ArgumentParser()
ap.add_argument("bin")
ap.add_argument("--random", type=int, default=5000)
ap.add_argument("--jobs", type=int, default=os.cpu_count())
ap.add_argument("--only", nargs="*", default=[])
a = ap.parse_args()


def device():
    """`sm_90a` of the first device, or None."""
    try:
        cu = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    n = ctypes.c_int()
    if cu.cuInit(0) or cu.cuDeviceGetCount(ctypes.byref(n)) or not n.value:
        return None
    major, minor = ctypes.c_int(), ctypes.c_int()
    cu.cuDeviceGetAttribute(ctypes.byref(major), 75, 0)
    cu.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0)
    sm = major.value * 10 + minor.value
    return f"sm_{sm}" + ("a" if sm >= 90 else "")


TARGET = device()
if not TARGET:
    print("skipped: no CUDA device on this machine")
    sys.exit(77)
totals = [0, 0, 0]


def tool(name):
    return os.path.join(os.path.abspath(a.bin), name)


def sh(cmd, timeout=600):
    try:
        return subprocess.run(cmd, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(cmd, 124, (e.stdout or b"").decode() if isinstance(e.stdout, bytes) else e.stdout or "", "timed out")


def part(name, passed, failed, skipped=0, since=None, notes=()):
    totals[0] += passed
    totals[1] += failed
    totals[2] += skipped
    for n in notes:
        print("  " + n[:300])
    print(f"{name:12} {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "") + (f"   {time.time() - since:.0f} s" if since else ""), flush=True)


def program(name):
    """A program of this folder: packed beside this file, or in the build."""
    places = [os.path.join(HERE, "bin", name), os.path.join(os.path.abspath(a.bin), "..", "tests", "bin", name)]
    return next((p for p in places if os.path.exists(p)), None)
