// Axes that cannot leave the tensor carry no mask.
// RUN: phobos-opt %s -pho-prove-in-bounds | FileCheck %s

// CHECK-LABEL: func @constants
func.func @constants(%X: !pho.view<2, f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  // CHECK: inbounds [true, true]
  %a = pho.load %X[%c0, %c16] of [%c32, %c40] sizes [32, 24] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<32x24xf32>
  // One past the end.
  // CHECK: inbounds [true, false]
  %b = pho.load %X[%c0, %c16] of [%c32, %c40] sizes [32, 25] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<32x25xf32>
  // The last start of 0, 16 is 16; of 0, 16, 32 it is 32, and 48 > 40.
  scf.for %i = %c0 to %c32 step %c16 {
    // CHECK: inbounds [true, true]
    %c = pho.load %X[%i, %i] of [%c32, %c40] sizes [16, 16] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<16x16xf32>
  }
  scf.for %i = %c0 to %c40 step %c16 {
    // CHECK: inbounds [true, false]
    %c = pho.load %X[%c1, %i] of [%c32, %c40] sizes [16, 16] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<16x16xf32>
  }
  // Before the start.
  %cm1 = arith.constant -1 : index
  // CHECK: inbounds [false, true]
  %d = pho.load %X[%cm1, %c0] of [%c32, %c40] sizes [1, 1] points [true, true] inbounds [false, false] : !pho.view<2, f32> -> f32
  return
}

// @aligned(K = 16), and not.
// CHECK-LABEL: func @aligned
func.func @aligned(%X: !pho.view<2, f32>, %Y: !pho.view<2, f32>, %M: index {pho.dim}, %K: index {pho.dim, pho.multiple = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %k = %c0 to %K step %c16 {
    // CHECK: inbounds [false, true]
    %a = pho.load %X[%k, %k] of [%M, %K] sizes [16, 16] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<16x16xf32>
    // CHECK: inbounds [false, true]
    pho.store %a, %Y[%k, %k] of [%M, %K] sizes [16, 16] points [false, false] inbounds [false, false] : tensor<16x16xf32>, !pho.view<2, f32>
    // A start that is not a multiple of the size.
    %k8 = arith.addi %k, %c8 : index
    // CHECK: inbounds [false, false]
    %b = pho.load %X[%k8, %k8] of [%M, %K] sizes [16, 16] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<16x16xf32>
  }
  // 32 does not divide what is a multiple of 16.
  %c32 = arith.constant 32 : index
  scf.for %k = %c0 to %K step %c32 {
    // CHECK: inbounds [true, false]
    %a = pho.load %X[%c0, %k] of [%c1, %K] sizes [1, 32] points [true, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<32xf32>
  }
  // A single row below the extent needs no multiple; a loop from below 0 proves nothing.
  scf.for %m = %c0 to %M step %c1 {
    // CHECK: inbounds [true, false]
    %a = pho.load %X[%m, %m] of [%M, %K] sizes [1, 16] points [true, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<16xf32>
  }
  %cm16 = arith.constant -16 : index
  scf.for %k = %cm16 to %K step %c16 {
    // CHECK: inbounds [false, false]
    %a = pho.load %X[%c0, %k] of [%M, %K] sizes [1, 16] points [true, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<16xf32>
  }
  return
}

// A block's coordinate proves nothing: the host may launch more blocks than cover the tensor.
// CHECK-LABEL: func @block
func.func @block(%X: !pho.view<1, f32>, %N: index {pho.dim, pho.multiple = 16 : i64}) {
  %c16 = arith.constant 16 : index
  %p = pho.block_id 0
  %i = arith.muli %p, %c16 : index
  // CHECK: inbounds [false]
  %a = pho.load %X[%i] of [%N] sizes [16] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<16xf32>
  return
}
