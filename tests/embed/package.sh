#!/usr/bin/env bash
# The portable package: one folder under 64 MB, LLVM in it once, that runs wherever glibc 2.36 is and nothing else.
#   package.sh BUILD_DIR SOURCE_DIR CXX
set -euo pipefail
build=$1 source=$2 cxx=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source "$source/tests/embed/check.sh"
tree=$dir/tree prefix=$dir/tree/opt/phobos
mkdir -p "$tree"/{opt,lib64,lib/x86_64-linux-gnu,tmp,proc,dev}
check install cmake --install "$build" --prefix "$dir/installed"
mv "$dir/installed" "$prefix"

size=$(du -sb "$prefix" | cut -f1)
check "$size bytes are less than 64 MB" test "$size" -lt 64000000
check "one file holds LLVM" test "$(find "$prefix" -type f -size +8M | wc -l)" = 1
while read -r file; do
  name=${file#"$prefix/"}
  needed=$(objdump -p "$file" | awk '$1 == "NEEDED" {print $2}' | grep -vxE 'lib(c|m|dl|pthread|rt)\.so\.[0-9]+|ld-linux-x86-64\.so\.2|libphobos(-runtime)?\.so\.[0-9]+' || true)
  check "$name needs libc and ours alone, not '$needed'" test -z "$needed"
  newest=$(objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -1)
  check "$name starts with glibc 2.36 ($newest)" test "$(printf 'GLIBC_2.36\n%s\n' "$newest" | sort -V | tail -1)" = GLIBC_2.36
  paths=$(objdump -p "$file" | awk '$1 ~ /^R(UN)?PATH$/ {print $2}' | tr : '\n' | grep -vE '^\$ORIGIN(/|$)' || true)
  check "$name looks for libraries beside itself alone, not in '$paths'" test -z "$paths"
  check "$name is stripped" sh -c "! objdump -h '$file' | grep -qE '\.(symtab|debug_info)'"
done < <(find "$prefix" -type f -exec sh -c 'head -c4 "$1" | grep -q ELF' _ {} \; -print)
check "no text of the package names a folder of the machine that built it" sh -c "! grep -rlE '$build|$source' '$prefix' --include=*.cmake --include=*.pc"

# A program that compiles from source, its own standard library inside, and the tools, where there is no other library than libc.
check "embed_from_source builds" "$cxx" -std=c++20 -O2 -static-libstdc++ -static-libgcc "$source/examples/embed_from_source/main.cpp" -o "$prefix/embed_from_source" \
  "-I$prefix/include" "-L$prefix/lib" "-Wl,-rpath,\$ORIGIN/lib" -lphobos -lphobos-runtime -ldl
cp -L /lib64/ld-linux-x86-64.so.2 "$tree/lib64"
cp -L /lib/x86_64-linux-gnu/lib{c,m,dl,pthread}.so.* "$tree/lib/x86_64-linux-gnu"
cp "$source/examples/"{gemm,saxpy}.pho "$tree/tmp"
printf 'kernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n  Y[ctx.block.x * 64 :+ 64] = gelu(X[ctx.block.x * 64 :+ 64])\n}\n' >"$tree/tmp/gelu.pho"
printf 'kernel k(X: tensor<f32>[N]) { X[0] = Z }\n' >"$tree/tmp/faulty.pho"
alone() { # COMMAND..: with that folder as the root
  unshare -rm sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec env -i HOME=/tmp "$(command -v chroot)" "$0" "$@"' "$tree" "$@"
}
if unshare -rm true 2>/dev/null; then
  check "the tools start" alone /opt/phobos/bin/phobos --version
  check "phobos-compile" alone /opt/phobos/bin/phobos-compile /tmp/saxpy.pho --target sm_90a --target cpu -o /tmp/saxpy.phx
  check "phobos-bundle" alone /opt/phobos/bin/phobos-bundle verify /tmp/saxpy.phx
  check "phobos-run with the standard library" alone /opt/phobos/bin/phobos-run /tmp/gelu.pho --target cpu --arg 'X=uniform(-1,1)' --dim N=100
  check "phobos-kbench" alone /opt/phobos/bin/phobos-kbench --target cpu --ledger none --autotune "TILE_M=64 TILE_N=64 TILE_K=8" --dim M=128 --dim N=128 --dim K=64 /tmp/gemm.pho
  alone /opt/phobos/bin/phobos-compile /tmp/faulty.pho >"$dir/said" 2>&1 && status=0 || status=$?
  check "a faulty file is a diagnostic and status 1" sh -c "test $status = 1 && grep -q 'faulty.pho:1:38: error' '$dir/said'"
  alone /opt/phobos/embed_from_source >"$dir/said" 2>&1 || true
  check "a program compiles from source" grep -q "on cpu, compiled now: right" "$dir/said"
  alone /opt/phobos/embed_from_source >"$dir/said" 2>&1 || true
  check "and compiles nothing the second time" grep -q "on cpu, from the cache: right" "$dir/said"
else
  echo "skipped: no folder can be made the root here; the tools were not run alone"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
