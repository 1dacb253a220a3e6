#include "tests/bundle/Fuzz.h"
#include "compiler/driver/BundleText.h"
#include "runtime/core/Module.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <zlib.h>

namespace phobos::test {

using nlohmann::json;

namespace {

size_t below(Random &random, size_t n) { return n ? static_cast<size_t>(random() % n) : 0; }

void collect(json &j, std::vector<json *> &out) {
  out.push_back(&j);
  if (j.is_structured())
    for (auto &e : j)
      collect(e, out);
}

int64_t edge(Random &random) {
  static const int64_t list[] = {
      0,       1,        -1,           2,         63,        64,        255,       256,
      65535,   65536,    1 << 20,      INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, int64_t(1) << 32,
      1 << 30, 16777215, INT64_MAX - 1};
  return list[below(random, std::size(list))];
}

/// Bytes changed, some by words at an edge; now and then the tables of an ELF object (its header and section
/// headers).
template <typename Bytes> void mutateBytes(Bytes &b, Random &random) {
  if (b.empty())
    return;
  uint64_t table = 0;
  if (b.size() >= 64)
    std::memcpy(&table, b.data() + 40, 8); // e_shoff
  for (size_t n = 1 + below(random, 4); n > 0; --n) {
    size_t at = below(random, b.size());
    if (random() % 3 == 0 && b.size() >= 64)
      at = random() % 2 && table < b.size() ? table + below(random, b.size() - table) : below(random, 64);
    if (random() % 2) {
      b[at] = static_cast<typename Bytes::value_type>(random());
    } else {
      int64_t word = edge(random);
      std::memcpy(b.data() + at, &word, std::min<size_t>(b.size() - at, size_t(1) << below(random, 4)));
    }
  }
  if (random() % 16 == 0)
    b.resize(below(random, b.size() + 1));
}

json oddValue(Random &random) {
  switch (below(random, 8)) {
  case 0:
    return nullptr;
  case 1:
    return edge(random);
  case 2:
    return static_cast<uint64_t>(random());
  case 3:
    return random() % 2 == 0;
  case 4:
    return std::string(below(random, 300), 'a');
  case 5:
    return json::binary({1, 2, 3});
  case 6:
    return 1.5;
  default: {
    json deep = json::array();
    for (size_t n = below(random, 90); n > 0; --n)
      deep = random() % 2 ? json::array({std::move(deep)}) : json{{"condition", std::move(deep)}};
    return deep;
  }
  }
}

void mutateValue(json &root, Random &random) {
  std::vector<json *> all;
  collect(root, all);
  json &j = *all[below(random, all.size())];
  const json other = *all[below(random, all.size())]; // a copy: it may hold `j`
  switch (below(random, 8)) {
  case 0:
    j = oddValue(random);
    return;
  case 1:
    if (all.size() < 5000) // no growth without end
      j = other;
    return;
  case 2:
    if (j.is_object() && !j.empty()) {
      j.erase(std::next(j.begin(), static_cast<std::ptrdiff_t>(below(random, j.size()))));
      return;
    }
    break;
  case 3:
    if (j.is_array() && !j.empty()) {
      size_t at = below(random, j.size());
      if (random() % 2)
        j.erase(at);
      else
        j.insert(j.begin() + static_cast<std::ptrdiff_t>(at), other);
      return;
    }
    break;
  default:
    break;
  }
  if (j.is_number_integer())
    j = random() % 2 ? edge(random)
                     : static_cast<int64_t>(static_cast<uint64_t>(j.get<int64_t>()) + below(random, 5) - 2);
  else if (j.is_string())
    mutateBytes(j.get_ref<std::string &>(), random);
  else if (j.is_binary())
    mutateBytes(static_cast<std::vector<uint8_t> &>(j.get_binary()), random);
  else if (j.is_boolean())
    j = !j.get<bool>();
  else if (j.is_structured() && !j.empty())
    std::next(j.begin(), static_cast<std::ptrdiff_t>(below(random, j.size()))).value() = oddValue(random);
}

/// What a launch of `kernel` would be given: arrays of 8 in each axis, or its fixed extents.
std::vector<runtime::Argument> argumentsOf(const Contract &c, std::vector<uint64_t> &memory) {
  std::vector<runtime::Argument> args;
  for (const ContractParam &p : c.params) {
    runtime::Argument a;
    a.isTensor = p.isTensor;
    a.type = a.shape.elem = p.elem;
    for (const ContractExtent &e : p.extents)
      a.shape.extents.push_back(e.fixed ? e.value : 8);
    a.shape.data = memory.data();
    args.push_back(std::move(a));
  }
  return args;
}

} // namespace

std::string mutateBundle(std::string_view bytes, Random &random) {
  std::string raw(bytes);
  json outer = json::from_cbor(bytes.begin(), bytes.end(), true, false);
  if (outer.is_discarded() || !outer.is_object() || !outer["payload"].is_binary() || random() % 16 == 0) {
    mutateBytes(raw, random);
    return raw;
  }
  std::vector<uint8_t> inner = outer["payload"].get_binary();
  json payload = json::from_cbor(inner, true, false);
  if (payload.is_discarded() || random() % 16 == 0) {
    mutateBytes(inner, random);
  } else {
    for (size_t n = 1 + below(random, 4); n > 0; --n)
      mutateValue(payload, random);
    try {
      inner = json::to_cbor(payload);
    } catch (const json::exception &) { // a text that is no longer UTF-8
      mutateBytes(inner, random);
    }
  }
  if (random() % 64)
    outer["crc32"] = static_cast<uint32_t>(crc32(0, inner.data(), static_cast<uInt>(inner.size())));
  outer["payload"] = json::binary_t(std::move(inner));
  if (random() % 64 == 0)
    mutateValue(outer, random);
  try {
    std::vector<uint8_t> out = json::to_cbor(outer);
    return std::string(out.begin(), out.end());
  } catch (const json::exception &) {
    return raw;
  }
}

Reached useBundle(std::string_view bytes, std::string &wrong) {
  Bundle bundle;
  std::string error;
  if (!decodeBundle(bytes, bundle, error)) {
    if (error.empty())
      wrong = "refused with no reason";
    return Reached::Refused;
  }
  Bundle again;
  std::string once = encodeBundle(bundle);
  if (!decodeBundle(once, again, error) || encodeBundle(again) != once)
    wrong = "what was decoded is not what is encoded: " + error;
  driver::describeBundle(bundle);
  driver::bundleAsHeader(bundle, "fuzzed");
  phobos_module_options cpu{"cpu", -1};
  std::unique_ptr<runtime::Module> module;
  if (runtime::Status s = runtime::Module::load(bytes, &cpu, module); !s.ok()) {
    if (s.message.empty())
      wrong = "a load refused with no reason";
    return Reached::Decoded;
  }
  Reached reached = Reached::Loaded;
  std::vector<uint64_t> memory(64);
  for (const auto &kernel : module->kernels()) {
    phobos_launch_options grid{{1, 1, 1}, 1, 1, 1};
    for (const phobos_launch_options *options : {static_cast<const phobos_launch_options *>(nullptr),
                                                 static_cast<const phobos_launch_options *>(&grid)}) {
      runtime::Prepared p;
      runtime::Status s = module->prepare(*kernel, argumentsOf(kernel->contract(), memory), options, p);
      if (s.ok())
        reached = Reached::Prepared;
      else if (s.message.empty())
        wrong = "a launch refused with no reason";
    }
  }
  return reached;
}

std::vector<std::string> bundleCorpus() {
  std::vector<std::string> paths, out;
  for (const auto &e : std::filesystem::directory_iterator(PHOBOS_SOURCE_DIR "/tests/bundle/corpus"))
    paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    std::ostringstream s;
    s << std::ifstream(path, std::ios::binary).rdbuf();
    Bundle bundle;
    std::string error;
    if (!decodeBundle(s.str(), bundle, error))
      continue;
    for (Variant &v : bundle.variants) {
      v.cpuFeatures.clear(); // its code is loaded, not run: on any processor
      for (CodeImage &image : v.images)
        if (image.format != CodeImage::Format::ElfObject)
          image.bytes.resize(100); // of a GPU: nothing but the driver reads it
    }
    out.push_back(encodeBundle(bundle));
  }
  return out;
}

} // namespace phobos::test
