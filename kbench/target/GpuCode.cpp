#include "kbench/target/GpuCode.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/EmitGpu.h"
#include "runtime/cuda/Assemble.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace phobos::kbench {

using nlohmann::json;

std::string encodeEntries(const nvptx::EntryInfo &info) {
  json j{{"persistent", info.persistent}, {"entries", json::array()}};
  for (const GpuEntry &e : info.entries)
    j["entries"].push_back({{"symbol", e.symbol},
                            {"aligned16", e.aligned16},
                            {"nativeGrid", e.nativeGrid},
                            {"stridesBelow", e.stridesBelow},
                            {"threads", e.threads},
                            {"sharedBytes", e.sharedBytes},
                            {"parts", e.parts},
                            {"workspaceBytes", e.workspaceBytes}});
  return j.dump();
}

bool decodeEntries(const std::string &text, const Contract &contract, GpuKernel &kernel) {
  json j = json::parse(text, nullptr, false);
  if (!j.is_object())
    return false;
  std::vector<GpuEntry> entries;
  for (const json &e : j.value("entries", json::array()))
    entries.push_back({e.value("symbol", ""), e.value("aligned16", false), e.value("nativeGrid", false),
                       e.value("stridesBelow", int64_t(0)), e.value("threads", 0u),
                       e.value("sharedBytes", 0u), std::max(1u, e.value("parts", 1u)),
                       e.value("workspaceBytes", uint64_t(0))});
  kernel = gpuKernel(contract, std::move(entries), j.value("persistent", false));
  return !kernel.entries.empty();
}

static constexpr std::pair<const char *, int64_t cuda::DeviceInfo::*> facts[] = {
    {"memory", &cuda::DeviceInfo::memoryBytes},
    {"l2", &cuda::DeviceInfo::l2Bytes},
    {"sharedPerBlock", &cuda::DeviceInfo::sharedPerBlock},
    {"shared", &cuda::DeviceInfo::sharedPerMultiprocessor},
    {"registers", &cuda::DeviceInfo::registersPerMultiprocessor},
    {"threads", &cuda::DeviceInfo::threadsPerMultiprocessor},
    {"blocks", &cuda::DeviceInfo::blocksPerMultiprocessor},
    {"reservedShared", &cuda::DeviceInfo::reservedSharedPerBlock},
};

std::string encodeFacts(const cuda::DeviceInfo &d, const std::string &target, unsigned ptx) {
  json j{{"ordinal", d.ordinal},
         {"name", d.name},
         {"target", target},
         {"sm", d.sm},
         {"multiprocessors", d.multiprocessors},
         {"driver", d.driverVersion},
         {"driverPtx", d.ptxVersion},
         {"ptx", ptx}};
  for (auto [name, member] : facts)
    j[name] = d.*member;
  return j.dump();
}

bool decodeFacts(const std::string &text, cuda::DeviceInfo &d, std::string &target, unsigned &ptx) {
  json j = json::parse(text, nullptr, false);
  if (!j.is_object())
    return false;
  d.ordinal = j.value("ordinal", 0);
  d.name = j.value("name", "");
  target = j.value("target", "");
  d.sm = j.value("sm", 0u);
  d.multiprocessors = j.value("multiprocessors", 0);
  d.driverVersion = j.value("driver", 0);
  d.ptxVersion = j.value("driverPtx", 0u);
  ptx = j.value("ptx", 0u);
  for (auto [name, member] : facts)
    d.*member = j.value(name, int64_t(0));
  return !target.empty() && ptx > 0;
}

bool chooseCode(const cuda::DeviceInfo &d, std::string &target, unsigned &ptx, std::string &error) {
  target = driver::compiledFor(d.target(), d.ptxVersion);
  if (!target.empty())
    return driver::choosePtx(target, "", true, ptx, error);
  error = "nothing is compiled for " + d.target() + ", which is older than sm_75";
  return false;
}

std::string assemblerOf(bool isCarried) {
  const std::string here = isCarried ? "" : cuda::assemblerNames();
  return here.empty() ? "the driver's compiler" : here;
}

bool isCubin(std::string_view image) {
  return image.starts_with("\x7f"
                           "ELF");
}

Resources sizesOf(const GpuEntry &e) {
  return {{"shared_bytes", static_cast<double>(e.sharedBytes)}, {"threads", static_cast<double>(e.threads)}};
}

// Of the threads that a multiprocessor can hold, those of the blocks that fit: by threads, registers (given
// out 256 a warp) and shared memory.
Resources resourcesOf(const cuda::DeviceInfo &d, const GpuEntry &e, int registers, int spillBytes) {
  const int64_t warps = std::max<int64_t>(1, (e.threads + 31) / 32);
  int64_t blocks = d.threadsPerMultiprocessor / (warps * 32);
  Limiter limiter = Limiter::Threads;
  auto limit = [&](int64_t most, Limiter by) {
    if (most < blocks)
      blocks = most, limiter = by;
  };
  const int64_t perWarp = (int64_t(std::max(1, registers)) * 32 + 255) / 256 * 256;
  limit(d.registersPerMultiprocessor / (perWarp * warps), Limiter::Registers);
  limit(d.sharedPerMultiprocessor / std::max<int64_t>(1, e.sharedBytes + d.reservedSharedPerBlock),
        Limiter::Shared);
  limit(d.blocksPerMultiprocessor, Limiter::Blocks);
  Resources r{{"registers", registers}, {"spill_bytes", spillBytes}};
  for (auto &size : sizesOf(e))
    r.push_back(size);
  r.push_back({"occupancy", 100.0 * static_cast<double>(blocks * warps * 32) /
                                static_cast<double>(d.threadsPerMultiprocessor)});
  r.push_back({std::string(limiterResource), static_cast<double>(limiter)});
  return r;
}

} // namespace phobos::kbench
