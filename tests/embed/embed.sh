#!/usr/bin/env bash
# Installs the build, moves it to another folder (a package is unpacked anywhere) and builds and runs each example against that, as a user's
# project would: by find_package and by pkg-config.
#   embed.sh BUILD_DIR SOURCE_DIR CXX CC
set -euo pipefail
build=$1 source=$2 cxx=$3 cc=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source "$source/tests/embed/check.sh"
project() { # NAME
  cmake -S "$source/examples/$1" -B "$dir/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$dir/prefix" && cmake --build "$dir/$1"
}
export PKG_CONFIG_PATH="$dir/prefix/lib/pkgconfig" XDG_CACHE_HOME="$dir/cache"
check install cmake --install "$build" --prefix "$dir/installed"
mv "$dir/installed" "$dir/prefix"
bin=$dir/prefix/bin
check "installed tools run" "$bin/phobos-compile" "$source/examples/saxpy.pho" -o "$dir/saxpy.phx" --point "BLOCK=256"
check "bundle verify" "$bin/phobos-bundle" verify "$dir/saxpy.phx"
check "embed_cpp builds" project embed_cpp
check "embed_cpp runs" "$dir/embed_cpp/embed_cpp" "$dir/saxpy.phx" cpu
check "embed_c builds" project embed_c
check "embed_c runs" "$dir/embed_c/embed_c" "$dir/saxpy.phx" cpu
check "embed_from_source builds" project embed_from_source
check "embed_from_source compiles" "$dir/embed_from_source/embed_from_source"
by_hand() { # NAME PACKAGE COMPILER..: with pkg-config
  local name=$1 package=$2
  shift 2
  "$@" "$source/examples/$name/main".c* $(pkg-config --cflags --libs "$package") -ldl -o "$dir/$name.pc" && ! ldd "$dir/$name.pc" | grep 'not found'
}
check "embed_cpp builds by pkg-config" by_hand embed_cpp phobos-runtime "$cxx" -std=c++20
check "and runs" "$dir/embed_cpp.pc" "$dir/saxpy.phx" cpu
check "embed_c builds by pkg-config" by_hand embed_c phobos-runtime "$cc" -std=c11
check "and runs" "$dir/embed_c.pc" "$dir/saxpy.phx" cpu
check "embed_from_source builds by pkg-config" by_hand embed_from_source phobos "$cxx" -std=c++20
mkdir -p "$dir/c_project" && cp "$source/examples/embed_c/main.c" "$dir/c_project"
sed "s|\.\./embed_common|$source/examples/embed_common|" -i "$dir/c_project/main.c"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(c LANGUAGES C)\nfind_package(Phobos 0.1 REQUIRED)\nadd_executable(c main.c)\ntarget_link_libraries(c PRIVATE Phobos::runtime ${CMAKE_DL_LIBS})\n' >"$dir/c_project/CMakeLists.txt"
check "a project in C by find_package" sh -c "cmake -S '$dir/c_project' -B '$dir/c_build' -G Ninja -DCMAKE_C_COMPILER='$cc' -DCMAKE_PREFIX_PATH='$dir/prefix' && cmake --build '$dir/c_build' && '$dir/c_build/c' '$dir/saxpy.phx' cpu"
check "a version that is not there is refused" sh -c "sed -i s/0.1/9.0/ '$dir/c_project/CMakeLists.txt' && ! cmake -S '$dir/c_project' -B '$dir/c_newer' -G Ninja -DCMAKE_PREFIX_PATH='$dir/prefix'"
check "embed_from_source by pkg-config finds the cache" sh -c "'$dir/embed_from_source.pc' | grep 'from the cache'"
check "the second run compiles nothing" sh -c "'$dir/embed_from_source/embed_from_source' | grep 'from the cache'"
# A cache is shared by processes that come at once, at any time, and survives damage.
fresh() { # what FOLDER's N processes at once said, sorted
  for i in 1 2 3 4 5 6; do XDG_CACHE_HOME=$1 "$dir/embed_from_source/embed_from_source" >"$1/said$i" 2>&1 & done
  wait
  cat "$1"/said?
}
mkdir -p "$dir/many"
check "six processes at once on an empty cache" test "$(fresh "$dir/many" | grep -c ': right')" = 6
check "they leave one entry and nothing else" test "$(find "$dir/many/phobos" -type f | wc -l)" = 1
check "six more compile nothing" test "$(fresh "$dir/many" | grep -c 'from the cache: right')" = 6
damage() { printf damage | dd of="$(find "$dir/many/phobos" -name '*.entry')" bs=1 seek=1000 conv=notrunc 2>/dev/null; }
damage
check "a damaged entry is a miss" sh -c "XDG_CACHE_HOME='$dir/many' '$dir/embed_from_source/embed_from_source' | grep 'compiled now: right'"
check "and is mended" test "$(fresh "$dir/many" | grep -c 'from the cache: right')" = 6
damage
check "six processes meet a damaged entry" test "$(fresh "$dir/many" | grep -c ': right')" = 6
touch -d '2 hours ago' "$dir/many/phobos/.new-abcdef" && damage
check "what a killed process left is swept" sh -c "XDG_CACHE_HOME='$dir/many' '$dir/embed_from_source/embed_from_source' && test ! -e '$dir/many/phobos/.new-abcdef'"
check "a cache that cannot be written is no error" sh -c "XDG_CACHE_HOME=/proc/none '$dir/embed_from_source/embed_from_source' | grep 'compiled now: right'"
check "the runtime has no LLVM" sh -c "! ldd '$dir/prefix/lib/libphobos-runtime.so' | grep -i llvm"
cat >"$dir/typed.cpp" <<'CPP'
#include "saxpy_sig.h"
#include "saxpy_bundle.h"
int main() {
  auto module = phobos::Module::load(saxpy_bundle, saxpy_bundle_size, {.target = "cpu"});
  if (!module) return 1;
  float x[10] = {1}, y[10] = {2};
  auto kernel = saxpy_sig::saxpy::of(*module);
  if (!kernel || !kernel->launch(nullptr, phobos::TensorView(x, {10}), phobos::TensorView(y, {10}), 3.0f)) return 1;
  return y[0] == 5.0f ? 0 : 1;
}
CPP
check "--emit header" "$bin/phobos-compile" "$source/examples/saxpy.pho" --emit header -o "$dir/saxpy_sig.h"
check "--emit c" "$bin/phobos-compile" "$source/examples/saxpy.pho" --emit c -o "$dir/saxpy_bundle.h"
check "typed signature and linked bundle build" "$cxx" -std=c++20 -Wall -Wextra -Werror -I"$dir/prefix/include" "$dir/typed.cpp" -L"$dir/prefix/lib" \
  -Wl,-rpath,"$dir/prefix/lib" -lphobos-runtime -o "$dir/typed"
check "typed signature and linked bundle run" "$dir/typed"
for wrong in 3.0 3 true '"3"' 'phobos::TensorView(x, {10})'; do # for a parameter of f32
  sed "s/, 3.0f)/, $wrong)/" "$dir/typed.cpp" >"$dir/wrong.cpp"
  check "$wrong for a float does not compile" sh -c "! '$cxx' -std=c++20 -fsyntax-only -I'$dir/prefix/include' -I'$dir' '$dir/wrong.cpp'"
done
# Names that C++ has other uses for, of kernels, parameters and the file, become names with an underscore.
cat >"$dir/names.pho" <<'PHO'
kernel class(new: tensor<f32>[N], stream: tensor<f32>[N], double: f32) { stream[ctx.block.x * 64 :+ 64] = new[ctx.block.x * 64 :+ 64] * double }
kernel class_(prepare: tensor<f32>[N], options: tensor<f32>[N], linux: i32) { options[ctx.block.x * 64 :+ 64] = prepare[ctx.block.x * 64 :+ 64] + f32(linux) }
kernel module(delete: tensor<f32>[N], delete_: tensor<f32>[N], phobos: bool) { delete[ctx.block.x * 64 :+ 64] = delete_[ctx.block.x * 64 :+ 64] if phobos else 0.0 }
kernel launch(a: tensor<f32>[N], k: f16, std: index) { a[ctx.block.x * 64 :+ 64] = f32(k) + f32(std) }
kernel k(k: tensor<f32>[N]) { k[ctx.block.x * 64 :+ 64] = 0.0 }
kernel of(module: tensor<f32>[N]) { module[ctx.block.x * 64 :+ 64] = 0.0 }
kernel phobos(found: tensor<f32>[N]) { found[ctx.block.x * 64 :+ 64] = 0.0 }
PHO
check "--emit header of any names" "$bin/phobos-compile" "$dir/names.pho" --emit header -o "$dir/new.h"
cat >"$dir/names.cpp" <<'CPP'
#include "new.h"
int main() {
  auto module = phobos::Module::load("names.phx", {.target = "cpu"});
  float x[3] = {1, 2, 3}, y[3] = {};
  phobos::TensorView X(x, {3}), Y(y, {3});
  auto a = new_::class_::of(*module);
  auto b = new_::class__::of(*module);
  auto c = new_::module_::of(*module);
  auto d = new_::launch_::of(*module);
  bool ok = a->launch(nullptr, X, Y, 2.0f) && y[2] == 6 && b->launch(nullptr, X, Y, 10) && y[2] == 13 &&
            c->launch(nullptr, Y, X, true) && y[2] == 3 && d->launch(nullptr, Y, 0.5f, 3) && y[2] == 3.5f &&
            new_::k::of(*module)->launch(nullptr, X) && new_::of_::of(*module)->launch(nullptr, X) &&
            new_::phobos_::of(*module)->prepare({}, X);
  return ok ? 0 : 1;
}
CPP
check "their bundle" "$bin/phobos-compile" "$dir/names.pho" -o "$dir/names.phx"
check "their signatures build" "$cxx" -std=gnu++20 -Wall -Wextra -Werror "$dir/names.cpp" -o "$dir/names" $(pkg-config --cflags --libs phobos-runtime)
check "and launch" sh -c "cd '$dir' && ./names"
cat >"$dir/linked.c" <<'C'
#include "saxpy_bundle.h"
#include <phobos/phobos.h>
int main(void) {
  phobos_module_options options = {"cpu", -1};
  phobos_module *module = NULL;
  phobos_status s = phobos_module_load_memory(saxpy_bundle, saxpy_bundle_size, &options, &module);
  phobos_module_release(module);
  return s;
}
C
cat >"$dir/source.c" <<'C'
#include <phobos/compile.h>
#include <phobos/phobos.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  static const char text[] = "kernel twice(X: tensor<f32>[N], Y: tensor<f32>[N]) { Y[ctx.block.x * 64 :+ 64] = X[ctx.block.x * 64 :+ 64] * 2.0 }";
  const char *none[] = {NULL};
  phobos_compile_request request = {0};
  request.source = text, request.source_size = strlen(text), request.name = "twice.pho";
  phobos_compilation *c = phobos_compile_source(&request);
  size_t size = 0;
  const void *bytes = phobos_compile_bundle(c, &size);
  phobos_module *module = NULL;
  phobos_kernel *kernel = NULL;
  phobos_module_options options = {"cpu", -1};
  float x[3] = {1, 2, 3}, y[3] = {0};
  phobos_tensor tx = {x, PHOBOS_F32, 1, {3}, {0}, 0, PHOBOS_DEVICE_HOST}, ty = tx;
  phobos_arg args[2] = {{1, 0, &tx, 0, 0}, {1, 0, &ty, 0, 0}};
  ty.data = y;
  if (!phobos_compile_ok(c) || phobos_module_load_memory(bytes, size, &options, &module) || phobos_module_kernel(module, "twice", &kernel) ||
      phobos_launch(kernel, NULL, args, 2, NULL) || y[2] != 6)
    return 1;
  phobos_module_release(module);
  phobos_compile_release(c);
  request.source_size -= 5; /* the end is missing */
  c = phobos_compile_source(&request);
  if (phobos_compile_ok(c) || phobos_compile_diagnostic_count(c) != 1 || strcmp(phobos_compile_diagnostic_at(c, 0).file, "twice.pho"))
    return 1;
  phobos_compile_release(c);
  request.kernels = none, request.kernel_count = 1;
  if (phobos_compile_source(&request) || phobos_compile_source(NULL) || phobos_compile_ok(NULL) || phobos_compile_bundle(NULL, &size) || size)
    return 1;
  if (phobos_module_load_file("/dev/zero", &options, &module) != PHOBOS_BAD_BUNDLE || !strstr(phobos_last_error(), "larger than"))
    return 1;
  return phobos_module_load_file("/", &options, &module) == PHOBOS_BAD_BUNDLE && strstr(phobos_last_error(), "it is a directory") ? 0 : 1;
}
C
check "compiling from source in C" sh -c "'$cc' -std=c11 -Wall -Wextra -Werror '$dir/source.c' \$(pkg-config --cflags --libs phobos) -o '$dir/source' && '$dir/source'"
check "a linked bundle in C" sh -c "'$cc' -std=c11 -Wall -Wextra -Werror -I'$dir/prefix/include' '$dir/linked.c' -L'$dir/prefix/lib' -Wl,-rpath,'$dir/prefix/lib' -lphobos-runtime -o '$dir/linked' && '$dir/linked'"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
