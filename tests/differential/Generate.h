// Random typed programs: elementwise operations, conversions, reductions, scans, slices, dot, control flow,
// functions, per-thread code, barriers and atomics over every type.
//
// Floats are generated so that targets can be compared: most values are exact in their type (sums and
// products of small multiples of 1/4), so any order of evaluation and any contraction gives the same bits;
// where a function or a division makes a value inexact, an error bound goes along, and nothing that could
// jump (a comparison, floor, a conversion to an integer or a narrower float) is applied to it.
#pragma once
#include "tests/differential/Program.h"
#include "tests/differential/Random.h"
#include <optional>

namespace phobos::differential {

Program generate(uint64_t seed);

/// The state of one generation. Split over GenerateInt.cpp, GenerateFloat.cpp, GenerateShape.cpp
/// (expressions) and Generate.cpp (programs).
class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed), seed_(seed) {}
  Program run();

private:
  using S = ScalarType;
  struct Variable {
    std::string name;
    Type type;
    bool isMutable = false;
    bool isHidden = false; ///< a float that a loop adds to: in it, nothing else may read it
    Bounds bounds;
    size_t loopDepth = 0; ///< loops around its declaration
  };
  struct Tensor {
    std::string name;
    S elem = S::F32;
    std::vector<std::string> extents; ///< as written
    std::vector<int64_t> sizes;
    Bounds bounds;
  };

  // Programs.
  void makeTileKernel();
  void makeThreadKernel();
  void makeProductKernel(); // GenerateProduct.cpp
  void makeEdgesKernel();   // GenerateEdges.cpp
  void makeFormsKernel();   // GenerateForms.cpp
  void addDims();
  void addInputs(bool rankOneOnly);
  void addFunctions();
  Tensor addTensor(S elem, std::vector<std::string> extents, const std::string &fill);
  Tensor addOutput(S elem, std::vector<std::string> extents, double tolerance);
  std::vector<Statement> tileStatements(int count, int nesting);
  std::vector<Statement> threadStatements(int count, int nesting);
  Statement declare(Type type, bool isMutable, Node value);
  std::optional<Statement> reassign();
  std::optional<Statement> sliceAssign();
  std::optional<Statement> accumulate();
  Statement forLoop(int nesting, bool perThread);
  Statement whileLoop(int nesting, bool perThread);
  Statement ifElse(int nesting, bool perThread);
  std::optional<Statement> atomic();
  std::optional<Statement> inPlace();
  void finishTile();
  void finishThread();
  double tripsSince(size_t loopDepth) const;
  void enterLoop(double trips);
  void leaveLoop(size_t mark);

  // Expressions of any type; `depth` is how many operations may stand above a leaf.
  Node expr(const Type &type, int depth);
  Node leaf(const Type &type);
  std::optional<Node> variable(const Type &type);
  std::optional<Node> load(const Type &type);
  Node constant(const Type &type);
  Node integer(int depth); ///< a subscript or bound: index, i32 or i64
  std::string start(int64_t length);
  std::optional<Node> shapeOp(const Type &type, int depth); ///< moves elements; bounds go along
  std::optional<Node> choose(const Type &type, int depth);
  std::optional<Node> call(const Type &type, int depth);

  Node intExpr(const Type &type, int depth);
  std::optional<Node> intOp(const Type &type, int depth);
  Node boolExpr(const Type &type, int depth);
  Node floatExpr(const Type &type, int depth);
  std::optional<Node> exactOp(const Type &type, int depth);
  std::optional<Node> inexactOp(const Type &type, int depth);
  std::optional<Node> convertToFloat(const Type &type, int depth);
  std::optional<Node> reduction(const Type &type, int depth);
  std::optional<Node> scan(const Type &type, int depth);
  std::optional<Node> dot(const Type &type, int depth);
  /// A float expression without error, or nullopt after some tries.
  std::optional<Node> exact(const Type &type, int depth);
  std::optional<Node>
  fit(Node node) const; ///< nullopt if its bounds are not exact in its type, or its error is too large

  Type intType(const std::vector<int64_t> &shape);
  S pickInt() { return random_.pick(std::vector<S>{S::I8, S::U8, S::I32, S::I32, S::U32, S::I64}); }
  S pickFloat();
  S pickElem();
  std::vector<int64_t> pickShape();
  std::string fresh(const std::string &prefix) { return prefix + std::to_string(counter_++); }
  Node make(Type type, std::string text, std::vector<Node> args = {}, Bounds bounds = {}) const {
    return {std::move(type), std::move(text), std::move(args), bounds};
  }

  Random random_;
  uint64_t seed_;
  Program program_;
  bool hasFloats_ = false, hasSpecials_ = false, hasInexact_ = false;
  bool isPerThread_ = false;
  int64_t rows_ = 8, columns_ = 8, inner_ = 4; ///< the extents that tiles are made of
  int64_t threads_ = 32;
  std::vector<Tensor> inputs_, histograms_;
  std::vector<std::string> histogramOps_;
  std::optional<Tensor> own_;       ///< read and written in place: each block its own part, [rows_, columns_]
  std::vector<Variable> variables_; ///< innermost last; blocks cut it back
  std::vector<std::string> counters_; ///< index names in scope: loop counters
  std::vector<double> trips_;         ///< of each loop around
  bool mayBreak_ = false;
  int counter_ = 0;
};

/// The name of an element type, and of a shape: `f32`, `[8, 4]`.
std::string shapeText(const std::vector<int64_t> &shape);
int64_t product(const std::vector<int64_t> &shape);
/// Bits of a float type's significand, and its largest power of two.
int precision(ScalarType t);
double largest(ScalarType t);
/// The larger of each bound.
Bounds join(const Bounds &a, const Bounds &b);

} // namespace phobos::differential
