#!/usr/bin/env bash
# assemble.sh PHO_GPU PTXAS PROCESSOR SOURCE_DIR: every conformance kernel and example through the GPU target and ptxas, at its first point.
set -u
tool=$1 ptxas=$2 sm=$3 source=$4
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0 count=0
for file in "$source"/tests/conformance/run/*/kernel.pho "$source"/examples/*.pho; do
  least=$(sed -n 's/.*"least_sm": *\([0-9]*\).*/\1/p' "${file%kernel.pho}case.json" 2>/dev/null)
  number=${sm#sm_}
  if [ "${number%a}" -lt "${least:-0}" ]; then continue; fi
  count=$((count + 1))
  if ! "$tool" "$file" --target "$sm" >"$work/k.ptx" 2>"$work/err"; then
    echo "$file: $(grep -v '^entry' "$work/err" | head -3)"; failed=$((failed + 1)); continue
  fi
  if ! "$ptxas" -arch="$sm" -v "$work/k.ptx" -o "$work/k.cubin" >"$work/log" 2>&1; then
    echo "$file: $(head -3 "$work/log")"; failed=$((failed + 1)); continue
  fi
  if grep -q 'C75' "$work/log" || awk '/bytes spill stores/ { if ($5 + $9 > 0) bad = 1 } END { exit !bad }' "$work/log"; then
    echo "$file: $(grep -E 'C75|spill' "$work/log" | sort | uniq -c | head -3)"; failed=$((failed + 1))
  fi
done
echo "$sm: $count kernels, $failed failed"
[ "$failed" -eq 0 ]
