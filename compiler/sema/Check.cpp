// The entry: names of the kernel, its attributes, its body, then the analyses over the finished tree.
#include "compiler/sema/Check.h"
#include "compiler/sema/Checker.h"
#include "compiler/sema/FillMarks.h"
#include "compiler/sema/Grid.h"
#include "compiler/sema/Uniformity.h"
#include "compiler/sema/Unused.h"

namespace phobos::sema {

/// Made again: a check takes a point, and the errors of the space are told once.
static Space quietSpace(const ast::Kernel &kernel) {
  Diagnostics unheard;
  return buildSpace(kernel, unheard);
}

Checker::Checker(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                 const Point &point, Diagnostics &diags, const CheckOptions &options)
    : file_(file), kernel_(kernel), stdlib_(stdlib), point_(point), diags_(diags), options_(options),
      space_(quietSpace(kernel)) {}

/// Parameters, dimension names and @autotune names share one space. Parameters come first, so that a
/// dimension that has the name of one is known to clash wherever it stands.
void Checker::declareNames() {
  for (const ast::Attribute &a : kernel_.attributes)
    if (a.name.text == "autotune")
      for (const ast::Attribute::Choice &c : a.choices) {
        Entity entity;
        entity.range = c.name.range;
        auto value = point_.get(c.name.text);
        entity.kind = value ? Entity::Kind::Constant : Entity::Kind::Poison;
        entity.value = value.value_or(0);
        failed_ |= !value;                               // its choices are in error
        scopes_.back().try_emplace(c.name.text, entity); // twice: reported where the space is built
      }
  for (const ast::Attribute &a : kernel_.attributes)
    for (const ast::Attribute::Arg &arg : a.args)
      if (a.name.text == "autotune" && arg.name) // reported where the space is built
        scopes_.back().try_emplace(arg.name->text);
  failed_ |= kernel_.hasBrokenAttribute || kernel_.hasBrokenSignature;
  for (const ast::Name &n : kernel_.lostNames)
    scopes_.back().try_emplace(n.text).first->second.range = n.range;
  for (const ast::Param &p : kernel_.params) {
    Entity entity;
    entity.kind = p.type.kind == ast::TypeExpr::Kind::Tensor ? Entity::Kind::Tensor : Entity::Kind::Scalar;
    entity.param = static_cast<ParamId>(out_->params.size());
    entity.range = p.name.range;
    Param &param = out_->params.emplace_back();
    param.name = p.name.text;
    param.range = p.name.range;
    auto [it, fresh] = scopes_.back().try_emplace(p.name.text, entity);
    if (!fresh && it->second.kind == Entity::Kind::Poison)
      it->second = entity;
    else if (!fresh && it->second.kind != Entity::Kind::Constant)
      report(diag::NameClash, p.name.range, p.name.text, "a parameter")
          .note(it->second.range, "declared here");
  }
  for (size_t i = 0; i < kernel_.params.size(); ++i)
    declareParam(kernel_.params[i], out_->params[i]);
}

void Checker::declareParam(const ast::Param &p, Param &param) {
  auto poison = [&] { scopes_.back()[p.name.text].kind = Entity::Kind::Poison; };
  auto elem = scalarType(p.type.elem);
  if (elem)
    param.elem = *elem;
  if (p.type.kind == ast::TypeExpr::Kind::Tile) {
    report(diag::MisplacedType, p.type.range, "a tile", "a parameter of a kernel")
        .help("pass a tensor and read a slice of it");
    return poison();
  }
  if (p.type.kind == ast::TypeExpr::Kind::Scalar)
    return elem ? void() : poison();
  param.isTensor = true;
  if (p.type.dims.empty())
    return poison(); // reported where it was read
  if (p.type.dims.size() > 5) {
    report(diag::TensorRank, p.type.range, p.type.dims.size());
    return poison();
  }
  bool ok = elem.has_value();
  for (ast::ExprP e : p.type.dims) {
    auto extent = tensorExtent(e);
    ok &= extent.has_value();
    param.extents.push_back(extent.value_or(Extent{}));
  }
  if (!ok)
    poison();
}

/// A number, an @autotune name or a runtime name, which is declared by its first use.
std::optional<Extent> Checker::tensorExtent(ast::ExprP e) {
  if (e->kind != ast::Expr::Kind::Name) {
    auto fixed = extent(e, diag::ExtentNotConstant);
    return fixed ? std::optional(Extent{fixed, 0}) : std::nullopt;
  }
  auto [it, fresh] = scopes_.back().try_emplace(e->name);
  Entity &entity = it->second;
  if (fresh) {
    entity.kind = Entity::Kind::Dim;
    entity.dim = static_cast<DimId>(out_->dims.size());
    entity.range = e->range;
    out_->dims.push_back(e->name);
  }
  switch (entity.kind) {
  case Entity::Kind::Dim:
    return Extent{std::nullopt, entity.dim};
  case Entity::Kind::Constant:
    return Extent{entity.value, 0};
  case Entity::Kind::Poison:
    return std::nullopt;
  default:
    report(diag::NameClash, e->range, e->name, "a parameter")
        .note(entity.range, "the parameter is declared here");
    return std::nullopt;
  }
}

std::unique_ptr<TypedKernel> Checker::run(Soundness &sound) {
  out_->name = kernel_.name.text;
  out_->range = kernel_.signature;
  out_->point = point_;
  scopes_.emplace_back();
  frames_.emplace_back();
  block_ = &out_->body;
  declareNames();
  unsigned before = errorCount();
  checkAttributes();
  sound.attributes = errorCount() == before && !kernel_.hasBrokenAttribute;
  for (const auto &[name, entity] : scopes_.back())
    sound.attributes &= !(entity.kind == Entity::Kind::Poison && space_.find(name));
  out_->body = checkBlock(kernel_.body);
  warnOutside();
  sound.body = !failed_;
  sound.finite = !tooLarge_ && !diags_.isFull();
  return std::move(out_);
}

std::unique_ptr<TypedKernel> check(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                                   const Point &point, Diagnostics &diags, const CheckOptions &options) {
  unsigned before = diags.errorCount();
  Checker::Soundness sound;
  std::unique_ptr<TypedKernel> typed = Checker(file, kernel, stdlib, point, diags, options).run(sound);
  checkOverrides(file, kernel, stdlib, point, quietSpace(kernel), diags);
  if (!sound.finite)
    return nullptr;
  // With errors in the body too: what is left of it says which threads get where, and what is stored.
  inferUniformity(*typed, diags);
  if (sound.attributes)
    inferGrid(*typed, options.gridGiven, diags);
  if (!sound.body || diags.errorCount() != before)
    return nullptr;
  if (options.warnings) {
    warnFillZeros(*typed, diags);
    warnUnusedNames(file, kernel, stdlib, diags);
  }
  return typed;
}

} // namespace phobos::sema
