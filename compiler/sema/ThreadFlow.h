// How variance flows through a kernel: a graph over its values and its control flow. Made by a walk, read by
// Uniformity.cpp.
#pragma once
#include "compiler/sema/VarianceGraph.h"
#include <unordered_map>

namespace phobos::sema {

using FrameId = uint32_t;

/// One reason why not all threads may be at a place: a branch, a loop, or a jump before. Frames nest; frame 0
/// is the kernel.
struct Frame {
  enum class Kind : uint8_t { Body, Branch, Loop, AfterJump };
  Kind kind = Kind::Body;
  FrameId parent = 0;
  VarianceGraph::Node own = VarianceGraph::kUniform;      ///< what this frame adds
  VarianceGraph::Node absolute = VarianceGraph::kUniform; ///< with all frames around it
  SourceRange place;                                      ///< the condition, the bounds, the jump
  const char *jump = "";                                  ///< return, break, continue
  ExprP taken = nullptr;                                  ///< the condition that holds in it
  /// Skips over many frames, so that the sum over a path of n frames takes log n steps: the frames in (skip,
  /// this] add `skipNode`.
  uint32_t depth = 0;
  FrameId skip = 0;
  VarianceGraph::Node skipNode = VarianceGraph::kUniform;
};

/// A statement, or an expression with the one that uses it, and where it stands.
struct Visit {
  const Stmt *stmt = nullptr;
  ExprP expr = nullptr;
  FrameId frame = 0;
  ExprP parent = nullptr;
  size_t call = 0; ///< index into calls, plus 1; 0 in the kernel itself
};

struct ThreadFlow {
  struct Call {
    ExprP expr;
    size_t outer; ///< as Visit::call
  };
  VarianceGraph graph; ///< solved
  std::vector<Frame> frames;
  std::vector<VarianceGraph::Node> vars;
  std::unordered_map<ExprP, VarianceGraph::Node> exprs;
  std::vector<Visit> visits; ///< statements and expressions in program order, what uses one before it
  std::vector<Call> calls;
};

ThreadFlow followThreads(const TypedKernel &kernel);

} // namespace phobos::sema
