#include "compiler/sema/Space.h"
#include "compiler/support/Printable.h"
#include "compiler/support/Suggest.h"
#include <algorithm>
#include <unordered_map>

namespace phobos::sema {

namespace {

constexpr int64_t kMaxChoice = 2147483647;
constexpr double kMaxPoints = 1099511627776.0; // 2^40

class SpaceBuilder {
public:
  SpaceBuilder(const ast::Kernel &kernel, Diagnostics &diags) : kernel_(kernel), diags_(diags) {}

  Space run() {
    for (const ast::Attribute &a : kernel_.attributes)
      if (a.name.text == "autotune")
        autotune(a);
    for (const ast::Attribute &a : kernel_.attributes)
      if (a.name.text == "require")
        require(a);
    return std::move(space_);
  }

private:
  void autotune(const ast::Attribute &a) {
    for (const ast::Attribute::Arg &arg : a.args)
      diags_.report(diag::ExpectedChoices, arg.range);
    for (const ast::Attribute::Choice &c : a.choices)
      choice(c);
  }

  void choice(const ast::Attribute::Choice &c) {
    if (const Dimension *first = space_.find(c.name.text)) {
      diags_.report(diag::AutotuneNameTwice, c.range, c.name.text).note(first->range, "first declared here");
      return;
    }
    for (const ast::Param &p : kernel_.params)
      if (p.name.text == c.name.text) {
        diags_.report(diag::AutotuneNameIsParameter, c.range, c.name.text)
            .note(p.name.range, "the parameter is declared here");
        return;
      }
    Dimension d{c.name.text, {}, true, c.range};
    if (c.values.empty())
      diags_.report(diag::EmptyChoices, c.range, c.name.text)
          .help("write '" + c.name.text + " in [32, 128]' for 32, 64, 128");
    else
      choices(c, d.choices);
    bool known = d.isSound = !d.choices.empty();
    if (!known)
      d.choices = {1}; // declared all the same: what uses the name is not at fault
    space_.dimensions.push_back(std::move(d));
    if (known && !tooLarge_ && space_.rawSize() > kMaxPoints) {
      tooLarge_ = true;
      diags_.report(diag::SpaceTooLarge, c.range, "2^40");
    }
  }

  /// One value as written; nullopt after an error.
  std::optional<int64_t> value(ast::ExprP e) {
    bool overflows =
        e->kind == ast::Expr::Kind::Int && (e->intOverflow || e->intValue > uint64_t(kMaxChoice));
    if (overflows) {
      diags_.report(diag::ChoiceTooLarge, e->range, shortened(e->name, 40), kMaxChoice);
      return std::nullopt;
    }
    auto v = evaluateConstant(e, [](std::string_view) { return std::nullopt; });
    if (e->kind == ast::Expr::Kind::Broken)
      return std::nullopt;
    if (!v)
      diags_.report(diag::ChoiceNotInteger, e->range, ast::str(e));
    else if (*v < 1)
      diags_.report(diag::ChoiceTooSmall, e->range, *v);
    else if (*v > kMaxChoice)
      diags_.report(diag::ChoiceTooLarge, e->range, *v, kMaxChoice);
    else
      return v;
    return std::nullopt;
  }

  /// The table of spec/shape-environment.md; `out` stays empty after an error.
  void choices(const ast::Attribute::Choice &c, std::vector<int64_t> &out) {
    std::vector<int64_t> values;
    for (ast::ExprP e : c.values)
      if (auto v = value(e))
        values.push_back(*v);
    if (values.size() != c.values.size())
      return;
    if (values.size() == 2 && values[0] <= values[1]) {
      for (int64_t v = values[0]; v < values[1]; v *= 2)
        out.push_back(v);
      out.push_back(values[1]);
      return;
    }
    std::unordered_map<int64_t, size_t> firstPlaces;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto [first, isNew] = firstPlaces.try_emplace(values[i], i);
      if (isNew)
        continue;
      diags_.report(diag::DuplicateChoice, c.values[i]->range, values[i], c.name.text)
          .note(c.values[first->second]->range, "it is first listed here");
      return;
    }
    if (values.size() == 2)
      diags_.report(diag::DescendingChoices, c.listRange, values[0], values[1])
          .help("write '[" + std::to_string(values[1]) + ", " + std::to_string(values[0]) +
                "]' for the values between them");
    out = std::move(values);
  }

  void require(const ast::Attribute &a) {
    bool shaped = a.choices.empty() && (a.args.size() == 1 || a.args.size() == 2) && a.args[0].value &&
                  !a.args[0].name && (a.args.size() == 1 || a.args[1].text);
    if (!shaped) {
      diags_.report(diag::RequireArguments, a.range).help("write '@require(condition, \"reason\")'");
      return;
    }
    Constraint c;
    c.expr = a.args[0].value;
    c.text = ast::str(c.expr);
    c.range = a.args[0].range;
    c.reason = a.args.size() == 2 ? *a.args[1].text : "";
    if (collect(*c.expr, c) && isCondition(*c.expr))
      space_.constraints.push_back(std::move(c));
  }

  /// Whether a constant expression is a bool; reports it where it is not.
  bool isCondition(const ast::Expr &e) {
    if (isBool(e))
      return true;
    diags_.report(diag::ConditionNotBool, e.range, "an integer")
        .help("compare it: " + ast::str(&e) + " != 0");
    return false;
  }

  static bool isBool(const ast::Expr &e) {
    using B = ast::BinaryOp;
    switch (e.kind) {
    case ast::Expr::Kind::Bool:
      return true;
    case ast::Expr::Kind::Unary:
      return e.unaryOp == ast::UnaryOp::Not;
    case ast::Expr::Kind::Binary:
      if (e.binaryOp == B::And || e.binaryOp == B::Or || e.binaryOp == B::Xor)
        return isBool(*e.args[0]);
      return e.binaryOp >= B::Eq;
    case ast::Expr::Kind::Conditional:
      return isBool(*e.args[0]);
    default:
      return false;
    }
  }

  /// Sorts the names of a condition into declared and runtime ones; false after an error.
  bool collect(const ast::Expr &e, Constraint &c) {
    using K = ast::Expr::Kind;
    switch (e.kind) {
    case K::Int:
      if (e.intOverflow || e.intValue > uint64_t(INT64_MAX))
        break;
      return true;
    case K::Bool:
      return true;
    case K::Name:
      return collectName(e, c);
    case K::Call: {
      static const std::vector<std::string> callable = {"cdiv", "max", "min", "tmax", "tmin", "abs"};
      size_t count = e.name == "abs" ? 1 : 2;
      if (std::find(callable.begin(), callable.end(), e.name) == callable.end() || e.args.size() != count ||
          !e.keywords.empty())
        break;
      [[fallthrough]];
    }
    case K::Unary:
    case K::Binary:
    case K::Conditional: {
      bool ok = true;
      for (ast::ExprP a : e.args)
        ok &= collect(*a, c);
      return ok;
    }
    case K::Broken:
      return false; // reported where it was read
    default:
      break;
    }
    diags_.report(diag::RequireUnsupported, e.range, ast::str(&e));
    return false;
  }

  bool collectName(const ast::Expr &e, Constraint &c) {
    auto add = [&](std::vector<std::string> &list) {
      if (std::find(list.begin(), list.end(), e.name) == list.end())
        list.push_back(e.name);
      return true;
    };
    std::vector<std::string> runtime = runtimeDimensions();
    if (space_.find(e.name) ||
        (isGemmName(e.name) && std::find(runtime.begin(), runtime.end(), e.name) == runtime.end()))
      return add(c.names);
    if (std::find(runtime.begin(), runtime.end(), e.name) != runtime.end())
      return add(c.runtimeNames);
    for (const Dimension &d : space_.dimensions)
      runtime.push_back(d.name);
    if (kernel_.hasBrokenAttribute || kernel_.hasBrokenSignature)
      return false; // it may be declared there
    auto report = diags_.report(diag::RequireUnknownName, e.range, e.name);
    if (auto near = nearest(e.name, runtime))
      report.help("did you mean '" + *near + "'?");
    return false;
  }

  /// Names in the extents of the tensors that @autotune does not declare.
  std::vector<std::string> runtimeDimensions() const {
    std::vector<std::string> out;
    for (const ast::Param &p : kernel_.params)
      for (ast::ExprP d : p.type.dims)
        if (d->kind == ast::Expr::Kind::Name && !space_.find(d->name) &&
            std::find(out.begin(), out.end(), d->name) == out.end())
          out.push_back(d->name);
    return out;
  }

  const ast::Kernel &kernel_;
  Diagnostics &diags_;
  Space space_;
  bool tooLarge_ = false;
};

} // namespace

std::string declaredNames(const Space &space) {
  std::string out;
  for (const Dimension &d : space.dimensions)
    out += (out.empty() ? "" : ", ") + d.name;
  return out.empty() ? "none" : out;
}

const Dimension *Space::find(std::string_view name) const {
  for (const Dimension &d : dimensions)
    if (d.name == name)
      return &d;
  return nullptr;
}

Point Space::firstPoint() const {
  Point p;
  for (const Dimension &d : dimensions)
    if (d.isSound)
      p.set(d.name, d.choices.front());
  return p;
}

double Space::rawSize() const {
  double n = 1;
  for (const Dimension &d : dimensions)
    n *= static_cast<double>(d.choices.size());
  return n;
}

const std::vector<std::string> &gemmNames() {
  static const std::vector<std::string> names = {"TILE_M",     "TILE_N",  "TILE_K",    "WARP_M",   "WARP_N",
                                                 "WARP_NITER", "TILE_TM", "TILE_TN",   "THREADS",  "STAGES",
                                                 "GROUP_M",    "SPLIT_K", "CLUSTER_M", "CLUSTER_N"};
  return names;
}

bool isGemmName(std::string_view name) {
  return std::find(gemmNames().begin(), gemmNames().end(), name) != gemmNames().end();
}

Space buildSpace(const ast::Kernel &kernel, Diagnostics &diags) { return SpaceBuilder(kernel, diags).run(); }

const Constraint *firstViolated(const Space &space, const Point &point, const Point &runtimeDims) {
  auto lookup = [&](std::string_view name) {
    auto v = point.get(name);
    return v ? v : runtimeDims.get(name);
  };
  for (const Constraint &c : space.constraints) {
    auto v = evaluateConstant(c.expr, lookup);
    if (v && !*v)
      return &c;
  }
  return nullptr;
}

bool completePoint(const Space &space, const Point &overrides, Point &point, Diagnostics &diags) {
  Point result = space.firstPoint();
  bool ok = true;
  for (const auto &[name, value] : overrides.entries()) {
    if (!space.find(name) && !isGemmName(name)) {
      std::vector<std::string> candidates;
      for (const Dimension &d : space.dimensions)
        candidates.push_back(d.name);
      candidates.insert(candidates.end(), gemmNames().begin(), gemmNames().end());
      auto report = diags.report(diag::OverrideUndeclared, {}, name, declaredNames(space));
      if (auto near = nearest(name, candidates))
        report.help("did you mean '" + *near + "'?");
      ok = false;
    } else if (value < 1 || value > kMaxChoice) {
      diags.report(diag::OverrideOutOfRange, {}, name, value, kMaxChoice);
      ok = false;
    } else {
      result.set(name, value);
    }
  }
  if (ok)
    point = std::move(result);
  return ok;
}

} // namespace phobos::sema
