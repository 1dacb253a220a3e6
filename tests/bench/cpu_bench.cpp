// How fast the CPU target is, beside what the machine can do: GEMM beside OpenBLAS, streaming kernels beside
// memcpy, both timed in this run, interleaved. `cpu_bench [THREADS] [CASE]`. Prints one line a case; the
// numbers of docs/benchmarks.md come from here.
#include "compiler/driver/Compile.h"
#include "compiler/ir/Build.h"
#include "compiler/passes/Pipeline.h"
#include "compiler/target/cpu/Cpu.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/cpu/Run.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <thread>
#include <vector>

using namespace phobos;

namespace {

constexpr const char *kGemm = R"(
@autotune(TILE_M in [32, 512], TILE_N in [32, 512], TILE_K in [8, 512])
kernel gemm(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  let pm = ctx.block.x
  let pn = ctx.block.y
  var acc: tile<f32>[TILE_M, TILE_N] = 0.0
  for kt in range(0, K, TILE_K) {
    var a = A[pm * TILE_M :+ TILE_M, kt :+ TILE_K]
    var b = B[kt :+ TILE_K, pn * TILE_N :+ TILE_N]
    acc += dot(a, b)
  }
  C[pm * TILE_M :+ TILE_M, pn * TILE_N :+ TILE_N] = acc
}
)";
constexpr const char *kSoftmax = R"(
@autotune(NC in [1024, 16384], ROWS in [1, 2, 4])
kernel softmax(X: tensor<f32>[R, N], Y: tensor<f32>[R, N]) {
  let r = ctx.block.x * ROWS
  let x = load(X[r :+ ROWS, 0 :+ NC], fill = -inf)
  let e = exp(x - rowmax(x))
  Y[r :+ ROWS, 0 :+ NC] = e / rowsum(e)
}
)";
constexpr const char *kSaxpy = R"(
@autotune(BLOCK in [256, 65536])
kernel saxpy(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  let i = ctx.block.x * BLOCK
  Y[i :+ BLOCK] = a * X[i :+ BLOCK] + Y[i :+ BLOCK]
}
)";

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::unique_ptr<cpu::JitKernel> compile(const std::string &text, const std::string &pointText) {
  Diagnostics diags;
  auto file = driver::loadText("bench.pho", text, {}, diags);
  const ast::Kernel *kernel = diags.hasErrors() ? nullptr : driver::selectKernel(*file->file, "", diags);
  Point point;
  std::string error;
  parsePoint(pointText, point, error);
  auto typed = kernel ? driver::checkAt(*file, *kernel, point, diags) : nullptr;
  if (!typed) {
    std::fputs(renderText(diags, file->sources).c_str(), stderr);
    std::exit(1);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  auto module = ir::build(*typed, context, file->sources);
  if (!passes::runTilePipeline(*module))
    std::exit(1);
  auto code = cpu::compileAndLoad(*module, {});
  if (!code) {
    std::fprintf(stderr, "%s\n", llvm::toString(code.takeError()).c_str());
    std::exit(1);
  }
  return std::move(*code);
}

/// Milliseconds; with CPU_TIME set the processor time of the process (with one thread, on a machine that
/// others use too).
double nowMs() {
  timespec t;
  clock_gettime(std::getenv("CPU_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

/// Best and median milliseconds of each function, their runs interleaved.
struct Times {
  double best, median;
};
std::vector<Times> timeAll(const std::vector<std::function<void()>> &runs, unsigned repeats) {
  std::vector<std::vector<double>> samples(runs.size());
  for (const auto &run : runs)
    run();
  for (unsigned r = 0; r < repeats; ++r)
    for (size_t k = 0; k < runs.size(); ++k) {
      const double start = nowMs();
      runs[k]();
      samples[k].push_back(nowMs() - start);
    }
  std::vector<Times> times;
  for (auto &s : samples) {
    std::sort(s.begin(), s.end());
    times.push_back({s.front(), s[s.size() / 2]});
  }
  return times;
}

struct Tensor {
  explicit Tensor(size_t bytes)
      : bytes_(bytes), data_(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)) {}
  ~Tensor() { std::free(data_); }
  Tensor(const Tensor &) = delete;
  void fillFloats() {
    std::mt19937 gen(3);
    for (size_t i = 0; i < bytes_ / 4; ++i)
      static_cast<float *>(data_)[i] = static_cast<float>(gen() % 2001) / 1000.0f - 1.0f;
  }
  CpuTensor view(int64_t stride) const { return {data_, {stride, 1}}; }
  void *data() const { return data_; }
  size_t bytes_;
  void *data_;
};

std::vector<std::string> split(const std::string &s) {
  std::vector<std::string> parts;
  for (size_t from = 0, to; from <= s.size(); from = to + 1) {
    to = std::min(s.find(';', from), s.size());
    parts.push_back(s.substr(from, to - from));
  }
  return parts;
}

//===-- GEMM
//---------------------------------------------------------------------------------------------------===//

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                       float *, int);

void gemm(unsigned threads) {
  const int64_t n = 1024;
  Tensor a(n * n * 4), b(n * n * 4), c(n * n * 4), reference(n * n * 4);
  a.fillFloats(), b.fillFloats();
  Sgemm sgemm = nullptr;
  if (void *blas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)) {
    sgemm = reinterpret_cast<Sgemm>(dlsym(blas, "cblas_sgemm"));
    if (auto set = reinterpret_cast<void (*)(int)>(dlsym(blas, "openblas_set_num_threads")))
      set(static_cast<int>(threads));
    if (auto core = reinterpret_cast<char *(*)()>(dlsym(blas, "openblas_get_corename")))
      std::printf("OpenBLAS kernel: %s, OPENBLAS_CORETYPE %s\n", core(),
                  std::getenv("OPENBLAS_CORETYPE") ? "set" : "unset");
  } else {
    std::printf("OpenBLAS not found: %s\n", dlerror());
  }
  auto blasRun = [&] {
    if (sgemm)
      sgemm(101, 111, 111, n, n, n, 1.0f, static_cast<float *>(a.data()), n, static_cast<float *>(b.data()),
            n, 0.0f, static_cast<float *>(reference.data()), n);
  };
  struct Variant {
    const char *name;
    std::string text;
    bool isFloat;
    std::vector<std::string> points;
  };
  const char *given = std::getenv("POINTS");
  const std::vector<std::string> points =
      split(given ? given
                  : "TILE_M=128 TILE_N=128 TILE_K=32;TILE_M=128 TILE_N=128 TILE_K=128;TILE_M=128 TILE_N=256 "
                    "TILE_K=128;"
                    "TILE_M=256 TILE_N=128 TILE_K=256;TILE_M=256 TILE_N=256 TILE_K=256;TILE_M=512 TILE_N=64 "
                    "TILE_K=256");
  const std::vector<Variant> variants = {
      {"f32", kGemm, true, points},
      {"bf16",
       replaced(replaced(kGemm, "A: tensor<f32>", "A: tensor<bf16>"), "B: tensor<f32>", "B: tensor<bf16>"),
       false, points},
      {"int8",
       replaced(replaced(kGemm, "f32", "i8"), "tile<i8>[TILE_M, TILE_N] = 0.0",
                "tile<i32>[TILE_M, TILE_N] = 0"),
       false, points},
  };
  for (Variant v : variants) {
    v.text = replaced(v.text, "C: tensor<i8>", "C: tensor<i32>");
    for (const std::string &point : v.points) {
      auto code = compile(v.text, point);
      Point p;
      std::string error;
      parsePoint(point, p, error);
      const CpuTensor views[] = {a.view(n), b.view(n), c.view(n)};
      const void *params[] = {&views[0], &views[1], &views[2]};
      const int64_t dims[] = {n, n, n};
      CpuLaunch launch{params, dims, {n / *p.get("TILE_M"), n / *p.get("TILE_N"), 1}};
      auto times =
          timeAll({[&] { runOnCpu(code->entry(), code->scratchBytes(), launch, threads); }, blasRun}, 7);
      const double flops = 2.0 * n * n * n / 1e6;
      double worst = 0;
      if (v.isFloat && sgemm)
        for (int64_t i = 0; i < n * n; ++i)
          worst = std::max(worst, double(std::abs(static_cast<float *>(c.data())[i] -
                                                  static_cast<float *>(reference.data())[i])));
      std::printf("gemm 1024 %-4s %-40s %7.1f GFLOP/s (median %7.1f); OpenBLAS f32 %7.1f (median %7.1f); "
                  "ratio of medians %.2f%s\n",
                  v.name, point.c_str(), flops / times[0].best, flops / times[0].median,
                  flops / times[1].best, flops / times[1].median, times[1].median / times[0].median,
                  v.isFloat && sgemm ? (worst < 1e-3 ? "; agrees" : "; WRONG") : "");
      std::fflush(stdout);
    }
  }
}

//===-- streaming
//----------------------------------------------------------------------------------------------===//

/// memcpy of `bytes`, split over the threads.
void copyAll(void *to, const void *from, size_t bytes, unsigned threads) {
  std::vector<std::thread> others;
  const size_t part = bytes / threads;
  auto copy = [&](unsigned t) {
    std::memcpy(static_cast<char *>(to) + t * part, static_cast<const char *>(from) + t * part, part);
  };
  for (unsigned t = 1; t < threads; ++t)
    others.emplace_back(copy, t);
  copy(0);
  for (auto &t : others)
    t.join();
}

void stream(unsigned threads, bool isSoftmax) {
  const size_t bytes = size_t(256) << 20;
  Tensor x(bytes), y(bytes), z(bytes);
  x.fillFloats(), y.fillFloats();
  std::memset(z.data(), 0, bytes);
  const int64_t elements = int64_t(bytes / 4);
  const std::vector<std::string> points = split(
      isSoftmax ? "NC=1024 ROWS=1;NC=1024 ROWS=4;NC=4096 ROWS=1;NC=16384 ROWS=1" : "BLOCK=4096;BLOCK=65536");
  for (const std::string &point : points) {
    auto code = compile(isSoftmax ? kSoftmax : kSaxpy, point);
    Point p;
    std::string error;
    parsePoint(point, p, error);
    const int64_t cols = isSoftmax ? *p.get("NC") : elements;
    const CpuTensor views[] = {isSoftmax ? x.view(cols) : CpuTensor{x.data(), {1}},
                               isSoftmax ? y.view(cols) : CpuTensor{y.data(), {1}}};
    const float alpha = 1.0f / 1024;
    const void *params[] = {&views[0], &views[1], &alpha};
    const int64_t rows = elements / cols;
    const int64_t dims[] = {isSoftmax ? rows : elements, cols};
    CpuLaunch launch{params, dims, {isSoftmax ? rows / *p.get("ROWS") : elements / *p.get("BLOCK"), 1, 1}};
    auto times = timeAll({[&] { runOnCpu(code->entry(), code->scratchBytes(), launch, threads); },
                          [&] { copyAll(z.data(), x.data(), bytes, threads); }},
                         7);
    // Bytes that each must move: softmax reads and writes 256 MB, as memcpy does; saxpy reads twice and
    // writes once.
    const double moved = (isSoftmax ? 2.0 : 3.0) * double(bytes) / 1e6, copied = 2.0 * double(bytes) / 1e6;
    std::printf(
        "%-7s 256 MB %-16s %6.2f GB/s (median %6.2f); memcpy %6.2f (median %6.2f); ratio of medians %.2f\n",
        isSoftmax ? "softmax" : "saxpy", point.c_str(), moved / times[0].best, moved / times[0].median,
        copied / times[1].best, copied / times[1].median,
        moved / times[0].median / (copied / times[1].median));
    std::fflush(stdout);
  }
}

} // namespace

int main(int argc, char **argv) {
  const unsigned threads =
      argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : std::thread::hardware_concurrency();
  const std::string only = argc > 2 ? argv[2] : "";
  std::printf("threads: %u\n", threads);
  if (only.empty() || only == "gemm")
    gemm(threads);
  if (only.empty() || only == "softmax")
    stream(threads, true);
  if (only.empty() || only == "saxpy")
    stream(threads, false);
}
