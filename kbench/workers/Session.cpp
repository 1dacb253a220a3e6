#include "kbench/workers/Session.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace phobos::kbench {

using Json = nlohmann::ordered_json;

std::string Session::toLine() const {
  Json j{{"target", target}, {"device", device}, {"file", file},      {"text", textPath},
         {"stdlib", stdlib}, {"kernel", kernel}, {"dims", dims},      {"args", args},
         {"dir", directory}, {"seed", seed},     {"cold", coldCache}, {"facts", deviceFacts}};
  if (grid)
    j["grid"] = *grid;
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool Session::fromLine(const std::string &line, Session &s, std::string &error) {
  try {
    Json j = Json::parse(line, nullptr, false);
    if (!j.is_object()) {
      error = "the greeting is not an object";
      return false;
    }
    s.target = j.value("target", "");
    s.device = j.value("device", 0);
    s.file = j.value("file", "");
    s.textPath = j.value("text", "");
    s.stdlib = j.value("stdlib", true);
    s.kernel = j.value("kernel", "");
    s.dims = j.value("dims", s.dims);
    s.args = j.value("args", s.args);
    s.directory = j.value("dir", "");
    s.seed = j.value("seed", uint64_t(1));
    s.coldCache = j.value("cold", true);
    s.deviceFacts = j.value("facts", "");
    if (j.contains("grid"))
      s.grid = j["grid"].get<std::array<int64_t, 3>>();
    return true;
  } catch (const Json::exception &e) { // a field of another type
    error = e.what();
    return false;
  }
}

bool writeFile(const std::string &path, const void *data, size_t bytes, std::string &error) {
  FILE *f = std::fopen(path.c_str(), "wb");
  bool ok = f && (bytes == 0 || std::fwrite(data, 1, bytes, f) == bytes);
  if (f)
    ok = std::fclose(f) == 0 && ok;
  if (!ok)
    error = "cannot write '" + path + "': " + std::strerror(errno);
  return ok;
}

bool readFile(const std::string &path, std::string &bytes, std::string &error) {
  FILE *f = std::fopen(path.c_str(), "rb");
  bytes.clear();
  char chunk[65536];
  size_t n = 0;
  while (f && (n = std::fread(chunk, 1, sizeof chunk, f)) > 0)
    bytes.append(chunk, n);
  bool ok = f && !std::ferror(f);
  if (!ok)
    error = "cannot read '" + path + "': " + std::strerror(errno);
  if (f)
    std::fclose(f);
  return ok;
}

std::string expectedPath(const std::string &folder, size_t caseIndex, size_t param, bool bounds) {
  return folder + "/case" + std::to_string(caseIndex) + "." + std::to_string(param) +
         (bounds ? ".bounds" : ".expected");
}

bool PointFiles::write(const std::string &folder, std::string &error) const {
  Json j{{"entry", code.entry},
         {"scratch", code.scratchBytes},
         {"resources", code.resources},
         {"cases", Json::array()}};
  for (const VerificationCase &c : cases)
    j["cases"].push_back({{"dims", c.dims}, {"grid", c.grid}, {"seed", c.seed}});
  std::string text = j.dump();
  return writeFile(folder + "/code", code.bytes.data(), code.bytes.size(), error) &&
         writeFile(folder + "/point.json", text.data(), text.size(), error);
}

bool PointFiles::read(const std::string &folder, std::string &error) {
  std::string text;
  if (!readFile(folder + "/code", code.bytes, error) || !readFile(folder + "/point.json", text, error))
    return false;
  Json j = Json::parse(text, nullptr, false);
  if (!j.is_object()) {
    error = folder + "/point.json is damaged";
    return false;
  }
  try {
    code.entry = j.value("entry", "");
    code.scratchBytes = j.value("scratch", uint64_t(0));
    code.resources = j.value("resources", code.resources);
    for (const Json &c : j["cases"])
      cases.push_back({c["dims"].get<std::vector<int64_t>>(), c["grid"].get<std::array<int64_t, 3>>(),
                       c["seed"].get<uint64_t>()});
  } catch (const Json::exception &e) {
    error = folder + "/point.json: " + e.what();
    return false;
  }
  return true;
}

} // namespace phobos::kbench
