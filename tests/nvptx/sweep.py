#!/usr/bin/env python3
"""sweep.py PHO_GPU PTXAS [FILE.pho ..] [--random N [--seed S] [--types f8e4m3,..]] [--sm sm_75,sm_80,sm_89,sm_90a] [--jobs J] [--json OUT]: points
through the GPU target and ptxas: all of the kernels' own spaces, and N random products (types, tiles that are no powers of
two, transposed operands, threads, blocks at once, stages, parts of k, persistent blocks, epilogues), a processor each in turn. One line
for each point whose fast or `_any` entry spills or has a C75xx note, or that is not compiled for another reason than a rule; a table at
the end. By hand: minutes a processor; a test takes two times 60 random products, and `spills.sh` keeps points that it found."""
import argparse, itertools, json, os, random, re, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

RULES = re.compile(r"^([a-z0-9-]+|@\w+): |.*error\[(E0801)\]")


def choices(text):
    """As the language reads a list: two ascending values are bounds, doubling from the lower."""
    v = [int(x) for x in text.split(",")]
    if len(v) != 2 or v[0] >= v[1]:
        return sorted(set(v), key=v.index)
    out = [v[0]]
    while out[-1] * 2 < v[1]:
        out.append(out[-1] * 2)
    return out + [v[1]]


def points(path):
    """Of the first @autotune of the file, in its order."""
    text = open(path).read()
    m = re.search(r"@autotune\((.*?)\)\s*$", text, re.M | re.S)
    names = re.findall(r"(\w+) in \[([^\]]*)\]", m.group(1)) if m else []
    for values in itertools.product(*[choices(v) for _, v in names]):
        yield " ".join(f"{n}={v}" for (n, _), v in zip(names, values))


GEMM = """{attributes}kernel g(A: tensor<{t}>[{shapeA}], B: tensor<{t}>[{shapeB}], C: tensor<{out}>[M, N], bias: tensor<f32>[N], alpha: f32, beta: f32) {{
  let m = ctx.block.x * {m}
  let n = ctx.block.y * {n}
  var acc: tile<{sum}>[{m}, {n}] = {zero}
  for k in range(0, K, {k}) {{
    acc += dot({a}, {b})
  }}
  C[m :+ {m}, n :+ {n}] = {epilogue}
}}
"""
PLAIN, SCALED = "{out}(acc)", "{out}(f32(acc) * alpha + beta * f32(C[m :+ {m}, n :+ {n}]))"
HEAVY = "{out}(gelu(f32(acc) * alpha + bias[n :+ {n}]) + beta * f32(C[m :+ {m}, n :+ {n}]))"


def product(r, only=""):
    """A random product, of the types `only` if given: its name, text and point."""
    f = {"t": r.choice(["bf16", "bf16", "f16", "i8", "f32", "f32"])}
    f["t"] = r.choice(only.split(",")) if only else f["t"]
    f["sum"], f["zero"] = ("i32", "0") if f["t"] == "i8" else ("f32", "0.0")
    f["out"] = f["t"] if f["t"] in ("bf16", "f16") else "f32"
    f["m"], f["n"] = r.choice([16, 32, 48, 64, 96, 128, 192, 256]), r.choice([8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256])
    f["k"] = r.choice([16, 32, 48, 64, 96, 128, 192]) if f["t"] != "f32" else r.choice([4, 8, 12, 16, 20, 24, 32, 48, 64])
    ta, tb = r.random() < 0.3, r.random() < 0.3
    a, b = "A[k :+ {k}, m :+ {m}]" if ta else "A[m :+ {m}, k :+ {k}]", "B[n :+ {n}, k :+ {k}]" if tb else "B[k :+ {k}, n :+ {n}]"
    f["shapeA"], f["shapeB"] = "K, M" if ta else "M, K", "N, K" if tb else "K, N"
    f["a"], f["b"] = (f"transpose({a})" if ta else a).format(**f), (f"transpose({b})" if tb else b).format(**f)
    f["epilogue"] = r.choice([PLAIN, SCALED, HEAVY]).format(**f)
    attributes = r.choice(["", "", "", "@launch(128)", "@launch(256)", "@launch(128, 2)"])
    if f["t"] == "f32" and r.random() < 0.3:
        attributes += " @tensorcore(tf32)"
    persistent = r.random() < 0.2
    f["attributes"] = "\n".join(filter(None, attributes.split() if "," not in attributes else [attributes.replace(" @tensorcore", "\n@tensorcore")])) + "\n"
    f["attributes"] = (f["attributes"] if f["attributes"].strip() else "") + ("@persistent\n" if persistent else "")
    point = " ".join(filter(None, [r.choice(["", "", "STAGES=2", "STAGES=3"]), "" if persistent else r.choice(["", "", "SPLIT_K=2"])]))
    said = f["attributes"].split("\n")[:-1] + [point, f["t"], f"{f['m']}x{f['n']}x{f['k']}", "A^T" * ta, "B^T" * tb,
                                               {PLAIN: "", SCALED: "scaled", HEAVY: "heavy"}[next(e for e in (PLAIN, SCALED, HEAVY) if e.format(**f) == f["epilogue"])]]
    return " ".join(filter(None, said)), GEMM.format(**f), point


def assemble(tool, ptxas, path, point, sm, work):
    """(`illegal` with the rule, `error` with the text, or `ok`), entries {name: [threads, tile registers, registers, spilled
    bytes]}, notes."""
    ptx = os.path.join(work, "k.ptx")
    with open(ptx, "w") as out:
        run = subprocess.run([tool, path, point, "--target", sm], stdout=out, stderr=subprocess.PIPE, text=True)
    said = [l for l in run.stderr.splitlines() if not l.startswith("entry ")]
    if run.returncode or said:
        text = said[0] if said else f"exit {run.returncode}"
        rule = RULES.match(text)
        return ("illegal", rule.group(1) or rule.group(2)) if rule else ("error", text), {}, []
    entries = {}
    for line in run.stderr.splitlines():
        m = re.match(r"entry (\S+) threads (\d+) .*tile registers (\d+)", line)
        entries[m.group(1)] = [int(m.group(2)), int(m.group(3)), 0, 0]
    run = subprocess.run([ptxas, f"-arch={sm}", "-v", ptx, "-o", os.path.join(work, "k.cubin")], capture_output=True, text=True)
    log, at = run.stdout + run.stderr, None
    if run.returncode:
        return ("error", log.splitlines()[0]), entries, []
    for line in log.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            at = m.group(1)
        elif m := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            entries[at][3] = max(int(m.group(1)), int(m.group(2)))
        elif m := re.search(r"Used (\d+) registers", line):
            entries[at][2] = int(m.group(1))
    return ("ok", ""), entries, sorted(set(re.findall(r"C75\d\d", log)))


def jobs(args):
    """(processor, group, name, path or text, point)"""
    processors = args.sm.split(",")
    for sm in processors:
        for path in args.files:
            name = os.path.splitext(os.path.basename(path))[0]
            for point in points(path):
                yield sm, name, f"{name} {point}", path, None, point
    r = random.Random(args.seed)
    for n in range(args.random):
        name, text, point = product(r, args.types)
        yield processors[n % len(processors)], "random", name, None, text, point


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool"), p.add_argument("ptxas"), p.add_argument("files", nargs="*")
    p.add_argument("--sm", default="sm_75,sm_80,sm_89,sm_90a"), p.add_argument("--json")
    p.add_argument("--random", type=int, default=0), p.add_argument("--seed", type=int, default=1), p.add_argument("--types", default=""), p.add_argument("--jobs", type=int, default=1)
    args = p.parse_intermixed_args()
    if not shutil.which(args.ptxas):
        print("SKIP: no ptxas on this machine")
        sys.exit(77)
    rows, bad, counts = [], 0, {}

    def one(job):
        sm, _, _, path, text, point = job
        with tempfile.TemporaryDirectory() as work:
            if text:
                path = os.path.join(work, "g.pho")
                open(path, "w").write(text)
            return job, assemble(args.tool, args.ptxas, path, point, sm, work)

    with ThreadPoolExecutor(args.jobs) as pool:
        for (sm, group, name, _, _, point), ((status, why), entries, notes) in pool.map(one, jobs(args)):
            spilled = {e: v for e, v in entries.items() if v[3]}
            count = counts.setdefault((sm, group), {})
            for key, holds in [("points", True), (status, True), ("fast spills", any(not e.endswith("_any") for e in spilled)),
                               ("_any spills", any(e.endswith("_any") for e in spilled)), ("notes", notes)]:
                count[key] = count.get(key, 0) + bool(holds)
            if spilled or notes or status == "error":
                bad += 1
                print(f"{sm} {name}: {why} " + ", ".join(
                    f"{e} spills {v[3]} bytes ({v[0]} threads, {v[1]} for tiles, {v[2]} in all)" for e, v in spilled.items()), *notes, flush=True)
            rows.append({"sm": sm, "kernel": group, "name": name, "point": point, "status": status, "why": why, "entries": entries, "notes": notes})
    for (sm, group), count in counts.items():
        print(f"{sm} {group}: " + ", ".join(f"{v} {k}" for k, v in count.items() if v), flush=True)
    if args.json:
        json.dump(rows, open(args.json, "w"), indent=0)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
