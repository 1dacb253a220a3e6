#!/usr/bin/env python3
"""sweep.py PHO_GPU PTXAS FILE.pho .. [--sm sm_75,sm_80,sm_89,sm_90a] [--json OUT]: every point of the kernels' own spaces
through the GPU target and ptxas. One line for each point whose fast or `_any` entry spills or has a C75xx note, or that is
not compiled for another reason than a rule; a table at the end. By hand: minutes a processor; `spills.sh` keeps the points
that it found."""
import argparse, itertools, json, os, re, subprocess, sys, tempfile

RULES = re.compile(r"^([a-z0-9-]+): |.*error\[(E0801)\]")


def points(path):
    """Of the first @autotune of the file, in its order."""
    text = open(path).read()
    m = re.search(r"@autotune\((.*?)\)\s*$", text, re.M | re.S)
    names = re.findall(r"(\w+) in \[([^\]]*)\]", m.group(1)) if m else []
    for values in itertools.product(*[v.split(",") for _, v in names]):
        yield " ".join(f"{n}={v.strip()}" for (n, _), v in zip(names, values))


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


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool"), p.add_argument("ptxas"), p.add_argument("files", nargs="+")
    p.add_argument("--sm", default="sm_75,sm_80,sm_89,sm_90a"), p.add_argument("--json")
    args = p.parse_args()
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as work:
        for sm in args.sm.split(","):
            for path in args.files:
                name, count = os.path.splitext(os.path.basename(path))[0], {}
                for point in points(path):
                    (status, why), entries, notes = assemble(args.tool, args.ptxas, path, point, sm, work)
                    spilled = {e: v for e, v in entries.items() if v[3]}
                    for key, holds in [("points", True), (status, True), ("fast spills", any(not e.endswith("_any") for e in spilled)),
                                       ("_any spills", any(e.endswith("_any") for e in spilled)), ("notes", notes)]:
                        count[key] = count.get(key, 0) + bool(holds)
                    if spilled or notes or status == "error":
                        bad += 1
                        print(f"{sm} {name} {point}: {why} " + ", ".join(
                            f"{e} spills {v[3]} bytes ({v[0]} threads, {v[1]} for tiles)" for e, v in spilled.items()), *notes, flush=True)
                    rows.append({"sm": sm, "kernel": name, "point": point, "status": status, "why": why, "entries": entries, "notes": notes})
                    if args.json:
                        json.dump(rows, open(args.json, "w"), indent=0)
                print(f"{sm} {name}: " + ", ".join(f"{v} {k}" for k, v in count.items() if v), flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
