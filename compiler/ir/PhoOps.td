// The tile IR: dialect `pho`, over builtin, func, scf and arith. A tile is a ranked builtin tensor with constant shape (rank 1
// or 2), so that arith's elementwise operations apply to it; integers are signless and signedness belongs to operations.
#ifndef PHO_OPS
#define PHO_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Pho_Dialect : Dialect {
  let name = "pho";
  let cppNamespace = "::phobos::pho";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"]; // folds make arith.constant
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1; // of loops: CanonicalizeLoops.cpp
}

class Pho_Type<string name, string mnem> : TypeDef<Pho_Dialect, name> { let mnemonic = mnem; }

/// A tensor in memory: pointer, runtime strides of all axes but the last (which is contiguous). Extents are separate values.
def Pho_View : Pho_Type<"View", "view"> {
  let parameters = (ins "int64_t":$rank, "mlir::Type":$elementType);
  let assemblyFormat = "`<` $rank `,` $elementType `>`";
  let genVerifyDecl = 1;
}

class Pho_Op<string mnemonic, list<Trait> traits = []> : Op<Pho_Dialect, mnemonic, traits>;

class Pho_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::phobos::pho";
  let genSpecializedAttr = 0;
}
def Pho_ReduceKind : Pho_Enum<"ReduceKind", [I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
                                             I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]>;
def Pho_ReduceKindAttr : EnumAttr<Pho_Dialect, Pho_ReduceKind, "reduce_kind">;
def Pho_AtomicKind : Pho_Enum<"AtomicKind", [I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
                                             I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Cas", 3, "cas">]>;
def Pho_AtomicKindAttr : EnumAttr<Pho_Dialect, Pho_AtomicKind, "atomic_kind">;
def Pho_MathFn : Pho_Enum<"MathFn", [
  I32EnumAttrCase<"Exp", 0, "exp">, I32EnumAttrCase<"Exp2", 1, "exp2">, I32EnumAttrCase<"Log", 2, "log">, I32EnumAttrCase<"Log2", 3, "log2">,
  I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Rsqrt", 5, "rsqrt">, I32EnumAttrCase<"Tanh", 6, "tanh">,
  I32EnumAttrCase<"Sigmoid", 7, "sigmoid">, I32EnumAttrCase<"Erf", 8, "erf">, I32EnumAttrCase<"Sin", 9, "sin">, I32EnumAttrCase<"Cos", 10, "cos">,
  I32EnumAttrCase<"Abs", 11, "abs">, I32EnumAttrCase<"Floor", 12, "floor">, I32EnumAttrCase<"Ceil", 13, "ceil">,
  I32EnumAttrCase<"Round", 14, "round">, I32EnumAttrCase<"Pow", 15, "pow">, I32EnumAttrCase<"Fma", 16, "fma">]>;
def Pho_MathFnAttr : EnumAttr<Pho_Dialect, Pho_MathFn, "math_fn">;
def Pho_TotalKind : Pho_Enum<"TotalKind", [I32EnumAttrCase<"Div", 0, "div">, I32EnumAttrCase<"Rem", 1, "rem">, I32EnumAttrCase<"Shl", 2, "shl">,
                                           I32EnumAttrCase<"Shr", 3, "shr">]>;
def Pho_TotalKindAttr : EnumAttr<Pho_Dialect, Pho_TotalKind, "total_kind">;

//===-- where --------------------------------------------------------------------------------------------------------===//

def Pho_BlockIdOp : Pho_Op<"block_id", [Pure]> {
  let arguments = (ins I32Attr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}
def Pho_GridDimOp : Pho_Op<"grid_dim", [Pure]> {
  let arguments = (ins I32Attr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}
/// The thread's number in its block, [0, threads). Warp and lane are computed from it by the builder.
def Pho_ThreadIdOp : Pho_Op<"thread_id", [Pure]> {
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
/// All declared threads of the block; orders their memory accesses.
def Pho_BarrierOp : Pho_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> { let assemblyFormat = "attr-dict"; }

//===-- elementwise --------------------------------------------------------------------------------------------------===//

/// Division, remainder and shifts that no data can trap (spec/arithmetic.md): x / 0 is 0, x % 0 is x, INT_MIN / -1 wraps; a shift by the width
/// or more, or by a negative count, gives 0 or the sign.
def Pho_TotalOp : Pho_Op<"total", [Pure, SameOperandsAndResultType, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let arguments = (ins Pho_TotalKindAttr:$kind, AnyType:$lhs, AnyType:$rhs, UnitAttr:$isUnsigned);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` $kind $lhs `,` $rhs (`unsigned` $isUnsigned^)? attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
/// Functions of floats with the accuracy of spec/math.md; operands and result have one type.
def Pho_MathOp : Pho_Op<"math", [Pure, SameOperandsAndResultType, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let arguments = (ins Pho_MathFnAttr:$fn, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` $fn `(` $args `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}
/// T(x): between any two of the language's types (i1, i8, i32, i64, index, f8E4M3FN, f8E5M2, f16, bf16, f32, f64), as spec/types.md
/// says: floats round to nearest even, f8 saturate, float to integer saturates, integers wrap. Shapes are equal.
def Pho_ConvertOp : Pho_Op<"convert", [Pure]> {
  let arguments = (ins AnyType:$value, UnitAttr:$fromUnsigned, UnitAttr:$toUnsigned);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value (`from_unsigned` $fromUnsigned^)? (`to_unsigned` $toUnsigned^)? attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
/// Philox 4x32-10 word 0 as a float in [0, 1); i64 operands.
def Pho_RandOp : Pho_Op<"rand", [Pure, AllTypesMatch<["seed", "offset"]>]> {
  let arguments = (ins AnyType:$seed, AnyType:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$seed `,` $offset attr-dict `:` type($offset) `->` type($result)";
  let hasVerifier = 1;
}

//===-- shape --------------------------------------------------------------------------------------------------------===//

/// A scalar to a tile, or a tile with extents of 1 (or fewer leading axes) to a larger one.
def Pho_BroadcastOp : Pho_Op<"broadcast", [Pure]> {
  let arguments = (ins AnyType:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Pho_TransposeOp : Pho_Op<"transpose", [Pure]> {
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
/// Row-major order kept.
def Pho_ReshapeOp : Pho_Op<"reshape", [Pure]> {
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
/// i32 coordinate along `axis`.
def Pho_IotaOp : Pho_Op<"iota", [Pure]> {
  let arguments = (ins I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Pho_CatOp : Pho_Op<"cat", [Pure]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `axis` $axis attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}
/// The part of a tile at constant `offsets`, of the result's shape (ranks equal; a builder that drops an axis reshapes).
def Pho_ExtractSliceOp : Pho_Op<"extract_slice", [Pure]> {
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value $offsets attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
/// `tile` with `value` put at constant `offsets` (ranks equal).
def Pho_InsertSliceOp : Pho_Op<"insert_slice", [Pure, AllTypesMatch<["tile", "result"]>]> {
  let arguments = (ins AnyRankedTensor:$value, AnyRankedTensor:$tile, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `into` $tile $offsets attr-dict `:` type($value) `into` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
/// The single element of a tile of one element, or (offsets given) one element of a tile.
def Pho_ExtractOp : Pho_Op<"extract", [Pure]> {
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value $offsets attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===-- reductions, scans, products ----------------------------------------------------------------------------------===//

/// Over `axis` (its extent becomes 1), or over all elements to a scalar (axis -1). Max and Min give NaN if any operand is NaN.
/// A float sum or product of f16, bf16, f8 was converted to f32 before.
def Pho_ReduceOp : Pho_Op<"reduce", [Pure]> {
  let arguments = (ins Pho_ReduceKindAttr:$kind, AnyRankedTensor:$value, I32Attr:$axis, UnitAttr:$isUnsigned);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` $kind $value `axis` $axis (`unsigned` $isUnsigned^)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
/// i32 position along `axis` of the first extreme (Max or Min) or the first NaN.
def Pho_ArgReduceOp : Pho_Op<"arg_reduce", [Pure]> {
  let arguments = (ins Pho_ReduceKindAttr:$kind, AnyRankedTensor:$value, I32Attr:$axis, UnitAttr:$isUnsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`` $kind $value `axis` $axis (`unsigned` $isUnsigned^)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
/// Inclusive.
def Pho_ScanOp : Pho_Op<"scan", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Pho_ReduceKindAttr:$kind, AnyRankedTensor:$value, I32Attr:$axis, UnitAttr:$isUnsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`` $kind $value `axis` $axis (`unsigned` $isUnsigned^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
/// acc + op(a) @ op(b). a is [M, K] ([K, M] if transA), b is [K, N] ([N, K] if transB). Operands have one element type; the
/// accumulator's is f32 for f8, f16, bf16, f32; f64 for f64; i32 for i8 (isUnsigned: u8), i32; i64 for i64.
def Pho_DotOp : Pho_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$acc, UnitAttr:$transA, UnitAttr:$transB, UnitAttr:$isUnsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc (`trans_a` $transA^)? (`trans_b` $transB^)? (`unsigned` $isUnsigned^)? attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===-- memory -------------------------------------------------------------------------------------------------------===//

/// Reads `view` at `starts` (one an axis), `sizes` elements along each axis; axes with `points` true are dropped from the result, a
/// scalar if all are. `extents` are the tensor's extents (one an axis): elements outside [0, extent) read `fill`, else 0. `inBounds`
/// (one an axis) says the compiler proved that the axis stays inside; such an axis carries no mask.
def Pho_LoadOp : Pho_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let arguments = (ins Pho_View:$view, Variadic<Index>:$starts, Variadic<Index>:$extents, Optional<AnyType>:$fill,
                       DenseI64ArrayAttr:$sizes, DenseBoolArrayAttr:$points, DenseBoolArrayAttr:$inBounds);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$view `[` $starts `]` `of` `[` $extents `]` (`fill` $fill^ `:` type($fill))? `sizes` $sizes `points` $points `inbounds` $inBounds attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}
/// Writes `value` (a tile, or a scalar where all axes are points); elements outside, and those whose `mask` is false, are not
/// written. `once`: a uniform scalar at a uniform place, written once a block; else each thread writes its own.
def Pho_StoreOp : Pho_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let arguments = (ins AnyType:$value, Pho_View:$view, Variadic<Index>:$starts, Variadic<Index>:$extents, Optional<AnyType>:$mask,
                       DenseI64ArrayAttr:$sizes, DenseBoolArrayAttr:$points, DenseBoolArrayAttr:$inBounds, UnitAttr:$once);
  let assemblyFormat = "$value `,` $view `[` $starts `]` `of` `[` $extents `]` (`where` $mask^ `:` type($mask))? `sizes` $sizes `points` $points `inbounds` $inBounds (`once` $once^)? attr-dict `:` type($value) `,` type($view)";
  let hasVerifier = 1;
}
/// The old value; outside the tensor nothing happens and it is 0. values = [v], or [expected, desired] for cas.
def Pho_AtomicOp : Pho_Op<"atomic", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Pho_AtomicKindAttr:$kind, Pho_View:$view, Variadic<Index>:$starts, Variadic<Index>:$extents, Variadic<AnyType>:$values,
                       UnitAttr:$isUnsigned, UnitAttr:$once);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` $kind $view `[` $starts `]` `of` `[` $extents `]` `,` $values (`unsigned` $isUnsigned^)? (`once` $once^)? attr-dict `:` type($view) `,` type($values) `->` type($result)";
  let hasVerifier = 1;
}

#endif
