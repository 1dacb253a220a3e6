// Which values and which control flow differ between threads, as a graph: a node is at least as varied as
// every node that flows into it. Solved in time linear in the edges.
#pragma once
#include "compiler/sema/Typed.h"

namespace phobos::sema {

class VarianceGraph {
public:
  using Node = uint32_t;
  static constexpr Node kUniform = 0; ///< flows nowhere

  VarianceGraph() : nodes_(1) {}
  /// `place` is what a message points at where this node is on the way from a source.
  Node add(SourceRange place = {}) {
    nodes_.push_back({Variance::Uniform, 0, place, {}, {}});
    return static_cast<Node>(nodes_.size() - 1);
  }
  /// A node that is varied by itself, like ctx.lane.
  Node source(Variance v, std::string name, SourceRange place);
  /// `to` is as varied as `from`; with `toThread` it differs between threads as soon as `from` is not
  /// uniform.
  void flow(Node from, Node to, bool toThread = false);
  void solve();

  Variance operator[](Node n) const { return nodes_[n].variance; }
  /// The source that `n` got its variance from: its name and place.
  struct Cause {
    std::string name;
    SourceRange place;
  };
  Cause causeOf(Node n) const;
  /// The node from which `n` got its variance; itself for a source.
  Node cameFrom(Node n) const { return nodes_[n].cause; }
  SourceRange place(Node n) const { return nodes_[n].place; }

private:
  struct Edge {
    Node to;
    bool toThread;
  };
  struct Info {
    Variance variance;
    Node cause;
    SourceRange place;
    std::string name; ///< of a source
    std::vector<Edge> out;
  };
  std::vector<Info> nodes_;
};

} // namespace phobos::sema
