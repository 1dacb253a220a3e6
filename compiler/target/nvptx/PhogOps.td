// The GPU's target IR: dialect `phog`, below `pho`. Tiles carry a layout as their encoding; what moves between layouts, shared buffers,
// asynchronous copies and barriers are operations. pho's and arith's elementwise operations stay, on tiles of one layout.
#ifndef PHOG_OPS
#define PHOG_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Phog_Dialect : Dialect {
  let name = "phog";
  let cppNamespace = "::phobos::phog";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

/// (warp, lane, register) -> (i, j), as Layout.h says; the tile's shape is the type's. `data` is the number of register, lane and warp
/// modes and then size, stride, axis of each. Printed as `<reg [2:1j, 2:8i] lane [4:2j, 8:1i] warp [4:16i]>`.
def Phog_LayoutAttr : AttrDef<Phog_Dialect, "Layout"> {
  let mnemonic = "layout";
  let parameters = (ins ArrayRefParameter<"int64_t">:$data);
  let hasCustomAssemblyFormat = 1;
}

/// `stages` tiles in shared memory, each as SharedLayout says.
def Phog_Buffer : TypeDef<Phog_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let parameters = (ins "int64_t":$stages, "int64_t":$rows, "int64_t":$cols, "mlir::Type":$elementType, "int64_t":$pitch,
                        "int64_t":$rowsPerStep, "int64_t":$mask);
  let assemblyFormat = "`<` $stages `x` `[` $rows `,` $cols `]` `,` $elementType `,` `pitch` $pitch `,` `swizzle` `[` $rowsPerStep `,` $mask `]` `>`";
}

class Phog_Op<string mnemonic, list<Trait> traits = []> : Op<Phog_Dialect, mnemonic, traits>;

/// The same tile in another layout: by register moves where each thread has what it needs, else through shared memory.
def Phog_ConvertOp : Phog_Op<"convert", [Pure]> {
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
}
/// Shared memory, at byte `offset` of the block's once allocation has run.
def Phog_AllocOp : Phog_Op<"alloc"> {
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Phog_Buffer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
/// Each thread writes the elements it holds to stage 0.
def Phog_StoreSharedOp : Phog_Op<"store_shared"> {
  let arguments = (ins AnyRankedTensor:$value, Phog_Buffer:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
}
/// A slice of a tensor to a stage of a buffer, 16 bytes at a time, by the copy unit; elements outside become 0. Nothing happens where
/// `pred` is false. `far`: the columns may lie so far out that their number of bytes wraps. As pho.load for the rest.
def Phog_CopyAsyncOp : Phog_Op<"copy_async", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$view, Variadic<Index>:$starts, Variadic<Index>:$extents, Phog_Buffer:$buffer, Optional<Index>:$stage, Optional<I1>:$pred,
                       DenseI64ArrayAttr:$sizes, DenseBoolArrayAttr:$points, DenseBoolArrayAttr:$inBounds, UnitAttr:$far);
  let assemblyFormat = "$view `[` $starts `]` `of` `[` $extents `]` `,` $buffer (`stage` $stage^)? (`if` $pred^)? `sizes` $sizes `points` $points `inbounds` $inBounds (`far` $far^)? attr-dict `:` type($view) `,` type($buffer)";
}
/// Closes the group of this thread's copies so far.
def Phog_CommitOp : Phog_Op<"commit"> { let assemblyFormat = "attr-dict"; }
/// Until at most `pending` of this thread's groups are under way.
def Phog_WaitOp : Phog_Op<"wait"> {
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}
/// All working threads of the block; orders their accesses to shared and global memory.
def Phog_BarrierOp : Phog_Op<"barrier"> { let assemblyFormat = "attr-dict"; }
/// acc + op(a) @ op(b), the accumulator in the layout of the path. An operand is a buffer (its stage, 0 if none) or, of `mma`, a as a tile in
/// the layout of operand A. `path`: simt; mma with `kind` f16, bf16, tf32, s8, u8, e4m3, e5m2, f64; wgmma with f16 or bf16, which only begins:
/// until a `settle`, the result may be nothing but the accumulator of a further wgmma, and the operands' stages must stay as they are.
def Phog_DotOp : Phog_Op<"dot", [Pure, AttrSizedOperandSegments, AllTypesMatch<["acc", "result"]>]> {
  let arguments = (ins AnyType:$a, Optional<Index>:$stageA, AnyType:$b, Optional<Index>:$stageB, AnyRankedTensor:$acc,
                       I64Attr:$k, StrAttr:$path, StrAttr:$kind, UnitAttr:$transA, UnitAttr:$transB, UnitAttr:$isUnsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$path $kind `k` $k $a (`[` $stageA^ `]`)? `,` $b (`[` $stageB^ `]`)? `,` $acc (`trans_a` $transA^)? (`trans_b` $transB^)? (`unsigned` $isUnsigned^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)";
}

/// Until at most `pending` of this warpgroup's products (each wgmma `dot` is one) are under way; `values` are their accumulators where
/// they are read after.
def Phog_SettleOp : Phog_Op<"settle", [RangedTypesMatchWith<"settled are as they were", "values", "results", "$_self">]> {
  let arguments = (ins I64Attr:$pending, Variadic<AnyRankedTensor>:$values);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$pending ($values^ `:` type($values))? attr-dict";
}

/// The same tiles as accumulators of this warpgroup's first wgmma `dot`, none of which is under way yet: in registers of their own, which
/// nothing else (a load, another product) writes.
def Phog_BeginOp : Phog_Op<"begin", [RangedTypesMatchWith<"begun are as they were", "values", "results", "$_self">]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

/// Roles: the `workers` warps, which are those that the kernel is written for, do `work`; `producers` more warps beside them do `produce`.
/// Elsewhere in the kernel there are only workers: barriers are theirs, threads are numbered among them. `produce` uses no
/// values of the kernel but its parameters, and copies only. `signals` holds, in shared memory and from the kernel's start on, for each stage
/// of a ring one mbarrier `full` (row 0; a phase is an arrival of each producing thread) and one `empty` (row 1; an arrival of each working
/// warp). The producers begin once all workers have come here; the workers meet at the end.
/// `registers`: what a thread of each role has, workers first, where the block's are shared out anew (a multiple of 8; four warps at a time).
def Phog_RolesOp : Phog_Op<"roles"> {
  let arguments = (ins Phog_Buffer:$signals, I64Attr:$workers, I64Attr:$producers, OptionalAttr<DenseI64ArrayAttr>:$registers);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$work, SizedRegion<1>:$produce);
  let assemblyFormat = "$signals (`registers` $registers^)? `work` $workers $work `produce` $producers $produce attr-dict `:` type($signals) (`->` type($results)^)?";
}
def Phog_YieldOp : Phog_Op<"yield", [Terminator, ParentOneOf<["RolesOp"]>]> {
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
/// Until the phase of this parity is over (the first has parity 0; parity 1 is over before it): of stage `stage`, `full` by workers,
/// else `empty` by producers.
def Phog_AwaitOp : Phog_Op<"await"> {
  let arguments = (ins Phog_Buffer:$signals, Index:$stage, Index:$parity, UnitAttr:$full);
  let assemblyFormat = "$signals `[` $stage `]` `parity` $parity (`full` $full^)? attr-dict `:` type($signals)";
}
/// Arrives: `full` once this thread's copies so far have landed, else `empty`. Nothing happens where `pred` is false.
def Phog_SignalOp : Phog_Op<"signal"> {
  let arguments = (ins Phog_Buffer:$signals, Index:$stage, Optional<I1>:$pred, UnitAttr:$full);
  let assemblyFormat = "$signals `[` $stage `]` (`if` $pred^)? (`full` $full^)? attr-dict `:` type($signals)";
}

/// Which of the blocks that share a block of the grid this is (GpuEntry::parts).
def Phog_PartOp : Phog_Op<"part", [Pure]> {
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
/// The sums over all parts, in the parts' order, by way of the workspace; a barrier. Only the block of the last part to come here goes on, the
/// others leave the kernel.
def Phog_CombinePartsOp : Phog_Op<"combine_parts", [RangedTypesMatchWith<"sums are as their parts", "values", "results", "$_self">]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$values, I64Attr:$parts);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$parts $values attr-dict `:` type($values)";
}

#endif
