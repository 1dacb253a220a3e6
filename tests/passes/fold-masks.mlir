// Comparisons of coordinates in 32 bits.
// RUN: phobos-opt %s -allow-unregistered-dialect -pho-fold-masks -canonicalize -cse | FileCheck %s

// kt + iota(1, [1, 64]) < Nk: attention's mask.
// CHECK-LABEL: func @ragged_keys
func.func @ragged_keys(%N: index {pho.dim}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[HI:.*]] = arith.constant 64 : i64
  // CHECK-DAG: %[[LO:.*]] = arith.constant -1 : i64
  // CHECK: scf.for %[[KT:.*]] =
  scf.for %kt = %c0 to %N step %c64 {
    %i = pho.iota 1 : tensor<1x64xi32>
    %iw = pho.convert %i : tensor<1x64xi32> to tensor<1x64xi64>
    %kw = pho.convert %kt : index to i64
    %k = pho.broadcast %kw : i64 to tensor<1x64xi64>
    %s = arith.addi %k, %iw : tensor<1x64xi64>
    %nw = pho.convert %N : index to i64
    %n = pho.broadcast %nw : i64 to tensor<1x64xi64>
    // CHECK-DAG: %[[IOTA:.*]] = pho.iota 1 : tensor<1x64xi32>
    // CHECK-DAG: %[[K:.*]] = pho.convert %[[KT]] : index to i64
    // CHECK-DAG: %[[N:.*]] = pho.convert %arg0 : index to i64
    // CHECK: %[[D:.*]] = arith.subi %[[N]], %[[K]] : i64
    // CHECK: %[[D1:.*]] = arith.maxsi %[[D]], %[[LO]] : i64
    // CHECK: %[[D2:.*]] = arith.minsi %[[D1]], %[[HI]] : i64
    // CHECK: %[[D3:.*]] = pho.convert %[[D2]] : i64 to i32
    // CHECK: %[[B:.*]] = pho.broadcast %[[D3]] : i32 to tensor<1x64xi32>
    // CHECK: arith.cmpi slt, %[[IOTA]], %[[B]] : tensor<1x64xi32>
    %m = arith.cmpi slt, %s, %n : tensor<1x64xi64>
    "test.use"(%m) : (tensor<1x64xi1>) -> ()
  }
  return
}

// kt + iota(1) <= row + iota(0): the causal mask. The difference of the coordinates is in [-31, 15].
// CHECK-LABEL: func @causal
func.func @causal(%N: index {pho.dim}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %b = pho.block_id 0
  %row = arith.muli %b, %c32 : index
  // CHECK-DAG: arith.constant -32 : i64
  // CHECK-DAG: arith.constant 16 : i64
  scf.for %kt = %c0 to %N step %c16 {
    %i = pho.iota 1 : tensor<32x16xi32>
    %j = pho.iota 0 : tensor<32x16xi32>
    %iw = pho.convert %i : tensor<32x16xi32> to tensor<32x16xi64>
    %jw = pho.convert %j : tensor<32x16xi32> to tensor<32x16xi64>
    %kw = pho.convert %kt : index to i64
    %rw = pho.convert %row : index to i64
    %k = pho.broadcast %kw : i64 to tensor<32x16xi64>
    %r = pho.broadcast %rw : i64 to tensor<32x16xi64>
    %x = arith.addi %k, %iw : tensor<32x16xi64>
    %y = arith.addi %jw, %r : tensor<32x16xi64>
    // CHECK: arith.cmpi sle, %{{.*}}, %{{.*}} : tensor<32x16xi32>
    %m = arith.cmpi sle, %x, %y : tensor<32x16xi64>
    "test.use"(%m) : (tensor<32x16xi1>) -> ()
  }
  return
}

// Multiples of coordinates, constants, equality, the sides the other way round.
// CHECK-LABEL: func @forms
func.func @forms(%N: index {pho.dim}) {
  %two = arith.constant dense<2> : tensor<8xi64>
  %five = arith.constant dense<5> : tensor<8xi64>
  %i = pho.iota 0 : tensor<8xi32>
  %iw = pho.convert %i : tensor<8xi32> to tensor<8xi64>
  %nw = pho.convert %N : index to i64
  %n = pho.broadcast %nw : i64 to tensor<8xi64>
  %d = arith.muli %iw, %two : tensor<8xi64>
  %e = arith.addi %d, %five : tensor<8xi64>
  // CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<8xi32>
  %m = arith.cmpi sge, %n, %e : tensor<8xi64>
  // CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : tensor<8xi32>
  %q = arith.cmpi eq, %iw, %n : tensor<8xi64>
  "test.use"(%m, %q) : (tensor<8xi1>, tensor<8xi1>) -> ()
  return
}

// Numbers of the user's own may be anything, and the sum may wrap; unsigned order is another order; sums in 32 bits may have wrapped.
// CHECK-LABEL: func @stays
func.func @stays(%u: i64, %N: index {pho.dim}, %v: i32) {
  %i = pho.iota 0 : tensor<8xi32>
  %iw = pho.convert %i : tensor<8xi32> to tensor<8xi64>
  %ub = pho.broadcast %u : i64 to tensor<8xi64>
  %nw = pho.convert %N : index to i64
  %n = pho.broadcast %nw : i64 to tensor<8xi64>
  %s = arith.addi %iw, %ub : tensor<8xi64>
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<8xi64>
  %a = arith.cmpi slt, %s, %n : tensor<8xi64>
  // CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : tensor<8xi64>
  %b = arith.cmpi ult, %iw, %n : tensor<8xi64>
  %vb = pho.broadcast %v : i32 to tensor<8xi32>
  %w = arith.addi %i, %vb : tensor<8xi32>
  %ww = pho.convert %w : tensor<8xi32> to tensor<8xi64>
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<8xi64>
  %c = arith.cmpi slt, %ww, %n : tensor<8xi64>
  "test.use"(%a, %b, %c) : (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) -> ()
  return
}
