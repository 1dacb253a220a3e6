#!/usr/bin/env bash
# tidy.sh CLANG_TIDY SOURCE_DIR BUILD_DIR: every source of the compiler, the runtime and the tools passes .clang-tidy.
set -euo pipefail
cd "$2"
if ! find compiler runtime kbench -name '*.cpp' -print0 | xargs -0 -n 4 -P "$(nproc)" "$1" -p "$3" --quiet 2>/dev/null; then
  echo "tidy.sh: see above; $(basename "$1") -p $3 --fix FILE mends some of it" >&2
  exit 1
fi
