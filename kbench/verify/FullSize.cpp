#include "kbench/verify/FullSize.h"
#include "compiler/support/Parallel.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

namespace phobos::kbench {
namespace {

/// Whether all elements lie within their bounds, and the largest error in units of them. NaN counts as
/// outside. `difference(i)` is of element i.
template <typename Difference>
bool allWithin(const FullOutput &expected, const Difference &difference, double &worst) {
  const float *bound = expected.bounds.data();
  std::atomic<bool> allOk = true;
  std::mutex comparing;
  inParallel(expected.values.size(), [&](int64_t begin, int64_t end) {
    decltype(difference(begin)) most = 0;
    bool ok = true;
    for (int64_t i = begin; i < end; ++i) {
      const auto error = std::abs(difference(i)) / bound[i];
      ok &= error <= 1;
      most = std::max(most, error);
    }
    if (!ok)
      allOk = false;
    std::lock_guard lock(comparing);
    worst = std::max(worst, static_cast<double>(most));
  });
  return allOk;
}

/// The same for elements that the processor computes with as they lie.
template <typename T> bool allWithin(const HostArray &got, const FullOutput &expected, double &worst) {
  const auto *g = static_cast<const T *>(got.data()), *y = static_cast<const T *>(expected.values.data());
  return allWithin(expected, [=](int64_t i) { return g[i] - y[i]; }, worst);
}

} // namespace

FullOutput makeFullOutput(size_t param, HostArray values, const HostArray &sizes, const Effort &effort) {
  FullOutput out{param, std::move(values), {}};
  if (!isFloat(out.values.elem()))
    return out;
  const ErrorBound bound(effort, out.values.elem(), out.values);
  out.bounds.resize(static_cast<size_t>(out.values.size()));
  inParallel(out.values.size(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out.bounds[static_cast<size_t>(i)] =
          std::max(static_cast<float>(2 * bound.of(out.values.getFloat(i), sizes.getFloat(i))),
                   std::numeric_limits<float>::min());
  });
  return out;
}

Comparison compareFull(const HostArray &got, const FullOutput &expected, const std::string &name) {
  Comparison result;
  if (expected.bounds.empty()) {
    if (std::memcmp(got.data(), expected.values.data(), got.bytes()) == 0)
      return result;
  } else if (got.elem() == ScalarType::F32) {
    if (allWithin<float>(got, expected, result.worst))
      return result;
  } else if (got.elem() == ScalarType::F64) {
    if (allWithin<double>(got, expected, result.worst))
      return result;
  } else if (allWithin(
                 expected, [&](int64_t i) { return got.getFloat(i) - expected.values.getFloat(i); },
                 result.worst)) {
    return result;
  }
  // The slow way, which also lets NaN meet NaN and names the first element that differs.
  ExpectedOutput slow{expected.param, expected.values, {}};
  slow.bounds.assign(expected.bounds.begin(), expected.bounds.end());
  return compare(got, slow, name);
}

} // namespace phobos::kbench
