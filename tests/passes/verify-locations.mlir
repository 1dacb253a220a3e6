// RUN: not phobos-opt %s -pho-verify-locations 2>&1 | FileCheck %s --implicit-check-not="no source location"

func.func @placed(%x: f32) {
  %a = arith.addf %x, %x : f32 loc(callsite("k.pho":3:4 at "k.pho":9:1))
  %b = arith.addf %x, %x : f32 loc(fused["k.pho":3:4, unknown])
  return
}

// CHECK: 'arith.addf' has no source location
func.func @nowhere(%x: f32) {
  %a = arith.addf %x, %x : f32 loc(unknown)
  return
}

// CHECK: 'arith.mulf' has no source location
func.func @only_a_name(%x: f32) {
  %a = arith.mulf %x, %x : f32 loc("sum")
  return
}
