// The attributes of a kernel, except @autotune, which Space.h reads.
#include "compiler/sema/Checker.h"
#include "compiler/support/Suggest.h"
#include <algorithm>
#include <set>

namespace phobos::sema {

/// The count of threads next to `threads` that a block may have.
static int64_t nearestWarps(int64_t threads) {
  return std::clamp<int64_t>((std::clamp<int64_t>(threads, 0, limits::kThreads) + 16) / 32 * 32, 32,
                             limits::kThreads);
}

void Checker::checkAttributes() {
  std::set<std::string_view> seen;
  for (const ast::Attribute &a : kernel_.attributes) {
    const std::string &n = a.name.text;
    if (n == "autotune")
      continue;
    bool repeats = n == "require" || n == "aligned";
    bool isKnown =
        repeats || n == "launch" || n == "tensorcore" || n == "pipeline" || n == "persistent" || n == "grid";
    if (isKnown && !repeats && !seen.insert(n).second) {
      report(diag::AttributeTwice, a.range, n);
      continue;
    }
    if (n == "launch")
      checkLaunch(a);
    else if (n == "require")
      checkRequire(a);
    else if (n == "aligned")
      checkAligned(a);
    else if (n == "tensorcore")
      checkTensorcore(a);
    else if (n == "pipeline")
      checkPipeline(a);
    else if (n == "grid")
      checkGrid(a);
    else if (n == "persistent" && a.args.empty())
      out_->persistent = true;
    else if (n == "persistent")
      report(diag::AttributeArguments, a.range, n, "no arguments");
    else if (options_.warnings) {
      auto warning = report(diag::UnknownAttribute, a.range, n);
      if (auto near = nearest(n, {"autotune", "require", "aligned", "launch", "tensorcore", "pipeline",
                                  "persistent", "grid"}))
        warning.help("did you mean '@" + *near + "'?");
    }
  }
  auto threads = point_.get("THREADS");
  if (threads && !out_->threads && !seen.count("launch")) {
    if (*threads % 32 != 0 || *threads > limits::kThreads)
      report(diag::IllegalPoint, kernel_.signature, "threads-are-warps",
             "THREADS = " + std::to_string(*threads) + " is not a multiple of 32 up to " +
                 std::to_string(limits::kThreads))
          .help("the nearest is " + std::to_string(nearestWarps(*threads)));
    else
      out_->threads = threads;
  }
  if (auto stages = point_.get("STAGES"); stages && !out_->stages)
    out_->stages = stages;
}

/// The constant in an argument; null (reported) where it is none or out of range.
std::optional<int64_t> Checker::attributeConstant(const ast::Attribute &a, ast::ExprP e, int64_t least,
                                                  int64_t most) {
  if (!e) {
    report(diag::AttributeArguments, a.range, a.name.text, "numbers");
    return std::nullopt;
  }
  Expr *n = toIndex(check(e), "the argument of @" + a.name.text);
  if (!n)
    return std::nullopt;
  auto value = constant(n);
  if (!value) {
    report(diag::AttributeNotConstant, e->range, a.name.text)
        .help("use a number or a name declared by @autotune");
    return std::nullopt;
  }
  if (*value < least || *value > most) {
    report(diag::AttributeOutOfRange, e->range, a.name.text, least, most, *value);
    return std::nullopt;
  }
  return value;
}

void Checker::checkLaunch(const ast::Attribute &a) {
  bool named = std::any_of(a.args.begin(), a.args.end(),
                           [](const ast::Attribute::Arg &x) { return x.name || !x.value; });
  if (a.args.empty() || a.args.size() > 3 || named) {
    report(diag::AttributeArguments, a.range, "launch",
           "the threads of a block, then at most a least number of blocks and a most of registers");
    return;
  }
  ast::ExprP first = a.args[0].value;
  auto threads = attributeConstant(a, first, INT64_MIN, INT64_MAX);
  if (threads && (*threads < 32 || *threads > limits::kThreads || *threads % 32 != 0)) {
    if (first->kind == ast::Expr::Kind::Int || first->kind == ast::Expr::Kind::Unary)
      report(diag::ThreadsNotWarps, first->range, *threads);
    else // the fault of this point, not of the file
      report(diag::IllegalPoint, first->range, "threads-are-warps",
             ast::str(first) + " = " + std::to_string(*threads) + " is not a multiple of 32 up to " +
                 std::to_string(limits::kThreads))
          .help("the nearest is " + std::to_string(nearestWarps(*threads)));
    threads.reset();
  }
  auto declared = point_.get("THREADS");
  if (threads && declared && *declared != *threads) {
    report(diag::ThreadsConflict, a.range, *declared, *threads).help("write @launch(THREADS)");
    return;
  }
  out_->threads = threads;
  if (a.args.size() > 1)
    out_->minBlocks = attributeConstant(a, a.args[1].value, 1, 32);
  if (a.args.size() > 2)
    out_->maxRegisters = attributeConstant(a, a.args[2].value, 16, 255);
}

/// Numbers, dimensions and arithmetic: what the host can evaluate at a launch.
static bool isOverDimensions(ExprP e) {
  if (!e->type.isScalar())
    return false;
  switch (e->op) {
  case Op::Var:
  case Op::Param:
  case Op::BlockId:
  case Op::GridDim:
  case Op::ThreadId:
  case Op::WarpId:
  case Op::LaneId:
  case Op::Load:
  case Op::Atomic:
  case Op::Rand:
  case Op::Call:
    return false;
  default:
    return std::all_of(e->args.begin(), e->args.end(), isOverDimensions);
  }
}

/// `T = 8, U = 1`: what the point says of the names in an expression, in the point's order.
static std::string valuesIn(ast::ExprP e, const Point &point) {
  std::set<std::string_view> names;
  auto visit = [&](auto &&self, ast::ExprP x) -> void {
    if (!x)
      return;
    if (x->kind == ast::Expr::Kind::Name)
      names.insert(x->name);
    for (ast::ExprP a : x->args)
      self(self, a);
  };
  visit(visit, e);
  std::string text;
  for (const auto &[name, value] : point.entries())
    if (names.count(name))
      text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

void Checker::checkRequire(const ast::Attribute &a) {
  ast::ExprP written = a.args.empty() ? nullptr : a.args[0].value;
  const std::vector<Constraint> &sound = space_.constraints;
  if (std::none_of(sound.begin(), sound.end(), [&](const Constraint &c) { return c.expr == written; })) {
    failed_ = true;
    return; // reported where the space is built
  }
  Expr *condition = checkCondition(written);
  if (!condition)
    return;
  std::string reason = a.args.size() > 1 && a.args[1].text ? *a.args[1].text : "";
  if (auto known = constant(condition)) {
    const std::string values = valuesIn(written, point_);
    if (!*known)
      report(diag::IllegalPoint, a.range, ast::str(written),
             (!reason.empty() ? reason : "does not hold") + (values.empty() ? "" : " (" + values + ")"));
    return;
  }
  if (!isOverDimensions(condition)) {
    report(diag::AttributeNotConstant, written->range, "require")
        .help("it may use numbers, names declared by @autotune and dimensions");
    return;
  }
  out_->requires_.push_back({condition, reason, ast::str(written), valuesIn(written, point_), a.range});
}

void Checker::checkAligned(const ast::Attribute &a) {
  if (a.args.empty())
    report(diag::AttributeArguments, a.range, "aligned",
           "dimensions with what they are multiples of, as in M = TILE_M");
  for (const ast::Attribute::Arg &arg : a.args) {
    if (!arg.name || !arg.value) {
      report(diag::AttributeArguments, arg.range, "aligned",
             "dimensions with what they are multiples of, as in M = TILE_M");
      continue;
    }
    const Entity *entity = lookup(arg.name->text);
    bool isDimension =
        entity && (entity->kind == Entity::Kind::Dim || entity->kind == Entity::Kind::Constant);
    if (!isDimension) {
      if (!entity || entity->kind != Entity::Kind::Poison)
        report(diag::NotADimension, arg.name->range, arg.name->text);
      continue;
    }
    Entity dimension = *entity;
    auto multiple = attributeConstant(a, arg.value, 1, INT32_MAX);
    if (!multiple)
      continue;
    if (dimension.kind == Entity::Kind::Dim)
      out_->aligned.push_back({dimension.dim, *multiple});
    else if (dimension.value % *multiple != 0)
      report(diag::IllegalPoint, arg.range, "aligned",
             arg.name->text + " = " + std::to_string(dimension.value) + " is not a multiple of " +
                 std::to_string(*multiple));
  }
}

void Checker::checkTensorcore(const ast::Attribute &a) {
  if (a.args.size() > 1) {
    report(diag::AttributeArguments, a.range, "tensorcore", "one type: f16, bf16 or tf32");
    return;
  }
  if (a.args.empty()) {
    out_->tensorcore = ScalarType::F16;
    return;
  }
  const ast::Attribute::Arg &arg = a.args[0];
  std::string t = arg.value && !arg.name && arg.value->kind == ast::Expr::Kind::Name ? arg.value->name : "";
  if (t == "f16" || t == "bf16")
    out_->tensorcore = scalarTypeNamed(t);
  else if (t == "tf32")
    out_->tensorcore = ScalarType::F32;
  else
    report(diag::BadTensorcoreType, arg.range, t.empty() ? "this" : t);
}

void Checker::checkPipeline(const ast::Attribute &a) {
  out_->pipelined = true;
  if (a.args.empty())
    return;
  if (a.args.size() > 1 || a.args[0].name) {
    report(diag::AttributeArguments, a.range, "pipeline", "one number of stages");
    return;
  }
  auto stages = attributeConstant(a, a.args[0].value, 1, 64);
  auto declared = point_.get("STAGES");
  if (stages && declared && *declared != *stages)
    report(diag::StagesConflict, a.range, *declared, *stages).help("write @pipeline(STAGES)");
  else
    out_->stages = stages;
}

/// 0 whatever the dimensions are; x / 0 is 0 in this language.
static bool isZero(ExprP e) {
  switch (e->op) {
  case Op::Int:
    return e->intValue == 0;
  case Op::Convert:
    return isZero(e->args[0]);
  case Op::Div:
  case Op::CDiv:
  case Op::Mul:
    return isZero(e->args[0]) || isZero(e->args[1]);
  default:
    return false;
  }
}

/// @grid(host), or axes by name. An axis that is left out is 1.
void Checker::checkGrid(const ast::Attribute &a) {
  static constexpr std::string_view kForm = "host, or axes, as in x = cdiv(M, TILE_M)";
  bool host = a.args.size() == 1 && !a.args[0].name && a.args[0].value &&
              a.args[0].value->kind == ast::Expr::Kind::Name && a.args[0].value->name == "host";
  if (host) {
    out_->grid.fromHost = true;
    return;
  }
  if (a.args.empty())
    report(diag::AttributeArguments, a.range, "grid", kForm);
  for (const ast::Attribute::Arg &arg : a.args) {
    size_t axis = arg.name && arg.name->text.size() == 1 ? std::string_view("xyz").find(arg.name->text)
                                                         : std::string_view::npos;
    if (axis == std::string_view::npos || !arg.value) {
      report(diag::AttributeArguments, arg.range, "grid", kForm);
      continue;
    }
    if (out_->grid.axes[axis])
      report(diag::ArgumentTwice, arg.name->range, arg.name->text);
    Expr *extent = toIndex(check(arg.value), "the extent of a grid");
    if (extent && isZero(extent) && options_.warnings)
      report(diag::EmptyGrid, arg.range, arg.name->text);
    if (extent && !isOverDimensions(extent))
      report(diag::AttributeNotConstant, arg.value->range, "grid")
          .help("it may use numbers, names declared by @autotune and dimensions");
    else if (auto n = extent ? constant(extent) : std::nullopt; n && (*n < 0 || *n > INT32_MAX))
      report(diag::AttributeOutOfRange, arg.value->range, "grid", 0, INT32_MAX, *n);
    else
      out_->grid.axes[axis] = extent;
  }
  for (ExprP &axis : out_->grid.axes)
    if (!axis)
      axis = intNode(1, ScalarType::Index, a.range);
}

} // namespace phobos::sema
