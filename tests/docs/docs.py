"""The documents that are made from the program: docs/cli.md from the tools' own help, docs/diagnostics.md from the lists of diagnostics.

`docs.py BIN_DIR` compares them with what stands in docs/; `docs.py BIN_DIR --update` writes them. The last line is `N passed, N failed`.
"""
import os, re, subprocess, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BIN = os.path.abspath(sys.argv[1])
UPDATE = "--update" in sys.argv


def cli():
    tools = ["phobos-compile", "phobos-run", "phobos-kbench", "phobos-bundle", "phobos-selftest"]
    out = "# The tools\n\nMade from the tools' own `--help` (`tests/docs/docs.py`). Exit status of each: 0 success, 1 the input is at fault, 2 usage, 3 the\nenvironment (files, driver, memory).\n"
    for t in tools:
        text = subprocess.run([os.path.join(BIN, t), "--help"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "110"}).stdout
        out += f"\n## {t}\n\n```\n{text.strip()}\n```\n"
    # phobos-opt has MLIR's own options, by the hundred: those of its passes alone.
    text = subprocess.run([os.path.join(BIN, "phobos-opt"), "--help"], capture_output=True, text=True).stdout
    passes = [re.sub(r"^\s+(--pho-\S+)\s+-\s+", lambda m: f"  {m[1]:30}", x) for x in text.splitlines() if re.match(r"\s+--pho-", x)]
    out += ("\n## phobos-opt\n\nRuns passes on tile IR, as `phobos-compile --emit ir` and `--print-ir-after` write it. Beside these it has MLIR's usual options; "
            "`phobos-opt --help` lists all.\n\n```\n  phobos-opt [options] [FILE]        FILE in, standard output out; -o FILE writes a file\n"
            "  phobos-compile --emit ir gemm.pho | phobos-opt --pho-recognise-contractions\n\n" + "\n".join(passes) + "\n```\n")
    return out


def exit_statuses():
    """What compiler/driver/Status.cpp makes of an error: a name of the list -> 2 or 3; every other error is 1."""
    text = open(os.path.join(ROOT, "compiler/driver/Status.cpp")).read()
    values = {"UsageFault": 2, "EnvironmentFault": 3}
    return {name: values[status] for names, status in re.findall(r"((?:\s*case diag::\w+:)+)\s*return (\w+);", text) for name in re.findall(r"diag::(\w+)", names)}


def diagnostics():
    statuses = exit_statuses()
    top = open(os.path.join(ROOT, "compiler/support/Diagnostics.def")).read()
    out = "# Diagnostics\n\nMade from the lists that `compiler/support/Diagnostics.def` names (`tests/docs/docs.py`). Codes are stable and never reused; `{0}`, `{1}` stand for what was found.\n"
    for path in re.findall(r'#include "(.*?)"', top):
        text = open(os.path.join(ROOT, path)).read()
        rows = re.findall(r'DIAGNOSTIC\(\s*"(\w+)",\s*(\w+),\s*(\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', text)
        head = re.match(r"//\s*(.*)", text)
        # Where an error stands decides what a tool exits with only for these; the others are the input's fault.
        has_status = path.endswith("Driver.def")
        out += f"\n## {head.group(1).rstrip('.') if head else path}\n\n| code | | {'exit status | ' if has_status else ''}message |\n|---|---|{'---|' if has_status else ''}---|\n"
        for code, severity, name, message in rows:
            message = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', message)).replace('\\"', '"').replace("|", "\\|")
            status = statuses.get(name, 1) if severity == "Error" else 0
            out += f"| {code} | {severity.lower()} | {f'{status} | ' if has_status else ''}{message} |\n"
    return out


passed = failed = 0
for name, make in (("cli.md", cli), ("diagnostics.md", diagnostics)):
    path = os.path.join(ROOT, "docs", name)
    text = make()
    if UPDATE:
        open(path, "w").write(text)
    ok = os.path.exists(path) and open(path).read() == text
    passed += ok
    failed += not ok
    if not ok:
        print(f"docs/{name} is not what the program says: run tests/docs/docs.py BIN_DIR --update")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
