// Reads bundles that anyone may have written: every field is checked before it is used, nesting is bounded
// before anything recursive runs, and no size is believed beyond the bytes at hand.
#include "runtime/bundle/Fields.h"
#include "runtime/contract/GpuAbi.h"
#include "runtime/files/ReadFile.h"
#include "runtime/files/WriteFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <zlib.h>

namespace phobos {

using nlohmann::json;

namespace {

/// Stops at 64 levels: the parsers below recurse once a level.
struct DepthCheck final : nlohmann::json_sax<json> {
  int depth = 0;
  bool enter() { return ++depth <= 64; }
  bool leave() { return --depth, true; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t &) override { return true; }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override {
    return false;
  }
};

bool parseCbor(const uint8_t *data, size_t size, json &out) {
  DepthCheck check;
  if (!json::sax_parse(data, data + size, &check, json::input_format_t::cbor))
    return false;
  out = json::from_cbor(data, data + size, true, false);
  return !out.is_discarded();
}

/// Reads fields of one object; the first wrong one is remembered and the rest read as defaults.
class Reader {
public:
  explicit Reader(std::string &error) : error_(error) {}
  bool ok() const { return error_.empty(); }
  void fail(const std::string &what) {
    if (error_.empty())
      error_ = "corrupt bundle: " + what;
  }

  const json *field(const json &object, const char *name) {
    if (!object.is_object() || !object.contains(name)) {
      fail(std::string("field '") + name + "' is missing");
      return nullptr;
    }
    return &object[name];
  }
  std::string text(const json &object, const char *name) {
    const json *f = field(object, name);
    if (f && f->is_string())
      return f->get<std::string>();
    fail(std::string("field '") + name + "' is not text");
    return {};
  }
  /// A name as the language has them: errors and generated code may hold it as it is.
  std::string identifier(const json &object, const char *name) {
    const json *f = field(object, name);
    return f ? identifierOf(*f, name) : std::string();
  }
  std::string identifierOf(const json &value, const char *what) {
    auto isLetter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    auto isPart = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
    std::string s = value.is_string() ? value.get<std::string>() : std::string();
    if (s.empty() || !isLetter(s[0]) || !std::all_of(s.begin(), s.end(), isPart)) {
      fail(std::string("'") + what + "' is not a name");
      return {};
    }
    return s;
  }
  int64_t integer(const json &object, const char *name, int64_t low, int64_t high) {
    const json *f = field(object, name);
    return f ? integerOf(*f, name, low, high) : low;
  }
  int64_t integerOf(const json &value, const char *name, int64_t low, int64_t high) {
    if (value.is_number_integer() &&
        !(value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))) {
      int64_t n = value.get<int64_t>();
      if (n >= low && n <= high)
        return n;
    }
    fail(std::string("'") + name + "' is not a number from " + std::to_string(low) + " to " +
         std::to_string(high));
    return low;
  }
  bool boolean(const json &object, const char *name) {
    const json *f = field(object, name);
    if (f && f->is_boolean())
      return f->get<bool>();
    fail(std::string("field '") + name + "' is not true or false");
    return false;
  }
  /// The elements of an array field; none where the field is absent or null (an empty list is written so).
  std::vector<const json *> list(const json &object, const char *name, size_t most) {
    std::vector<const json *> out;
    if (!object.is_object() || !object.contains(name) || object[name].is_null())
      return out;
    const json &f = object[name];
    if (!f.is_array() || f.size() > most) {
      fail(std::string("field '") + name + "' is not a list of at most " + std::to_string(most));
      return out;
    }
    for (const json &e : f)
      out.push_back(&e);
    return out;
  }
  template <size_t N> size_t oneOf(const json &object, const char *name, const char *const (&names)[N]) {
    std::string t = text(object, name);
    for (size_t i = 0; i < N; ++i)
      if (t == names[i])
        return i;
    fail(std::string("field '") + name + "' says what this runtime does not know");
    return 0;
  }

  HostExpr expr(const json &j, size_t dims) {
    HostExpr e;
    if (!j.is_array() || j.size() < 2 || j.size() > 5) {
      fail("an expression is malformed");
      return e;
    }
    e.op = static_cast<HostExpr::Op>(
        integerOf(j[0], "operation", 0, static_cast<int64_t>(HostExpr::Op::Conditional)));
    e.value = integerOf(j[1], "constant", INT64_MIN, INT64_MAX);
    if (e.op == HostExpr::Op::Dim && (e.value < 0 || static_cast<size_t>(e.value) >= dims))
      fail("an expression names a dimension that is not there");
    for (size_t i = 2; i < j.size(); ++i)
      e.args.push_back(expr(j[i], dims));
    if (e.args.size() != arity(e.op))
      fail("an expression has the wrong number of operands");
    return e;
  }

  Contract contract(const json &j);
  EntryPoint entry(const json &j, const Contract &c);
  Variant variant(const json &j);

private:
  static size_t arity(HostExpr::Op op) {
    using Op = HostExpr::Op;
    switch (op) {
    case Op::Const:
    case Op::Dim:
      return 0;
    case Op::Neg:
    case Op::Not:
    case Op::BitNot:
      return 1;
    case Op::Conditional:
      return 3;
    default:
      return 2;
    }
  }
  std::string &error_;
};

Contract Reader::contract(const json &j) {
  Contract c;
  c.kernel = identifier(j, "kernel");
  for (const json *d : list(j, "dims", 64))
    c.dims.push_back(identifierOf(*d, "dims"));
  int64_t lastDim = static_cast<int64_t>(c.dims.size()) - 1;
  for (const json *p : list(j, "params", 256)) {
    ContractParam out;
    out.name = identifier(*p, "name");
    auto elem = scalarTypeNamed(text(*p, "type"));
    if (!elem)
      fail("parameter '" + out.name + "' has an unknown type");
    out.elem = elem.value_or(ScalarType::F32);
    out.isRead = boolean(*p, "read");
    out.isWritten = boolean(*p, "written");
    out.isTensor = p->is_object() && p->contains("extents");
    for (const json *e : list(*p, "extents", 5)) {
      bool fixed = e->is_object() && e->contains("fixed");
      out.extents.push_back(
          {fixed, fixed ? integer(*e, "fixed", 0, INT64_MAX) : integer(*e, "dim", 0, lastDim)});
    }
    if (out.isTensor && out.extents.empty())
      fail("parameter '" + out.name + "' has no rank");
    c.params.push_back(std::move(out));
  }
  c.gridFromHost = boolean(j, "gridFromHost");
  auto grid = list(j, "grid", 3);
  for (size_t i = 0; i < grid.size(); ++i)
    c.grid[i] = expr(*grid[i], c.dims.size());
  for (const json *e : list(j, "inferredGrid", 3))
    c.inferredGrid.push_back(e->is_null() ? std::nullopt : std::optional(expr(*e, c.dims.size())));
  for (const json *r : list(j, "requires", 256))
    if (const json *condition = field(*r, "condition"))
      c.requires_.push_back({expr(*condition, c.dims.size()), text(*r, "text"), text(*r, "reason"),
                             r->contains("values") ? text(*r, "values") : ""});
  for (const json *a : list(j, "aligned", 64))
    c.aligned.push_back({integer(*a, "dim", 0, lastDim), integer(*a, "multiple", 1, INT64_MAX)});
  return c;
}

EntryPoint Reader::entry(const json &j, const Contract &c) {
  constexpr int64_t large = int64_t(1) << 40;
  EntryPoint e;
  e.symbol = text(j, "symbol");
  e.threads = integer(j, "threads", 1, 1024);
  e.sharedBytes = integer(j, "sharedBytes", 0, 1 << 20);
  e.scratchBytes = integer(j, "scratchBytes", 0, large);
  e.workspaceBytes = integer(j, "workspaceBytes", 0, large);
  if (j.is_object() && j.contains("parts")) // bundles from before kernels in parts do not say
    e.parts = integer(j, "parts", 1, kMostParts);
  e.persistent = boolean(j, "persistent");
  for (const json *p : list(j, "predicates", 256)) {
    EntryPredicate out;
    out.kind = static_cast<EntryPredicate::Kind>(oneOf(*p, "kind", fields::predicateNames));
    bool ofParam = out.kind == EntryPredicate::Kind::DenseStrides;
    bool ofDim =
        out.kind == EntryPredicate::Kind::WholeTiles || out.kind == EntryPredicate::Kind::ExtentBelow;
    out.param = integer(*p, "param", 0, ofParam ? static_cast<int64_t>(c.params.size()) - 1 : INT64_MAX);
    out.dim = integer(*p, "dim", 0, ofDim ? static_cast<int64_t>(c.dims.size()) - 1 : INT64_MAX);
    out.value = integer(*p, "value", 0, INT64_MAX);
    if (ofParam && ok() && !c.params[static_cast<size_t>(out.param)].isTensor)
      fail("a predicate is about a parameter that is not a tensor");
    if (out.kind == EntryPredicate::Kind::WholeTiles && out.value < 1)
      fail("a predicate asks for whole tiles of no size");
    e.predicates.push_back(out);
  }
  return e;
}

Variant Reader::variant(const json &j) {
  Variant v;
  v.target = text(j, "target");
  v.cpu = text(j, "cpu");
  for (const json *f : list(j, "cpuFeatures", 4096))
    v.cpuFeatures.push_back(f->is_string() ? f->get<std::string>()
                                           : (fail("a feature's name is not text"), std::string()));
  if (const json *c = field(j, "contract"))
    v.contract = contract(*c);
  for (const json *p : list(j, "point", 4096)) {
    if (!p->is_array() || p->size() != 2) {
      fail("a point is malformed");
      return v;
    }
    v.point.emplace_back(identifierOf((*p)[0], "point"),
                         integerOf((*p)[1], "value of a point", 1, INT64_MAX));
  }
  if (j.is_object() && j.contains("serves")) {
    v.hasServes = true;
    v.servesText = text(j["serves"], "text");
    if (const json *condition = field(j["serves"], "condition"))
      v.serves = expr(*condition, v.contract.dims.size());
  }
  for (const json *i : list(j, "images", 64)) {
    CodeImage image;
    image.format = static_cast<CodeImage::Format>(oneOf(*i, "format", fields::imageNames));
    const json *bytes = field(*i, "bytes");
    if (bytes && bytes->is_binary()) {
      const auto &b = bytes->get_binary();
      image.bytes.assign(b.begin(), b.end());
    } else {
      fail("a code image is not a byte string");
    }
    v.images.push_back(std::move(image));
  }
  for (const json *e : list(j, "entries", 64))
    v.entries.push_back(entry(*e, v.contract));
  if (v.images.empty() || v.entries.empty())
    fail("a variant holds no code");
  return v;
}

} // namespace

bool decodeBundle(std::string_view bytes, Bundle &bundle, std::string &error) {
  error.clear();
  json outer;
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  if (!parseCbor(data, bytes.size(), outer) || !outer.is_object() || !outer.contains("format") ||
      outer["format"] != fields::formatName) {
    // Every bundle begins alike, so that a cut one is told from a foreign file.
    static const std::string head = encodeBundle({}).substr(0, 1);
    bool cut = bytes.size() >= 8 && bytes.substr(0, 1) == head &&
               bytes.find(std::string_view(fields::formatName)) != std::string_view::npos;
    error = bytes.empty() ? "the bundle is empty"
            : cut         ? "the bundle is truncated or corrupt"
                          : "not a Phobos bundle";
    return false;
  }
  Reader r(error);
  int64_t version = r.integer(outer, "version", 1, INT64_MAX);
  if (!r.ok())
    return false;
  if (version > Bundle::kVersion) {
    error = "the bundle has format version " + std::to_string(version) + ", this runtime reads up to " +
            std::to_string(Bundle::kVersion) + "; use a newer runtime";
    return false;
  }
  const json *payload = r.field(outer, "payload");
  int64_t crc = r.integer(outer, "crc32", 0, 0xffffffff);
  if (!r.ok() || !payload || !payload->is_binary()) {
    r.fail("the payload is not a byte string");
    return false;
  }
  const auto &inner = payload->get_binary();
  if (inner.size() > UINT32_MAX ||
      static_cast<int64_t>(crc32(0, inner.data(), static_cast<uInt>(inner.size()))) != crc) {
    error = "corrupt bundle: the checksum does not match";
    return false;
  }
  json body;
  if (!parseCbor(inner.data(), inner.size(), body) || !body.is_object()) {
    error = "corrupt bundle: the payload cannot be read";
    return false;
  }
  Bundle out;
  out.compilerBuild = r.text(body, "compilerBuild");
  out.sourceHash = r.text(body, "sourceHash");
  for (const json *v : r.list(body, "variants", 65536))
    out.variants.push_back(r.variant(*v));
  if (!r.ok())
    return false;
  bundle = std::move(out);
  return true;
}

std::string tooLargeForBundle() {
  return "larger than the " + std::to_string(kMaxBundleBytes) + " bytes that a bundle may have";
}

bool readBundle(const std::string &path, Bundle &bundle, std::string &error) {
  std::optional<ReadFile> file = readFile(path, kMaxBundleBytes, error);
  if (!file) {
    error = path + ": cannot be read: " + error;
    return false;
  }
  if (file->isCut)
    error = tooLargeForBundle();
  else if (decodeBundle(file->bytes, bundle, error))
    return true;
  error = path + ": " + error;
  return false;
}

bool writeBundle(const std::string &path, const Bundle &bundle, std::string &error) {
  if (writeFileWhole(path, encodeBundle(bundle), error))
    return true;
  error = path + ": cannot be written: " + error;
  return false;
}

} // namespace phobos
