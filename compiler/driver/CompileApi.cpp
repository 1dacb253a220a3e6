// phobos/compile.hpp: compile(source, options) -> bundle, with diagnostics as values and the cache in front.
#include "compiler/driver/BundleBuild.h"
#include "compiler/driver/Cache.h"
#include "compiler/driver/Emit.h"
#include "compiler/driver/EmitGpu.h"
#include <new>
#include <nlohmann/json.hpp>
#include <phobos/compile.hpp>

using namespace phobos;
using nlohmann::json;

struct phobos_compilation {
  bool ok = false, fromCache = false;
  std::string bundle;
  std::vector<CompileDiagnostic> diagnostics;
};

namespace {

std::vector<std::string> listOf(const char *const *items, size_t count) {
  return std::vector<std::string>(items, items + count);
}

CompileDiagnostic toValue(const Diagnostic &d, const SourceManager &sources) {
  CompileDiagnostic v;
  v.severity = d.severity() == Severity::Error ? "error" : "warning";
  v.code = info(d.id).code;
  if (d.range.isValid()) {
    const SourceFile &file = sources.file(d.range.file);
    LineColumn at = file.lineColumn(d.range.begin);
    v.file = file.name(), v.line = at.line, v.column = at.column;
  }
  v.message = d.message;
  v.help = d.help.value_or("");
  v.rendered = renderText(d, sources);
  return v;
}

std::string encodeEntry(const phobos_compilation &c) {
  json j{{"bundle", json::binary_t(std::vector<uint8_t>(c.bundle.begin(), c.bundle.end()))},
         {"diagnostics", json::array()}};
  for (const CompileDiagnostic &d : c.diagnostics)
    j["diagnostics"].push_back({d.severity, d.code, d.file, d.line, d.column, d.message, d.help, d.rendered});
  std::vector<uint8_t> bytes = json::to_cbor(j);
  std::string body(bytes.begin(), bytes.end());
  return driver::bytesHash(body) + body;
}

/// False for anything that encodeEntry did not write, and for a bundle that is not sound.
bool decodeEntry(const std::string &bytes, phobos_compilation &c) {
  constexpr size_t hashLength = 64; // nothing is parsed before its hash is known to be right
  if (bytes.size() <= hashLength || driver::bytesHash(std::string_view(bytes).substr(hashLength)) !=
                                        std::string_view(bytes).substr(0, hashLength))
    return false;
  json j = json::from_cbor(bytes.begin() + hashLength, bytes.end(), true, false);
  if (!j.is_object() || !j.contains("bundle") || !j["bundle"].is_binary() || !j.contains("diagnostics") ||
      !j["diagnostics"].is_array())
    return false;
  const auto &b = j["bundle"].get_binary();
  c.bundle.assign(b.begin(), b.end());
  for (const json &d : j["diagnostics"]) {
    if (!d.is_array() || d.size() != 8)
      return false;
    for (size_t i : {0, 1, 2, 5, 6, 7})
      if (!d[i].is_string())
        return false;
    if (!d[3].is_number_unsigned() || !d[4].is_number_unsigned())
      return false;
    c.diagnostics.push_back({d[0].get<std::string>(), d[1].get<std::string>(), d[2].get<std::string>(),
                             d[3].get<uint32_t>(), d[4].get<uint32_t>(), d[5].get<std::string>(),
                             d[6].get<std::string>(), d[7].get<std::string>()});
  }
  Bundle bundle;
  std::string error;
  return decodeBundle(c.bundle, bundle, error);
}

/// Everything that the result depends on.
std::string keyOf(const phobos_compile_request &r, const driver::BundleRequest &request) {
  std::string text = driver::compilerBuild() + "\n" + driver::hostProcessor() + "\n" +
                     (r.no_std ? "no-std\n" : "std\n") + (r.name ? r.name : "") + "\n";
  for (const auto *list : {&request.kernels, &request.targets, &request.points}) {
    for (const std::string &s : *list)
      text += std::to_string(s.size()) + ":" + s;
    text += "\n";
  }
  return driver::sourceHash(text + driver::sourceHash(std::string_view(r.source, r.source_size)));
}

/// phobos::deviceTarget() may be of a processor newer than all that are known here.
void replaceNewer(std::string &target, Diagnostics &diags) {
  const std::string carried = driver::compiledFor(target, 0);
  if (carried.empty() || carried == target || carried != driver::compiledFor("sm_999", 0))
    return;
  diags.report(diag::NewerDevice, {}, driver::carriedForward(target, carried));
  target = carried;
}

void compileNow(const phobos_compile_request &r, driver::BundleRequest request, phobos_compilation &c) {
  Diagnostics diags;
  auto loaded = driver::loadText(r.name ? r.name : "<source>", std::string(r.source, r.source_size),
                                 {.stdlib = !r.no_std}, diags);
  std::string error;
  for (std::string &target : request.targets) {
    replaceNewer(target, diags);
    if (!driver::isKnownTarget(target, error))
      diags.report(diag::UnknownTarget, {}, error);
  }
  Bundle bundle;
  if (!diags.hasErrors() && driver::buildBundle(*loaded, request, bundle, diags)) {
    c.ok = true;
    c.bundle = encodeBundle(bundle);
  }
  for (const Diagnostic &d : diags.all())
    c.diagnostics.push_back(toValue(d, loaded->sources));
}

bool holdsNull(const char *const *items, size_t count) {
  return count && (!items || std::find(items, items + count, nullptr) != items + count);
}

std::unique_ptr<phobos_compilation> compiled(const phobos_compile_request *r) {
  driver::BundleRequest request;
  request.kernels = listOf(r->kernels, r->kernel_count);
  request.points = listOf(r->points, r->point_count);
  if (r->target_count)
    request.targets = listOf(r->targets, r->target_count);
  auto c = std::make_unique<phobos_compilation>();
  driver::Cache cache(r->cache_folder ? r->cache_folder : "", r->cache_bytes);
  std::string key = r->no_cache ? "" : keyOf(*r, request);
  if (!r->no_cache)
    if (auto entry = cache.read(key)) {
      if (decodeEntry(*entry, *c)) {
        c->ok = c->fromCache = true;
        return c;
      }
      *c = {};
      cache.remove(key);
    }
  compileNow(*r, request, *c);
  if (c->ok && !r->no_cache)
    cache.write(key, encodeEntry(*c));
  return c;
}

} // namespace

extern "C" {

phobos_compilation *phobos_compile_source(const phobos_compile_request *r) {
  if (!r || !r->source || holdsNull(r->kernels, r->kernel_count) || holdsNull(r->points, r->point_count) ||
      holdsNull(r->targets, r->target_count))
    return nullptr;
  try {
    return compiled(r).release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

int phobos_compile_ok(const phobos_compilation *c) { return c && c->ok; }
int phobos_compile_from_cache(const phobos_compilation *c) { return c && c->fromCache; }

const void *phobos_compile_bundle(const phobos_compilation *c, size_t *size) {
  *size = c ? c->bundle.size() : 0;
  return c ? c->bundle.data() : nullptr;
}

size_t phobos_compile_diagnostic_count(const phobos_compilation *c) { return c ? c->diagnostics.size() : 0; }

phobos_compile_diagnostic phobos_compile_diagnostic_at(const phobos_compilation *c, size_t index) {
  const CompileDiagnostic &d = c->diagnostics[index];
  return {d.severity.c_str(),
          d.code.c_str(),
          d.file.c_str(),
          d.line,
          d.column,
          d.message.c_str(),
          d.help.empty() ? nullptr : d.help.c_str(),
          d.rendered.c_str()};
}

void phobos_compile_release(phobos_compilation *c) { delete c; }

} // extern "C"
