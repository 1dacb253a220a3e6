#!/usr/bin/env bash
# spills.sh PHO_GPU PTXAS SOURCE_DIR: points at the border of what a thread's registers hold. Each is illegal by the rule named, or is assembled and
# spills nothing in either entry point.
set -u
tool=$1 ptxas=$2 examples=$3/examples
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0
point() { # kernel, point, `fits` or the rule, processor (sm_90a)
  sm=${4:-sm_90a}
  "$tool" "$examples/$1.pho" "$2" --target $sm >"$work/k.ptx" 2>"$work/err"
  got=$(grep -v '^entry' "$work/err" | head -1); got=${got%%:*}
  if [ -z "$got" ]; then
    got=$("$ptxas" -arch=$sm -v "$work/k.ptx" -o "$work/k.cubin" 2>&1 |
      awk '/Compiling entry/ { at = $7 } /\(C75/ { bad = $0 } /bytes spill stores/ { if ($5 + $9 > 0) bad = at " spills " $5 " bytes" } END { print bad ? bad : "fits" }')
  fi
  [ "$got" = "$3" ] || { echo "$1 $2 for $sm: expected $3, got $got"; failed=1; }
}
point softmax "NC=16384 ROWS=1 THREADS=128" fits
point softmax "NC=16384 ROWS=4 THREADS=128" tile-registers
point softmax "NC=8192 ROWS=4 THREADS=128" tile-registers
point attention "BR=64 BC=128 D=128" fits
point attention "BR=128 BC=128 D=128" fits
point gemm_bf16 "TILE_M=128 TILE_N=256 TILE_K=64 STAGES=3" fits
point gemm_bf16 "TILE_M=256 TILE_N=64 TILE_K=64 THREADS=128" fits
point gemm_bf16 "TILE_M=128 TILE_N=256 TILE_K=64 STAGES=8" shared-memory
# Producing warps have few registers, and many addresses where a stage is large.
point gemm_bf16 "TILE_M=128 TILE_N=256 TILE_K=128 STAGES=2" fits
point gemm_bf16 "TILE_M=128 TILE_N=256 TILE_K=64 STAGES=4" fits
point gemm_bf16 "TILE_M=256 TILE_N=128 TILE_K=64 STAGES=2" fits
point gemm_bf16 "TILE_M=64 TILE_N=64 TILE_K=32 STAGES=2" fits
# Rounds of a persistent block after the registers were shared out; sums that begin at what is loaded, which the assembler must not let a load
# bring into the registers of products under way; chunks that threads do not take in whole rows.
point ../tests/nvptx/roles-rounds "TM=128 TN=256 TK=64" fits
point ../tests/nvptx/roles-rounds "TM=64 TN=64 TK=32" fits
point ../tests/nvptx/roles-begin "TM=64 TN=64 TK=64" fits
point ../tests/nvptx/roles-begin "TM=128 TN=64 TK=192" fits
point gemm "TILE_M=128 TILE_N=128 TILE_K=32" fits
point gemm "TILE_M=128 TILE_N=128 TILE_K=32 SPLIT_K=4" fits
point gemm_bf16 "TILE_M=128 TILE_N=256 TILE_K=64 STAGES=3 SPLIT_K=4" fits
point gemm_epilogue "TILE_M=128 TILE_N=128 THREADS=256 SPLIT_K=8" fits
point gemm_int8 "SPLIT_K=3" fits
point gemm "TILE_M=256 TILE_N=256 TILE_K=16" tile-registers
# f32 tiles that take all registers there are: the columns of B wait for their k, and only the rows of A come 16 bytes at a time.
point gemm "TILE_M=128 TILE_N=256 TILE_K=8" fits
point gemm "TILE_M=256 TILE_N=128 TILE_K=8" fits
point gemm "TILE_M=128 TILE_N=256 TILE_K=16" tile-registers
point gemm "TILE_M=256 TILE_N=192 TILE_K=16" tile-registers
# Turing: the plain path for bf16; addresses of swizzled operands are not kept from one iteration to the next.
point attention "BR=64 BC=64 D=128" fits sm_75
point attention "BR=128 BC=64 D=128" fits sm_75
point attention "BR=64 BC=128 D=128" fits sm_75
point gemm_int8 "TILE_M=64 TILE_N=64 TILE_K=128" fits sm_75
# 128 threads would be too few; nobody asked for them, so there are more.
point gemm_int8 "TILE_M=128 TILE_N=128 TILE_K=64" fits sm_75
point gemm_int8 "TILE_M=128 TILE_N=128 TILE_K=128" fits sm_80
point gemm_bf16 "TILE_M=128 TILE_N=128 TILE_K=64 STAGES=3" fits sm_75
# What sweep.py found over all points of the examples, each entry: narrow elements of the next iteration in a register each, addresses that
# do not change kept through the loop, blocks that shared memory has no room for, fewer threads in the entry that assumes nothing.
point gemm_batched "TILE_M=128 TILE_N=32 TILE_K=32" fits sm_75
point gemm_splitk "TILE_M=16 TILE_N=128 TILE_K=128 SPLIT_K=4" fits sm_75
point gemm_splitk "TILE_M=64 TILE_N=128 TILE_K=128 SPLIT_K=1" fits sm_75
point gemm_epilogue "TILE_M=64 TILE_N=64 TILE_K=64 STAGES=3" fits sm_75
point gemm_int8 "TILE_M=64 TILE_N=64 TILE_K=128" fits sm_80
point gemm_int8 "TILE_M=64 TILE_N=128 TILE_K=128" fits sm_89
point gemm_int8 "TILE_M=64 TILE_N=64 TILE_K=128" fits
point gemm_batched "TILE_M=32 TILE_N=128 TILE_K=16" fits sm_89
point gemm_epilogue "TILE_M=128 TILE_N=128 TILE_K=32 STAGES=3" fits sm_80
point gemm_epilogue "TILE_M=64 TILE_N=256 TILE_K=32 STAGES=3" fits sm_89
point gemm_epilogue "TILE_M=128 TILE_N=128 TILE_K=64 STAGES=4" fits
point gemm_bf16 "TILE_M=256 TILE_N=64 TILE_K=64 STAGES=4" fits
point gemm_epilogue "TILE_M=256 TILE_N=64 TILE_K=64 STAGES=4" fits
point gemm_bf16 "TILE_M=256 TILE_N=128 TILE_K=128 STAGES=2" fits
# Products written here: what the random sweep found. Rows of chunks that threads do not take in whole numbers had an address for each
# chunk; what was joined from x in two ways (x * sigmoid(x)) was joined only behind a load, both ways in registers meanwhile.
product() { # element type, M, N, K, attribute, what is stored, processor, then as `point`
  cat >"$work/product.pho" <<EOF
$5
kernel g(A: tensor<$1>[M, K], B: tensor<$1>[K, N], C: tensor<$1>[M, N]) {
  let m = ctx.block.x * $2
  let n = ctx.block.y * $3
  var acc: tile<${sums:-f32}>[$2, $3] = ${zero:-0.0}
  for k in range(0, K, $4) {
    acc += dot(A[m :+ $2, k :+ $4], B[k :+ $4, n :+ $3])
  }
  C[m :+ $2, n :+ $3] = $6
}
EOF
  examples=$work point product "$8" "$9" "$7"
}
product bf16 96 160 192 "" acc sm_80 "SPLIT_K=2" fits
product bf16 128 16 192 "@launch(128, 2)" acc sm_80 "" fits
product bf16 96 96 96 "@launch(128, 2)" acc sm_90a "" fits
product bf16 32 96 192 "" acc sm_90a "" fits
product bf16 256 24 96 "" acc sm_80 "" fits
product f16 128 192 48 "@launch(256)" "f16(silu(acc) + f32(C[m :+ 128, n :+ 192]))" sm_80 "" fits
product f16 48 256 48 "" "f16(gelu(acc) + f32(C[m :+ 48, n :+ 256]))" sm_89 "" fits
# Narrow elements of a loaded tile, each in a register of its own; bytes that threads multiply, a whole step widened.
product f16 64 256 16 "" "f16(acc * 2.0 + f32(C[m :+ 64, n :+ 256]))" sm_90a "" fits
product f16 256 64 32 "" "f16(acc * 2.0 + f32(C[m :+ 256, n :+ 64]))" sm_80 "STAGES=3 SPLIT_K=2" fits
sums=i32 zero=0 product i8 128 192 48 "" "i8(acc)" sm_80 "" fits
# Bytes that ldmatrix does not transpose, and f16 in which the assembler multiplies them; a whole step of narrow floats for one row.
product f8e4m3 64 128 128 "" "f8e4m3(acc)" sm_89 "" fits
product f8e4m3 64 128 128 "" "f8e4m3(acc)" sm_90a "" fits
product f8e4m3 128 64 128 "" "f8e4m3(acc)" sm_90a "" fits
product bf16 16 192 64 "@launch(128)" acc sm_75 "" fits
# Blocks of rounds, left to themselves, were given registers for one block more at once; loads of a tile beside sums.
product bf16 192 8 64 "@persistent" acc sm_89 "STAGES=3" fits
product bf16 128 160 48 "@persistent" acc sm_75 "" fits
product bf16 64 160 96 "" "bf16(gelu(acc) + f32(C[m :+ 64, n :+ 160]))" sm_89 "" fits
exit $failed
