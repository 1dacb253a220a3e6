// Compiles a kernel given as tile IR for the CPU and runs it on arrays.
#pragma once
#include "compiler/ir/Build.h"
#include "compiler/ir/Pho.h"
#include "compiler/target/cpu/Cpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "runtime/cpu/Run.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace phobos::cpu::test {

/// One argument: a tensor (data, strides in elements) or a scalar's bytes.
struct Argument {
  CpuTensor tensor{};
  const void *scalar = nullptr;
};

template <typename T> Argument tensor(std::vector<T> &data, std::vector<int64_t> extents) {
  Argument a;
  a.tensor.data = data.data();
  int64_t stride = 1;
  for (size_t k = extents.size(); k-- > 0; stride *= extents[k])
    a.tensor.strides[k] = stride;
  return a;
}
template <typename T> Argument scalar(const T &value) { return {{}, &value}; }

struct Launch {
  std::vector<Argument> args;
  std::vector<int64_t> dims;
  std::array<int64_t, 3> grid{1, 1, 1};
  unsigned threads = 2;
};

inline std::unique_ptr<JitKernel> compile(const std::string &text, const Options &options = {}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the test's IR does not parse";
    return nullptr;
  }
  auto kernel = compileAndLoad(*module, options);
  if (!kernel) {
    ADD_FAILURE() << llvm::toString(kernel.takeError());
    return nullptr;
  }
  return std::move(*kernel);
}

inline void run(const JitKernel &kernel, const Launch &launch) {
  std::vector<const void *> params;
  for (const Argument &a : launch.args)
    params.push_back(a.scalar ? a.scalar : &a.tensor);
  CpuLaunch l{params.data(), launch.dims.data(), {launch.grid[0], launch.grid[1], launch.grid[2]}};
  runOnCpu(kernel.entry(), kernel.scratchBytes(), l, launch.threads);
}

inline void run(const std::string &text, const Launch &launch, const Options &options = {}) {
  if (auto kernel = compile(text, options))
    run(*kernel, launch);
}

/// A tensor that a test's kernel reads or writes as one tile, off its end by `over` columns if that is not 0.
struct Whole {
  std::string name;
  std::vector<int64_t> shape;
  std::string elem;
  int64_t over = 0;
  std::string tile() const {
    std::string s = "tensor<";
    for (size_t k = 0; k < shape.size(); ++k)
      s += std::to_string(shape[k] + (k + 1 == shape.size() ? over : 0)) + "x";
    return s + elem + ">";
  }
};

/// A kernel of one block: loads `in` as tiles %name, runs `body`, stores the tiles %name of `out`.
inline std::string wholeTiles(const std::vector<Whole> &in, const std::string &body,
                              const std::vector<Whole> &out, const std::string &attributes = "") {
  std::string args, loads, stores, constants = "  %zero = arith.constant 0 : index\n";
  auto access = [&](const Whole &w) {
    std::string starts, extents, sizes, flags;
    for (size_t k = 0; k < w.shape.size(); ++k) {
      const std::string comma = k ? ", " : "";
      const std::string extent = "%extent_" + w.name + std::to_string(k);
      constants += "  " + extent + " = arith.constant " + std::to_string(w.shape[k]) + " : index\n";
      starts += comma + "%zero", extents += comma + extent, flags += comma + "false";
      sizes += comma + std::to_string(w.shape[k] + (k + 1 == w.shape.size() ? w.over : 0));
    }
    args += std::string(args.empty() ? "" : ", ") + "%view_" + w.name + ": !pho.view<" +
            std::to_string(w.shape.size()) + ", " + w.elem + ">";
    return "%view_" + w.name + "[" + starts + "] of [" + extents + "] sizes [" + sizes + "] points [" +
           flags + "] inbounds [" + flags + "]";
  };
  for (const Whole &w : in)
    loads += "  %" + w.name + " = pho.load " + access(w) + " : !pho.view<" + std::to_string(w.shape.size()) +
             ", " + w.elem + "> -> " + w.tile() + "\n";
  for (const Whole &w : out)
    stores += "  pho.store %" + w.name + ", " + access(w) + " : " + w.tile() + ", !pho.view<" +
              std::to_string(w.shape.size()) + ", " + w.elem + ">\n";
  return "func.func @kernel(" + args + ") attributes {pho.kernel" + attributes + "} {\n" + constants + loads +
         body + stores + "  return\n}";
}

inline std::vector<float> randomFloats(size_t n, unsigned seed = 1, float low = -1, float high = 1) {
  std::mt19937 gen(seed);
  std::uniform_real_distribution<float> dist(low, high);
  std::vector<float> v(n);
  for (float &x : v)
    x = dist(gen);
  return v;
}

} // namespace phobos::cpu::test
