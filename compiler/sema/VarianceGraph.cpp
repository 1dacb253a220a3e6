#include "compiler/sema/VarianceGraph.h"
#include <algorithm>

namespace phobos::sema {

VarianceGraph::Node VarianceGraph::source(Variance v, std::string name, SourceRange place) {
  Node n = add(place);
  nodes_[n].variance = v;
  nodes_[n].cause = n;
  nodes_[n].name = std::move(name);
  return n;
}

void VarianceGraph::flow(Node from, Node to, bool toThread) {
  if (from != kUniform && to != kUniform && from != to)
    nodes_[from].out.push_back({to, toThread});
}

void VarianceGraph::solve() {
  std::vector<Node> work;
  for (Node n = 1; n < nodes_.size(); ++n)
    if (nodes_[n].variance != Variance::Uniform)
      work.push_back(n);
  // Breadth first, so that causes are near. A node is raised at most twice.
  for (size_t i = 0; i < work.size(); ++i) {
    Node n = work[i];
    for (Edge e : nodes_[n].out) {
      Variance v = e.toThread ? Variance::Thread : nodes_[n].variance;
      if (v <= nodes_[e.to].variance)
        continue;
      nodes_[e.to].variance = v;
      nodes_[e.to].cause = n;
      work.push_back(e.to);
    }
  }
}

VarianceGraph::Cause VarianceGraph::causeOf(Node n) const {
  for (size_t steps = 0; nodes_[n].name.empty() && nodes_[n].cause != n && steps < nodes_.size(); ++steps)
    n = nodes_[n].cause;
  return {nodes_[n].name, nodes_[n].place};
}

} // namespace phobos::sema
