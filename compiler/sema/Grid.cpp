#include "compiler/sema/Grid.h"
#include "compiler/sema/Linear.h"
#include "compiler/sema/TreeWalk.h"
#include <algorithm>

namespace phobos::sema {

namespace {

constexpr int64_t kMaxPieces = 4096; ///< of one tile: a loop that stores more is not followed

/// Elements [begin, end) behind the block's first one.
struct Piece {
  int64_t begin, end;
  bool operator<(const Piece &o) const { return begin < o.begin; }
};

/// The stores along one axis of one tensor that begin at `c * stride`.
struct Cover {
  ParamId param;
  int axis;
  int64_t stride;
  std::vector<Piece> pieces;
  SourceRange place;
};

struct Coordinate {
  bool used = false;
  SourceRange firstUse, trouble;
  std::vector<Cover> covers;
  std::string why; ///< the first thing that is in the way
};

class GridInference : public TreeWalk {
public:
  explicit GridInference(TypedKernel &kernel) : kernel_(kernel), forms_(kernel) {}

  void run(bool isGivenByHost, Diagnostics &diags) {
    block(kernel_.body);
    bool given = kernel_.grid.fromHost ||
                 std::any_of(kernel_.grid.axes.begin(), kernel_.grid.axes.end(), [](ExprP e) { return e; });
    for (int c = 0; c < 3; ++c)
      kernel_.grid.inferred[static_cast<size_t>(c)] = blocks(c);
    if (!given) {
      kernel_.grid.axes = kernel_.grid.inferred;
      kernel_.grid.fromHost = isGivenByHost && isAnyMissing();
      if (!isGivenByHost)
        complain(diags);
    }
    if (!kernel_.grid.fromHost)
      for (ExprP &e : kernel_.grid.axes)
        e = e ? e : integer(1);
  }

private:
  void onExpr(const Expr &e) override {
    if (e.op != Op::BlockId || coordinates_[e.axis].used)
      return;
    coordinates_[e.axis].used = true;
    coordinates_[e.axis].firstUse = e.range;
  }

  void onStatement(const Stmt &s) override {
    if (s.kind == Stmt::Kind::Store)
      for (size_t i = 0; i < s.subscripts.size(); ++i)
        stored(s, static_cast<int>(i));
  }

  /// One subscript of a store.
  void stored(const Stmt &s, int axis) {
    const Subscript &sub = s.subscripts[static_cast<size_t>(axis)];
    unsigned mask = forms_.coordinates(sub.start);
    if (mask & LinearForms::kUnknown)
      kernel_.lostStores = true;
    if (mask == 0 || (mask & LinearForms::kUnknown))
      return;
    SourceRange place = sub.range.isValid() ? sub.range : s.range;
    Linear start = forms_.of(sub.start);
    int c = mask == 1 ? 0 : mask == 2 ? 1 : mask == 4 ? 2 : -1;
    if (c < 0)
      return blame(mask, "it shares the subscript of a store with another block coordinate", place);
    int64_t stride = start.blockFactor(c);
    if (stride < 1)
      return blame(mask, "a store does not begin at a multiple of it", place);
    std::vector<Piece> pieces;
    if (!spread(start, sub.length, pieces))
      return blame(mask, "a store adds to it what is not known when compiling", place);
    int64_t begin = 0, end = 0;
    for (Piece p : pieces)
      begin = std::min(begin, p.begin), end = std::max(end, p.end);
    if (begin < 0 || end > stride)
      return blame(mask,
                   end - begin > stride ? "the stores of one block reach into the next one's"
                                        : "the stores of a block do not begin at a multiple of it",
                   place);
    for (Cover &k : coordinates_[c].covers)
      if (k.param == s.param && k.axis == axis && k.stride == stride) {
        k.pieces.insert(k.pieces.end(), pieces.begin(), pieces.end());
        if (k.pieces.size() > 4 * kMaxPieces)
          merge(k.pieces);
        return;
      }
    coordinates_[c].covers.push_back({s.param, axis, stride, std::move(pieces), place});
  }

  /// Where the store's elements lie, for every value of the loop counters and the thread in `start`.
  bool spread(const Linear &start, int64_t length, std::vector<Piece> &out) {
    out = {{start.constant, start.constant + length}};
    for (const Linear::Term &t : start.terms) {
      int64_t first = 0, step = 1, count = 0;
      switch (t.symbol) {
      case Linear::Symbol::BlockX:
      case Linear::Symbol::BlockY:
      case Linear::Symbol::BlockZ:
        continue;
      case Linear::Symbol::Thread:
        count = kernel_.threadCount();
        break;
      case Linear::Symbol::Counter: {
        auto r = forms_.counter(t.var);
        if (!r || !r->last)
          return false;
        first = r->lo;
        step = r->step;
        count = (*r->last - first) / step + 1;
        break;
      }
      case Linear::Symbol::Other:
        return false;
      }
      int64_t limit = int64_t(1) << 40;
      bool small =
          std::max(std::abs(first), std::abs(step)) < limit && std::abs(t.factor) < (int64_t(1) << 20);
      if (!small || count < 1 || count > kMaxPieces / static_cast<int64_t>(out.size()))
        return false;
      std::vector<Piece> next;
      for (Piece p : out)
        for (int64_t i = 0; i < count; ++i) {
          int64_t by = t.factor * (first + i * step);
          next.push_back({p.begin + by, p.end + by});
        }
      out = std::move(next);
    }
    return true;
  }

  void blame(unsigned mask, const char *why, SourceRange place) {
    for (int c = 0; c < 3; ++c)
      if ((mask >> c & 1) && coordinates_[c].why.empty()) {
        coordinates_[c].why = why;
        coordinates_[c].trouble = place;
      }
  }

  ExprP integer(int64_t n) {
    Expr &e = kernel_.exprs.emplace_back();
    e.op = Op::Int;
    e.type = Type::scalar(ScalarType::Index);
    e.range = kernel_.range;
    e.intValue = n;
    return &e;
  }

  ExprP extent(const Cover &k) {
    const Extent &x = kernel_.params[k.param].extents[static_cast<size_t>(k.axis)];
    if (x.fixed)
      return integer(*x.fixed / k.stride + (*x.fixed % k.stride != 0));
    Expr &dim = kernel_.exprs.emplace_back();
    dim.op = Op::Dim;
    dim.type = Type::scalar(ScalarType::Index);
    dim.range = k.place;
    dim.dim = x.dim;
    if (k.stride == 1)
      return &dim;
    ExprP stride = integer(k.stride);
    Expr &e = kernel_.exprs.emplace_back();
    e.op = Op::CDiv;
    e.type = Type::scalar(ScalarType::Index);
    e.range = k.place;
    e.args = {&dim, stride};
    return &e;
  }

  /// Blocks along coordinate `c`, or null with the reason in its `why`.
  ExprP blocks(int c) {
    Coordinate &k = coordinates_[c];
    if (!k.used)
      return integer(1);
    if (kernel_.lostStores && k.why.empty() && !disagree(k.covers))
      return nullptr; // those that are missing may settle it
    if (k.why.empty() && k.covers.empty())
      blame(1u << c, "no store begins at a multiple of it", k.firstUse);
    if (!k.why.empty())
      return nullptr;
    for (Cover &cover : k.covers) {
      if (!kernel_.lostStores && !isWhole(cover)) {
        blame(1u << c, "the stores of one block leave gaps before the next one's", cover.place);
        return nullptr;
      }
      if (!agree(cover, k.covers.front())) {
        blame(1u << c, "two stores need different numbers of blocks", cover.place);
        return nullptr;
      }
    }
    return extent(k.covers.front());
  }

  bool disagree(const std::vector<Cover> &covers) {
    return std::any_of(covers.begin(), covers.end(),
                       [&](const Cover &k) { return !agree(k, covers.front()); });
  }

  static bool isWhole(Cover &k) {
    merge(k.pieces);
    return k.pieces.front().begin == 0 && k.pieces.front().end == k.stride;
  }

  /// Sorts them and joins those that touch.
  static void merge(std::vector<Piece> &pieces) {
    std::sort(pieces.begin(), pieces.end());
    size_t last = 0;
    for (const Piece &p : pieces)
      if (p.begin <= pieces[last].end)
        pieces[last].end = std::max(pieces[last].end, p.end);
      else
        pieces[++last] = p;
    pieces.resize(last + 1);
  }

  bool agree(const Cover &a, const Cover &b) {
    const Extent &x = kernel_.params[a.param].extents[static_cast<size_t>(a.axis)];
    const Extent &y = kernel_.params[b.param].extents[static_cast<size_t>(b.axis)];
    if (x.fixed && y.fixed)
      return (*x.fixed + a.stride - 1) / a.stride == (*y.fixed + b.stride - 1) / b.stride;
    return !x.fixed && !y.fixed && x.dim == y.dim && a.stride == b.stride;
  }

  /// The name that has this value at the point, since a grid in numbers would be right at this point alone;
  /// the number itself where no name has it, and a gap to fill where several have.
  std::string named(int64_t value) const {
    std::string found;
    for (const auto &[name, has] : kernel_.point.entries())
      if (has == value && name != "THREADS") {
        if (!found.empty())
          return "..";
        found = name;
      }
    return found.empty() ? std::to_string(value) : found;
  }

  std::string written(ExprP e) const {
    if (!e)
      return "..";
    if (e->op == Op::Int)
      return named(e->intValue);
    if (e->op == Op::Dim)
      return kernel_.dims[e->dim];
    return "cdiv(" + written(e->args[0]) + ", " + written(e->args[1]) + ")";
  }

  bool isMissing(int c) const {
    return !kernel_.grid.inferred[static_cast<size_t>(c)] && !coordinates_[c].why.empty();
  }
  bool isAnyMissing() const { return isMissing(0) || isMissing(1) || isMissing(2); }

  void complain(Diagnostics &diags) {
    std::string names, grid;
    int last = 0;
    for (int c = 0; c < 3; ++c) {
      names += isMissing(c) ? (names.empty() ? "" : ", ") + std::string("ctx.block.") + "xyz"[c] : "";
      last = coordinates_[c].used ? c : last;
    }
    if (names.empty())
      return;
    for (int c = 0; c <= last; ++c)
      grid += (c ? ", " : "") + std::string(1, "xyz"[c]) + " = " +
              written(kernel_.grid.inferred[static_cast<size_t>(c)]);
    auto report = diags.report(diag::GridNotInferable, kernel_.range, names);
    for (int c = 0; c < 3; ++c)
      if (!coordinates_[c].why.empty())
        report.note(coordinates_[c].trouble,
                    std::string("ctx.block.") + "xyz"[c] + ": " + coordinates_[c].why);
    report.help("write '@grid(" + grid + ")' before the kernel, or '@grid(host)' to leave it to the launch");
  }

  TypedKernel &kernel_;
  LinearForms forms_;
  Coordinate coordinates_[3];
};

} // namespace

void inferGrid(TypedKernel &kernel, bool isGivenByHost, Diagnostics &diags) {
  GridInference(kernel).run(isGivenByHost, diags);
}

} // namespace phobos::sema
