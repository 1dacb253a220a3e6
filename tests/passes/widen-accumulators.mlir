// Narrow sums of products stay in the product's type across their loop; anything that looks at the narrow sum keeps it narrow.
// RUN: phobos-opt %s -pho-widen-accumulators | FileCheck %s

// CHECK-LABEL: func @half
func.func @half(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>, %init: tensor<4x2xf16>, %n: index) -> tensor<4x2xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[W:.*]] = pho.convert %arg2 : tensor<4x2xf16> to tensor<4x2xf32>
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[W]]) -> (tensor<4x2xf32>) {
  // CHECK-NEXT: %[[D:.*]] = pho.dot %arg0, %arg1, %[[ACC]]
  // CHECK-NEXT: scf.yield %[[D]]
  // CHECK: %[[N:.*]] = pho.convert %[[R]] : tensor<4x2xf32> to tensor<4x2xf16>
  // CHECK: return %[[N]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4x2xf16> {
    %w = pho.convert %acc : tensor<4x2xf16> to tensor<4x2xf32>
    %d = pho.dot %a, %b, %w : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
    %s = pho.convert %d : tensor<4x2xf32> to tensor<4x2xf16>
    scf.yield %s : tensor<4x2xf16>
  }
  return %r : tensor<4x2xf16>
}

// Bytes: the low bits of a sum do not depend on the high ones.
// CHECK-LABEL: func @bytes
func.func @bytes(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %init: tensor<4x2xi8>, %n: index) -> tensor<4x2xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<4x2xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4x2xi8> {
    %w = pho.convert %acc : tensor<4x2xi8> to tensor<4x2xi32>
    %d = pho.dot %a, %b, %w : tensor<4x8xi8>, tensor<8x2xi8> -> tensor<4x2xi32>
    %s = pho.convert %d : tensor<4x2xi32> to tensor<4x2xi8>
    scf.yield %s : tensor<4x2xi8>
  }
  return %r : tensor<4x2xi8>
}

// The narrow sum is stored in each step; the narrow sum is read; another value is yielded in its place.
// CHECK-LABEL: func @stays
func.func @stays(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>, %init: tensor<4x2xf16>, %n: index, %C: !pho.view<2, f16>) -> (tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>)
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %acc2 = %init, %acc3 = %init, %acc4 = %init)
      -> (tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>) {
    %w = pho.convert %acc : tensor<4x2xf16> to tensor<4x2xf32>
    %d = pho.dot %a, %b, %w : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
    %s = pho.convert %d : tensor<4x2xf32> to tensor<4x2xf16>
    pho.store %s, %C[%i, %i] of [%n, %n] sizes [4, 2] points [false, false] inbounds [false, false] : tensor<4x2xf16>, !pho.view<2, f16>
    %w2 = pho.convert %acc2 : tensor<4x2xf16> to tensor<4x2xf32>
    %d2 = pho.dot %a, %b, %w2 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
    %s2 = pho.convert %d2 : tensor<4x2xf32> to tensor<4x2xf16>
    pho.store %acc2, %C[%i, %i] of [%n, %n] sizes [4, 2] points [false, false] inbounds [false, false] : tensor<4x2xf16>, !pho.view<2, f16>
    %w3 = pho.convert %acc3 : tensor<4x2xf16> to tensor<4x2xf32>
    %d3 = pho.dot %a, %b, %w3 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
    %s3 = pho.convert %d3 : tensor<4x2xf32> to tensor<4x2xf16>
    scf.yield %s, %s2, %init, %s3 : tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf16>
}
