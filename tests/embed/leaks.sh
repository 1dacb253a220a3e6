#!/usr/bin/env bash
# In a build with sanitizers: the examples built with the same sanitizers and run on the CPU target; a leak of the runtime or of theirs fails.
#   leaks.sh BUILD_DIR SOURCE_DIR CXX CC SANITIZERS [COMPILER]
set -euo pipefail
build=$1 source=$2 cxx=$3 cc=$4 sanitizers=$5 compiler=${6:-$1/bin/phobos-compile}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags=(-g "-fsanitize=$sanitizers" -fno-sanitize-recover=all "-I$source/runtime/include")
link=("-L$build/lib" "-Wl,-rpath,$build/lib" -lphobos-runtime -ldl)
export ASAN_OPTIONS=detect_leaks=1
"$compiler" "$source/examples/saxpy.pho" -o "$dir/saxpy.phx"
"$cc" -std=c11 "${flags[@]}" "$source/examples/embed_c/main.c" -o "$dir/c" "${link[@]}"
"$cxx" -std=c++20 "${flags[@]}" "$source/examples/embed_cpp/main.cpp" -o "$dir/cpp" "${link[@]}"
"$dir/c" "$dir/saxpy.phx" cpu
"$dir/cpp" "$dir/saxpy.phx" cpu
# A program that forgets to release its module is caught: the check itself works.
sed '/phobos_module_release/d' "$source/examples/embed_c/main.c" | sed "s|\.\./embed_common|$source/examples/embed_common|" >"$dir/leak.c"
"$cc" -std=c11 "${flags[@]}" "$dir/leak.c" -o "$dir/leak" "${link[@]}"
if "$dir/leak" "$dir/saxpy.phx" cpu >"$dir/log" 2>&1; then
  echo "a leaked module was not noticed"
  exit 1
fi
grep -q 'detected memory leaks' "$dir/log"
echo "no leaks; a planted one is found"
