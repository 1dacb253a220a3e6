#include "kbench/verify/Oracle.h"
#include "compiler/interp/Interp.h"
#include "compiler/support/Parallel.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>

namespace phobos::kbench {
namespace {

bool runInterpreter(const sema::TypedKernel &kernel, std::vector<Input> &inputs,
                    const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid, std::string &error,
                    std::optional<double> farTrig = {}, Diagnostics *checked = nullptr) {
  std::vector<interp::Argument> args;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (kernel.params[i].isTensor)
      args.emplace_back(&inputs[i].array);
    else
      args.emplace_back(interp::ScalarArgument{inputs[i].f, inputs[i].i});
  Diagnostics unchecked, &diags = checked ? *checked : unchecked;
  interp::Options options;
  options.farTrig = farTrig;
  options.check = checked != nullptr;
  if (interp::run(kernel, args, dims, grid, options, diags))
    return true;
  const bool isStopped = std::any_of(diags.all().begin(), diags.all().end(), [](const Diagnostic &d) {
    return d.id == diag::StepLimit || d.id == diag::Cancelled || d.id == diag::ValuesTooLarge;
  });
  if (checked && !isStopped) // it ran to its end; what was found is the caller's to judge
    return true;
  error = diags.all().empty() ? "the interpreter stopped" : diags.all().front().message;
  return false;
}

bool hasWideTrig(const sema::TypedKernel &kernel) {
  return std::any_of(kernel.exprs.begin(), kernel.exprs.end(), [](const sema::Expr &e) {
    return (e.op == sema::Op::Sin || e.op == sema::Op::Cos) && e.type.elem == ScalarType::F64;
  });
}

double rootMeanSquare(const HostArray &a) {
  double sum = 0, n = 0;
  std::mutex adding;
  inParallel(a.size(), [&](int64_t begin, int64_t end) {
    double partSum = 0, partN = 0;
    for (int64_t i = begin; i < end; ++i)
      if (double x = a.getFloat(i); std::isfinite(x))
        partSum += x * x, ++partN;
    std::lock_guard lock(adding);
    sum += partSum, n += partN;
  });
  return n > 0 ? std::sqrt(sum / n) : 0;
}

/// Of any float type the highest bit is the sign.
template <typename Bits> void clearSigns(HostArray &a) {
  auto *bits = static_cast<Bits *>(a.data());
  inParallel(a.size(), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      bits[i] = static_cast<Bits>(bits[i] & static_cast<Bits>(~Bits(0)) >> 1);
  });
}

std::string text(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", x);
  return buffer;
}

} // namespace

std::string placeOf(const HostArray &a, int64_t i) {
  std::vector<int64_t> index(a.extents().size());
  for (size_t axis = index.size(); axis-- > 0;) {
    index[axis] = i % a.extents()[axis];
    i /= a.extents()[axis];
  }
  std::string s;
  for (int64_t x : index)
    s += (s.empty() ? "" : ", ") + std::to_string(x);
  return "[" + s + "]";
}

std::vector<Input> absoluteValues(std::vector<Input> inputs, const sema::TypedKernel &kernel) {
  for (size_t p = 0; p < inputs.size(); ++p) {
    Input &in = inputs[p];
    in.f = std::abs(in.f);
    if (!kernel.params[p].isTensor || !isFloat(in.array.elem()))
      continue;
    switch (byteSize(in.array.elem())) {
    case 1:
      clearSigns<uint8_t>(in.array);
      break;
    case 2:
      clearSigns<uint16_t>(in.array);
      break;
    case 4:
      clearSigns<uint32_t>(in.array);
      break;
    default:
      clearSigns<uint64_t>(in.array);
    }
  }
  return inputs;
}

std::optional<std::vector<HostArray>>
interpretValues(const sema::TypedKernel &kernel, const std::vector<Input> &inputs,
                const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid, std::string &error) {
  std::vector<Input> results = inputs;
  if (!runInterpreter(kernel, results, dims, grid, error))
    return std::nullopt;
  std::vector<HostArray> values(results.size());
  for (size_t p = 0; p < results.size(); ++p)
    if (kernel.params[p].isTensor && kernel.params[p].isWritten)
      values[p] = std::move(results[p].array);
  return values;
}

ErrorBound::ErrorBound(const Effort &effort, ScalarType elem, const HostArray &values) {
  const double amplify = effort.hasExponential && effort.hasContraction ? 8 : 1;
  ofSize_ =
      amplify * (4 * effort.accumulatorRoundoff * std::sqrt(effort.longestSum) + 8 * effort.middleRoundoff);
  ofValue_ = 2 * unitRoundoff(elem) + 32 * effort.functionRoundoff;
  least_ = elem == ScalarType::F64                               ? 1e-300
           : elem == ScalarType::F32 || elem == ScalarType::BF16 ? 1e-37
                                                                 : 1e-7;
  rms_ = rootMeanSquare(values);
}

double ErrorBound::of(double value, double size) const {
  const double y = std::isfinite(value) ? std::abs(value) : 0, s = std::isfinite(size) ? std::abs(size) : 0;
  return ofSize_ * std::max({s, y, rms_}) + ofValue_ * y + least_;
}

std::optional<std::vector<ExpectedOutput>>
interpret(const sema::TypedKernel &kernel, const Contract &contract, const std::vector<Input> &inputs,
          const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid, const Effort &effort,
          std::string &error, Diagnostics *checked) {
  bool anyFloat = false;
  for (const ContractParam &p : contract.params)
    anyFloat = anyFloat || (p.isTensor && p.isWritten && isFloat(p.elem));
  std::vector<Input> results = inputs, sizes;
  if (!runInterpreter(kernel, results, dims, grid, error, {}, checked))
    return std::nullopt;
  if (anyFloat) {
    sizes = absoluteValues(inputs, kernel);
    if (!runInterpreter(kernel, sizes, dims, grid, error))
      return std::nullopt;
  }
  std::vector<Input> others; // of another result of f64 sin and cos far out: what differs is not determined
  if (hasWideTrig(kernel)) {
    others = inputs;
    if (!runInterpreter(kernel, others, dims, grid, error, 0.4375))
      return std::nullopt;
  }
  std::vector<ExpectedOutput> outputs;
  for (size_t p = 0; p < contract.params.size(); ++p) {
    if (!contract.params[p].isTensor || !contract.params[p].isWritten)
      continue;
    ExpectedOutput out{p, std::move(results[p].array), {}};
    ScalarType elem = contract.params[p].elem;
    if (isFloat(elem)) {
      const ErrorBound bound(effort, elem, out.values);
      for (int64_t i = 0; i < out.values.size(); ++i)
        out.bounds.push_back(bound.of(out.values.getFloat(i), sizes[p].array.getFloat(i)));
    }
    if (!others.empty())
      for (int64_t i = 0; i < out.values.size(); ++i)
        if (out.values.getBits(i) != others[p].array.getBits(i)) {
          out.bounds.resize(static_cast<size_t>(out.values.size()));
          out.bounds[static_cast<size_t>(i)] = INFINITY;
        }
    outputs.push_back(std::move(out));
  }
  return outputs;
}

Comparison compare(const HostArray &got, const ExpectedOutput &expected, const std::string &name) {
  Comparison result;
  int64_t bad = 0, n = expected.values.size();
  auto fail = [&](int64_t i, const std::string &have, const std::string &want) {
    if (bad++ == 0)
      result.failure = name + placeOf(got, i) + " = " + have + ", expected " + want;
  };
  for (int64_t i = 0; i < n; ++i) {
    if (!expected.bounds.empty() && std::isinf(expected.bounds[static_cast<size_t>(i)]))
      continue;
    if (!isFloat(expected.values.elem())) {
      if (got.getInt(i) != expected.values.getInt(i))
        fail(i, std::to_string(got.getInt(i)), std::to_string(expected.values.getInt(i)));
      continue;
    }
    double g = got.getFloat(i), y = expected.values.getFloat(i);
    bool same = (std::isnan(g) && std::isnan(y)) || g == y;
    if (same)
      continue;
    double error = std::isfinite(g) && std::isfinite(y)
                       ? std::abs(g - y) / expected.bounds[static_cast<size_t>(i)]
                       : INFINITY;
    result.worst = std::max(result.worst, error);
    if (error > 1)
      fail(i, text(g), text(y) + " (within " + text(expected.bounds[static_cast<size_t>(i)]) + ")");
  }
  if (bad > 1)
    result.failure += "; " + std::to_string(bad) + " of " + std::to_string(n) + " elements differ";
  return result;
}

} // namespace phobos::kbench
