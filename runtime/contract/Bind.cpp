// The checks of a launch, in the order in which each makes the next meaningful.
#include "runtime/contract/Contract.h"
#include <algorithm>

namespace phobos {

namespace {

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

/// Who fixed a runtime dimension: for the message where another tensor disagrees.
struct DimSource {
  bool known = false;
  std::string place; ///< `dimension 1 of 'A'`
};

class Binder {
public:
  Binder(const Contract &c, const std::vector<const TensorShape *> &tensors, const BindOptions &options,
         BoundLaunch &result, std::string &error)
      : c_(c), tensors_(tensors), options_(options), result_(result), error_(error) {}

  bool run() {
    result_ = {};
    result_.dims.assign(c_.dims.size(), 0);
    sources_.resize(c_.dims.size());
    return bindGivenDims() && bindTensors() && allDimsKnown() && checkStrides() && checkAddresses() &&
           checkOverlap() && checkAligned() && checkRequires() && bindGrid();
  }

private:
  using By = BoundLaunch::Refusal::By;

  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  bool fail(By by, size_t index, std::string message) {
    result_.refusal = {by, index};
    return fail(std::move(message));
  }

  bool setDim(size_t index, int64_t value, const std::string &place) {
    DimSource &s = sources_[index];
    if (s.known && result_.dims[index] != value)
      return fail("dimension " + quoted(c_.dims[index]) + " is " + std::to_string(result_.dims[index]) +
                  " in " + s.place + ", but " + std::to_string(value) + " in " + place);
    if (!s.known) {
      s = {true, place};
      result_.dims[index] = value;
    }
    return true;
  }

  bool bindGivenDims() {
    for (const auto &[name, value] : options_.dims) {
      auto it = std::find(c_.dims.begin(), c_.dims.end(), name);
      if (it == c_.dims.end()) {
        std::string known;
        for (const std::string &d : c_.dims)
          known += (known.empty() ? "" : ", ") + d;
        return fail("kernel " + quoted(c_.kernel) + " has no runtime dimension " + quoted(name) +
                    (known.empty() ? std::string("; it has none") : "; it has " + known));
      }
      if (value < 0)
        return fail("dimension " + quoted(name) + " is " + std::to_string(value) +
                    "; an extent is at least 0");
      if (!setDim(static_cast<size_t>(it - c_.dims.begin()), value, "the dimensions given"))
        return false;
    }
    return true;
  }

  bool bindTensors() {
    for (size_t i = 0; i < c_.params.size(); ++i) {
      const ContractParam &p = c_.params[i];
      if (!p.isTensor)
        continue;
      const TensorShape *t = i < tensors_.size() ? tensors_[i] : nullptr;
      if (!t)
        return fail(By::Param, i, "parameter " + quoted(p.name) + " is a tensor and was not given");
      if (t->elem != p.elem)
        return fail(By::Param, i,
                    "parameter " + quoted(p.name) + " is tensor<" + std::string(name(p.elem)) +
                        ">, the argument is of " + std::string(name(t->elem)));
      if (t->extents.size() != p.extents.size())
        return fail(By::Param, i,
                    "parameter " + quoted(p.name) + " has rank " + std::to_string(p.extents.size()) +
                        ", the argument has rank " + std::to_string(t->extents.size()));
      for (size_t axis = 0; axis < p.extents.size(); ++axis) {
        int64_t have = t->extents[axis];
        std::string place = "dimension " + std::to_string(axis) + " of " + quoted(p.name);
        if (have < 0)
          return fail(By::Param, i, place + " is " + std::to_string(have) + "; an extent is at least 0");
        if (p.extents[axis].fixed) {
          if (have != p.extents[axis].value)
            return fail(By::Param, i,
                        place + " must be " + std::to_string(p.extents[axis].value) + ", it is " +
                            std::to_string(have));
        } else if (!setDim(static_cast<size_t>(p.extents[axis].value), have, place)) {
          return fail(By::Param, i, std::move(error_));
        }
      }
    }
    return true;
  }

  bool allDimsKnown() {
    for (size_t i = 0; i < sources_.size(); ++i)
      if (!sources_[i].known)
        return fail("dimension " + quoted(c_.dims[i]) + " has no value: no tensor fixes it");
    return true;
  }

  bool checkStrides() {
    for (size_t i = 0; i < c_.params.size(); ++i) {
      if (!c_.params[i].isTensor)
        continue;
      const TensorShape &t = *tensors_[i];
      if (t.strides.empty())
        continue; // dense
      const std::string &p = c_.params[i].name;
      if (t.strides.size() != t.extents.size())
        return fail(By::Param, i,
                    "parameter " + quoted(p) + " has " + std::to_string(t.extents.size()) + " extents but " +
                        std::to_string(t.strides.size()) + " strides");
      for (size_t axis = 0; axis < t.strides.size(); ++axis) {
        bool last = axis + 1 == t.strides.size();
        if (last && t.strides[axis] != 1 && t.extents[axis] > 1)
          return fail(By::Param, i,
                      "parameter " + quoted(p) +
                          ": the last dimension must be contiguous (stride 1), its stride is " +
                          std::to_string(t.strides[axis]));
        if (!last && t.strides[axis] < 1 && t.extents[axis] > 1)
          return fail(By::Param, i,
                      "parameter " + quoted(p) + ": the stride of dimension " + std::to_string(axis) +
                          " must be positive, it is " + std::to_string(t.strides[axis]));
      }
    }
    return true;
  }

  /// Addresses are those of elements, and no tensor reaches further than an address can.
  bool checkAddresses() {
    constexpr auto most = static_cast<unsigned __int128>(INT64_MAX);
    for (size_t i = 0; i < c_.params.size(); ++i) {
      if (!c_.params[i].isTensor)
        continue;
      const TensorShape &t = *tensors_[i];
      const std::string &p = c_.params[i].name;
      unsigned __int128 elements = byteSize(t.elem), reach = byteSize(t.elem);
      bool empty = false;
      for (size_t axis = 0; axis < t.extents.size(); ++axis) {
        const auto extent = static_cast<unsigned __int128>(t.extents[axis]);
        empty |= extent == 0;
        elements = std::min(elements * extent, most + 1);
        if (!t.strides.empty() && extent > 1)
          reach = std::min(reach + (extent - 1) * static_cast<uint64_t>(t.strides[axis]) * byteSize(t.elem),
                           most + 1);
      }
      if (!empty && (elements > most || reach > most))
        return fail(By::Param, i,
                    "parameter " + quoted(p) + " is larger than an address space: extents " +
                        listed(t.extents) + (t.strides.empty() ? "" : ", strides " + listed(t.strides)));
      const auto address = reinterpret_cast<uintptr_t>(t.data);
      if (!empty && address % byteSize(t.elem) != 0)
        return fail(By::Param, i, misaligned(p, address, t.elem));
    }
    return true;
  }

  static std::string listed(const std::vector<int64_t> &values) {
    std::string s;
    for (int64_t v : values)
      s += (s.empty() ? "" : ", ") + std::to_string(v);
    return "[" + s + "]";
  }

  /// Bytes [first, last) that a tensor may touch.
  static std::pair<uintptr_t, uintptr_t> byteRange(const TensorShape &t) {
    auto base = reinterpret_cast<uintptr_t>(t.data);
    int64_t reach = 1, dense = 1;
    for (size_t axis = t.extents.size(); axis-- > 0;) {
      if (t.extents[axis] == 0)
        return {base, base};
      int64_t stride = t.strides.empty() ? dense : t.strides[axis];
      reach += (t.extents[axis] - 1) * stride;
      dense *= t.extents[axis];
    }
    return {base, base + static_cast<uintptr_t>(reach) * byteSize(t.elem)};
  }

  bool checkOverlap() {
    if (options_.assumeDisjoint)
      return true;
    for (size_t i = 0; i < c_.params.size(); ++i)
      for (size_t j = i + 1; j < c_.params.size(); ++j) {
        const ContractParam &a = c_.params[i], &b = c_.params[j];
        if (!a.isTensor || !b.isTensor || (!a.isWritten && !b.isWritten) || !tensors_[i]->data ||
            !tensors_[j]->data)
          continue;
        auto [aFirst, aLast] = byteRange(*tensors_[i]);
        auto [bFirst, bLast] = byteRange(*tensors_[j]);
        if (aFirst < bLast && bFirst < aLast)
          return fail(
              By::Param, j,
              "parameters " + quoted(a.name) + " and " + quoted(b.name) + " overlap in memory (" +
                  addressText(aFirst) + " to " + addressText(aLast) + ", " + addressText(bFirst) + " to " +
                  addressText(bLast) + ") and " + quoted(a.isWritten ? a.name : b.name) +
                  " is written; in place means one parameter (the option assume_disjoint skips this check)");
      }
    return true;
  }

  bool checkAligned() {
    for (const ContractAligned &a : c_.aligned) {
      int64_t have = result_.dims[static_cast<size_t>(a.dim)];
      if (a.multiple > 0 && have % a.multiple != 0)
        return fail(By::Aligned, 0,
                    "@aligned: " + quoted(c_.dims[static_cast<size_t>(a.dim)]) + " must be a multiple of " +
                        std::to_string(a.multiple) + ", it is " + std::to_string(have));
    }
    return true;
  }

  bool checkRequires() {
    for (size_t index = 0; index < c_.requires_.size(); ++index) {
      const ContractRequire &r = c_.requires_[index];
      if (r.condition.evaluate(result_.dims) != 0)
        continue;
      std::string dims;
      for (size_t i = 0; i < c_.dims.size(); ++i)
        dims += (i ? ", " : "") + c_.dims[i] + " = " + std::to_string(result_.dims[i]);
      if (!r.values.empty())
        dims += (dims.empty() ? "" : ", ") + r.values;
      return fail(By::Require, index,
                  "@require(" + r.text + ") does not hold" + (r.reason.empty() ? "" : ": " + r.reason) +
                      " (" + dims + ")");
    }
    return true;
  }

  bool bindGrid() {
    static const char axisName[] = {'x', 'y', 'z'};
    if (options_.grid) {
      result_.grid = *options_.grid;
      for (size_t axis = 0; axis < 3; ++axis)
        if (axis < c_.inferredGrid.size() && c_.inferredGrid[axis]) {
          int64_t need = c_.inferredGrid[axis]->evaluate(result_.dims);
          if (result_.grid[axis] < need)
            result_.warnings.push_back("the grid given has " + std::to_string(result_.grid[axis]) +
                                       (result_.grid[axis] == 1 ? " block" : " blocks") + " along " +
                                       axisName[axis] + ", fewer than the " + std::to_string(need) +
                                       " that store everything");
        }
    } else if (c_.gridFromHost) {
      return fail(By::Grid, 0,
                  "kernel " + quoted(c_.kernel) + " is @grid(host): the launch must give the grid");
    } else {
      for (size_t axis = 0; axis < 3; ++axis)
        result_.grid[axis] = c_.grid[axis].evaluate(result_.dims);
    }
    for (size_t axis = 0; axis < 3; ++axis)
      if (result_.grid[axis] < 0 || result_.grid[axis] > 2147483647)
        return fail(By::Grid, 0,
                    std::string("the grid's extent along ") + axisName[axis] + " is " +
                        std::to_string(result_.grid[axis]) + "; it must be from 0 to 2147483647");
    return true;
  }

  const Contract &c_;
  const std::vector<const TensorShape *> &tensors_;
  const BindOptions &options_;
  BoundLaunch &result_;
  std::string &error_;
  std::vector<DimSource> sources_;
};

} // namespace

std::string addressText(uintptr_t address) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (uintptr_t rest = address; rest || hex.empty(); rest /= 16)
    hex.insert(hex.begin(), digits[rest % 16]);
  return "0x" + hex;
}

std::string misaligned(const std::string &parameter, uintptr_t address, ScalarType elem) {
  return "parameter " + quoted(parameter) + ": the address " + addressText(address) +
         " is not a multiple of " + std::to_string(byteSize(elem)) + ", the size of " +
         std::string(name(elem));
}

bool bindLaunch(const Contract &contract, const std::vector<const TensorShape *> &tensors,
                const BindOptions &options, BoundLaunch &result, std::string &error) {
  return Binder(contract, tensors, options, result, error).run();
}

} // namespace phobos
