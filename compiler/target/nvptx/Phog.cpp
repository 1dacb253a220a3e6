#include "compiler/target/nvptx/Phog.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#pragma clang diagnostic ignored "-Wshadow" // in what tablegen writes
#include "compiler/target/nvptx/PhogDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/target/nvptx/PhogAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/target/nvptx/PhogTypes.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/target/nvptx/PhogOps.cpp.inc"

namespace phobos::phog {

void PhogDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/target/nvptx/PhogAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/target/nvptx/PhogTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/target/nvptx/PhogOps.cpp.inc"
      >();
}

void LayoutAttr::print(mlir::AsmPrinter &p) const {
  llvm::ArrayRef<int64_t> d = getData();
  size_t at = 3;
  p << "<";
  for (int part = 0; part < 3; ++part) {
    p << (part ? " " : "") << (part == 0 ? "reg" : part == 1 ? "lane" : "warp") << " [";
    for (int64_t m = 0; m < d[part]; ++m, at += 3)
      p << (m ? ", " : "") << d[at] << ":" << d[at + 1] << " " << (d[at + 2] ? "j" : "i");
    p << "]";
  }
  p << ">";
}

mlir::Attribute LayoutAttr::parse(mlir::AsmParser &p, mlir::Type) {
  llvm::SmallVector<int64_t> counts, modes;
  if (p.parseLess())
    return {};
  for (const char *part : {"reg", "lane", "warp"}) {
    int64_t n = 0;
    auto mode = [&]() -> mlir::ParseResult {
      int64_t size = 0, stride = 0;
      llvm::StringRef axis;
      if (p.parseInteger(size) || p.parseColon() || p.parseInteger(stride) || p.parseKeyword(&axis))
        return mlir::failure();
      modes.append({size, stride, axis == "j"});
      ++n;
      return mlir::success();
    };
    if (p.parseKeyword(part) || p.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, mode))
      return {};
    counts.push_back(n);
  }
  if (p.parseGreater())
    return {};
  counts.append(modes);
  return get(p.getContext(), counts);
}

} // namespace phobos::phog

namespace phobos::nvptx {

Coord shapeOf(mlir::Type tile) {
  auto t = llvm::cast<mlir::RankedTensorType>(tile);
  return t.getRank() == 2 ? Coord{t.getDimSize(0), t.getDimSize(1)}
                          : Coord{1, t.getRank() ? t.getDimSize(0) : 1};
}

Layout layoutOf(mlir::Type tile) {
  Layout out{shapeOf(tile), {}, {}, {}};
  auto attr = llvm::cast<phog::LayoutAttr>(llvm::cast<mlir::RankedTensorType>(tile).getEncoding());
  llvm::ArrayRef<int64_t> d = attr.getData();
  size_t at = 3;
  for (int part = 0; part < 3; ++part)
    for (int64_t m = 0; m < d[part]; ++m, at += 3)
      (part == 0   ? out.reg
       : part == 1 ? out.lane
                   : out.warp)
          .push_back({d[at], d[at + 1], static_cast<int>(d[at + 2])});
  return out;
}

mlir::Type withLayout(mlir::Type tile, const Layout &layout) {
  auto t = llvm::cast<mlir::RankedTensorType>(tile);
  llvm::SmallVector<int64_t> data{static_cast<int64_t>(layout.reg.size()),
                                  static_cast<int64_t>(layout.lane.size()),
                                  static_cast<int64_t>(layout.warp.size())};
  for (const Modes *modes : {&layout.reg, &layout.lane, &layout.warp})
    for (const Mode &m : *modes)
      data.append({m.size, m.stride, m.axis});
  return mlir::RankedTensorType::get(t.getShape(), t.getElementType(),
                                     phog::LayoutAttr::get(t.getContext(), data));
}

SharedLayout sharedLayoutOf(phog::BufferType b) {
  return {b.getRows(),  b.getCols(),        elementBytes(b.getElementType()),
          b.getPitch(), b.getRowsPerStep(), b.getMask()};
}

phog::BufferType bufferType(mlir::Type element, const SharedLayout &s, int64_t stages) {
  return phog::BufferType::get(element.getContext(), stages, s.rows, s.cols, element, s.pitchBytes,
                               s.rowsPerStep, s.mask);
}

int64_t elementBytes(mlir::Type element) {
  if (element.isIndex())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

mlir::Type elementOf(mlir::Type type) {
  auto t = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return t ? t.getElementType() : type;
}

} // namespace phobos::nvptx
