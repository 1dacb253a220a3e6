#include "kbench/report/Report.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace phobos::kbench {
namespace {

// The ranking first, then what failed, in the order in which it was taken.
std::vector<std::pair<size_t, size_t>> exportOrder(const SearchOutcome &o) {
  std::vector<std::pair<size_t, size_t>> order; // result, rank (0: none)
  std::vector<bool> ranked(o.results.size());
  for (size_t r = 0; r < o.ranking.size(); ++r) {
    order.emplace_back(o.ranking[r], r + 1);
    ranked[o.ranking[r]] = true;
  }
  for (size_t i = 0; i < o.results.size(); ++i)
    if (!ranked[i])
      order.emplace_back(i, 0);
  return order;
}

std::string field(const std::string &text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", x);
  return buffer;
}

// Names of all resources that the target has, and of others that occur (of a run of another build that was
// taken up).
std::vector<std::string> resourceNames(const SearchOutcome &o, const ReportContext &c) {
  std::vector<std::string> names = c.resources;
  for (const PointResult &r : o.results)
    for (auto &[n, v] : r.measurement.resources)
      if (std::find(names.begin(), names.end(), n) == names.end())
        names.push_back(n);
  return names;
}

} // namespace

std::string reportCsv(const SearchOutcome &o, const ReportContext &c) {
  auto resources = resourceNames(o, c);
  std::string text = "rank";
  for (const std::string &n : c.names)
    text += "," + field(n);
  text +=
      ",status,rule,detail,timed_in,median_ms,mad_ms,ci95_low_ms,ci95_high_ms,samples,gflops,gbps,compile_ms,"
      "error_per_bound";
  for (const std::string &n : resources)
    text += "," + field(n);
  text += "\r\n";
  for (auto [i, rank] : exportOrder(o)) {
    const PointResult &r = o.results[i];
    const Measurement &m = r.measurement;
    text += rank ? std::to_string(rank) : "";
    for (const std::string &n : c.names)
      text += "," + (m.point.get(n) ? std::to_string(*m.point.get(n)) : "");
    text += "," + std::string(name(m.verdict.status)) + "," + field(m.verdict.rule) + "," +
            field(m.verdict.detail);
    Summary s = r.summary();
    bool timed = m.verdict.ok() && s.count > 0;
    text += std::string(",") + (!timed ? "" : r.wasInFinals() ? "finals" : "search");
    for (double x : {s.median, s.mad, s.low, s.high})
      text += "," + (timed ? number(x / 1e6) : "");
    text += "," + (timed ? std::to_string(s.count) : "");
    text += "," + (timed && m.flops > 0 ? number(m.flops / s.median) : "") + "," +
            (timed ? number(m.bytes / s.median) : "");
    text += "," + (m.compileMs > 0 ? number(m.compileMs) : "") + "," + (timed ? number(m.worstError) : "");
    for (const std::string &n : resources) {
      auto it = std::find_if(m.resources.begin(), m.resources.end(), [&](auto &x) { return x.first == n; });
      text += "," + (it == m.resources.end() ? "" : resourceText(n, it->second));
    }
    text += "\r\n";
  }
  return text;
}

static nlohmann::ordered_json roofJson(const Roof &roof) {
  nlohmann::ordered_json j{{"copy_gbps", roof.bytesPerNs}, {"products", nlohmann::ordered_json::object()}};
  for (const ProductRoof &p : roof.products)
    j["products"][p.type] = {{"gflops", p.flopsPerNs}, {"by", p.how}};
  return j;
}

std::string reportJson(const SearchOutcome &o, const ReportContext &c) {
  using Json = nlohmann::ordered_json;
  auto pointJson = [](const Point &p) {
    Json j = Json::object();
    for (auto &[n, v] : p.entries())
      j[n] = v;
    return j;
  };
  Json dims = Json::object();
  for (auto &[n, v] : c.dims)
    dims[n] = v;
  Json baseline;
  if (!c.baseline.empty()) {
    const std::vector<double> &samples = o.baseline.measurement.samplesNs;
    baseline = {{"library", c.baseline},
                {"name", o.baseline.name},
                {"note", o.baseline.note},
                {"verified_full_size", o.baseline.isVerifiedInFull},
                {"samples_ns", samples}};
    if (!samples.empty())
      baseline["median_ms"] = medianOf(samples) / 1e6;
    std::string whyNot;
    if (auto percent = percentOfBaseline(o, whyNot))
      baseline["percent"] = *percent;
    else if (!whyNot.empty())
      baseline["no_percent"] = whyNot;
  }
  Json j{{"kernel", c.setting.kernel},
         {"kernel_hash", c.setting.kernelHash},
         {"file", c.file},
         {"target", c.setting.target},
         {"device", c.setting.device},
         {"driver", c.setting.driver},
         {"assembler", c.assembler},
         {"build", c.setting.build},
         {"mode", c.setting.mode},
         {"dims", dims},
         {"args", c.args},
         {"interrupted", o.wasInterrupted},
         {"winner_held", o.winnerHeld},
         {"tie", o.isTie},
         {"tied", Json::array()},
         {"roof", roofJson(o.roof)},
         {"unknown_traffic", o.unknownTraffic()},
         {"full_size_reference", o.plain ? Json(o.plain->point) : Json(nullptr)},
         {"finalists", o.finalists},
         {"seconds",
          {{"total", o.spent.total},
           {"compiling", o.spent.compiling},
           {"compile_workers", o.spent.compileWorkers},
           {"roof", o.spent.roof},
           {"reference", o.spent.reference},
           {"small_sizes", o.spent.small},
           {"full_size", o.spent.full},
           {"timing", o.spent.timing},
           {"finals", o.spent.finals},
           {"again", o.spent.again}}},
         {"baseline", baseline},
         {"best", o.ranking.empty() ? Json(nullptr) : pointJson(o.results[o.ranking[0]].measurement.point)},
         {"reproduce", o.ranking.empty()
                           ? Json(nullptr)
                           : Json(reproduceCommand(c, o.results[o.ranking[0]].measurement.point))},
         {"points", Json::array()}};
  for (size_t i : o.tied)
    j["tied"].push_back(pointJson(o.results[i].measurement.point));
  for (auto [i, rank] : exportOrder(o)) {
    const PointResult &r = o.results[i];
    const Measurement &m = r.measurement;
    Summary s = r.summary();
    Json p{{"point", pointJson(m.point)},      {"rank", rank ? Json(rank) : Json(nullptr)},
           {"status", name(m.verdict.status)}, {"rule", m.verdict.rule},
           {"detail", m.verdict.detail},       {"compile_ms", m.compileMs},
           {"resumed", r.fromLedger}};
    if (m.verdict.ok()) {
      Json resources = Json::object();
      for (auto &[n, v] : m.resources)
        resources[n] = n == limiterResource ? Json(resourceText(n, v)) : Json(v);
      p["median_ms"] = s.median / 1e6;
      p["mad_ms"] = s.mad / 1e6;
      p["ci95_ms"] = {s.low / 1e6, s.high / 1e6};
      if (auto share = o.shareOfRoof(r)) {
        p["percent_of_roof"] = share->percent;
        p["roof"] = share->against;
      }
      p["timed_in"] = r.wasInFinals() ? "finals" : "search";
      p["bound_by"] = m.isComputeBound ? "arithmetic" : "memory";
      p["gflops"] = s.median > 0 ? m.flops / s.median : 0;
      p["gbps"] = s.median > 0 ? m.bytes / s.median : 0;
      p["verified_sizes"] = m.cases;
      p["verified_full_size"] = m.verdict.detail.empty();
      p["error_per_bound"] = m.worstError;
      p["resources"] = resources;
      p["samples_ns"] = m.samplesNs;
      p["finals_ns"] = r.finalsNs;
    }
    j["points"].push_back(std::move(p));
  }
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace phobos::kbench
