#include "kbench/workers/Messages.h"
#include <nlohmann/json.hpp>

namespace phobos::kbench {

using Json = nlohmann::ordered_json;

std::string Request::toLine() const {
  Json j{{"kind", static_cast<int>(kind)},
         {"seed", seed},
         {"final", isFinal},
         {"budget", budgetMs},
         {"repeats", repeats},
         {"slow", slowNs},
         {"type", type}};
  for (const Item &i : items)
    j["items"].push_back({i.point, i.folder, i.library});
  return j.dump();
}

bool Request::fromLine(const std::string &line, Request &r) {
  try {
    Json j = Json::parse(line, nullptr, false);
    if (!j.is_object() || !j["items"].is_array())
      return false;
    r.kind = static_cast<Kind>(j.value("kind", 0));
    r.seed = j.value("seed", uint64_t(0));
    r.isFinal = j.value("final", false);
    r.budgetMs = j.value("budget", 200.0);
    r.repeats = j.value("repeats", 1u);
    r.slowNs = j.value("slow", 0.0);
    r.type = j.value("type", "");
    for (const Json &i : j["items"])
      r.items.push_back({i[0].get<std::string>(), i[1].get<std::string>(), i[2].get<std::string>()});
    return true;
  } catch (const Json::exception &) { // a field of another type
    return false;
  }
}

std::string Reply::toLine() const {
  Json j{{"status", name(verdict.status)},
         {"rule", verdict.rule},
         {"detail", verdict.detail},
         {"resources", resources},
         {"flops", flops},
         {"bytes", bytes},
         {"unsurePart", unsurePart},
         {"unsure", unsure},
         {"approximate", isApproximate},
         {"compute", isComputeBound},
         {"products", products},
         {"cases", cases},
         {"warning", warning},
         {"compileMs", compileMs},
         {"cannotWrite", cannotWrite},
         {"worst", worstError},
         {"note", note},
         {"samples", samples},
         {"failed", failedItem},
         {"copy", roof.bytesPerNs},
         {"steady", roof.isSteady}};
  for (const ProductRoof &p : roof.products)
    j["roofs"].push_back({p.type, p.flopsPerNs, p.how});
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool Reply::fromLine(const std::string &line, Reply &r) {
  try {
    Json j = Json::parse(line, nullptr, false);
    if (!j.is_object())
      return false;
    auto status = statusNamed(j.value("status", ""));
    if (!status)
      return false;
    r.verdict = {*status, j.value("rule", ""), j.value("detail", "")};
    r.resources = j.value("resources", r.resources);
    r.flops = j.value("flops", 0.0);
    r.bytes = j.value("bytes", 0.0);
    r.unsurePart = j.value("unsurePart", 0.0);
    r.unsure = j.value("unsure", "");
    r.isApproximate = j.value("approximate", false);
    r.isComputeBound = j.value("compute", false);
    r.products = j.value("products", r.products);
    r.cases = j.value("cases", 0u);
    r.warning = j.value("warning", "");
    r.compileMs = j.value("compileMs", 0.0);
    r.cannotWrite = j.value("cannotWrite", "");
    r.worstError = j["worst"].is_number() ? j["worst"].get<double>() : 0;
    r.note = j.value("note", "");
    r.samples = j.value("samples", r.samples);
    r.failedItem = j.value("failed", size_t(0));
    r.roof.bytesPerNs = j.value("copy", 0.0);
    r.roof.isSteady = j.value("steady", true);
    for (const Json &p : j.value("roofs", Json::array()))
      r.roof.products.push_back({p[0].get<std::string>(), p[1].get<double>(), p[2].get<std::string>()});
    return true;
  } catch (const Json::exception &) { // a field of another type
    return false;
  }
}

} // namespace phobos::kbench
