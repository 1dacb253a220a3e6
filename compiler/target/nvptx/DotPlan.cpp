#include "compiler/target/nvptx/DotPlan.h"
#include "compiler/ir/Types.h"
#include <algorithm>

using namespace mlir;

namespace phobos::nvptx {

using mlir::Type; // not the language's

namespace {
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The value of a GEMM name at this point, or 0.
int64_t named(Operation *op, StringRef name) {
  Operation *func = op;
  while (func && !func->hasAttr("pho.kernel"))
    func = func->getParentOp();
  if (!func)
    return 0;
  auto point = func->getAttrOfType<DictionaryAttr>("pho.point");
  auto value = point ? point.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : 0;
}

StringRef tensorcore(Operation *op) {
  while (op && !op->hasAttr("pho.kernel"))
    op = op->getParentOp();
  auto attr = op ? op->getAttrOfType<StringAttr>("pho.tensorcore") : StringAttr();
  return attr ? attr.getValue() : "";
}

std::string elementName(Type elem, bool isUnsigned) {
  return std::string(name(ir::scalarTypeOf(elem, isUnsigned)));
}

/// Sets kind, operand type and perRegister where tensor cores take the product; else says why not.
std::string chooseMma(pho::DotOp dot, const Target &target, DotPlan &plan) {
  const unsigned sm = target.sm;
  const bool hasF8 = sm >= 89 && target.ptx >= 84;
  Type elem = elementOf(dot.getA().getType()), acc = elementOf(dot.getAcc().getType());
  MLIRContext *c = dot.getContext();
  plan.operandType = elem;
  StringRef round = elem.isF32() ? tensorcore(dot) : "";
  if (round == "f16")
    plan.operandType = elem = Float16Type::get(c);
  else if (round == "bf16")
    plan.operandType = elem = BFloat16Type::get(c);
  plan.perRegister = 4 / std::min<int64_t>(4, elementBytes(elem));
  if (elem.isF16() && acc.isF32())
    plan.kind = "f16";
  else if (elem.isBF16() && acc.isF32())
    plan.kind = "bf16";
  else if (round == "tf32")
    plan.kind = "tf32";
  else if (elem.isInteger(8) && acc.isInteger(32))
    plan.kind = dot.getIsUnsigned() ? "u8" : "s8";
  else if (isa<Float8E4M3FNType>(elem) && hasF8)
    plan.kind = "e4m3";
  else if (isa<Float8E5M2Type>(elem) && hasF8)
    plan.kind = "e5m2";
  else if (elem.isF64())
    plan.kind = "f64", plan.perRegister = 1;
  else if (elem.isF32())
    return "the tensor cores would round f32 operands; @tensorcore(tf32), (bf16) or (f16) allows that";
  else if (isa<Float8E4M3FNType, Float8E5M2Type>(elem) && sm < 89)
    return elementName(elem, false) + " on the tensor cores begins with sm_89, this is sm_" +
           std::to_string(sm);
  else if (isa<Float8E4M3FNType, Float8E5M2Type>(elem) && !hasF8)
    return elementName(elem, false) + " on the tensor cores begins with PTX 8.4, this is PTX " +
           std::to_string(target.ptx / 10) + "." + std::to_string(target.ptx % 10);
  else
    return "the tensor cores do not multiply " + elementName(elem, dot.getIsUnsigned()) + " into " +
           elementName(acc, false);
  if (sm < 80 && plan.kind != "f16" && plan.kind != "s8" && plan.kind != "u8")
    return plan.kind + " on the tensor cores begins with sm_80, this is sm_" + std::to_string(sm);
  // sm_90 has no such instruction of a warp: the assembler makes it of those for f16, whose sums are f32.
  plan.hasNarrowSums = (plan.kind == "e4m3" || plan.kind == "e5m2") && sm != 90;
  if (target.ptx < 65)
    return "the tensor cores begin with PTX 6.5, this is PTX " + std::to_string(target.ptx / 10) + "." +
           std::to_string(target.ptx % 10);
  const int64_t k = shapeOf(dot.getA().getType())[dot.getTransA() ? 0 : 1], step = plan.kStep();
  if (k % step != 0)
    return "a product over " + std::to_string(k) + " elements does not fill the tensor cores' steps of " +
           std::to_string(step) + " (" + plan.kind + ")";
  return {};
}

/// Scores feed a reduction along rows, or an operand comes from registers: then a row should lie within one
/// warp.
bool wantsWholeRows(pho::DotOp dot) {
  SmallVector<Value> work{dot.getResult()};
  for (int n = 0; n < 64 && !work.empty(); ++n) {
    Value v = work.pop_back_val();
    for (Operation *user : v.getUsers()) {
      if (auto r = dyn_cast<pho::ReduceOp>(user)) {
        if (r.getAxis() != 0)
          return true;
      } else if (user->getNumResults() == 1 && user->getResult(0) != v &&
                 isa<RankedTensorType>(user->getResult(0).getType()) &&
                 shapeOf(user->getResult(0).getType()) == shapeOf(v.getType()) && !isa<pho::DotOp>(user)) {
        work.push_back(user->getResult(0));
      }
    }
  }
  return !dot.getA().getDefiningOp<pho::LoadOp>() && dot.getA().getDefiningOp() &&
         !isa<BlockArgument>(dot.getA());
}

// A warp reads (m + n) k operand elements for m n k products: square warp tiles read least; padding costs
// products.
WarpGrid chooseGrid(pho::DotOp dot, Coord shape, Coord block, int64_t warps) {
  int64_t stepsM = ceilDiv(shape[0], block[0]), stepsN = ceilDiv(shape[1], block[1]);
  bool rows = wantsWholeRows(dot);
  WarpGrid best{warps, 1};
  double bestCost = 1e30;
  for (int64_t gm = 1; gm <= warps; ++gm) {
    if (warps % gm != 0)
      continue;
    int64_t gn = warps / gm;
    double m = static_cast<double>(ceilDiv(stepsM, gm) * block[0]),
           n = static_cast<double>(ceilDiv(stepsN, gn) * block[1]);
    double cost = m * n + 16 * (m + n);
    if (rows && gn > 1)
      cost *= 1.5;
    if (cost < bestCost)
      bestCost = cost, best = {gm, gn};
  }
  return best;
}

// Threads of a warp in a laneM x laneN grid, tm x tn accumulators each: (tm + tn) reads for tm tn products.
SimtTile chooseSimt(pho::DotOp dot, Coord shape, int64_t warps, int64_t bytes) {
  SimtTile best;
  double bestCost = 1e30;
  int64_t vector = std::max<int64_t>(1, 16 / bytes);
  for (int64_t gm = 1; gm <= warps; ++gm) {
    if (warps % gm != 0)
      continue;
    for (int64_t laneM = 1; laneM <= 32; laneM *= 2) {
      SimtTile t{{gm, warps / gm}, laneM, 32 / laneM, 1, 1, 1, 1};
      t.tm = ceilDiv(ceilDiv(shape[0], t.grid.m), t.laneM);
      t.tn = ceilDiv(ceilDiv(shape[1], t.grid.n), t.laneN);
      while (dot.getTransA() && t.vecM < vector && t.tm % (2 * t.vecM) == 0)
        t.vecM *= 2;
      while (!dot.getTransB() && t.vecN < vector && t.tn % (2 * t.vecN) == 0)
        t.vecN *= 2;
      double work = static_cast<double>(t.tm * t.tn);
      double reads = static_cast<double>(t.tm) /
                         (dot.getTransA() ? static_cast<double>(t.vecM) : static_cast<double>(vector)) +
                     static_cast<double>(t.tn) /
                         (dot.getTransB() ? static_cast<double>(vector) : static_cast<double>(t.vecN));
      // 8 x 4 lanes read the fewest distinct words for a square thread tile; other grids only where the shape
      // asks for them.
      double cost = work + 2 * reads + (laneM == 8 ? 0 : laneM == 4 ? 0.5 : 2);
      if (cost < bestCost)
        bestCost = cost, best = t;
    }
  }
  return best;
}
} // namespace

namespace {
/// Whether the product is the one that its loop accumulates.
bool isContraction(pho::DotOp dot) { return dot->getParentOp()->hasAttr("pho.contraction"); }

/// Judges the point's GEMM names by the rules of the product's path, and completes them. Nothing where the
/// point sets none of those that shape warps and threads: then the plan is free, and may pad.
std::optional<legality::Verdict> completeNames(pho::DotOp dot, const Target &target, const DotPlan &plan,
                                               Point &completed) {
  if (!isContraction(dot))
    return std::nullopt;
  const Coord shape = shapeOf(dot.getAcc().getType());
  Point point;
  bool isShaped = false;
  auto take = [&](StringRef name, bool shapes) {
    if (int64_t value = named(dot, name)) {
      point.set(name.str(), value);
      isShaped |= shapes;
    }
  };
  for (StringRef name : {"WARP_M", "WARP_N"})
    take(name, true);
  for (StringRef name : {"WARP_NITER", "TILE_TM", "TILE_TN"})
    take(name, !plan.isMma); // tensor cores fix how the threads of a warp share its tile
  take("STAGES", false);
  if (!isShaped)
    return std::nullopt;
  point.set("TILE_M", shape[0]);
  point.set("TILE_N", shape[1]);
  point.set("TILE_K", shapeOf(dot.getA().getType())[dot.getTransA() ? 0 : 1]);
  point.set("THREADS", target.warps * 32);
  point.set("ELEM_BYTES", elementBytes(plan.operandType));
  point.set("ACC_BYTES", elementBytes(elementOf(dot.getAcc().getType())));
  point.set("SM", target.sm);
  point.set("SHARED_LIMIT", target.sharedLimit);
  if (plan.isMma) {
    point.set("MMA_M", plan.isF64() ? 8 : 16);
    point.set("MMA_N", 8);
    point.set("MMA_K", plan.kStep());
    point.set("MMA_SM", plan.kind == "e4m3" || plan.kind == "e5m2"                     ? 89
                        : plan.kind == "f16" || plan.kind == "s8" || plan.kind == "u8" ? 75
                                                                                       : 80);
  }
  return legality::Judge(plan.isMma ? legality::Path::Mma : legality::Path::Simt)
      .complete(point, {}, completed);
}

/// As the names say: each lane has pieces of TILE_TM x TILE_TN neighbours, WARP_MITER down and WARP_NITER
/// across.
SimtTile namedSimt(Coord shape, const Point &names) {
  auto get = [&](std::string_view name) { return names.get(name).value_or(1); };
  SimtTile t;
  t.grid = {shape[0] / get("WARP_M"), shape[1] / get("WARP_N")};
  t.vecM = get("TILE_TM"), t.vecN = get("TILE_TN");
  t.tn = t.vecN * get("WARP_NITER");
  t.laneN = get("WARP_N") / t.tn;
  t.laneM = 32 / t.laneN;
  t.tm = get("WARP_M") / t.laneM;
  return t;
}

/// What keeps the product, whose loop has `roles`, from going by warpgroups itself, and how these lie.
struct ByWarpgroups {
  std::string whyNot;
  int64_t rowsOfGroups = 1; ///< warpgroups that share its rows
};

ByWarpgroups judgeWgmma(pho::DotOp dot, const RolePlan &roles, const Target &target) {
  DotPlan plan;
  if (!chooseMma(dot, target, plan).empty() || (plan.kind != "f16" && plan.kind != "bf16"))
    return {"by warpgroups go products of f16 and bf16 into f32"};
  if (plan.operandType != elementOf(dot.getA().getType()))
    return {"its operands are rounded on their way, by warpgroups they are read as they lie in memory"};
  for (StringRef name : {"WARP_M", "WARP_N"})
    if (named(dot, name))
      return {(name + " shapes the warp tiles of mma").str()};
  const Coord shape = shapeOf(dot.getAcc().getType()), a = shapeOf(dot.getA().getType()),
              c = shapeOf(dot.getB().getType());
  Point point, completed;
  point.set("TILE_M", shape[0]);
  point.set("TILE_N", shape[1]);
  point.set("TILE_K", a[dot.getTransA() ? 0 : 1]);
  point.set("THREADS", target.warps * 32);
  point.set("A_ROW_BYTES", a[1] * 2);
  point.set("B_ROW_BYTES", c[1] * 2);
  point.set("STEP_N", dot.getTransB() ? 8 : std::min<int64_t>(64, c[1]));
  point.set("STAGES", roles.stages);
  auto verdict = legality::Judge(legality::Path::Wgmma).complete(point, {}, completed);
  return {verdict.reason, completed.get("GROUPS_M").value_or(1)};
}

bool hasWarpgroups(const Target &target) { return target.sm == 90 && target.aligned; }

/// Why no product goes by warpgroups, where the processor is one that has them.
std::string whyNoWarpgroups(const Target &target) {
  if (!target.archSpecific)
    return "warpgroups multiply on sm_90a, the target is sm_90";
  if (!target.roles)
    return "with producing warps beside the others the kernel's tiles do not fit a block";
  return target.ptx < 80 ? "it begins with PTX 8.0" : "";
}

/// The products of a contraction loop go by warpgroups where all of them can.
void planLoop(scf::ForOp loop, const Target &target, Plans &plans) {
  SmallVector<pho::DotOp> dots(loop.getBody()->getOps<pho::DotOp>());
  if (dots.empty())
    return;
  std::string why = whyNoWarpgroups(target);
  if (why.empty())
    why = whyNoRoles(loop, target);
  RolePlan roles;
  SmallVector<ByWarpgroups> found;
  if (why.empty()) {
    roles = planRoles(loop, target);
    for (pho::DotOp dot : dots)
      found.push_back(judgeWgmma(dot, roles, target));
  } else {
    found.resize(dots.size(), {why});
  }
  const bool all = llvm::all_of(found, [](const ByWarpgroups &f) { return f.whyNot.empty(); });
  for (auto [dot, mine] : llvm::zip(dots, found)) {
    DotPlan &plan = plans.dots[dot];
    if (!all) {
      if (plan.isMma)
        plan.whyNotWgmma =
            mine.whyNot.empty() ? "another product of its loop does not go by warpgroups" : mine.whyNot;
      continue;
    }
    plan.isWgmma = true;
    plan.whyNotWgmma.clear();
    plan.producers = roles.producers;
    const WarpGrid groups{mine.rowsOfGroups, target.warps / 4 / mine.rowsOfGroups};
    plan.accumulator = wgmmaAccumulator(shapeOf(dot.getAcc().getType()), groups);
    plan.grid = {4 * groups.m, groups.n};
  }
  if (all)
    plans.loops[loop] = roles;
}

DotPlan choosePath(pho::DotOp dot, const Target &target) {
  DotPlan plan;
  plan.whyNotMma = chooseMma(dot, target, plan);
  plan.isMma = plan.whyNotMma.empty();
  if (!plan.isMma) {
    plan.operandType = elementOf(dot.getA().getType());
    plan.kind = "fma";
  }
  return plan;
}
} // namespace

legality::Verdict judgeNames(pho::DotOp dot, const Target &target) {
  Point completed;
  return completeNames(dot, target, choosePath(dot, target), completed).value_or(legality::Verdict{});
}

namespace {
/// By the warps' or the threads' own products.
DotPlan planDot(pho::DotOp dot, const Target &target) {
  DotPlan plan = choosePath(dot, target);
  const Coord shape = shapeOf(dot.getAcc().getType());
  Point names;
  auto verdict = completeNames(dot, target, plan, names);
  const bool isNamed = verdict && verdict->isLegal();
  if (plan.isMma) {
    plan.grid = isNamed ? WarpGrid{shape[0] / *names.get("WARP_M"), shape[1] / *names.get("WARP_N")}
                        : chooseGrid(dot, shape, {plan.isF64() ? 8 : 16, 8}, target.warps);
    plan.accumulator = mmaAccumulator(shape, plan.grid, plan.isF64());
    return plan;
  }
  SimtTile tile = isNamed ? namedSimt(shape, names)
                          : chooseSimt(dot, shape, target.warps, elementBytes(plan.operandType));
  plan.grid = tile.grid;
  plan.accumulator = simtAccumulator(shape, tile);
  return plan;
}
} // namespace

Plans planDots(Operation *func, const Target &target) {
  Plans plans;
  std::string why = whyNoWarpgroups(target);
  if (why.empty())
    why = "it does not accumulate in a loop of its own";
  func->walk([&](pho::DotOp dot) {
    DotPlan &plan = plans.dots[dot] = planDot(dot, target);
    if (hasWarpgroups(target) && plan.isMma)
      plan.whyNotWgmma = why; // unless its loop is asked
  });
  if (hasWarpgroups(target))
    func->walk([&](scf::ForOp loop) {
      if (loop->hasAttr("pho.contraction"))
        planLoop(loop, target, plans);
    });
  return plans;
}

} // namespace phobos::nvptx
