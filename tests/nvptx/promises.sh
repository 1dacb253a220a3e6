#!/usr/bin/env bash
# promises.sh PHO_GPU: attributes that a processor cannot honour are errors with a reason.
tool=$1; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
kernel() { # attribute, step of k
  cat >"$work/k.pho" <<EOF
$1
kernel g(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  let m = ctx.block.x * 32
  let n = ctx.block.y * 32
  var acc: tile<f32>[32, 32] = 0.0
  for k in range(0, K, $2) { acc += dot(A[m :+ 32, k :+ $2], B[k :+ $2, n :+ 32]) }
  C[m :+ 32, n :+ 32] = acc
}
EOF
}
expect() { # target, words or nothing
  got=$("$tool" "$work/k.pho" --target "$1" 2>&1 >/dev/null | grep -v '^entry')
  [[ $got == *"$2"* && ( -n $2 || -z $got ) ]] || { echo "$1: expected '$2', got '$got'"; exit 1; }
}
kernel "@tensorcore(tf32)" 16; expect sm_80 ""; expect sm_75 "begin with sm_80"
kernel "@tensorcore(f16)" 16; expect sm_75 ""
kernel '@tensorcore(bf16)' 12; expect sm_80 'does not fill'
kernel '@pipeline(3)' 16; expect sm_80 ''; expect sm_75 'no asynchronous copies'
kernel '@pipeline(64)' 16; expect sm_80 shared-memory
# Where one stage is asked for that is why, not how the operands lie.
kernel '@pipeline(1)' 16; expect sm_80 '@pipeline(1): beside the one stage'; expect sm_90a '@pipeline(1): beside'; expect sm_75 'no asynchronous copies'
kernel '@pipeline(2)' 16; expect sm_80 ''
kernel '@pipeline' 16; expect sm_80 ''
