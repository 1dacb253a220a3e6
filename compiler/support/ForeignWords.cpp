#include "compiler/support/ForeignWords.h"
#include <algorithm>
#include <array>
#include <utility>

namespace phobos {

namespace {

using TypeWord = std::pair<std::string_view, std::string_view>;

constexpr std::array kTypes = {
    TypeWord{"float", "f32"},
    TypeWord{"double", "f64"},
    TypeWord{"half", "f16"},
    TypeWord{"__half", "f16"},
    TypeWord{"__nv_bfloat16", "bf16"},
    TypeWord{"int", "i32"},
    TypeWord{"unsigned", "u32"},
    TypeWord{"long", "i64"},
    TypeWord{"char", "i8"},
    TypeWord{"float16", "f16"},
    TypeWord{"float32", "f32"},
    TypeWord{"float64", "f64"},
    TypeWord{"bfloat16", "bf16"},
    TypeWord{"fp16", "f16"},
    TypeWord{"fp32", "f32"},
    TypeWord{"fp64", "f64"},
    TypeWord{"int8", "i8"},
    TypeWord{"int32", "i32"},
    TypeWord{"int64", "i64"},
    TypeWord{"uint8", "u8"},
    TypeWord{"uint32", "u32"},
    TypeWord{"int8_t", "i8"},
    TypeWord{"int32_t", "i32"},
    TypeWord{"int64_t", "i64"},
    TypeWord{"uint8_t", "u8"},
    TypeWord{"uint32_t", "u32"},
    TypeWord{"size_t", "index"},
    TypeWord{"float8e4nv", "f8e4m3"},
    TypeWord{"float8_e4m3fn", "f8e4m3"},
    TypeWord{"float8e5", "f8e5m2"},
    TypeWord{"float8_e5m2", "f8e5m2"},
    TypeWord{"int1", "bool"},
};

constexpr const char *kNoModules = "there are no modules: built-in functions and types have no prefix";

constexpr std::array kValues = {
    ForeignWord{"None", "there is no None; an axis of extent 1 is made by 'reshape(t, [1, n])'"},
    ForeignWord{"nullptr", "there are no pointers"},
    ForeignWord{"NULL", "there are no pointers"},
    ForeignWord{"True", "did you mean 'true'?"},
    ForeignWord{"False", "did you mean 'false'?"},
    ForeignWord{"pass", "an empty body is '{ }'"},
    ForeignWord{"threadIdx", "a thread has one coordinate: 'ctx.thread'"},
    ForeignWord{"blockDim", "a block has one extent: 'ctx.threads'"},
    ForeignWord{"blockIdx", "write 'ctx.block.x', 'ctx.block.y' or 'ctx.block.z'"},
    ForeignWord{"gridDim", "write 'ctx.grid.x', 'ctx.grid.y' or 'ctx.grid.z'"},
    ForeignWord{"warpSize", "a warp has 32 threads: write '32'"},
    ForeignWord{"INFINITY", "write 'inf'"},
    ForeignWord{"NAN", "write 'nan'"},
    ForeignWord{"tl", kNoModules},
    ForeignWord{"triton", kNoModules},
    ForeignWord{"np", kNoModules},
    ForeignWord{"numpy", kNoModules},
    ForeignWord{"torch", kNoModules},
    ForeignWord{"math", kNoModules},
    ForeignWord{"std", kNoModules},
};

constexpr const char *kNoPrint = "a kernel prints nothing: store the value to a tensor";
constexpr const char *kExtent = "write 'extent(A, 0)', or the dimension's name";
constexpr const char *kReshape = "write 'reshape(t, [1, n])' with the new extents";
constexpr const char *kConvert = "a conversion is a call of the type: 'f16(x)'";
constexpr const char *kRequire = "a demand on shapes is an attribute of the kernel: '@require(..)'";

constexpr std::array kCalls = {
    // memory and places
    ForeignWord{"load", "a slice is read as 'A[i :+ n]'"},
    ForeignWord{"store", "a slice is written as 'A[i :+ n] = t'"},
    ForeignWord{"make_block_ptr", "a slice is read as 'A[i :+ n]'"},
    ForeignWord{"atomic_add", "write 'atomic_add(A, i, x)'"},
    ForeignWord{"atomicAdd", "write 'atomic_add(A, i, x)'"},
    ForeignWord{"atomic_max", "write 'atomic_max(A, i, x)'"},
    ForeignWord{"atomicMax", "write 'atomic_max(A, i, x)'"},
    ForeignWord{"atomic_min", "write 'atomic_min(A, i, x)'"},
    ForeignWord{"atomicMin", "write 'atomic_min(A, i, x)'"},
    ForeignWord{"program_id", "write 'ctx.block.x', 'ctx.block.y' or 'ctx.block.z'"},
    ForeignWord{"num_programs", "write 'ctx.grid.x', 'ctx.grid.y' or 'ctx.grid.z'"},
    ForeignWord{"debug_barrier", "write 'barrier()'"},
    ForeignWord{"__syncthreads", "write 'barrier()'"},
    ForeignWord{"syncthreads", "write 'barrier()'"},
    ForeignWord{"print", kNoPrint},
    ForeignWord{"printf", kNoPrint},
    ForeignWord{"device_print", kNoPrint},
    ForeignWord{"static_print", kNoPrint},
    ForeignWord{"assert", kRequire},
    ForeignWord{"static_assert", kRequire},
    // shapes and types
    ForeignWord{"arange", "write 'iota(0, [n])'"},
    ForeignWord{"range", "'range' stands in loops only; a tile of coordinates is 'iota(0, [n])'"},
    ForeignWord{"zeros", "write 'zeros<f32>([n])'"},
    ForeignWord{"zeros_like", "write 'zeros<f32>([n])'"},
    ForeignWord{"ones", "write 'full<f32>([n], 1.0)'"},
    ForeignWord{"full", "write 'full<f32>([n], x)'"},
    ForeignWord{"trans", "write 'transpose(a)'"},
    ForeignWord{"transpose", "write 'transpose(a)'"},
    ForeignWord{"reshape", kReshape},
    ForeignWord{"view", kReshape},
    ForeignWord{"expand_dims", kReshape},
    ForeignWord{"unsqueeze", kReshape},
    ForeignWord{"squeeze", "write 'reshape(t, [n])' with the new extents"},
    ForeignWord{"broadcast_to", "write 'broadcast(t, [n, n])'"},
    ForeignWord{"concatenate", "write 'cat(t, t, 0)'"},
    ForeignWord{"to", kConvert},
    ForeignWord{"cast", kConvert},
    ForeignWord{"astype", kConvert},
    ForeignWord{"static_cast", kConvert},
    ForeignWord{"len", kExtent},
    ForeignWord{"size", kExtent},
    ForeignWord{"shape", kExtent},
    ForeignWord{"numel", kExtent},
    // contractions and reductions
    ForeignWord{"dot", "write 'dot(a, b)'"},
    ForeignWord{"matmul", "write 'dot(a, b)'"},
    ForeignWord{"mm", "write 'dot(a, b)'"},
    ForeignWord{"sum", "write 'sum(a)', 'rowsum(a)' or 'colsum(a)'"},
    ForeignWord{"mean", "write 'sum(t) / f32(n)'"},
    ForeignWord{"amax", "write 'max(a)', 'rowmax(a)' or 'colmax(a)'"},
    ForeignWord{"max", "write 'max(a)', 'rowmax(a)', 'colmax(a)' or, of two, 'max(x, y)'"},
    ForeignWord{"min", "write 'min(a)', 'rowmin(a)', 'colmin(a)' or, of two, 'min(x, y)'"},
    ForeignWord{"argmax", "write 'rowargmax(a)'"},
    ForeignWord{"argmin", "write 'rowargmin(a)'"},
    ForeignWord{"cumsum", "write 'cumsum(a, 0)'"},
    // elementwise
    ForeignWord{"tan", "write 'sin(x) / cos(x)'"},
    ForeignWord{"where", "write 'where(c, t, 0.0)'"},
    ForeignWord{"cdiv", "write 'cdiv(i, n)'"},
    ForeignWord{"clamp", "write 'clamp(x, 0.0, 1.0)'"},
    ForeignWord{"clip", "write 'clamp(x, 0.0, 1.0)'"},
    ForeignWord{"maximum", "write 'max(x, y)'"},
    ForeignWord{"fmax", "write 'max(x, y)'"},
    ForeignWord{"fmaxf", "write 'max(x, y)'"},
    ForeignWord{"minimum", "write 'min(x, y)'"},
    ForeignWord{"fmin", "write 'min(x, y)'"},
    ForeignWord{"fminf", "write 'min(x, y)'"},
    ForeignWord{"pow", "write 'pow(x, y)'"},
    ForeignWord{"powf", "write 'pow(x, y)'"},
    ForeignWord{"fma", "write 'fma(x, y, 1.0)'"},
    ForeignWord{"fmaf", "write 'fma(x, y, 1.0)'"},
    ForeignWord{"exp", "write 'exp(x)'"},
    ForeignWord{"expf", "write 'exp(x)'"},
    ForeignWord{"__expf", "write 'exp(x)'"},
    ForeignWord{"exp2", "write 'exp2(x)'"},
    ForeignWord{"exp2f", "write 'exp2(x)'"},
    ForeignWord{"log", "write 'log(x)'"},
    ForeignWord{"logf", "write 'log(x)'"},
    ForeignWord{"__logf", "write 'log(x)'"},
    ForeignWord{"log2", "write 'log2(x)'"},
    ForeignWord{"sqrt", "write 'sqrt(x)'"},
    ForeignWord{"sqrtf", "write 'sqrt(x)'"},
    ForeignWord{"rsqrt", "write 'rsqrt(x)'"},
    ForeignWord{"rsqrtf", "write 'rsqrt(x)'"},
    ForeignWord{"abs", "write 'abs(x)'"},
    ForeignWord{"fabs", "write 'abs(x)'"},
    ForeignWord{"fabsf", "write 'abs(x)'"},
    ForeignWord{"tanh", "write 'tanh(x)'"},
    ForeignWord{"tanhf", "write 'tanh(x)'"},
    ForeignWord{"sigmoid", "write 'sigmoid(x)'"},
    ForeignWord{"erf", "write 'erf(x)'"},
    ForeignWord{"erff", "write 'erf(x)'"},
    ForeignWord{"sin", "write 'sin(x)'"},
    ForeignWord{"sinf", "write 'sin(x)'"},
    ForeignWord{"cos", "write 'cos(x)'"},
    ForeignWord{"cosf", "write 'cos(x)'"},
    ForeignWord{"floor", "write 'floor(x)'"},
    ForeignWord{"ceil", "write 'ceil(x)'"},
};

template <size_t N> const char *helpOf(const std::array<ForeignWord, N> &list, std::string_view word) {
  const auto *it =
      std::find_if(list.begin(), list.end(), [&](const ForeignWord &w) { return w.word == word; });
  return it == list.end() ? nullptr : it->help;
}

} // namespace

std::string_view foreignType(std::string_view word) {
  for (auto [from, to] : kTypes)
    if (from == word)
      return to;
  return {};
}

const char *foreignValue(std::string_view word) { return helpOf(kValues, word); }
const char *foreignCall(std::string_view word) { return helpOf(kCalls, word); }
std::span<const ForeignWord> foreignValues() { return kValues; }
std::span<const ForeignWord> foreignCalls() { return kCalls; }

} // namespace phobos
