#include "compiler/sema/ThreadFlow.h"
#include <algorithm>

namespace phobos::sema {

namespace {

using Graph = VarianceGraph;
using Node = Graph::Node;

class Walk {
public:
  explicit Walk(const TypedKernel &kernel) : kernel_(kernel) {}

  ThreadFlow run() {
    frames_.push_back({});
    for (const Local &v : kernel_.vars)
      out_.vars.push_back(graph_.add(v.range));
    declaredIn_.assign(kernel_.vars.size(), kNowhere);
    body(kernel_.body, 0);
    graph_.solve();
    return std::move(out_);
  }

private:
  static constexpr FrameId kNowhere = ~0u;

  /// Some of the threads left: they are back behind `target`.
  struct Jump {
    FrameId target;
    Node condition;
    SourceRange place;
    const char *word;
  };
  struct Loop {
    FrameId around;    ///< what a break leaves
    FrameId iteration; ///< what a continue leaves; its own variance is that of the number of trips
  };
  /// The kernel or a function at one call.
  struct Activation {
    FrameId frame = 0;
    Node result = Graph::kUniform;
    std::vector<Loop> loops;
  };

  FrameId push(Frame::Kind kind, FrameId parent, Node own, SourceRange place) {
    Frame f;
    f.kind = kind;
    f.parent = parent;
    f.own = own;
    f.place = place;
    f.absolute = graph_.add(place);
    graph_.flow(own, f.absolute);
    graph_.flow(frames_[parent].absolute, f.absolute);
    f.depth = frames_[parent].depth + 1;
    f.skipNode = graph_.add(place);
    graph_.flow(own, f.skipNode);
    // Skips grow like the digits of a skew binary number: one of n frames after two of (n - 1) / 2.
    FrameId once = frames_[parent].skip, twice = frames_[once].skip;
    f.skip = parent;
    if (parent != 0 &&
        frames_[parent].depth - frames_[once].depth == frames_[once].depth - frames_[twice].depth) {
      f.skip = twice;
      graph_.flow(frames_[parent].skipNode, f.skipNode);
      graph_.flow(frames_[once].skipNode, f.skipNode);
    }
    frames_.push_back(f);
    return static_cast<FrameId>(frames_.size() - 1);
  }

  /// What the frames from `inner` out to `outer`, which is not counted, add.
  Node between(FrameId inner, FrameId outer) {
    std::vector<Node> parts;
    while (inner != outer && inner != 0) {
      const Frame &f = frames_[inner];
      bool skips = frames_[f.skip].depth >= frames_[outer].depth;
      parts.push_back(skips ? f.skipNode : f.own);
      inner = skips ? f.skip : f.parent;
    }
    if (parts.size() < 2)
      return parts.empty() ? Graph::kUniform : parts[0];
    Node n = graph_.add();
    for (Node p : parts)
      graph_.flow(p, n);
    return n;
  }

  void body(const Block &b, FrameId frame) {
    for (StmtP s : b.statements) {
      size_t before = jumps_.size();
      statement(*s, frame);
      // Threads that jumped out of it are missing in the rest of this block.
      for (size_t i = before; i < jumps_.size(); ++i) {
        Jump j = jumps_[i];
        frame = push(Frame::Kind::AfterJump, frame, j.condition, j.place);
        frames_[frame].jump = j.word;
      }
    }
  }

  /// Behind `target` the threads that jumped to there are back.
  void rejoin(size_t from, FrameId target) {
    auto first = jumps_.begin() + static_cast<std::ptrdiff_t>(from);
    jumps_.erase(std::remove_if(first, jumps_.end(), [&](const Jump &j) { return j.target == target; }),
                 jumps_.end());
  }

  /// `leaves`: the loops, from the inner one, that end early for those who jump.
  void jump(const Stmt &s, Node condition, FrameId target, size_t leaves, const char *word) {
    if (condition == Graph::kUniform)
      return;
    Node n = graph_.add(s.range);
    graph_.flow(condition, n);
    jumps_.push_back({target, n, s.range, word});
    std::vector<Loop> &loops = activations_.back().loops;
    for (size_t i = 0; i < leaves; ++i)
      graph_.flow(n, frames_[loops[loops.size() - 1 - i].iteration].own);
  }

  /// The first assignment is the declaration: whoever sees the variable has made it.
  void assign(VarId var, Node value, FrameId frame) {
    if (kernel_.vars[var].type.isTile())
      return;
    graph_.flow(value, out_.vars[var]);
    if (declaredIn_[var] == kNowhere)
      declaredIn_[var] = frame;
    else
      graph_.flow(between(frame, declaredIn_[var]), out_.vars[var]);
  }

  void statement(const Stmt &s, FrameId frame) {
    out_.visits.push_back({&s, nullptr, frame, nullptr, call_});
    for (const Subscript &sub : s.subscripts)
      expr(sub.start, frame);
    if (s.mask)
      expr(s.mask, frame);
    Activation &here = activations_.back();
    switch (s.kind) {
    case Stmt::Kind::Assign:
      assign(s.var, expr(s.value, frame), frame);
      break;
    case Stmt::Kind::Store:
    case Stmt::Kind::Expr:
      expr(s.value, frame);
      break;
    case Stmt::Kind::If:
      branch(s, frame);
      break;
    case Stmt::Kind::For:
    case Stmt::Kind::While:
      loop(s, frame);
      break;
    case Stmt::Kind::Break:
      if (!here.loops.empty())
        jump(s, between(frame, here.loops.back().iteration), here.loops.back().around, 1, "break");
      break;
    case Stmt::Kind::Continue:
      if (!here.loops.empty())
        jump(s, between(frame, here.loops.back().iteration), here.loops.back().iteration, 0, "continue");
      break;
    case Stmt::Kind::Return:
      returns(s, frame);
      break;
    case Stmt::Kind::Barrier:
      break;
    case Stmt::Kind::Block:
      body(s.body, frame);
      break;
    }
  }

  void returns(const Stmt &s, FrameId frame) {
    Node value = s.value ? expr(s.value, frame) : Graph::kUniform;
    Activation &here = activations_.back();
    Node condition = between(frame, here.frame);
    graph_.flow(value, here.result);
    graph_.flow(condition, here.result);
    jump(s, condition, here.frame, here.loops.size(), "return");
  }

  void branch(const Stmt &s, FrameId frame) {
    Node condition = expr(s.value, frame);
    FrameId then = push(Frame::Kind::Branch, frame, condition, s.value->range);
    frames_[then].taken = s.value;
    body(s.body, then);
    if (!s.orElse.statements.empty())
      body(s.orElse, push(Frame::Kind::Branch, frame, condition, s.value->range));
  }

  void loop(const Stmt &s, FrameId frame) {
    bool counted = s.kind == Stmt::Kind::For;
    SourceRange place = counted ? s.lo->range.join(s.hi->range).join(s.step->range) : s.value->range;
    Node trips = graph_.add(place);
    FrameId around = push(Frame::Kind::Body, frame, Graph::kUniform, s.range);
    FrameId iteration = push(Frame::Kind::Loop, around, trips, place);
    if (counted) {
      for (ExprP e : {s.lo, s.hi, s.step})
        graph_.flow(expr(e, frame), trips);
      declaredIn_[s.var] = iteration;
      graph_.flow(expr(s.lo, frame), out_.vars[s.var]);
      graph_.flow(expr(s.step, frame), out_.vars[s.var]);
    } else {
      graph_.flow(expr(s.value, iteration), trips);
    }
    size_t before = jumps_.size();
    activations_.back().loops.push_back({around, iteration});
    body(s.body, iteration);
    activations_.back().loops.pop_back();
    rejoin(before, iteration);
    rejoin(before, around);
  }

  Node expr(ExprP e, FrameId frame, ExprP parent = nullptr) {
    auto [it, isNew] = out_.exprs.try_emplace(e, Graph::kUniform);
    if (!isNew)
      return it->second;
    out_.visits.push_back({nullptr, e, frame, parent, call_});
    Node n = node(*e, frame);
    out_.exprs[e] = n;
    return n;
  }

  Node node(const Expr &e, FrameId frame) {
    switch (e.op) {
    case Op::Var:
      return e.type.isTile() ? Graph::kUniform : out_.vars[e.var];
    case Op::ThreadId:
      return graph_.source(Variance::Thread, "ctx.thread", e.range);
    case Op::LaneId:
      return graph_.source(Variance::Thread, "ctx.lane", e.range);
    case Op::WarpId:
      return graph_.source(Variance::Warp, "ctx.warp", e.range);
    case Op::Call:
      return call(e, frame);
    case Op::Conditional: {
      Node condition = expr(e.args[1], frame, &e);
      FrameId chosen =
          push(Frame::Kind::Branch, frame, e.type.isTile() ? Graph::kUniform : condition, e.args[1]->range);
      Node value = expr(e.args[0], chosen, &e), otherwise = expr(e.args[2], chosen, &e);
      return joined(e, {condition, value, otherwise});
    }
    case Op::LogicalAnd:
    case Op::LogicalOr:
      if (e.type.isScalar()) {
        Node left = expr(e.args[0], frame, &e);
        FrameId needed = push(Frame::Kind::Branch, frame, left, e.args[0]->range);
        return joined(e, {left, expr(e.args[1], needed, &e)});
      }
      break;
    default:
      break;
    }
    std::vector<Node> from;
    for (ExprP a : e.args)
      from.push_back(expr(a, frame, &e));
    for (const Subscript &s : e.subscripts)
      from.push_back(expr(s.start, frame, &e));
    return e.op == Op::Atomic ? atomic(e, from, frame) : joined(e, from);
  }

  /// A tile is one value of the block: what flows into it in spite of that is an error of its own.
  Node joined(const Expr &e, const std::vector<Node> &from) {
    if (e.type.isTile())
      return Graph::kUniform;
    Node only = Graph::kUniform;
    bool several = false;
    for (Node n : from)
      if (n != Graph::kUniform && n != only) {
        several |= only != Graph::kUniform;
        only = n;
      }
    if (!several)
      return only;
    Node n = graph_.add(e.range);
    for (Node f : from)
      graph_.flow(f, n);
    return n;
  }

  /// Once a block where everything is uniform; else once a thread, and each gets another old value.
  Node atomic(const Expr &e, const std::vector<Node> &from, FrameId frame) {
    Node n = graph_.add(e.range);
    for (Node f : from)
      graph_.flow(f, n, true);
    graph_.flow(frames_[frame].absolute, n, true);
    return n;
  }

  Node call(const Expr &e, FrameId frame) {
    FrameId inside = push(Frame::Kind::Body, frame, Graph::kUniform, e.range);
    for (size_t i = 0; i < e.args.size(); ++i) {
      Node value = expr(e.args[i], frame, &e);
      if (i < e.call->params.size())
        assign(e.call->params[i], value, inside);
    }
    size_t before = jumps_.size(), outerCall = call_;
    out_.calls.push_back({&e, outerCall});
    call_ = out_.calls.size();
    activations_.push_back({inside, graph_.add(e.range), {}});
    body(e.call->body, inside);
    Node result = activations_.back().result;
    activations_.pop_back();
    call_ = outerCall;
    rejoin(before, inside);
    return e.type.isScalar() ? result : Graph::kUniform;
  }

  const TypedKernel &kernel_;
  ThreadFlow out_;
  Graph &graph_ = out_.graph;
  std::vector<Frame> &frames_ = out_.frames;
  std::vector<FrameId> declaredIn_;
  std::vector<Jump> jumps_;
  std::vector<Activation> activations_ = std::vector<Activation>(1);
  size_t call_ = 0;
};

} // namespace

ThreadFlow followThreads(const TypedKernel &kernel) { return Walk(kernel).run(); }

} // namespace phobos::sema
