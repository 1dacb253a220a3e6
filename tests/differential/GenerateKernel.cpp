// The two kinds of kernel: tiles of a grid, and threads of a block.
#include "tests/differential/Generate.h"

namespace phobos::differential {

static std::string number(int64_t n) { return std::to_string(n); }

void Generator::makeTileKernel() {
  addDims();
  addFunctions();
  addInputs(false);
  if (random_.chance(30)) {
    histograms_.push_back(addTensor(random_.pick(std::vector<S>{S::I32, S::U32, S::I64}), {"9"}, "integers"));
    histogramOps_.push_back(random_.pick(std::vector<std::string>{"atomic_add", "atomic_max", "atomic_min"}));
    program_.params.back().isOutput = true;
  }
  if (random_.chance(35)) {
    own_ = addTensor(hasFloats_ && random_.chance(50)
                         ? random_.pick(std::vector<S>{S::F32, S::F64, S::F16, S::BF16})
                         : pickInt(),
                     {"M", "N"}, "quarters");
    program_.params.back().name = own_->name = fresh("Own");
  }
  int64_t gridX = random_.range(1, 3), gridY = random_.range(1, 3);
  program_.attributes = "@grid(x = " + number(gridX) + ", y = " + number(gridY) + ")\n";
  program_.body = tileStatements(static_cast<int>(random_.range(2, 6)), 2);
  finishTile();
}

/// Each block stores to a place of its own, in tensors that may end before the last tile does.
void Generator::finishTile() {
  int64_t n = random_.range(1, 3);
  for (int64_t i = 0; i < n; ++i) {
    S elem = pickElem();
    std::vector<int64_t> shape = pickShape();
    if (random_.chance(15))
      shape.clear();
    Type type = shape.empty() ? Type::scalar(elem) : Type::tile(elem, shape);
    Node value = expr(type, 3);
    double tolerance = 4 * value.bounds.error;
    Statement s{"", {std::move(value)}, {}};
    if (shape.size() == 2) {
      Tensor t = addOutput(elem, {"M", number(random_.range(1, 90))}, tolerance);
      std::string place = t.name + "[ctx.block.x * " + number(shape[0]) + " :+ " + number(shape[0]) +
                          ", ctx.block.y * " + number(shape[1]) + " :+ " + number(shape[1]) + "]";
      if (random_.chance(20)) {
        s.nodes.push_back(boolExpr(type.withElem(S::Bool), 2));
        s.text = "store(" + place + ", $0, where = $1)";
      } else {
        s.text = place + " = $0";
      }
    } else if (shape.size() == 1) {
      Tensor t = addOutput(elem, {"3", number(random_.range(1, 90))}, tolerance);
      s.text =
          t.name + "[ctx.block.x, ctx.block.y * " + number(shape[0]) + " :+ " + number(shape[0]) + "] = $0";
    } else {
      Tensor t = addOutput(elem, {"3", "3"}, tolerance);
      s.text = t.name + "[ctx.block.x, ctx.block.y] = $0";
    }
    program_.body.push_back(std::move(s));
  }
}

void Generator::makeThreadKernel() {
  threads_ = random_.pick(std::vector<int64_t>{32, 32, 64, 96, 128});
  addDims();
  addFunctions();
  addInputs(true);
  if (random_.chance(60)) {
    histograms_.push_back(addTensor(random_.pick(std::vector<S>{S::I32, S::U32, S::I64}), {"9"}, "integers"));
    histogramOps_.push_back(random_.pick(std::vector<std::string>{"atomic_add", "atomic_max", "atomic_min"}));
    program_.params.back().isOutput = true;
  }
  program_.attributes = "@launch(" + number(threads_) + ")\n@grid(x = " + number(random_.range(1, 3)) + ")\n";
  program_.body = threadStatements(static_cast<int>(random_.range(2, 6)), 3);
  finishThread();
}

void Generator::finishThread() {
  std::string own = "ctx.block.x * " + number(threads_) + " + ctx.thread", size = number(3 * threads_);
  // Through memory and a barrier: what another thread of the block stored.
  if (random_.chance(40)) {
    S elem = random_.pick(std::vector<S>{S::I32, S::I64, S::U32});
    Tensor t = addOutput(elem, {size}, 0);
    program_.body.push_back({t.name + "[" + own + "] = $0", {expr(Type::scalar(elem), 2)}, {}});
    program_.body.push_back({"barrier()", {}, {}});
    std::string v = fresh("v");
    program_.body.push_back({"let " + v + " = " + t.name + "[ctx.block.x * " + number(threads_) +
                                 " + (ctx.thread + " + number(random_.range(1, threads_)) + ") % " +
                                 number(threads_) + "]",
                             {},
                             {}});
    variables_.push_back({v, Type::scalar(elem), false, false, {}, 0});
    if (random_.chance(50)) { // and as a tile
      Tensor sums = addOutput(elem, {"3"}, 0);
      program_.body.push_back({sums.name + "[ctx.block.x] = sum(" + t.name + "[ctx.block.x * " +
                                   number(threads_) + " :+ " + number(threads_) + "])",
                               {},
                               {}});
    }
  }
  int64_t n = random_.range(1, 2);
  for (int64_t i = 0; i < n; ++i) {
    S elem = pickElem();
    Node value = expr(Type::scalar(elem), 3);
    Tensor t = addOutput(elem, {random_.chance(70) ? size : "M"}, 4 * value.bounds.error);
    Statement store{t.name + "[" + own + "] = $0", {std::move(value)}, {}};
    if (random_.chance(30)) {
      Node condition = boolExpr(Type::scalar(S::Bool), 2);
      program_.body.push_back({"if $0 #0", {std::move(condition)}, {{std::move(store)}}});
    } else {
      program_.body.push_back(std::move(store));
    }
  }
}

} // namespace phobos::differential
