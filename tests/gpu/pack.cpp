// gpu-pack DIR [--target sm_90a] [--first N] [--count N] [FILE.pho ..]: random programs, and files that begin
// as they do, with their arguments, the interpreter's results and their cubins, so that run.py can check them
// on a machine that has a driver and Python and nothing else.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Lower.h"
#include "compiler/host/Npy.h"
#include "compiler/target/nvptx/Nvptx.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/cuda/Assemble.h"
#include "tests/differential/Generate.h"
#include "tests/differential/Inputs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <iostream>

using namespace phobos;

namespace {

std::string launchOf(const GpuKernel &kernel, const std::vector<int64_t> &dims,
                     const std::array<int64_t, 3> &grid) {
  std::string s;
  llvm::raw_string_ostream out(s);
  out << "{\"params\": [";
  for (auto [k, p] : llvm::enumerate(kernel.params))
    out << (k ? ", " : "") << "[" << static_cast<int>(p.kind) << ", " << p.param << ", " << p.axis << ", \""
        << name(p.elem) << "\"]";
  out << "], \"dims\": [";
  for (auto [k, d] : llvm::enumerate(dims))
    out << (k ? ", " : "") << d;
  out << "], \"grid\": [" << grid[0] << ", " << grid[1] << ", " << grid[2]
      << "], \"persistent\": " << (kernel.persistent ? "true" : "false") << ", \"entries\": [";
  for (auto [k, e] : llvm::enumerate(kernel.entries))
    out << (k ? ", " : "") << "{\"symbol\": \"" << e.symbol << "\", \"aligned\": " << (e.aligned16 ? 1 : 0)
        << ", \"native\": " << (e.nativeGrid ? 1 : 0) << ", \"threads\": " << e.threads
        << ", \"shared\": " << e.sharedBytes << ", \"parts\": " << e.parts
        << ", \"workspace\": " << workspaceOf(e, grid).value_or(GpuWorkspace{}).bytes << "}";
  out << "]";
  return s;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// False with a reason where the target does not take the program.
bool pack(const std::string &label, const std::string &text, const std::string &target,
          const std::string &dir, std::string &why) {
  Diagnostics diags;
  auto loaded = driver::loadText("program.pho", text, {.stdlib = false}, diags);
  const ast::Kernel *kernel = diags.hasErrors() ? nullptr : driver::selectKernel(*loaded->file, "", diags);
  auto typed = kernel ? driver::checkAt(*loaded, *kernel, {}, diags) : nullptr;
  differential::Header header = differential::readHeader(text);
  driver::HostArguments expected;
  BoundLaunch launch;
  if (!typed || !differential::makeArguments(driver::contractOf(*typed), header, expected, launch, why))
    return true; // the generator's business
  driver::HostArguments given = expected;
  interp::Options options;
  options.maxSteps = 10'000'000;
  if (!driver::prepare("interp", *typed, loaded->sources, options, diags)->run(expected, launch, diags))
    return true;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = driver::lower(*typed, loaded->sources, target, context, diags);
  nvptx::Options gpu;
  nvptx::parseProcessor(target, gpu);
  if (!module)
    return why = renderText(diags, loaded->sources), false;
  auto ptx = nvptx::emitPtx(*module, gpu);
  if (!ptx)
    return why = llvm::toString(ptx.takeError()), false;
  cuda::Assembled cubin = cuda::assemble(ptx->text, {.target = target});
  if (!cubin.ok())
    return why = cubin.error + cubin.log, false;
  std::string at = dir + "/" + label;
  llvm::sys::fs::create_directories(at);
  writeFile(at + "/kernel.pho", text);
  writeFile(at + "/k.cubin", cubin.cubin);
  std::string json = launchOf(gpuKernel(driver::contractOf(*typed), ptx->info.entries, ptx->info.persistent),
                              launch.dims, launch.grid) +
                     ", \"args\": [";
  for (size_t i = 0; i < typed->params.size(); ++i) {
    const sema::Param &p = typed->params[i];
    json += i ? ", " : "";
    if (p.isTensor) {
      auto bits = [](const HostArray &a) {
        return std::string(static_cast<const char *>(a.data()),
                           static_cast<size_t>(a.size()) * byteSize(a.elem()));
      };
      writeFile(at + "/" + p.name + ".in", bits(given.arrays[i]));
      writeFile(at + "/" + p.name + ".out", bits(expected.arrays[i]));
      auto tolerance = header.outputs.find(p.name);
      json += "{\"name\": \"" + p.name + "\", \"elem\": \"" + std::string(name(p.elem)) + "\", \"shape\": [";
      for (size_t a = 0; a < given.arrays[i].extents().size(); ++a)
        json += (a ? ", " : "") + std::to_string(given.arrays[i].extents()[a]);
      json +=
          "], \"tolerance\": " + number(tolerance == header.outputs.end() ? 0.0 : tolerance->second) + "}";
    } else {
      HostArray one(p.elem, {1});
      isFloat(p.elem) ? one.setFloat(0, given.scalars[i].f) : one.setInt(0, given.scalars[i].i);
      json += "{\"bits\": " + std::to_string(one.getBits(0)) + "}";
    }
  }
  writeFile(at + "/launch.json", json + "]}\n");
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::string dir, target = "sm_90a";
  std::vector<std::string> files;
  uint64_t first = 1, count = 100;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--target" && i + 1 < argc)
      target = argv[++i];
    else if (a == "--first" && i + 1 < argc)
      first = std::strtoull(argv[++i], nullptr, 10);
    else if (a == "--count" && i + 1 < argc)
      count = std::strtoull(argv[++i], nullptr, 10);
    else if (a.ends_with(".pho"))
      files.push_back(a);
    else
      dir = a;
  }
  if (dir.empty())
    return std::cerr << "gpu-pack DIR [--target sm_90a] [--first N] [--count N]\n", 2;
  uint64_t refused = 0;
  for (uint64_t seed = first; seed < first + count; ++seed)
    if (std::string why; !pack("s" + std::to_string(seed), differential::print(differential::generate(seed)),
                               target, dir, why))
      std::cout << "seed " << seed << ": " << why << std::endl, ++refused;
  for (const std::string &file : files) {
    std::ifstream in(file);
    std::string text((std::istreambuf_iterator<char>(in)), {}), why, stem = file.substr(file.rfind('/') + 1);
    if (!pack(stem.substr(0, stem.size() - 4), text, target, dir, why))
      std::cout << file << ": " << why << std::endl, ++refused;
  }
  std::cout << count + files.size() << " programs, " << refused << " refused\n";
  return refused != 0;
}
