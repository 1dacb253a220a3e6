#include "kbench/tool/Subject.h"
#include "compiler/driver/GivenValues.h"
#include "compiler/driver/Status.h"
#include "compiler/support/Suggest.h"
#include "kbench/space/Walk.h"
#include "kbench/tool/NamesUsed.h"
#include "kbench/tool/Refused.h"
#include "kbench/verify/Inputs.h"
#include "kbench/workers/KernelWorker.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <set>
#include <unistd.h>

namespace phobos::kbench {
namespace {

class Maker {
public:
  Maker(const Options &options, const Target &target, Subject &subject, Diagnostics &diags)
      : o_(options), target_(target), s_(subject), diags_(diags) {}

  int run() {
    for (int (Maker::*step)() :
         {&Maker::load, &Maker::readPins, &Maker::readDims, &Maker::makeSpace, &Maker::readPoints,
          &Maker::findContract, &Maker::chooseDims, &Maker::finishSpace})
      if (int status = (this->*step)())
        return status;
    return Success;
  }

private:
  int load() {
    s_.loaded = driver::load(o_.file, {.stdlib = !o_.noStd}, diags_);
    if (diags_.hasErrors())
      return driver::statusOf(diags_);
    s_.text = std::string(s_.loaded->sources.file(0).text());
    s_.kernel = driver::selectKernel(*s_.loaded->file, o_.kernel, diags_);
    if (!s_.kernel)
      return InputFault;
    s_.space = sema::buildSpace(*s_.kernel, diags_);
    return diags_.hasErrors() ? InputFault : Success;
  }

  int readPins() {
    Point one;
    if (!driver::readPoint(o_.pin, "--pin", s_.pinned, diags_) ||
        !driver::readPoint(o_.autotune, "--autotune", one, diags_))
      return driver::statusOf(diags_);
    for (auto &[n, v] : one.entries())
      s_.pinned.set(n, v);
    Point complete;
    if (!sema::completePoint(s_.space, s_.pinned, complete, diags_))
      return InputFault;
    if (!o_.autotune.empty())
      s_.pinned = complete; // the rest at their first choices: one point
    return Success;
  }

  int readDims() {
    Point extents;
    if (!driver::readExtents(o_.dims, extents, diags_) || !driver::readGrid(o_.grid, s_.grid, diags_))
      return driver::statusOf(diags_);
    for (auto &[n, v] : extents.entries())
      given_[n] = v;
    return Success;
  }

  SpaceOptions spaceOptions() const {
    SpaceOptions options;
    options.pinned = s_.pinned;
    options.ignored = s_.ignored;
    for (auto &[n, v] : given_)
      options.runtimeDims.set(n, v);
    for (auto &[n, v] : s_.dims)
      options.runtimeDims.set(n, v);
    return options;
  }

  int makeSpace() {
    const NamesUsed used(*s_.loaded, *s_.kernel, target_);
    for (const sema::Dimension &d : s_.space.dimensions)
      if (d.choices.size() > 1 && !s_.pinned.get(d.name) && used.isIgnored(d.name))
        s_.ignored.push_back(d.name);
    s_.searched = makeSearchSpace(s_.space, spaceOptions());
    return Success;
  }

  int readPoints() {
    for (const std::string &path : o_.points) {
      std::optional<std::string> read = driver::readText(path, diags_);
      if (!read)
        return driver::statusOf(diags_);
      const uint32_t file = s_.loaded->sources.add(path == "-" ? "<stdin>" : path, *read);
      const std::string_view text = s_.loaded->sources.file(file).text();
      const size_t before = s_.listed.size();
      for (size_t from = 0, end = 0; from < text.size(); from = end + 1) {
        end = std::min(text.find('\n', from), text.size());
        std::string_view item(text.data() + from, end - from);
        item = item.substr(0, item.find('#'));
        if (item.find_first_not_of(" \t\r") != std::string_view::npos)
          readPoint(item, static_cast<uint32_t>(from), file);
        if (diags_.isFull())
          break;
      }
      if (diags_.hasErrors())
        return InputFault;
      if (s_.listed.size() == before) {
        diags_.report(diag::NoPoints, {}, path);
        return InputFault;
      }
    }
    // One that stands twice is measured once.
    std::set<std::string> seen;
    s_.repeated = std::erase_if(s_.listed, [&](const Point &p) { return !seen.insert(p.str()).second; });
    if (o_.limit && !o_.list && !o_.best && s_.listed.size() > *o_.limit)
      s_.listed.resize(*o_.limit);
    return Success;
  }

  // One line of a file of points, which begins at byte `from` of it.
  void readPoint(std::string_view item, uint32_t from, uint32_t file) {
    auto range = [&](size_t at) {
      size_t end = at;
      while (end < item.size() && item[end] != ',' && !std::isspace(static_cast<unsigned char>(item[end])))
        ++end;
      return SourceRange{from + static_cast<uint32_t>(at), from + static_cast<uint32_t>(end), file};
    };
    Point given, complete;
    std::string error;
    size_t at = 0;
    if (!parsePoint(item, given, error, &at)) {
      diags_.report(diag::BadPointLine, range(at), error);
      return;
    }
    if (std::count(item.begin(), item.end(), '=') != static_cast<std::ptrdiff_t>(given.entries().size())) {
      diags_.report(diag::BadPointLine, range(item.find_first_not_of(" \t")),
                    "a name stands twice in the line");
      return;
    }
    // A mistake of a name stands at that name: each is tried by itself.
    bool ok = true;
    for (const auto &[name, value] : given.entries()) {
      Diagnostics unplaced;
      Point alone;
      alone.set(name, value);
      ok = sema::completePoint(s_.space, alone, complete, unplaced) && ok;
      for (const Diagnostic &d : unplaced.all()) {
        auto report = diags_.report(diag::BadPointLine, range(placeOf(item, name)), d.message);
        if (d.help)
          report.help(*d.help);
      }
    }
    Diagnostics none;
    if (ok && sema::completePoint(s_.space, given, complete, none))
      s_.listed.push_back(std::move(complete));
  }

  // Of `NAME=` in the line; a longer name may end like it.
  static size_t placeOf(std::string_view item, std::string_view name) {
    const std::string written = std::string(name) + "=";
    size_t at = item.find(written);
    while (at != 0 && at != std::string_view::npos && item[at - 1] != ',' &&
           !std::isspace(static_cast<unsigned char>(item[at - 1])))
      at = item.find(written, at + 1);
    return at == std::string_view::npos ? item.find_first_not_of(" \t") : at;
  }

  // The parameters do not depend on the point, but a contract is made at one: the first that checks.
  int findContract() {
    Diagnostics first;
    auto attempt = [&](const Point &point) {
      Diagnostics d;
      sema::CheckOptions options;
      options.gridGiven = s_.grid.has_value();
      auto kernel = driver::checkAt(*s_.loaded, *s_.kernel, point, d, options);
      if (first.all().empty())
        first = d;
      if (!kernel)
        return false;
      s_.contract = driver::contractOf(*kernel);
      diags_.append(d); // its warnings
      return true;
    };
    size_t tries = 0;
    for (const Point &p : s_.listed)
      if (tries++ < 200 && attempt(p))
        return Success;
    if (s_.listed.empty()) {
      Walk walk(s_.searched);
      while (tries++ < 200) {
        auto p = walk.next();
        if (!p)
          break;
        if (attempt(*p))
          return Success;
      }
      if (first.all().empty()) // @require leaves nothing: unless the kernel is in error too, that is why
        return sayWhatRefuses(attempt, first);
    }
    diags_.append(first);
    return InputFault;
  }

  template <typename Attempt> int sayWhatRefuses(Attempt attempt, const Diagnostics &found) {
    Point complete;
    if (!sema::completePoint(s_.space, s_.pinned, complete, diags_))
      return InputFault;
    attempt(complete);
    for (const Diagnostic &d : found.all())
      if (d.severity() == Severity::Error && d.id != diag::IllegalPoint) {
        diags_.append(found);
        return InputFault;
      }
    reportRefused(s_.space, spaceOptions(), !o_.autotune.empty(), diags_);
    return InputFault;
  }

  int chooseDims() {
    const Contract &c = s_.contract;
    Point extents;
    for (auto &[n, v] : given_)
      extents.set(n, v);
    if (!driver::checkExtents(extents, c, diags_))
      return InputFault;
    if (!driver::readArguments(o_.args, c, arguments_, diags_))
      return driver::statusOf(diags_);
    std::map<std::string, int64_t> fromFiles;
    for (size_t p = 0; p < c.params.size(); ++p)
      if (const auto &array = arguments_.arrays[p])
        for (size_t axis = 0; axis < array->extents().size(); ++axis)
          if (const ContractExtent &e = c.params[p].extents[axis]; !e.fixed)
            fromFiles.emplace(c.dims[static_cast<size_t>(e.value)], array->extents()[axis]);
    for (size_t d = 0; d < c.dims.size(); ++d) {
      const std::string &name = c.dims[d];
      if (auto it = given_.find(name); it != given_.end()) {
        s_.dims.emplace_back(name, it->second);
      } else if (auto f = fromFiles.find(name); f != fromFiles.end()) {
        s_.dims.emplace_back(name, f->second);
      } else {
        s_.dims.emplace_back(name, defaultExtent(d));
        s_.defaultDims.push_back(name);
      }
    }
    if (!checkArguments())
      return driver::statusOf(diags_);
    return checkMemory();
  }

  std::vector<int64_t> extents() const {
    std::vector<int64_t> dims;
    for (auto &[n, v] : s_.dims)
      dims.push_back(v);
    return dims;
  }

  /// Whether the arrays of files agree on extents with each other and with --dim, and rules with types.
  bool checkArguments() {
    const Contract &c = s_.contract;
    const std::vector<int64_t> dims = extents();
    for (size_t p = 0; p < c.params.size(); ++p) {
      const ContractParam &param = c.params[p];
      const auto &spec = arguments_.specs[p];
      if (!spec)
        continue;
      double f = 0, count = 1;
      int64_t i = 0;
      for (int64_t e : extentsAt(param, dims))
        count *= static_cast<double>(e);
      if (param.isTensor
              ? !spec->isFile() &&
                    !driver::checkRule(c, param, *spec, static_cast<int64_t>(std::min(count, 9e18)), diags_)
              : !driver::readScalar(c, param, *spec, o_.seed, f, i, diags_))
        return false;
    }
    Contract shapesOnly = c; // what a point asks of extents is said of the point
    shapesOnly.aligned.clear();
    shapesOnly.requires_.clear();
    std::vector<TensorShape> shapes(c.params.size());
    std::vector<const TensorShape *> tensors;
    for (size_t p = 0; p < c.params.size(); ++p) {
      const auto &array = arguments_.arrays[p];
      shapes[p] = {c.params[p].elem, array ? array->extents() : extentsAt(c.params[p], dims), {}, nullptr};
      tensors.push_back(c.params[p].isTensor ? &shapes[p] : nullptr);
    }
    BindOptions options;
    options.grid = {1, 1, 1};
    options.dims.assign(given_.begin(), given_.end());
    std::string error;
    if (BoundLaunch bound; bindLaunch(shapesOnly, tensors, options, bound, error))
      return true;
    diags_.report(diag::LaunchRefused, s_.kernel->signature, error);
    return false;
  }

  int64_t defaultExtent(size_t dim) const {
    bool onlyVectors = true, isMatrixAxis = false, isLeading = false;
    for (const ContractParam &p : s_.contract.params) {
      size_t rank = p.extents.size();
      onlyVectors = onlyVectors && rank <= 1;
      for (size_t axis = 0; axis < rank; ++axis)
        if (!p.extents[axis].fixed && static_cast<size_t>(p.extents[axis].value) == dim)
          (rank >= 2 && axis + 2 >= rank ? isMatrixAxis : rank >= 3 ? isLeading : isMatrixAxis) = true;
    }
    int64_t extent = onlyVectors ? int64_t(1) << 24 : isMatrixAxis || !isLeading ? target_.defaultExtent : 8;
    int64_t multiple = 1;
    for (const ContractAligned &a : s_.contract.aligned)
      if (static_cast<size_t>(a.dim) == dim && a.multiple > 0)
        multiple = std::lcm(multiple, a.multiple);
    return (extent + multiple - 1) / multiple * multiple;
  }

  int checkMemory() {
    double bytes = 0,
           have = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    const std::vector<int64_t> dims = extents();
    for (const ContractParam &p : s_.contract.params) {
      double size = p.isTensor ? byteSize(p.elem) : 0;
      for (int64_t e : extentsAt(p, dims))
        size *= static_cast<double>(e);
      bytes += size;
    }
    if (2 * bytes < have)
      return Success;
    diags_
        .report(diag::TensorsTooLarge, {}, static_cast<int64_t>(bytes / 1e9),
                static_cast<int64_t>(have / 1e9))
        .help("--dim sets smaller extents");
    return EnvironmentFault;
  }

  // Now that all extents are known, constraints over them prune too; and the grid must be known.
  int finishSpace() {
    s_.searched = makeSearchSpace(s_.space, spaceOptions());
    if (!s_.contract.gridFromHost || s_.grid)
      return checkGrid();
    BoundLaunch bound;
    std::string error;
    bindAt(s_.contract, extents(), std::nullopt, bound, error);
    diags_.report(diag::LaunchRefused, s_.kernel->signature, error)
        .help("write --grid X, X,Y or X,Y,Z: the blocks along each axis");
    return driver::statusOf(diags_);
  }

  int checkGrid() {
    BoundLaunch bound;
    std::string ignored; // what a point's contract refuses is said of the point
    if (!bindAt(s_.contract, extents(), s_.grid, bound, ignored) || !bound.isEmpty())
      return Success;
    diags_
        .report(diag::LaunchRefused, s_.kernel->signature,
                "the grid is empty at these extents: there is nothing to time")
        .help("--dim gives larger extents, --grid other blocks");
    return InputFault;
  }

  const Options &o_;
  const Target &target_;
  Subject &s_;
  Diagnostics &diags_;
  std::map<std::string, int64_t> given_;
  driver::GivenArguments arguments_;
};

} // namespace

int makeSubject(const Options &options, const Target &target, Subject &subject, Diagnostics &diags) {
  return Maker(options, target, subject, diags).run();
}

} // namespace phobos::kbench
