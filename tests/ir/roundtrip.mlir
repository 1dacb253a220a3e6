// Every operation prints what it parses.
// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// RUN: phobos-opt %s --emit-bytecode | phobos-opt | FileCheck %s

// CHECK-LABEL: func.func @kernel(%{{.*}}: !pho.view<2, f32>
func.func @kernel(%A: !pho.view<2, f32>, %M: index, %K: index) attributes {pho.kernel} {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  // CHECK: pho.block_id 0
  %p = pho.block_id 0
  // CHECK: pho.grid_dim 2
  %g = pho.grid_dim 2
  // CHECK: pho.thread_id
  %t = pho.thread_id
  // CHECK: pho.barrier
  pho.barrier
  // CHECK: pho.load %{{.*}}[%{{.*}}, %{{.*}}] of[%{{.*}}, %{{.*}}] sizes [8, 8] points [false, false] inbounds [false, true] : <2, f32> -> tensor<8x8xf32>
  %a = pho.load %A[%p, %c0] of [%M, %K] sizes [8, 8] points [false, false] inbounds [false, true] : !pho.view<2, f32> -> tensor<8x8xf32>
  // CHECK: pho.transpose %{{.*}} : tensor<8x8xf32> to tensor<8x8xf32>
  %at = pho.transpose %a : tensor<8x8xf32> to tensor<8x8xf32>
  // CHECK: pho.dot %{{.*}}, %{{.*}}, %{{.*}} trans_a trans_b : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %d = pho.dot %at, %a, %z trans_a trans_b : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %f = arith.constant 1.0 : f32
  // CHECK: pho.load %{{.*}} fill %{{.*}} : f32 sizes [1, 8] points [true, false] inbounds [true, false] : <2, f32> -> tensor<8xf32>
  %row = pho.load %A[%p, %c0] of [%M, %K] fill %f : f32 sizes [1, 8] points [true, false] inbounds [true, false] : !pho.view<2, f32> -> tensor<8xf32>
  // CHECK: pho.reduce max %{{.*}} axis 0 : tensor<8xf32> -> tensor<1xf32>
  %r = pho.reduce max %row axis 0 : tensor<8xf32> -> tensor<1xf32>
  // CHECK: pho.reduce sum %{{.*}} axis -1 : tensor<8xf32> -> f32
  %sum = pho.reduce sum %row axis -1 : tensor<8xf32> -> f32
  // CHECK: pho.arg_reduce min %{{.*}} axis 1 : tensor<8x8xf32> -> tensor<8x1xi32>
  %arg = pho.arg_reduce min %d axis 1 : tensor<8x8xf32> -> tensor<8x1xi32>
  // CHECK: pho.scan prod %{{.*}} axis 1 : tensor<8x8xf32>
  %scan = pho.scan prod %d axis 1 : tensor<8x8xf32>
  // CHECK: pho.extract %{{.*}} [] : tensor<1xf32> -> f32
  %e = pho.extract %r [] : tensor<1xf32> -> f32
  // CHECK: pho.extract %{{.*}} [3] : tensor<8xf32> -> f32
  %e3 = pho.extract %row [3] : tensor<8xf32> -> f32
  // CHECK: pho.broadcast %{{.*}} : f32 to tensor<8x8xf32>
  %b = pho.broadcast %e : f32 to tensor<8x8xf32>
  // CHECK: pho.math fma(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<8x8xf32>
  %x = pho.math fma(%d, %b, %b) : tensor<8x8xf32>
  // CHECK: pho.reshape %{{.*}} : tensor<8x8xf32> to tensor<1x64xf32>
  %flat = pho.reshape %x : tensor<8x8xf32> to tensor<1x64xf32>
  // CHECK: pho.cat %{{.*}}, %{{.*}} axis 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
  %cat = pho.cat %x, %d axis 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
  // CHECK: pho.extract_slice %{{.*}} [2, 4] : tensor<8x16xf32> to tensor<3x4xf32>
  %part = pho.extract_slice %cat [2, 4] : tensor<8x16xf32> to tensor<3x4xf32>
  // CHECK: pho.insert_slice %{{.*}} into %{{.*}} [0, 1] : tensor<3x4xf32> into tensor<8x8xf32>
  %put = pho.insert_slice %part into %x [0, 1] : tensor<3x4xf32> into tensor<8x8xf32>
  // CHECK: pho.iota 1 : tensor<8x8xi32>
  %i = pho.iota 1 : tensor<8x8xi32>
  %c = arith.constant dense<3> : tensor<8x8xi32>
  %m = arith.cmpi slt, %i, %c : tensor<8x8xi32>
  // CHECK: pho.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] of[%{{.*}}, %{{.*}}] where %{{.*}} : tensor<8x8xi1> sizes [8, 8] points [false, false] inbounds [false, false] : tensor<8x8xf32>, <2, f32>
  pho.store %put, %A[%p, %c0] of [%M, %K] where %m : tensor<8x8xi1> sizes [8, 8] points [false, false] inbounds [false, false] : tensor<8x8xf32>, !pho.view<2, f32>
  // CHECK: pho.atomic add %{{.*}}[%{{.*}}, %{{.*}}] of[%{{.*}}, %{{.*}}], %{{.*}} once : <2, f32>, f32 -> f32
  %o = pho.atomic add %A[%p, %c0] of [%M, %K], %e once : !pho.view<2, f32>, f32 -> f32
  // CHECK: pho.atomic cas %{{.*}}, %{{.*}}, %{{.*}} : <2, f32>, f32, f32 -> f32
  %o2 = pho.atomic cas %A[%p, %c0] of [%M, %K], %e, %e3 : !pho.view<2, f32>, f32, f32 -> f32
  // CHECK: pho.total shr %{{.*}}, %{{.*}} unsigned : index
  %q = pho.total shr %p, %g unsigned : index
  // CHECK: pho.convert %{{.*}} from_unsigned to_unsigned : index to i32
  %ci = pho.convert %q from_unsigned to_unsigned : index to i32
  %seed = pho.convert %p : index to i64
  // CHECK: pho.rand %{{.*}}, %{{.*}} : i64 -> f32
  %rand = pho.rand %seed, %seed : i64 -> f32
  // CHECK: pho.store {{.*}} inbounds [false, false] once : f32, <2, f32>
  pho.store %rand, %A[%p, %c0] of [%M, %K] sizes [1, 1] points [true, true] inbounds [false, false] once : f32, !pho.view<2, f32>
  return
}
