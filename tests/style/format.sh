#!/usr/bin/env bash
# format.sh CLANG_FORMAT SOURCE_DIR: every C and C++ file is as .clang-format says.
set -euo pipefail
cd "$2"
if ! find compiler runtime kbench stdlib tests examples \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.c' \) -print0 |
  xargs -0 "$1" --dry-run -Werror; then
  echo "format.sh: run $(basename "$1") -i on the files above" >&2
  exit 1
fi
