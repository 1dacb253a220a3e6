#include "runtime/bundle/Fields.h"
#include <zlib.h>

namespace phobos {

using nlohmann::json;

static json::binary_t binary(std::string_view s) {
  return json::binary_t(std::vector<uint8_t>(s.begin(), s.end()));
}

static json toJson(const HostExpr &e) {
  json j = json::array({static_cast<int>(e.op), e.value});
  for (const HostExpr &a : e.args)
    j.push_back(toJson(a));
  return j;
}

static json toJson(const ContractParam &p) {
  json j{{"name", p.name}, {"type", std::string(name(p.elem))}, {"read", p.isRead}, {"written", p.isWritten}};
  if (p.isTensor) {
    json extents = json::array();
    for (const ContractExtent &e : p.extents)
      extents.push_back(json{{e.fixed ? "fixed" : "dim", e.value}});
    j["extents"] = std::move(extents);
  }
  return j;
}

static json toJson(const Contract &c) {
  json j{{"kernel", c.kernel}, {"dims", c.dims}, {"gridFromHost", c.gridFromHost}};
  for (const ContractParam &p : c.params)
    j["params"].push_back(toJson(p));
  for (const HostExpr &e : c.grid)
    j["grid"].push_back(toJson(e));
  for (const auto &e : c.inferredGrid)
    j["inferredGrid"].push_back(e ? toJson(*e) : json(nullptr));
  for (const ContractRequire &r : c.requires_)
    j["requires"].push_back(json{
        {"condition", toJson(r.condition)}, {"text", r.text}, {"reason", r.reason}, {"values", r.values}});
  for (const ContractAligned &a : c.aligned)
    j["aligned"].push_back(json{{"dim", a.dim}, {"multiple", a.multiple}});
  return j;
}

static json toJson(const EntryPoint &e) {
  json j{{"symbol", e.symbol},
         {"threads", e.threads},
         {"sharedBytes", e.sharedBytes},
         {"scratchBytes", e.scratchBytes},
         {"parts", e.parts},
         {"workspaceBytes", e.workspaceBytes},
         {"persistent", e.persistent},
         {"predicates", json::array()}};
  for (const EntryPredicate &p : e.predicates)
    j["predicates"].push_back(json{{"kind", fields::predicateNames[static_cast<size_t>(p.kind)]},
                                   {"param", p.param},
                                   {"dim", p.dim},
                                   {"value", p.value}});
  return j;
}

static json toJson(const Variant &v) {
  json j{
      {"target", v.target}, {"cpu", v.cpu}, {"cpuFeatures", v.cpuFeatures}, {"contract", toJson(v.contract)}};
  j["point"] = json::array();
  for (const auto &[n, value] : v.point)
    j["point"].push_back(json::array({n, value}));
  if (v.hasServes)
    j["serves"] = json{{"condition", toJson(v.serves)}, {"text", v.servesText}};
  for (const CodeImage &i : v.images)
    j["images"].push_back(
        json{{"format", fields::imageNames[static_cast<size_t>(i.format)]}, {"bytes", binary(i.bytes)}});
  for (const EntryPoint &e : v.entries)
    j["entries"].push_back(toJson(e));
  return j;
}

std::string encodeBundle(const Bundle &bundle) {
  json payload{{"compilerBuild", bundle.compilerBuild},
               {"sourceHash", bundle.sourceHash},
               {"variants", json::array()}};
  for (const Variant &v : bundle.variants)
    payload["variants"].push_back(toJson(v));
  std::vector<uint8_t> inner = json::to_cbor(payload);
  uint32_t crc = static_cast<uint32_t>(crc32(0, inner.data(), static_cast<uInt>(inner.size())));
  json outer{{"format", fields::formatName},
             {"version", Bundle::kVersion},
             {"crc32", crc},
             {"payload", json::binary_t(std::move(inner))}};
  std::vector<uint8_t> bytes = json::to_cbor(outer);
  return std::string(bytes.begin(), bytes.end());
}

std::vector<std::string> Bundle::kernels() const {
  std::vector<std::string> names;
  for (const Variant &v : variants)
    if (std::find(names.begin(), names.end(), v.contract.kernel) == names.end())
      names.push_back(v.contract.kernel);
  return names;
}

} // namespace phobos
