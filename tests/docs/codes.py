"""Each code of the lists that compiler/support/Diagnostics.def names is reported by the program and expected by a test.

A test expects a code where it writes it as text (`error E0301 3 x` in .rules, `CASE("E0301", ..)`, `E0102@1:12`, `error[E0301]`) or by its
name (`diag::UnknownName`); those tests fail where the code does not come. A comment, a list of exceptions or a document does not count.

`codes.py` judges the tree; `codes.py --self-test` that a code without a test is found. The last line is `N passed, N failed`.
"""
import os, re, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SUFFIXES = (".cpp", ".def", ".h", ".rules", ".py", ".mlir", ".pho", ".sh", ".cmake", ".txt")


def declared():
    top = open(os.path.join(ROOT, "compiler/support/Diagnostics.def")).read()
    codes = {}
    for path in re.findall(r'#include "(.*?)"', top):
        for code, name in re.findall(r'DIAGNOSTIC\(\s*"(\w+)",\s*\w+,\s*(\w+),', open(os.path.join(ROOT, path)).read()):
            assert code not in codes, f"{code} is declared twice"
            codes[code] = name
    return codes


def expected():
    """The codes and names that tests write, comments and exceptions aside."""
    words = set()
    folders = [entry for top in ("tests", "examples") for entry in os.walk(os.path.join(ROOT, top))]
    for folder, _, files in folders:
        if os.path.basename(folder) == "corpus":
            continue
        for name in files:
            if not name.endswith(SUFFIXES) or name == "codes.py":
                continue
            first = True
            for line in open(os.path.join(folder, name), errors="replace"):
                # the first line of an error's source says what must be reported
                comment = re.match(r"\s*(//|#)", line) and not (first and name.endswith(".pho"))
                first = False
                if comment and "CHECK" not in line or "kTestedElsewhere" in line:
                    continue
                words.update(re.findall(r"\b([EW]\d{4})\b", line))
                words.update("diag::" + n for n in re.findall(r"diag::(\w+)", line))
    return words


def reported():
    """The names that the program's sources use."""
    names = set()
    for top in ("compiler", "kbench", "runtime"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for name in files:
                if name.endswith((".cpp", ".h")):
                    names.update(re.findall(r"diag::(\w+)", open(os.path.join(folder, name)).read()))
    return names


def missing(codes, words):
    return sorted(c for c, name in codes.items() if c not in words and "diag::" + name not in words)


def main():
    codes, words = declared(), expected()
    if "--self-test" in sys.argv:
        found = missing({**codes, "E9" + "999": "NobodyTestsThis"}, words)
        ok = found[-1:] == ["E9" + "999"]
        print("" if ok else f"a code without a test was not found: {found}")
        print(f"{int(ok)} passed, {int(not ok)} failed")
        return not ok
    lost = missing(codes, words)
    for c in lost:
        print(f"{c} ({codes[c]}): no test expects it")
    uses = reported()
    unused = sorted(c for c, name in codes.items() if name not in uses)
    for c in unused:
        print(f"{c} ({codes[c]}): nothing reports it")
    print(f"{len(codes) - len({*lost, *unused})} passed, {len({*lost, *unused})} failed")
    return bool(lost or unused)


sys.exit(main())
