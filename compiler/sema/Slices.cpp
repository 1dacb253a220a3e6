// Slices of tensors (a load) and of tiles: points, `s : e`, `s :+ n`, `:`.
#include "compiler/sema/Checker.h"
#include "compiler/support/ForeignWords.h"
#include <algorithm>

namespace phobos::sema {

using SubKind = ast::Subscript::Kind;

/// The tensor that an index expression is taken of, or null where its base is something else.
const Entity *Checker::tensorBase(const ast::Expr &index) {
  if (index.kind != ast::Expr::Kind::Index || index.args[0]->kind != ast::Expr::Kind::Name)
    return nullptr;
  const Entity *entity = lookup(index.args[0]->name);
  return entity && entity->kind == Entity::Kind::Tensor ? entity : nullptr;
}

Type Checker::partType(ScalarType elem, const std::vector<int64_t> &shape) {
  return shape.empty() ? Type::scalar(elem) : Type::tile(elem, shape);
}

Value Checker::checkIndex(const ast::Expr &e) {
  if (const Entity *tensor = tensorBase(e)) {
    std::vector<Subscript> subs;
    std::vector<int64_t> shape;
    ParamId param = tensor->param;
    if (!tensorSubscripts(e, param, subs, shape))
      return Value::error();
    return load(param, std::move(subs), shape, nullptr, e.range);
  }
  Expr *base = checkTyped(e.args[0]);
  if (!base)
    return Value::error();
  if (!base->type.isTile()) {
    report(diag::NotIndexable, e.range, "a scalar of type " + str(base->type));
    return Value::error();
  }
  auto part = tilePart(e, base->type);
  if (!part)
    return Value::error();
  Expr *n = node(Op::TileSlice, partType(base->type.elem, part->shape), e.range, {base});
  n->offsets = part->offsets;
  n->lengths = part->lengths;
  n->dropped = part->dropped;
  return Value::typed(n);
}

Value Checker::load(ParamId tensor, std::vector<Subscript> subs, const std::vector<int64_t> &shape,
                    Expr *fill, SourceRange range) {
  Param &p = out_->params[tensor];
  p.isRead = true;
  Expr *n = node(Op::Load, partType(p.elem, shape), range);
  n->param = tensor;
  n->subscripts = std::move(subs);
  if (fill)
    n->args.push_back(fill);
  return Value::typed(n);
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

/// Python's new axis: `t[:, None]`.
static bool holdsNone(const ast::Expr &e) {
  return std::any_of(e.subscripts.begin(), e.subscripts.end(), [](const ast::Subscript &s) {
    return s.kind == ast::Subscript::Kind::Point && s.first && s.first->kind == ast::Expr::Kind::Name &&
           s.first->name == "None";
  });
}

/// One subscript an axis; `shape` are the lengths of the axes that stay. Every axis is judged, so that
/// several errors show.
bool Checker::tensorSubscripts(const ast::Expr &e, ParamId tensor, std::vector<Subscript> &subs,
                               std::vector<int64_t> &shape) {
  std::string name = out_->params[tensor].name;
  std::vector<Extent> extents = out_->params[tensor].extents;
  if (e.subscripts.size() != extents.size()) {
    auto b = report(diag::RankMismatch, e.range, name, extents.size(), e.subscripts.size(),
                    plural(e.subscripts.size()));
    b.note(out_->params[tensor].range, "declared here");
    if (holdsNone(e))
      b.help(foreignValue("None"));
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < extents.size(); ++i) {
    auto sub = tensorSubscript(e.subscripts[i], extents[i]);
    ok &= sub.has_value();
    if (!sub)
      continue;
    judgePlace(*sub, tensor, i);
    if (!sub->isPoint)
      shape.push_back(sub->length);
    subs.push_back(*sub);
  }
  if (!ok)
    return false;
  if (shape.size() > 2) {
    report(diag::SliceRank, e.range, shape.size())
        .help("give points for the outer axes, as in " + name + "[b, h, i :+ R, :]");
    return false;
  }
  return shape.empty() || checkTileSize(Type::tile(out_->params[tensor].elem, shape), e.range);
}

/// Notes a constant place that is outside whatever the tensor holds, and slices that reach over an edge.
void Checker::judgePlace(const Subscript &sub, ParamId tensor, size_t axis) {
  auto start = options_.warnings && !dead_ ? constant(sub.start) : std::nullopt;
  if (!start)
    return;
  const Extent &e = out_->params[tensor].extents[axis];
  bool isBelow = *start < 0 && *start <= -sub.length, isAbove = e.fixed && *start >= *e.fixed;
  if (*start < 0 && !isBelow)
    reached_.insert({tensor, axis, true});
  if (e.fixed && !isAbove && sub.length > *e.fixed - *start)
    reached_.insert({tensor, axis, false});
  if (!isBelow && !isAbove)
    return;
  Outside &o = outside_.emplace_back(Outside{{tensor, axis, isBelow}, sub, *start, {}});
  for (size_t i = frames_.size(); i-- > 1;)
    o.calls.push_back(frames_[i].call);
}

/// A place beyond an edge is a mistake, unless slices of the kernel reach over that edge: then it is used to
/// the zeros there.
void Checker::warnOutside() {
  for (const Outside &o : outside_) {
    if (reached_.count(o.edge))
      continue;
    const auto &[tensor, axis, isBelow] = o.edge;
    const Param &p = out_->params[tensor];
    const Extent &e = p.extents[axis];
    std::string start = std::to_string(o.start), which = "axis " + std::to_string(axis);
    std::string what = o.place.isPoint ? "the subscript " + start
                                       : "the slice " + start + " :+ " + std::to_string(o.place.length);
    auto b =
        report(diag::AlwaysOutside, o.place.range, what, p.name,
               isBelow ? which + " counts from 0" : which + " has the extent " + std::to_string(*e.fixed));
    for (size_t i = 0; i < std::min<size_t>(o.calls.size(), 3); ++i)
      b.note(o.calls[i], "in this call");
    if (isBelow && !e.fixed && o.start > -1024)
      b.help("nothing counts from the end: write '" + out_->dims[e.dim] + " - " + std::to_string(-o.start) +
             "'");
    else if (isBelow && e.fixed && o.start + *e.fixed >= 0)
      b.help("nothing counts from the end: write '" + std::to_string(o.start + *e.fixed) + "'");
  }
}

std::optional<Subscript> Checker::tensorSubscript(const ast::Subscript &s, const Extent &extentOfAxis) {
  Subscript sub;
  sub.range = s.range;
  sub.isPoint = s.kind == SubKind::Point;
  Expr *start =
      s.first ? toIndex(check(s.first), s.kind == SubKind::Point ? "a subscript" : "the start of a slice")
              : intNode(0, ScalarType::Index, s.range);
  if (s.kind == SubKind::Point) {
    sub.start = start;
    return start ? std::optional(sub) : std::nullopt;
  }
  std::optional<int64_t> length;
  if (s.kind == SubKind::Length) {
    length = extent(s.second, diag::LengthNotConstant);
  } else if (s.second) {
    Expr *end = toIndex(check(s.second), "the end of a slice");
    length = start && end ? sliceLength(s, start, end) : std::nullopt;
  } else { // up to the end of the axis
    auto from = start ? constant(start) : std::nullopt;
    if (start && extentOfAxis.fixed && from) {
      length = *extentOfAxis.fixed - *from;
      if (*length < 1) {
        report(diag::EmptySlice, s.range, *length);
        return std::nullopt;
      }
    } else if (start) {
      std::string first = s.first ? ast::str(s.first) : "0";
      report(diag::OpenEndedSlice, s.range).help("give its length: " + first + " :+ n with a constant n");
    }
  }
  if (!start || !length)
    return std::nullopt;
  sub.start = start;
  sub.length = *length;
  return sub;
}

/// The constant length of `s : e`.
std::optional<int64_t> Checker::sliceLength(const ast::Subscript &s, Expr *start, Expr *end) {
  auto length = constantDifference(end, start);
  if (!length) {
    report(diag::LengthNotConstant, s.range)
        .help("the shape of a tile is constant; write `start :+ length` with a constant length");
    return std::nullopt;
  }
  if (*length < 1) {
    report(diag::EmptySlice, s.range, *length).help("a slice `start : end` runs from start up to end - 1");
    return std::nullopt;
  }
  return length;
}

std::optional<Checker::TilePart> Checker::tilePart(const ast::Expr &e, const Type &tile) {
  if (e.subscripts.size() != tile.shape.size()) {
    auto b = report(diag::RankMismatch, e.range, ast::str(e.args[0]), tile.rank(), e.subscripts.size(),
                    plural(e.subscripts.size()));
    if (holdsNone(e))
      b.help(foreignValue("None"));
    return std::nullopt;
  }
  TilePart part;
  bool ok = true;
  for (size_t i = 0; i < tile.shape.size(); ++i)
    ok &= tileAxis(e.subscripts[i], tile.shape[i], part);
  return ok ? std::optional(std::move(part)) : std::nullopt;
}

/// An axis of a tile: constants inside it.
bool Checker::tileAxis(const ast::Subscript &s, int64_t extentOfAxis, TilePart &part) {
  auto bound = [&](ast::ExprP e) -> std::optional<int64_t> {
    Expr *n = toIndex(check(e), "a subscript");
    if (!n)
      return std::nullopt;
    auto value = constant(n);
    if (!value)
      report(diag::TileBoundNotConstant, e->range, "'" + ast::str(e) + "'")
          .help("slice a tensor at runtime places, or use where() on a tile");
    return value;
  };
  std::optional<int64_t> from = s.first ? bound(s.first) : std::optional<int64_t>(0);
  std::optional<int64_t> length = 1;
  if (s.kind == SubKind::Length) {
    length = extent(s.second, diag::LengthNotConstant);
  } else if (s.kind != SubKind::Point) {
    std::optional<int64_t> to = s.second ? bound(s.second) : std::optional(extentOfAxis);
    length = from && to ? std::optional(*to - *from) : std::nullopt;
    if (length && *length < 1) {
      report(diag::EmptySlice, s.range, *length);
      return false;
    }
  }
  if (!from || !length)
    return false;
  bool isPoint = s.kind == SubKind::Point;
  if (*from < 0 || *from >= extentOfAxis || *length > extentOfAxis - *from) {
    std::string shown = std::to_string(*from) + (isPoint ? "" : " :+ " + std::to_string(*length));
    report(diag::OutsideTile, s.range, shown, extentOfAxis);
    return false;
  }
  part.offsets.push_back(*from);
  part.lengths.push_back(*length);
  part.dropped.push_back(isPoint);
  if (!isPoint)
    part.shape.push_back(*length);
  return true;
}

} // namespace phobos::sema
