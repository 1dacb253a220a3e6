// Sums absorbed by the product that they add, transposes by the product that reads them.
// RUN: phobos-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @add
func.func @add(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %acc: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %z = arith.constant dense<0.0> : tensor<4x2xf32>
  // CHECK: %[[X:.*]] = pho.dot %arg0, %arg1, %arg2 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %d = pho.dot %a, %b, %z : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %s = arith.addf %acc, %d : tensor<4x2xf32>
  // CHECK: %[[Y:.*]] = pho.dot %arg0, %arg1, %arg2 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %d2 = pho.dot %a, %b, %z : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %s2 = arith.addf %d2, %acc : tensor<4x2xf32>
  // CHECK: return %[[X]], %[[Y]]
  return %s, %s2 : tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func @add_integers
func.func @add_integers(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %acc: tensor<4x2xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %z = arith.constant dense<0> : tensor<4x2xi32>
  // CHECK: %[[X:.*]] = pho.dot %arg0, %arg1, %arg2 unsigned : tensor<4x8xi8>, tensor<8x2xi8> -> tensor<4x2xi32>
  %d = pho.dot %a, %b, %z unsigned : tensor<4x8xi8>, tensor<8x2xi8> -> tensor<4x2xi32>
  %s = arith.addi %acc, %d : tensor<4x2xi32>
  // CHECK: %[[Y:.*]] = pho.dot %arg0, %arg1, %arg2 : tensor<4x8xi8>, tensor<8x2xi8> -> tensor<4x2xi32>
  %d2 = pho.dot %a, %b, %z : tensor<4x8xi8>, tensor<8x2xi8> -> tensor<4x2xi32>
  %s2 = arith.addi %d2, %acc : tensor<4x2xi32>
  // CHECK: return %[[X]], %[[Y]]
  return %s, %s2 : tensor<4x2xi32>, tensor<4x2xi32>
}

// A product that something else reads, one that adds already, one whose sum is under a condition: all stay.
// CHECK-LABEL: func @stays
func.func @stays(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %acc: tensor<4x2xf32>, %c: i1) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %z = arith.constant dense<0.0> : tensor<4x2xf32>
  // CHECK: arith.addf
  %d = pho.dot %a, %b, %z : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %s = arith.addf %acc, %d : tensor<4x2xf32>
  // CHECK: arith.addf
  %d2 = pho.dot %a, %b, %acc : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %s2 = arith.addf %acc, %d2 : tensor<4x2xf32>
  %d3 = pho.dot %a, %b, %z : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %s3 = scf.if %c -> tensor<4x2xf32> {
    // CHECK: arith.addf
    %in = arith.addf %acc, %d3 : tensor<4x2xf32>
    scf.yield %in : tensor<4x2xf32>
  } else {
    scf.yield %acc : tensor<4x2xf32>
  }
  return %d, %s, %s2, %s3 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func @transposed
func.func @transposed(%a: tensor<8x4xf16>, %b: tensor<2x8xf16>, %acc: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %at = pho.transpose %a : tensor<8x4xf16> to tensor<4x8xf16>
  %bt = pho.transpose %b : tensor<2x8xf16> to tensor<8x2xf16>
  // CHECK: pho.dot %arg0, %arg1, %arg2 trans_a trans_b : tensor<8x4xf16>, tensor<2x8xf16> -> tensor<4x2xf32>
  %d = pho.dot %at, %bt, %acc : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
  // Twice the other way round is as it was; a conversion between does not hide it.
  // CHECK: %[[A:.*]] = pho.convert %arg0 : tensor<8x4xf16> to tensor<8x4xf32>
  // CHECK: %[[B:.*]] = pho.convert %arg1 : tensor<2x8xf16> to tensor<2x8xf32>
  // CHECK: pho.dot %[[A]], %[[B]], %arg2 trans_a trans_b : tensor<8x4xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  %aw = pho.convert %at : tensor<4x8xf16> to tensor<4x8xf32>
  %bw = pho.convert %b : tensor<2x8xf16> to tensor<2x8xf32>
  %d2 = pho.dot %aw, %bw, %acc trans_b : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  return %d, %d2 : tensor<4x2xf32>, tensor<4x2xf32>
}
