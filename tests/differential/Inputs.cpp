#include "tests/differential/Inputs.h"
#include "runtime/contract/Numeric.h"
#include "tests/differential/Random.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace phobos::differential {

Header readHeader(const std::string &text) {
  Header h;
  std::istringstream lines(text);
  std::string line, mark, word, name;
  while (std::getline(lines, line) && line.starts_with("//!")) {
    std::istringstream fields(line);
    fields >> mark >> word;
    if (word == "seed") {
      fields >> h.seed;
    } else if (word == "dim") {
      int64_t n = 0;
      fields >> name >> n;
      h.dims.emplace_back(name, n);
    } else if (word == "in") {
      fields >> name >> h.inputs[name];
    } else if (word == "out") {
      fields >> name >> word;
      h.outputs[name] = std::strtod(word.c_str(), nullptr);
    }
  }
  return h;
}

/// Small numbers, extremes, powers of two and their neighbours, and anything.
static int64_t integerValue(Random &random, ScalarType t) {
  unsigned width = bitWidth(t);
  switch (random.below(6)) {
  case 0:
    return static_cast<int64_t>(random.next());
  case 1:
    return random.pick(
        std::vector<int64_t>{0, 1, -1, INT64_MIN >> (64 - width), ~(INT64_MIN >> (64 - width))});
  case 2:
    return static_cast<int64_t>((uint64_t(1) << random.below(width)) +
                                static_cast<uint64_t>(random.range(-1, 1)));
  default:
    return random.range(-9, 9);
  }
}

static double floatValue(Random &random, ScalarType t, bool specials) {
  if (specials && random.chance(12))
    return random.pick(std::vector<double>{std::nan(""), INFINITY, -INFINITY, -0.0});
  int64_t most = bitWidth(t) < 32 ? 7 : 31;
  return static_cast<double>(random.range(-most, most)) / 4;
}

/// Any bits, or what is at the edges of the type: zeros, the least and the largest, denormals, infinities,
/// NaN, 1.
static double edgeValue(Random &random, ScalarType t) {
  const unsigned width = bitWidth(t), mantissas = t == ScalarType::F64      ? 52
                                                  : t == ScalarType::F32    ? 23
                                                  : t == ScalarType::F16    ? 10
                                                  : t == ScalarType::BF16   ? 7
                                                  : t == ScalarType::F8E4M3 ? 3
                                                                            : 2;
  const uint64_t one = uint64_t(1) << mantissas, sign = random.next() << (width - 1);
  const uint64_t top = (uint64_t(1) << (width - 1)) - one; // the exponent's bits
  uint64_t bits = 0;
  switch (random.below(8)) {
  case 0:
    bits = random.pick(std::vector<uint64_t>{0, 1, one - 1, one, top - 1, top, top | one >> 1});
    break;
  case 1:
    bits = random.next() & (one - 1); // zero or denormal
    break;
  case 2:
  case 3:
    return static_cast<double>(random.range(-15, 15)) / 8;
  default:
    bits = random.next();
  }
  bits = (bits | sign) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
  if (t == ScalarType::F64) {
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
  return numeric::decodeFloat(t, bits);
}

static void fill(HostArray &array, Random &random, const std::string &how) {
  for (int64_t i = 0; i < array.size(); ++i)
    if (array.elem() == ScalarType::Bool)
      array.setInt(i, random.below(2));
    else if (isFloat(array.elem()))
      array.setFloat(i, how == "edges" ? edgeValue(random, array.elem())
                                       : floatValue(random, array.elem(), how == "specials"));
    else
      array.setInt(i, integerValue(random, array.elem()));
}

bool makeArguments(const Contract &contract, const Header &header, driver::HostArguments &arguments,
                   BoundLaunch &launch, std::string &error) {
  Random random(header.seed * 2 + 1);
  size_t n = contract.params.size();
  arguments.arrays.assign(n, {});
  arguments.scalars.assign(n, {});
  BindOptions options;
  for (const auto &[name, value] : header.dims)
    if (std::find(contract.dims.begin(), contract.dims.end(), name) != contract.dims.end())
      options.dims.emplace_back(name, value);
  std::vector<TensorShape> shapes(n);
  std::vector<const TensorShape *> tensors(n);
  for (size_t i = 0; i < n; ++i) {
    const ContractParam &p = contract.params[i];
    auto how = header.inputs.find(p.name);
    std::string rule = how == header.inputs.end() ? "" : how->second;
    if (!p.isTensor) {
      HostArray one(p.elem, {1});
      fill(one, random, rule);
      arguments.scalars[i] = {isFloat(p.elem) ? one.getFloat(0) : 0, isFloat(p.elem) ? 0 : one.getInt(0)};
      continue;
    }
    std::vector<int64_t> extents;
    for (const ContractExtent &e : p.extents) {
      int64_t extent = e.value;
      if (!e.fixed)
        for (const auto &[name, value] : header.dims)
          if (name == contract.dims[static_cast<size_t>(e.value)])
            extent = value;
      extents.push_back(extent);
    }
    arguments.arrays[i] = HostArray(p.elem, extents);
    fill(arguments.arrays[i], random, rule);
    shapes[i] = {p.elem, extents, {}, arguments.arrays[i].data()};
    tensors[i] = &shapes[i];
  }
  return bindLaunch(contract, tensors, options, launch, error);
}

} // namespace phobos::differential
