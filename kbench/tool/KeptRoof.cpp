#include "kbench/tool/KeptRoof.h"
#include "runtime/files/WriteFile.h"
#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

namespace phobos::kbench {

using Json = nlohmann::ordered_json;

static Json load(const std::string &path) {
  std::string text, error;
  Json j = path.empty() || !readFile(path, text, error) ? Json() : Json::parse(text, nullptr, false);
  return j.is_object() ? j : Json::object();
}

KeptRoof::KeptRoof(std::string path, const Setting &setting)
    : path_(std::move(path)), key_(setting.target + "; " + setting.device + "; " + setting.build) {}

std::optional<Roof> KeptRoof::read() {
  const Json all = load(path_);
  Reply reply;
  if (!all.contains(key_) || !all[key_].is_object() || !all[key_].contains("when") ||
      !all[key_]["when"].is_number_integer() || !Reply::fromLine(all[key_].dump(), reply))
    return std::nullopt;
  ageSeconds_ = static_cast<int64_t>(std::time(nullptr)) - all[key_]["when"].get<int64_t>();
  if (ageSeconds_ < 0 || ageSeconds_ > mostAgeSeconds || reply.roof.bytesPerNs <= 0)
    return std::nullopt;
  return reply.roof;
}

std::string KeptRoof::age() const {
  return ageSeconds_ < 3600        ? std::to_string(ageSeconds_ / 60) + " min ago"
         : ageSeconds_ < 48 * 3600 ? std::to_string(ageSeconds_ / 3600) + " h ago"
                                   : std::to_string(ageSeconds_ / 86400) + " days ago";
}

void KeptRoof::write(const SearchOutcome &outcome) const {
  if (path_.empty() || outcome.roof.bytesPerNs <= 0)
    return;
  const bool isAbove = std::any_of(outcome.ranking.begin(), outcome.ranking.end(), [&](size_t i) {
    const auto share = outcome.shareOfRoof(outcome.results[i]);
    return share && share->percent > 100 && share->against != "copy";
  });
  Json all = load(path_);
  if (isAbove || !outcome.roof.isSteady) {
    if (all.erase(key_) == 0)
      return;
  } else {
    Reply reply;
    reply.roof = outcome.roof;
    all[key_] = Json::parse(reply.toLine());
    all[key_]["when"] = static_cast<int64_t>(std::time(nullptr));
  }
  std::string ignored;
  writeFileWhole(path_, all.dump(1, ' ', false, Json::error_handler_t::replace), ignored);
}

} // namespace phobos::kbench
