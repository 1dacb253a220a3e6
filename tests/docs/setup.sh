#!/usr/bin/env bash
# setup.sh SOURCE_DIR: what phobos.sh does to a machine that has nothing, told by stand-ins for the package manager: LLVM's
# repository is added where, and only where, no source offers LLVM 22, and each failure ends with 3 and a reason.
set -euo pipefail
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir -p "$box/bin" "$box/repo"
cp "$1/phobos.sh" "$box/repo"
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$box/bin/$1" && chmod +x "$box/bin/$1"; }
stand_in dpkg-query 'echo "unknown ok not-installed"'
stand_in apt-get 'echo "apt-get $*" >>"$LOG"; [[ "$*" != *"$FAILING"* || -z "$FAILING" ]]'
stand_in apt-cache '[[ $OFFERED ]] && echo "  Candidate: 1:22.1.8" || echo "  Candidate: (none)"'
stand_in curl 'echo "curl $*" >>"$LOG"; [[ $FAILING == curl ]] && exit 22; echo key'
stand_in tee 'echo "write $1: $(cat)" >>"$LOG"'
stand_in sudo 'exec "$@"'
stand_in cmake 'echo "cmake $*" >>"$LOG"'

fails=0
check() { # NAME STATUS EXPECTED-STATUS (+|-)PATTERN..
  local name="$1" ok=1
  [ "$2" -eq "$3" ] || { ok=0; echo "  status $2, expected $3"; }
  for p in "${@:4}"; do
    if [[ $p == +* ]]; then grep -q -- "${p#+}" "$LOG" || { ok=0; echo "  missing: ${p#+}"; }
    else ! grep -q -- "${p#-}" "$LOG" || { ok=0; echo "  unwanted: ${p#-}"; }; fi
  done
  echo "$([ $ok = 1 ] && echo ok || echo FAIL) $name"
  [ $ok = 1 ] || { cat "$LOG"; fails=1; }
}
run() { # OFFERED FAILING
  export LOG="$box/log" OFFERED="$1" FAILING="$2"
  : >"$LOG"
  status=0
  PATH="$box/bin:/usr/bin:/bin" bash "$box/repo/phobos.sh" build dev >>"$LOG" 2>&1 || status=$?
}
run yes ''
check "LLVM 22 is on offer" $status 0 '+apt-get install.*llvm-22-dev.*python3-numpy' '-^curl' '-^write' '+^cmake --build build/dev'
run '' ''
check "LLVM 22 is added" $status 0 '+^write /etc/apt/sources.list.d/.*llvm-toolchain-bookworm-22 main' '+^write /usr/share/keyrings/.*key' \
  '+apt-get install.*llvm-22-dev' '+^cmake --build build/dev'
run '' curl
check "its key cannot be had" $status 3 "+could not add LLVM's repository" '-sources.list.d/.*main' '-^cmake'
run yes llvm-22-dev
check "a package cannot be installed" $status 3 '+could not install llvm-22-dev' '-^cmake'
exit $fails
