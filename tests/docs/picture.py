#!/usr/bin/env python3
"""picture.py REPORT > docs/run.svg: the picture of a run that README shows.

REPORT is what `phobos-kbench --target cpu examples/gemm.pho` printed on a machine with nothing else to do. It is drawn as a terminal shows it; the
middle of the ranking is left out, nothing else.
"""
import html, sys

TOP, BOTTOM, WIDTH, ADVANCE, LINE = 6, 3, 132, 7.8, 18  # rows of the ranking that are shown, columns, pixels of a character and of a line
COLOURS = {"best": "#7ee787", "worst": "#ffa198", "again": "#79c0ff", "$": "#d2a8ff"}
lines = open(sys.argv[1], encoding="utf-8").read().rstrip().splitlines()
ranked = [k for k, line in enumerate(lines) if line[:6].strip().isdigit()]
shown = ["$ phobos-kbench --target cpu examples/gemm.pho"] + lines[: ranked[0] + TOP] + ["   ..."] + lines[ranked[-1] - BOTTOM + 1 :]

wrapped = []
for line in shown:
    while len(line) > WIDTH:  # at a blank
        cut = max(line.rfind(" ", 0, WIDTH), WIDTH // 2)
        wrapped.append(line[:cut])
        line = "       " + line[cut:].lstrip()
    wrapped.append(line)

print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * ADVANCE + 32:.0f}" height="{LINE * len(wrapped) + 28}" role="img" aria-label="phobos-kbench ranks the points of gemm.pho">')
print('<rect width="100%" height="100%" rx="8" fill="#0d1117"/>')
print('<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#c9d1d9" xml:space="preserve">')
for row, line in enumerate(wrapped):
    if not line.strip():
        continue
    colour = COLOURS.get(line.split(" ")[0])
    print(f'<text x="16" y="{LINE * row + 26}"' + (f' fill="{colour}"' if colour else "") + f' textLength="{len(line) * ADVANCE:.0f}">{html.escape(line, quote=False)}</text>')
print("</g>\n</svg>")
