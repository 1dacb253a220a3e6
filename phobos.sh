#!/usr/bin/env bash
# Everything from a fresh Debian 12 on: installs what is missing, builds, and
#   ./phobos.sh          searches the space of examples/gemm.pho (on the GPU if there is one, else on the CPU)
#   ./phobos.sh test [PRESET]     builds with assertions and passes the tests; the last line is `N passed, N failed, N skipped`
#                        (PRESET asan: the same under the address and undefined-behaviour sanitizers)
#   ./phobos.sh build [PRESET]    only builds (dev, release, portable, asan, fuzz)
#   ./phobos.sh install PREFIX [PRESET]    builds (release) without the tests and installs tools, libraries, headers, stdlib
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools clang-22 clang-format-22 clang-tidy-22 lld-22 mold antlr4 libantlr4-runtime-dev
  libcli11-dev libsqlite3-dev libgtest-dev libgmock-dev libzstd-dev zlib1g-dev nlohmann-json3-dev libfmt-dev
  ninja-build ccache cmake git pkg-config python3 python3-numpy)

# Debian 12 has no LLVM 22: where no package source offers it, LLVM's own repository becomes one.
add_llvm_source() { # SUDO
  local keyring=/usr/share/keyrings/llvm-snapshot.asc list=/etc/apt/sources.list.d/llvm-22.list
  echo "adding LLVM's package repository: $list"
  $1 env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates curl >/dev/null &&
    curl -fsSL --retry 3 https://apt.llvm.org/llvm-snapshot.gpg.key | $1 tee "$keyring" >/dev/null &&
    echo "deb [signed-by=$keyring] https://apt.llvm.org/bookworm llvm-toolchain-bookworm-22 main" | $1 tee "$list" >/dev/null &&
    $1 env DEBIAN_FRONTEND=noninteractive apt-get update -qq
}

install_missing() {
  local missing=()
  for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing: ${missing[*]}"
  local sudo=""
  [ "$(id -u)" -eq 0 ] || sudo="sudo"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  if ! LC_ALL=C apt-cache policy llvm-22-dev | grep -q 'Candidate: [^(]'; then
    add_llvm_source "$sudo" || { echo "phobos.sh: could not add LLVM's repository; add its suite llvm-toolchain-bookworm-22 to the package sources" >&2; exit 3; }
  fi
  if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
    echo "phobos.sh: could not install ${missing[*]}: see apt's messages above" >&2
    exit 3
  fi
}

build() { # PRESET [TARGET ..]
  local preset="$1"
  shift
  cmake --preset "$preset" -DPHOBOS_BUILD_TESTS=ON >/dev/null
  cmake --build "build/$preset" ${1:+--target "$@"}
}

run_tests() { # PRESET: runs CTest; closes with one plain line
  local log="build/$1/ctest.log" failed=0 status=0
  ctest --test-dir "build/$1" -j "$(nproc)" --output-on-failure 2>&1 | tee "$log" || status=$?
  local total
  total=$(sed -nE 's/.*tests failed out of ([0-9]+).*/\1/p' "$log" | tail -1)
  failed=$(sed -nE 's/.*, ([0-9]+) tests failed out of.*/\1/p' "$log" | tail -1)
  local skipped
  skipped=$(grep -cE '\*\*\*Skipped' "$log" || true)
  if [ -z "$total" ]; then # CTest has not come to its end
    echo "the tests did not end: $(grep -cE ' +Passed +[0-9.]+ sec' "$log" || true) passed, $(grep -cE '\*\*\*(Failed|Timeout|Exception|Not Run)' "$log" || true) failed, $skipped skipped so far"
    return 1
  fi
  echo "$((${total:-0} - ${failed:-0} - skipped)) passed, ${failed:-0} failed, $skipped skipped"
  [ "$status" -eq 0 ] && [ "${total:-0}" -gt 0 ]
}

if [ "${1:-run}" = install ] && [ -z "${2:-}" ]; then
  echo "phobos.sh: install needs the directory to install into: ./phobos.sh install PREFIX" >&2
  exit 2
fi
install_missing
case "${1:-run}" in
run)
  build release phobos # the tools, without the tests
  shift || true
  exec build/release/bin/phobos-kbench "${@:-examples/gemm.pho}"
  ;;
build) build "${2:-dev}" ;;
install)
  preset="${3:-release}"
  cmake --preset "$preset" -DPHOBOS_BUILD_TESTS=OFF >/dev/null
  cmake --build "build/$preset"
  cmake --install "build/$preset" --prefix "$2" >/dev/null
  ;;
test)
  build "${2:-dev}"
  run_tests "${2:-dev}"
  ;;
*)
  sed -n '2,7p' "$0"
  exit 2
  ;;
esac
