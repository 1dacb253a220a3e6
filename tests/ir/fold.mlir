// What is known at compile time, and pairs that undo each other.
// RUN: phobos-opt %s -canonicalize -split-input-file | FileCheck %s

// Division and shifts are total (spec/arithmetic.md).
// CHECK-LABEL: func @total
func.func @total(%x: i32, %y: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %least = arith.constant -2147483648 : i32
  %seven = arith.constant -7 : i32
  %two = arith.constant 2 : i32
  %wide = arith.constant 32 : i32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK-DAG: %[[M3:.*]] = arith.constant -3 : i32
  // CHECK-DAG: %[[M1:.*]] = arith.constant -1 : i32
  %a = pho.total div %x, %zero : i32
  %b = pho.total rem %x, %zero : i32
  %c = pho.total div %least, %minus : i32
  %d = pho.total div %seven, %two : i32
  %e = pho.total rem %seven, %two : i32
  %f = pho.total shr %seven, %wide : i32
  %g = pho.total shl %seven, %minus : i32
  %h = pho.total div %x, %one : i32
  %i = pho.total rem %zero, %y : i32
  // CHECK: return %[[ZERO]], %arg0, %[[LEAST]], %[[M3]], %[[M1]], %[[M1]], %[[ZERO]], %arg0, %[[ZERO]]
  return %a, %b, %c, %d, %e, %f, %g, %h, %i : i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// -----

// Float to integer truncates and saturates, NaN is 0; f8 saturate; f16 overflows.
// CHECK-LABEL: func @convert_constants
func.func @convert_constants() -> (i8, i8, i32, i32, f8E4M3FN, f8E5M2, f16, f32, f32, i1) {
  %big = arith.constant 1.0e9 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %minus = arith.constant -2.75 : f32
  %bits = arith.constant -1 : i8
  %c300 = arith.constant 300 : i32
  // CHECK-DAG: %[[C127:.*]] = arith.constant 127 : i8
  // CHECK-DAG: %[[C44:.*]] = arith.constant 44 : i8
  // CHECK-DAG: %[[CM2:.*]] = arith.constant -2 : i32
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[F8:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
  // CHECK-DAG: %[[F85:.*]] = arith.constant 5.734400e+04 : f8E5M2
  // CHECK-DAG: %[[INF:.*]] = arith.constant 0x7C00 : f16
  // CHECK-DAG: %[[F255:.*]] = arith.constant 2.550000e+02 : f32
  // CHECK-DAG: %[[FM1:.*]] = arith.constant -1.000000e+00 : f32
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  %a = pho.convert %big : f32 to i8
  %b = pho.convert %c300 : i32 to i8
  %c = pho.convert %minus : f32 to i32
  %d = pho.convert %nan : f32 to i32
  %e = pho.convert %big : f32 to f8E4M3FN
  %f = pho.convert %big : f32 to f8E5M2
  %g = pho.convert %big : f32 to f16
  %h = pho.convert %bits from_unsigned : i8 to f32
  %i = pho.convert %bits : i8 to f32
  %j = pho.convert %c300 : i32 to i1
  // CHECK: return %[[C127]], %[[C44]], %[[CM2]], %[[C0]], %[[F8]], %[[F85]], %[[INF]], %[[F255]], %[[FM1]], %[[TRUE]]
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : i8, i8, i32, i32, f8E4M3FN, f8E5M2, f16, f32, f32, i1
}

// -----

// There and back is nothing where the middle holds every value; else it stays.
// CHECK-LABEL: func @convert_pairs
func.func @convert_pairs(%i: i32, %x: index, %h: f16, %e: f8E5M2, %f: f32, %u: i8) -> (i32, index, f16, f8E5M2, f32, i64, i32) {
  %a1 = pho.convert %i : i32 to i64
  %a = pho.convert %a1 : i64 to i32
  %b1 = pho.convert %x : index to i64
  %b = pho.convert %b1 : i64 to index
  %c1 = pho.convert %h : f16 to f32
  %c = pho.convert %c1 : f32 to f16
  // CHECK: %[[E1:.*]] = pho.convert %arg3 : f8E5M2 to f32
  // CHECK: %[[E:.*]] = pho.convert %[[E1]] : f32 to f8E5M2
  %d1 = pho.convert %e : f8E5M2 to f32
  %d = pho.convert %d1 : f32 to f8E5M2
  // CHECK: %[[N1:.*]] = pho.convert %arg4 : f32 to f16
  // CHECK: %[[N:.*]] = pho.convert %[[N1]] : f16 to f32
  %e1 = pho.convert %f : f32 to f16
  %e2 = pho.convert %e1 : f16 to f32
  // CHECK: %[[U:.*]] = pho.convert %arg5 from_unsigned : i8 to i64
  %u1 = pho.convert %u from_unsigned : i8 to i32
  %u2 = pho.convert %u1 : i32 to i64
  // CHECK: %[[S1:.*]] = pho.convert %arg4 : f32 to i64
  %s1 = pho.convert %f : f32 to i64
  // CHECK: %[[S:.*]] = pho.convert %[[S1]] : i64 to i32
  %s2 = pho.convert %s1 : i64 to i32
  // CHECK: return %arg0, %arg1, %arg2, %[[E]], %[[N]], %[[U]], %[[S]]
  return %a, %b, %c, %d, %e2, %u2, %s2 : i32, index, f16, f8E5M2, f32, i64, i32
}

// -----

// CHECK-LABEL: func @shapes
func.func @shapes(%s: f32, %t: tensor<4x8xf32>, %r: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, f32, tensor<2x2xf32>, tensor<1x8xf32>) {
  // CHECK: %[[B:.*]] = pho.broadcast %arg0 : f32 to tensor<4x8xf32>
  %b1 = pho.broadcast %s : f32 to tensor<1x8xf32>
  %b = pho.broadcast %b1 : tensor<1x8xf32> to tensor<4x8xf32>
  %t1 = pho.transpose %t : tensor<4x8xf32> to tensor<8x4xf32>
  %t2 = pho.transpose %t1 : tensor<8x4xf32> to tensor<4x8xf32>
  %f1 = pho.reshape %t : tensor<4x8xf32> to tensor<32xf32>
  %f2 = pho.reshape %f1 : tensor<32xf32> to tensor<2x16xf32>
  %f3 = pho.reshape %f2 : tensor<2x16xf32> to tensor<4x8xf32>
  %x = pho.extract %b [1, 2] : tensor<4x8xf32> -> f32
  // CHECK: %[[P:.*]] = pho.extract_slice %arg1 [2, 5] : tensor<4x8xf32> to tensor<2x2xf32>
  %p1 = pho.extract_slice %t [1, 4] : tensor<4x8xf32> to tensor<3x4xf32>
  %p = pho.extract_slice %p1 [1, 1] : tensor<3x4xf32> to tensor<2x2xf32>
  %put = pho.insert_slice %r into %t [2, 0] : tensor<1x8xf32> into tensor<4x8xf32>
  %got = pho.extract_slice %put [2, 0] : tensor<4x8xf32> to tensor<1x8xf32>
  // CHECK: return %[[B]], %arg1, %arg1, %arg0, %[[P]], %arg2
  return %b, %t2, %f3, %x, %p, %got : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, f32, tensor<2x2xf32>, tensor<1x8xf32>
}

// -----

// Work on broadcast values is done before they are broadcast; a real tile stays as it is.
// CHECK-LABEL: func @work_before_broadcast
func.func @work_before_broadcast(%s: f32, %r: tensor<1x8xf32>, %t: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  // CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<1x8xf32>
  %a = pho.broadcast %s : f32 to tensor<4x8xf32>
  %b = pho.broadcast %r : tensor<1x8xf32> to tensor<4x8xf32>
  // CHECK: %[[A:.*]] = pho.broadcast %arg0 : f32 to tensor<1x8xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %arg1, %[[A]] : tensor<1x8xf32>
  // CHECK: %[[M:.*]] = arith.mulf %[[SUM]], %[[C]] : tensor<1x8xf32>
  // CHECK: %[[X:.*]] = pho.math exp(%[[M]]) : tensor<1x8xf32>
  // CHECK: %[[B:.*]] = pho.broadcast %[[X]] : tensor<1x8xf32> to tensor<4x8xf32>
  %c = arith.addf %b, %a : tensor<4x8xf32>
  %d = arith.mulf %c, %two : tensor<4x8xf32>
  %e = pho.math exp(%d) : tensor<4x8xf32>
  // CHECK: arith.addf %arg2, %{{.*}} : tensor<4x8xf32>
  %f = arith.addf %t, %a : tensor<4x8xf32>
  return %e, %f : tensor<4x8xf32>, tensor<4x8xf32>
}
