#!/usr/bin/env bash
# run.sh BIN_DIR LLVM_TOOLS_DIR FILE: the part of lit that our tests need. Runs the lines `// RUN: command` of FILE: %s is the file, the tools
# are found in BIN_DIR, FileCheck and not in LLVM_TOOLS_DIR. A line that ends in \ goes on in the next RUN line. Every command must exit 0,
# each part of a pipe as well.
set -u
bin=$1 llvm=$2 file=$3
export PATH="$bin:$llvm:$PATH"
script=$(sed -n 's,^[^A-Za-z]*RUN: *,,p' "$file" | sed -e ':join' -e '/\\$/{N;s,\\\n,,;b join' -e '}' -e "s,%s,$file,g")
[ -n "$script" ] || { echo "$file: no RUN line"; exit 1; }
while IFS= read -r command; do
  bash -o pipefail -c "$command" || { echo "$file: failed: $command"; exit 1; }
done <<<"$script"
