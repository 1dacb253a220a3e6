#include "kbench/tool/Tool.h"
#include "compiler/driver/Status.h"
#include "kbench/report/OutputFile.h"
#include "kbench/report/ProgressLine.h"
#include "kbench/tool/Build.h"
#include "kbench/tool/KeptRoof.h"
#include "kbench/tool/Listing.h"
#include "kbench/tool/Places.h"
#include "kbench/tool/PrintRoofs.h"
#include "kbench/tool/Ranking.h"
#include "kbench/tool/RunFolder.h"
#include "kbench/tool/Subject.h"
#include "kbench/tune/Search.h"
#include "runtime/files/WriteFile.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace phobos::kbench {
namespace {

void complain(const std::string &text) { std::fprintf(stderr, "phobos-kbench: %s\n", text.c_str()); }

std::chrono::milliseconds toMilliseconds(double seconds) {
  return std::chrono::milliseconds(std::max<int64_t>(1, static_cast<int64_t>(seconds * 1000)));
}

class Kbench {
public:
  Kbench(const Options &options, const std::vector<Target> &targets,
         const std::vector<std::string> &workerCommand)
      : o_(options), targets_(targets), workerCommand_(workerCommand) {}

  int run() {
    if (int status = openOutputs())
      return status;
    if (int status = openLedger())
      return status;
    if (int status = mergeLedgers(); status || (o_.file.empty() && !o_.roof))
      return status;
    if (int status = chooseTarget())
      return status;
    if (o_.roof)
      return printRoofs(*target_, o_.device, workerCommand_);
    Diagnostics diags;
    int status = makeSubject(o_, *target_, subject_, diags);
    if (subject_.loaded)
      std::fputs(renderText(diags, subject_.loaded->sources, isatty(2)).c_str(), stderr);
    if (status)
      return status;
    sayWhatIsIgnored();
    if (!prepareSession())
      return EnvironmentFault;
    if (isListedByKind())
      session_.deviceFacts = target_->factsOf(o_.target);
    if (o_.list)
      return listPoints(subject_, o_, session_, search_);
    status = meetDevice();
    return status ? status : searchOrRank();
  }

private:
  int openOutputs() {
    if (std::count(o_.csv.begin(), o_.csv.end(), "-") + std::count(o_.json.begin(), o_.json.end(), "-"))
      say_ = stderr;
    for (const std::string &path : o_.csv)
      csv_.emplace_back(path);
    for (const std::string &path : o_.json)
      json_.emplace_back(path);
    if (std::string taken = outputOnto(o_); !taken.empty()) {
      complain(taken);
      return UsageFault;
    }
    std::string error;
    for (auto *files : {&csv_, &json_})
      for (OutputFile &f : *files)
        if (!f.check(error)) {
          complain(error);
          return EnvironmentFault;
        }
    return Success;
  }

  int openLedger() {
    std::string error;
    bool isDefault = o_.ledger.empty();
    std::string path = isDefault ? defaultLedger() : o_.ledger;
    const bool isKept = !path.empty() && path != "none" &&
                        !(o_.best && o_.merge.empty() && !std::filesystem::exists(path)); // a look makes none
    ledger_ = !isKept                       ? Ledger::open(":memory:", error)
              : o_.best && o_.merge.empty() ? Ledger::openToRead(path, error)
                                            : Ledger::open(path, error);
    return ledger_ ? Success : ledgerFailed(error);
  }

  /// One that was asked for is missed; of the default one nothing is.
  int ledgerFailed(std::string error) {
    if (!o_.ledger.empty() || !o_.merge.empty()) {
      complain(error + "; --ledger names another" + (o_.merge.empty() ? ", 'none' keeps nothing" : ""));
      return EnvironmentFault;
    }
    complain(error + "; going on without a ledger: nothing is kept");
    ledger_ = Ledger::open(":memory:", error);
    return ledger_ ? Success : EnvironmentFault;
  }

  int mergeLedgers() {
    const std::string own = o_.ledger.empty() ? defaultLedger() : o_.ledger;
    if (!o_.merge.empty() && own.empty()) {
      complain("there is no usual ledger to --merge into: name one with --ledger");
      return UsageFault;
    }
    for (const std::string &path : o_.merge) {
      if (isSameFile(path, own)) {
        complain("--merge '" + path + "' is the ledger itself: name the one whose measurements to add");
        return UsageFault;
      }
      size_t runs = 0, rows = 0;
      std::string error;
      if (!ledger_->merge(path, runs, rows, error)) {
        complain(error);
        return EnvironmentFault;
      }
      std::fprintf(say_, "%s: %zu runs and %zu rows added\n", path.c_str(), runs, rows);
    }
    return Success;
  }

  bool isListedByKind() const { return o_.list && target_->isKind && target_->isKind(o_.target); }

  int chooseTarget() {
    std::string known;
    for (const Target &t : targets_) {
      known += ", " + t.name;
      if (!target_ && (t.name == o_.target || (t.isKind && t.isKind(o_.target)) ||
                       (o_.target == "auto" && t.isPresent())))
        target_ = &t;
    }
    if (!target_) {
      Diagnostics diags;
      diags.report(diag::UnknownTarget, {},
                   "target '" + o_.target + "' is not known; this build has auto" + known +
                       " (a GPU also by its processor, as sm_90a)");
      SourceManager none;
      std::fputs(renderText(diags, none, isatty(2)).c_str(), stderr);
      return UsageFault;
    }
    if (isListedByKind()) // only the limits of the processor are asked for
      return Success;
    if (!target_->isPresent()) {
      complain("there is no device for target '" + target_->name + "' on this machine (--target " +
               o_.target + ")" +
               (!target_->factsOf ? ""
                : o_.list         ? "; --list needs none where --target names a processor, as sm_90a"
                : o_.roof ? "; --target cpu is the processor"
                          : "; --target cpu measures on the processor, and --list --target sm_90a lists "
                            "what would be searched on such a GPU"));
      return EnvironmentFault;
    }
    if (target_->devices && o_.device >= target_->devices) {
      complain("target '" + target_->name + "' has no device " + std::to_string(o_.device) +
               "; there is only device 0");
      return EnvironmentFault;
    }
    return Success;
  }

  void sayWhatIsIgnored() const {
    std::string names;
    for (const std::string &n : subject_.ignored)
      names += (names.empty() ? "" : ", ") + n;
    if (!names.empty())
      std::fprintf(say_, "%s: ignored by target %s, so not searched over\n", names.c_str(),
                   target_->name.c_str());
    if (!o_.autotune.empty() && !subject_.searched.names.empty())
      complain("some names are left open");
    if (o_.autotune.empty())
      return;
    Point given;
    std::string error, rest;
    for (const std::string &text : o_.autotune)
      parsePoint(text, given, error);
    for (const sema::Dimension &d : subject_.space.dimensions)
      if (!given.get(d.name) && d.choices.size() > 1)
        rest += (rest.empty() ? "" : " ") + d.name + "=" + std::to_string(*subject_.pinned.get(d.name));
    if (!rest.empty())
      std::fprintf(
          say_,
          "one point: %s, the first choices of what --autotune leaves out; --pin \"%s\" would search these\n",
          rest.c_str(), given.str().c_str());
  }

  bool prepareSession() {
    std::string error;
    interrupt_.emplace();
    search_.interrupt = &*interrupt_;
    removeStale();
    if (!folder_.create(error) ||
        !writeFile(folder_.path() + "/source.pho", subject_.text.data(), subject_.text.size(), error)) {
      complain(error);
      return false;
    }
    session_.target = target_->name;
    session_.device = o_.device;
    session_.file = o_.file == "-" ? "<stdin>" : o_.file;
    session_.textPath = folder_.path() + "/source.pho";
    session_.stdlib = !o_.noStd;
    session_.kernel = subject_.kernel->name.text;
    session_.dims = subject_.dims;
    session_.args = o_.args;
    session_.grid = subject_.grid;
    session_.directory = folder_.path();
    session_.seed = o_.seed;
    session_.coldCache = !o_.warmCache;
    search_.workerCommand = workerCommand_;
    search_.compileWorkers = o_.jobs ? o_.jobs : std::max(1u, std::thread::hardware_concurrency());
    search_.sharesProcessor = target_->sharesProcessor;
    search_.compileLimit = toMilliseconds(o_.compileSeconds);
    search_.runLimit = toMilliseconds(o_.runSeconds);
    search_.budgetMs = o_.budgetMs;
    search_.baseline = o_.baseline;
    if (subject_.grid)
      search_.noFullSize = "--grid may leave elements out, or give blocks twice";
    else
      search_.plainPoints = plainPoints(subject_);
    return true;
  }

  int meetDevice() {
    DeviceInfo device;
    std::string error;
    device_.emplace(workerPool(session_, search_, "device", 1));
    if (!askDevice(*device_, device, error)) {
      complain(error);
      return interrupt_->isRaised() ? InputFault : EnvironmentFault;
    }
    if (target_->isKind && target_->isKind(o_.target) && o_.target != device.processor) {
      complain("device " + std::to_string(o_.device) + " is " + device.name + ", not an " + o_.target);
      return EnvironmentFault;
    }
    session_.deviceFacts = device.facts;
    fillContext(device);
    return Success;
  }

  void fillContext(const DeviceInfo &device) {
    ReportContext &c = context_;
    std::string shape;
    for (auto &[n, v] : subject_.dims)
      shape += (shape.empty() ? "" : " ") + n + "=" + std::to_string(v);
    if (subject_.grid)
      shape += (shape.empty() ? "grid=" : " grid=") + o_.grid;
    c.setting = {subject_.kernel->name.text,
                 contentHash(subject_.text + "\n" + subject_.kernel->name.text),
                 target_->name,
                 device.name,
                 device.driver + (device.assembler.empty() ? "" : ", " + device.assembler),
                 buildName(),
                 o_.warmCache ? "warm cache" : "cold cache",
                 shape,
                 keptArguments(o_)};
    c.assembler = device.assembler;
    c.names = subject_.searched.declared;
    for (const Point &p : subject_.listed) // GEMM names that the kernel does not declare
      for (const auto &[name, value] : p.entries())
        if (std::find(c.names.begin(), c.names.end(), name) == c.names.end())
          c.names.push_back(name);
    c.resources = target_->resources;
    c.file = o_.file;
    c.kernelOption = o_.kernel.empty() ? "" : " --kernel " + o_.kernel;
    c.dims = subject_.dims;
    c.gridOption = o_.grid.empty() ? "" : " --grid " + o_.grid;
    c.targetOption = (o_.target == "auto" ? "" : " --target " + o_.target) +
                     (o_.device ? " --device " + std::to_string(o_.device) : "") +
                     (o_.noStd ? " --no-std" : "") + (o_.warmCache ? " --warm-cache" : "");
    c.args = o_.args;
    c.seed = o_.seed;
    c.resumeCommand = o_.resumeCommand;
    c.baseline = o_.baseline;
    for (const ContractParam &p : subject_.contract.params)
      if (p.isTensor && p.isRead && p.isWritten)
        c.inPlace.push_back(p.name);
  }

  /// Which points a search takes, in words: two searches of the same words take the same.
  std::string searchText() const {
    std::string text = "pins " + subject_.pinned.str();
    for (const Point &p : subject_.listed)
      text += "\npoint " + p.str();
    if (o_.limit)
      text += "\nlimit " + std::to_string(*o_.limit);
    return text + (o_.shard.empty() ? "" : "\nshard " + o_.shard);
  }

  int searchOrRank() {
    if (o_.best)
      return printRanking(*ledger_, subject_, o_, context_);
    SpaceCount count = countPoints(subject_.searched, std::chrono::milliseconds(2000));
    auto source = makeSource(count);
    sayWhatIsSearched(count);
    RunRecord run;
    run.setting = context_.setting;
    run.search = searchText();
    run.file = o_.file;
    run.command = o_.command;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    run.host = host;
    std::map<std::string, Measurement> known;
    std::string error;
    auto unfinished = o_.fresh ? std::nullopt : ledger_->unfinishedRun(run.setting, run.search);
    if (unfinished && !lock_.take(*unfinished))
      unfinished = std::nullopt; // it is not interrupted: somebody is at it
    if (unfinished) {
      run.id = *unfinished;
      known = resultsOf(run.id);
      std::fprintf(say_, "taking up an interrupted search: %zu points are done (--fresh starts over)\n",
                   known.size());
    } else if (!ledger_->begin(run, error) &&
               (ledgerFailed("the ledger: " + error) != Success || !ledger_->begin(run, error))) {
      return EnvironmentFault;
    } else {
      freshLock_.take(run.id);
    }
    std::fflush(say_);
    return searchNow(*source, run.id, std::move(known), count);
  }

  std::map<std::string, Measurement> resultsOf(const std::string &run) {
    std::map<std::string, Measurement> known;
    for (Measurement &m : ledger_->measurements(run))
      if (m.stage == "search")
        known[m.point.str()] = m;
      else if (auto it = known.find(m.point.str()); it != known.end() && !m.verdict.ok())
        it->second.verdict = m.verdict;
    return known;
  }

  std::unique_ptr<PointSource> makeSource(const SpaceCount &count) {
    if (!subject_.listed.empty() || !o_.limit || static_cast<double>(*o_.limit) >= count.points)
      return pointsInOrder(subject_, o_);
    auto source = spreadPoints(subject_.searched, *o_.limit, o_.seed);
    return o_.shardOf ? shardOf(std::move(source), o_.shardOf->first, o_.shardOf->second) : std::move(source);
  }

  void sayWhatIsSearched(const SpaceCount &count) {
    std::string points = !subject_.listed.empty()
                             ? listedText(subject_, static_cast<double>(subject_.listed.size()))
                             : countText(count);
    if (o_.limit && subject_.listed.empty() && static_cast<double>(*o_.limit) < count.points)
      points = std::to_string(*o_.limit) + " of " + points;
    const std::string dims = dimsText(subject_);
    std::fprintf(say_, "%s: %s on %s (%s)%s%s\n", subject_.kernel->name.text.c_str(), points.c_str(),
                 target_->name.c_str(), context_.setting.device.c_str(), dims.empty() ? "" : ", at ",
                 dims.c_str());
    if (subject_.searched.neverHolds)
      std::fprintf(say_, "no point satisfies @require(%s)\n",
                   subject_.space.constraints[*subject_.searched.neverHolds].text.c_str());
    if (subject_.listed.empty() && o_.shard.empty() && !o_.limit && count.points > 5000)
      std::fprintf(
          say_, "that will take long: --pin fixes names, --limit N takes N points spread over the space\n");
    std::fflush(say_);
  }

  int searchNow(PointSource &source, const std::string &run, std::map<std::string, Measurement> known,
                const SpaceCount &count) {
    double expected = !subject_.listed.empty() ? static_cast<double>(subject_.listed.size()) : count.points;
    if (o_.limit)
      expected = std::min(expected, static_cast<double>(*o_.limit));
    search_.expectedPoints = expected;
    const std::string ledger = o_.ledger.empty() ? defaultLedger() : o_.ledger;
    KeptRoof roof(!target_->sharesProcessor || ledger == "none" || ledger.empty() ? "" : ledger + ".roof",
                  context_.setting);
    if (!o_.fresh)
      search_.keptRoof = roof.read();
    if (search_.keptRoof)
      context_.roofAge = roof.age();
    ProgressLine line(isatty(2) && !o_.quiet,
                      o_.shard.empty() && expected < 1e9 ? static_cast<size_t>(expected) : 0);
    std::string ledgerError, error;
    SearchEvents events;
    events.progress = [&](const Progress &p) { line.show(p); };
    events.measured = [&](const Measurement &m) {
      if (!ledger_->add(run, m, error) && ledgerError.empty())
        ledgerError = error;
    };
    std::string writeError;
    auto writeOut = [&](const SearchOutcome &o, bool isLast) {
      for (OutputFile &f : csv_)
        f.write(reportCsv(o, context_), isLast, writeError);
      for (OutputFile &f : json_)
        f.write(reportJson(o, context_), isLast, writeError);
    };
    events.soFar = [&](const SearchOutcome &o) { writeOut(o, false); };
    SearchOutcome outcome = search(session_, source, search_, events, std::move(known), *device_);
    line.clear();
    if (!search_.keptRoof || outcome.isRoofMeasuredAgain)
      roof.write(outcome);
    if (outcome.isRoofMeasuredAgain)
      context_.roofAge.clear();
    if (!outcome.environmentError.empty())
      complain(outcome.environmentError);
    if (!ledgerError.empty())
      complain("the ledger: " + ledgerError + "; it does not hold all that was measured");
    std::fputs(reportText(outcome, context_).c_str(), say_);
    std::fflush(say_);
    writeOut(outcome, true);
    if (!writeError.empty())
      complain(writeError);
    if (!outcome.wasInterrupted && outcome.environmentError.empty())
      ledger_->finish(run,
                      outcome.ranking.empty() ? "nothing passed"
                                              : outcome.results[outcome.ranking[0]].measurement.point.str(),
                      error);
    if (!writeError.empty() || !outcome.environmentError.empty())
      return EnvironmentFault;
    return outcome.ranking.empty() ? InputFault : Success;
  }

  const Options &o_;
  const std::vector<Target> &targets_;
  std::vector<std::string> workerCommand_;
  const Target *target_ = nullptr;
  FILE *say_ = stdout; ///< what is for people: standard error where CSV or JSON goes to standard output
  std::unique_ptr<Ledger> ledger_;
  Subject subject_;
  std::vector<OutputFile> csv_, json_;
  std::optional<Interrupt> interrupt_; ///< from the first thing that must be cleaned up on
  RunFolder folder_;
  RunLock lock_, freshLock_;
  Session session_;
  SearchOptions search_;
  std::optional<Pool> device_; ///< started to say what the device is, used by the search
  ReportContext context_;
};

} // namespace

int runKbench(const Options &options, const std::vector<Target> &targets,
              const std::vector<std::string> &workerCommand) {
  return Kbench(options, targets, workerCommand).run();
}

} // namespace phobos::kbench
