// What the verifier refuses, and how it says so.
// RUN: phobos-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a view has rank 1 to 5, found 6}}
func.func @f(%A: !pho.view<6, f32>) { return }

// -----

// expected-error @+1 {{a view's elements are scalars of the language, found 'i16'}}
func.func @f(%A: !pho.view<1, i16>) { return }

// -----

func.func @f() {
  // expected-error @+1 {{axis is 3, expected 0, 1 or 2}}
  %x = pho.block_id 3
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{works on integers, found 'f32'}}
  %y = pho.total div %x, %x : f32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @+1 {{works on floats, found 'i32'}}
  %y = pho.math exp(%x) : i32
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{pow takes 2 operands, found 1}}
  %y = pho.math pow(%x) : f32
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{shapes differ: 'tensor<4xf32>' to 'tensor<5xi32>'}}
  %y = pho.convert %x : tensor<4xf32> to tensor<5xi32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{only integers are unsigned: 'f32' to 'i32'}}
  %y = pho.convert %x from_unsigned : f32 to i32
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x3x4xf32>', expected a scalar of the language or a tile of rank 1 or 2 with constant extents}}
  %y = pho.convert %x : tensor<2x3x4xf32> to tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: i64) {
  // expected-error @+1 {{takes i64 and gives f32, found 'i64' and 'f64'}}
  %y = pho.rand %x, %x : i64 -> f64
  return
}

// -----

func.func @f(%x: tensor<3x1xf32>) {
  // expected-error @+1 {{'tensor<3x1xf32>' does not broadcast to 'tensor<4x8xf32>': extent 3 against 4}}
  %y = pho.broadcast %x : tensor<3x1xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<3x1xf32>) {
  // expected-error @+1 {{'tensor<3x1xf32>' has more axes than 'tensor<3xf32>'}}
  %y = pho.broadcast %x : tensor<3x1xf32> to tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{'tensor<3x4xf32>' is not the transpose of 'tensor<3x4xf32>'}}
  %y = pho.transpose %x : tensor<3x4xf32> to tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{'tensor<3x4xf32>' has 12 elements, 'tensor<3x5xf32>' has 15}}
  %y = pho.reshape %x : tensor<3x4xf32> to tensor<3x5xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{axis is 1, but the tile has rank 1}}
  %y = pho.iota 1 : tensor<3xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{gives i32 coordinates, found 'tensor<3xi64>'}}
  %y = pho.iota 0 : tensor<3xi64>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{along axis 0 do not give 'tensor<3x8xf32>'}}
  %y = pho.cat %x, %x axis 0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{axis 1: [2, 5) is not inside 'tensor<3x4xf32>'}}
  %y = pho.extract_slice %x [0, 2] : tensor<3x4xf32> to tensor<3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{ranks differ}}
  %y = pho.insert_slice %v into %x [0, 2] : tensor<3xf32> into tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{has more than one element and no offsets are given}}
  %y = pho.extract %x [] : tensor<3x4xf32> -> f32
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{over axis 1 gives 'tensor<3x1xf32>', found 'tensor<1x4xf32>'}}
  %y = pho.reduce sum %x axis 1 : tensor<3x4xf32> -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{reduces to its element type, found 'f64'}}
  %y = pho.reduce sum %x axis -1 : tensor<3x4xf32> -> f64
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{finds max or min, not sum}}
  %y = pho.arg_reduce sum %x axis 1 : tensor<3x4xf32> -> tensor<3x1xi32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{axis is 2, but the tile has rank 2}}
  %y = pho.scan sum %x axis 2 : tensor<3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<3x4xf32>, %b: tensor<5x2xf32>, %c: tensor<3x2xf32>) {
  // expected-error @+1 {{inner extents differ: 4 of a, 5 of b}}
  %y = pho.dot %a, %b, %c : tensor<3x4xf32>, tensor<5x2xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<3x4xf16>, %b: tensor<4x2xf16>, %c: tensor<3x2xf16>) {
  // expected-error @+1 {{products of 'f16' accumulate in 'f32', found 'tensor<3x2xf16>'}}
  %y = pho.dot %a, %b, %c : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
  return
}

// -----

func.func @f(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>, %c: tensor<4x2xf32>) {
  // expected-error @+1 {{gives 3x2, but acc is 'tensor<4x2xf32>'}}
  %y = pho.dot %a, %b, %c trans_a : tensor<4x3xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%A: !pho.view<2, f32>, %i: index) {
  // expected-error @+1 {{expected 2 starts and extents for '!pho.view<2, f32>', found 1 and 2}}
  %y = pho.load %A[%i] of [%i, %i] sizes [1, 4] points [true, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%A: !pho.view<2, f32>, %i: index) {
  // expected-error @+1 {{axis 0: size is 2, but a point has size 1}}
  %y = pho.load %A[%i, %i] of [%i, %i] sizes [2, 4] points [true, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%A: !pho.view<2, f32>, %i: index) {
  // expected-error @+1 {{value is 'tensor<1x4xf32>', but the sizes and points give [4]}}
  %y = pho.load %A[%i, %i] of [%i, %i] sizes [1, 4] points [true, false] inbounds [false, false] : !pho.view<2, f32> -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%A: !pho.view<1, f32>, %i: index, %x: f64) {
  // expected-error @+1 {{fill is 'f64', expected the elements' type 'f32'}}
  %y = pho.load %A[%i] of [%i] fill %x : f64 sizes [4] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%A: !pho.view<1, f32>, %i: index, %x: tensor<4xf32>, %m: tensor<3xi1>) {
  // expected-error @+1 {{mask is 'tensor<3xi1>', expected i1 elements in the shape of 'tensor<4xf32>'}}
  pho.store %x, %A[%i] of [%i] where %m : tensor<3xi1> sizes [4] points [false] inbounds [false] : tensor<4xf32>, !pho.view<1, f32>
  return
}

// -----

func.func @f(%A: !pho.view<1, f32>, %i: index, %x: tensor<4xf16>) {
  // expected-error @+1 {{elements of 'tensor<4xf16>' are not those of '!pho.view<1, f32>'}}
  pho.store %x, %A[%i] of [%i] sizes [4] points [false] inbounds [false] : tensor<4xf16>, !pho.view<1, f32>
  return
}

// -----

func.func @f(%A: !pho.view<1, f32>, %i: index, %x: f32) {
  // expected-error @+1 {{cas takes 2 values, found 1}}
  %o = pho.atomic cas %A[%i] of [%i], %x : !pho.view<1, f32>, f32 -> f32
  return
}
