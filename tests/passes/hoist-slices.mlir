// Reads that do not depend on a loop leave it; reads of what the loop writes stay.
// RUN: phobos-opt %s -pho-hoist-slices | FileCheck %s

// CHECK-LABEL: func @query
func.func @query(%Q: !pho.view<2, f32>, %K: !pho.view<2, f32>, %O: !pho.view<2, f32>, %N: index, %D: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %p = pho.block_id 0
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  // CHECK: %[[Q:.*]] = pho.load %arg0
  // CHECK: %[[S:.*]] = arith.addf %[[Q]], %[[Q]]
  // CHECK: scf.for
  // CHECK-NEXT: pho.load %arg1
  // CHECK-NOT: pho.load
  %r = scf.for %kt = %c0 to %N step %c8 iter_args(%acc = %z) -> tensor<8x8xf32> {
    %row = arith.muli %p, %c8 : index
    %q = pho.load %Q[%row, %c0] of [%N, %D] sizes [8, 8] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<8x8xf32>
    %s = arith.addf %q, %q : tensor<8x8xf32>
    %k = pho.load %K[%kt, %c0] of [%N, %D] sizes [8, 8] points [false, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<8x8xf32>
    %d = pho.dot %s, %k, %acc trans_b : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    scf.yield %d : tensor<8x8xf32>
  }
  pho.store %r, %O[%p, %c0] of [%N, %D] sizes [8, 8] points [false, false] inbounds [false, false] : tensor<8x8xf32>, !pho.view<2, f32>
  return
}

// Out of both loops; a store to another tensor does not hold it back.
// CHECK-LABEL: func @nested
func.func @nested(%X: !pho.view<1, f32>, %Y: !pho.view<1, f32>, %N: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pho.load %arg0
  // CHECK: scf.for
  scf.for %i = %c0 to %N step %c1 {
    scf.for %j = %c0 to %N step %c1 {
      // CHECK-NOT: pho.load
      %x = pho.load %X[%c0] of [%N] sizes [8] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<8xf32>
      pho.store %x, %Y[%j] of [%N] sizes [8] points [false] inbounds [false] : tensor<8xf32>, !pho.view<1, f32>
    }
  }
  return
}

// The loop writes what it reads, by a store or an atomic.
// CHECK-LABEL: func @written
func.func @written(%X: !pho.view<1, f32>, %Y: !pho.view<1, f32>, %N: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %N step %c1 {
    // CHECK: pho.load %arg0
    %x = pho.load %X[%c0] of [%N] sizes [8] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<8xf32>
    pho.store %x, %X[%i] of [%N] sizes [8] points [false] inbounds [false] : tensor<8xf32>, !pho.view<1, f32>
    // CHECK: pho.load %arg1
    %y = pho.load %Y[%c0] of [%N] sizes [1] points [true] inbounds [false] : !pho.view<1, f32> -> f32
    %o = pho.atomic add %Y[%i] of [%N], %y : !pho.view<1, f32>, f32 -> f32
  }
  return
}

// Past a barrier another thread's store becomes visible: what the kernel writes before the loop stays inside, what it never writes may leave.
// CHECK-LABEL: func @barrier
func.func @barrier(%X: !pho.view<1, f32>, %Y: !pho.view<1, f32>, %Z: !pho.view<1, f32>, %N: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %t = pho.thread_id
  pho.store %one, %X[%t] of [%N] sizes [1] points [true] inbounds [false] : f32, !pho.view<1, f32>
  // CHECK: pho.load %arg1
  // CHECK: scf.for
  scf.for %i = %c0 to %N step %c1 {
    // CHECK: pho.barrier
    pho.barrier
    // CHECK: pho.load %arg0
    %x = pho.load %X[%c0] of [%N] sizes [1] points [true] inbounds [false] : !pho.view<1, f32> -> f32
    %y = pho.load %Y[%c0] of [%N] sizes [1] points [true] inbounds [false] : !pho.view<1, f32> -> f32
    %s = arith.addf %x, %y : f32
    pho.store %s, %Z[%i] of [%N] sizes [1] points [true] inbounds [false] : f32, !pho.view<1, f32>
  }
  return
}

// Under a condition it is read only where the condition holds.
// CHECK-LABEL: func @conditional
func.func @conditional(%X: !pho.view<1, f32>, %Y: !pho.view<1, f32>, %N: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %N step %c1 {
    // CHECK: scf.if
    scf.if %c {
      // CHECK: pho.load
      %x = pho.load %X[%c0] of [%N] sizes [8] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<8xf32>
      pho.store %x, %Y[%i] of [%N] sizes [8] points [false] inbounds [false] : tensor<8xf32>, !pho.view<1, f32>
    }
  }
  return
}
