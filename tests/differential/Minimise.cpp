#include "tests/differential/Minimise.h"

namespace phobos::differential {

namespace {
/// Numbers the possible cuts of a program in a fixed order and makes the one asked for.
class Cut {
public:
  explicit Cut(int index) : left_(index) {}
  /// False if the program has fewer cuts.
  bool apply(Program &p) { return body(p.body) || functions(p); }

private:
  bool isThis() { return left_-- == 0; }

  bool functions(Program &p) {
    for (size_t i = 0; i < p.functions.size(); ++i)
      if (isThis()) {
        p.functions.erase(p.functions.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
    return false;
  }

  bool body(std::vector<Statement> &statements) {
    for (size_t i = 0; i < statements.size(); ++i) {
      auto at = statements.begin() + static_cast<std::ptrdiff_t>(i);
      if (isThis()) {
        statements.erase(at);
        return true;
      }
      for (size_t b = 0; b < at->bodies.size(); ++b)
        if (isThis()) { // the statements of the body alone
          std::vector<Statement> inner = at->bodies[b];
          at = statements.erase(at);
          statements.insert(at, inner.begin(), inner.end());
          return true;
        }
    }
    for (Statement &s : statements) {
      for (Node &n : s.nodes)
        if (node(n))
          return true;
      for (auto &b : s.bodies)
        if (body(b))
          return true;
    }
    return false;
  }

  bool node(Node &n) {
    if (!n.args.empty() && isThis()) {
      n = constantOf(n);
      return true;
    }
    for (size_t i = 0; i < n.args.size(); ++i) {
      const Node &a = n.args[i];
      // An operand that is known less well could break what is exact above.
      bool fits = a.type == n.type && a.bounds.magnitude <= n.bounds.magnitude &&
                  a.bounds.fraction <= n.bounds.fraction && a.bounds.error <= n.bounds.error;
      if (fits && isThis()) {
        n = Node(a);
        return true;
      }
    }
    for (Node &a : n.args)
      if (node(a))
        return true;
    return false;
  }

  static Node constantOf(const Node &n) {
    std::string elem(name(n.type.elem)), literal = n.type.elem == ScalarType::Bool ? "true"
                                                   : isFloat(n.type.elem)          ? "0.0"
                                                                                   : "0";
    if (n.type.isTile())
      return {n.type, "full<" + elem + ">(" + str(n.type.shape) + ", " + literal + ")", {}, {}};
    return {n.type,
            n.type.elem == ScalarType::Bool || n.type.elem == ScalarType::Index ? literal
                                                                                : elem + "(" + literal + ")",
            {},
            {}};
  }

  int left_;
};
} // namespace

Program minimise(Program program, const std::function<bool(const std::string &)> &isFaulty, int maxTries) {
  bool shrank = true;
  while (shrank) {
    shrank = false;
    for (int cut = 0; maxTries > 0; --maxTries) {
      Program smaller = program;
      if (!Cut(cut).apply(smaller))
        break;
      if (isFaulty(print(smaller))) {
        program = std::move(smaller);
        shrank = true;
      } else {
        ++cut;
      }
    }
  }
  return program;
}

} // namespace phobos::differential
