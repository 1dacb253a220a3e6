#include "kbench/report/Report.h"
#include "kbench/report/Table.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace phobos::kbench {
namespace {

template <typename... Args> std::string format(const char *pattern, Args... args) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, pattern, args...);
  return buffer;
}

std::string threeDigits(double x) {
  int decimals = x >= 100 ? 0 : x >= 10 ? 1 : 2;
  return format("%.*f", decimals, x);
}

std::string pointText(const Point &p) { return p.empty() ? "the kernel's only point" : p.str(); }

// The middle one of the points' spreads, of those that matter most too.
std::string noiseText(const SearchOutcome &o) {
  std::vector<double> all, finalists;
  for (size_t i : o.ranking) {
    all.push_back(o.results[i].summary().spread());
    if (o.results[i].wasInFinals() || i == o.ranking.front())
      finalists.push_back(all.back());
  }
  const bool areAllNoisy = medianOf(all) > noisySpread;
  const double noise = medianOf(areAllNoisy ? all : finalists);
  if (noise <= noisySpread)
    return "";
  return "noise  repeats of one point spread by " + format("%.0f%%", 100 * noise) +
         " (the middle one of all " + (areAllNoisy ? "points" : "finalists") +
         "): this machine is noisy, small differences mean nothing\n";
}

constexpr size_t rowsShown = 40;
constexpr size_t failuresShown = 12;

std::string resultTable(const SearchOutcome &o, const ReportContext &c) {
  Table table;
  std::vector<std::string> head{"rank"};
  head.insert(head.end(), c.names.begin(), c.names.end());
  bool compute = !o.ranking.empty() && o.results[o.ranking[0]].measurement.isComputeBound;
  head.insert(head.end(),
              {"timed in", "median", "spread", compute ? "GFLOP/s" : "GB/s", "% of roof", "roof"});
  for (auto &[n, v] : o.results[o.ranking[0]].measurement.resources)
    head.push_back(n);
  head.push_back("error/bound");
  table.row(head);
  for (size_t r = 0; r < o.ranking.size() && r < rowsShown; ++r) {
    const PointResult &p = o.results[o.ranking[r]];
    Summary s = p.summary();
    std::vector<std::string> row{std::to_string(r + 1)};
    for (const std::string &n : c.names) {
      const auto value = p.measurement.point.get(n);
      row.push_back(value ? std::to_string(*value) : "-");
    }
    double rate = (compute ? p.measurement.flops : p.measurement.bytes) / s.median;
    row.insert(row.end(), {p.wasInFinals() ? "finals" : "search", timeText(s.median),
                           format("%.1f%%", 100 * s.spread()), threeDigits(rate)});
    const auto share = o.shareOfRoof(p);
    row.push_back(share ? format("%.0f", share->percent) : "-");
    row.push_back(share ? share->against : "-");
    double spills = 0;
    for (auto &[n, v] : p.measurement.resources) {
      row.push_back(resourceText(n, std::round(v)));
      spills = n == "spill_bytes" ? v : spills;
    }
    row.push_back(format("%.2f", p.measurement.worstError));
    std::string note = spills > 0 ? format("spills %.0f bytes a thread", spills) : "";
    if (!p.measurement.verdict.detail.empty())
      note += (note.empty() ? "" : "; ") + std::string("not verified at full size");
    if (!note.empty())
      row.push_back(note);
    table.row(row);
  }
  std::string text = table.text();
  if (o.ranking.size() > rowsShown)
    text += "  .. and " + std::to_string(o.ranking.size() - rowsShown) + " more (--csv FILE writes all)\n";
  const PointResult &first = o.results[o.ranking.front()], &last = o.results[o.ranking.back()];
  if (first.wasInFinals() && !last.wasInFinals())
    text +=
        "  ranked: the finalists by their medians in the interleaved final rounds, after them the others by "
        "their medians in the search\n";
  if (o.tied.size() > 1) {
    std::string ranks;
    for (size_t r = 0; r < o.ranking.size(); ++r)
      if (std::find(o.tied.begin(), o.tied.end(), o.ranking[r]) != o.tied.end())
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(r + 1);
    text += "  ranks " + ranks + " tie within noise" +
            (o.isTie ? "; of those as fast as the fastest the one with the fewest resources comes first\n"
                     : "\n");
  }
  return text;
}

// Failures of one kind and reason are one line with a point as example.
std::string failures(const SearchOutcome &o) {
  struct Group {
    size_t count = 0;
    const Measurement *first = nullptr;
  };
  std::map<std::pair<Status, std::string>, Group> groups;
  for (const PointResult &r : o.results)
    if (r.status() != Status::Ok) {
      const Verdict &v = r.measurement.verdict;
      Group &g = groups[{v.status, v.rule.empty() ? v.detail : v.rule}];
      ++g.count;
      if (!g.first)
        g.first = &r.measurement;
    }
  std::string text;
  size_t shown = 0;
  for (auto &[key, g] : groups) {
    if (shown++ == failuresShown) {
      text += "  .. and " + std::to_string(groups.size() - failuresShown) +
              " more kinds (--csv FILE writes all)\n";
      break;
    }
    const Verdict &v = g.first->verdict;
    text += "  " + std::string(name(v.status)) +
            (g.count > 1 ? " (" + std::to_string(g.count) + " points)" : "") + ": " +
            (v.rule.empty() ? "" : v.rule + ": ") + v.detail + "\n      " +
            (g.count > 1 ? "first at " : "at ") + pointText(g.first->point) + "\n";
  }
  return text;
}

std::string counts(const SearchOutcome &o) {
  size_t count[statusCount] = {};
  for (const PointResult &r : o.results)
    ++count[static_cast<size_t>(r.status())];
  std::string text;
  for (int i = 0; i < statusCount; ++i)
    if (count[i])
      text += (text.empty() ? "" : ", ") + std::to_string(count[i]) + " " +
              std::string(name(static_cast<Status>(i)));
  return text.empty() ? "none" : text;
}

} // namespace

std::string timeText(double ns) {
  if (ns < 1e3)
    return threeDigits(ns) + " ns";
  if (ns < 1e6)
    return threeDigits(ns / 1e3) + " us";
  if (ns < 1e9)
    return threeDigits(ns / 1e6) + " ms";
  return threeDigits(ns / 1e9) + " s";
}

std::string rateText(const Measurement &m, double ns) {
  return m.isComputeBound ? threeDigits(m.flops / ns) + " GFLOP/s" : threeDigits(m.bytes / ns) + " GB/s";
}

std::string productRoofText(const ProductRoof &roof) {
  return "dot " + roof.type + " makes " + threeDigits(roof.flopsPerNs) + " GFLOP/s (" + roof.how + ")";
}

std::optional<double> percentOfBaseline(const SearchOutcome &o, std::string &whyNot) {
  const std::vector<double> &library = o.baseline.measurement.samplesNs;
  if (o.ranking.empty() || library.empty() || o.results[o.ranking.front()].finalsNs.empty())
    return std::nullopt;
  whyNot = whyNoRatio(summarize(library), summarize(o.results[o.ranking.front()].finalsNs));
  if (!whyNot.empty())
    return std::nullopt;
  return std::floor(1000 * medianOf(library) / medianOf(o.results[o.ranking.front()].finalsNs)) / 10;
}

// The library's time beside the winner's, or why there is none.
static std::string baselineText(const SearchOutcome &o, const ReportContext &c) {
  if (c.baseline.empty())
    return "";
  const Measurement &m = o.baseline.measurement;
  if (m.samplesNs.empty())
    return c.baseline +
           "  not timed: " + (o.baseline.note.empty() ? "the finals did not get to it" : o.baseline.note) +
           "\n";
  const Summary s = summarize(m.samplesNs);
  std::string text = o.baseline.name + "  " + timeText(s.median) + ", " + rateText(m, s.median);
  std::string whyNot;
  if (auto percent = percentOfBaseline(o, whyNot))
    text += ", in the same rounds: the best point reaches " + format("%.1f%%", *percent) + " of its speed";
  else if (!whyNot.empty())
    text += "; the noise allows no ratio of the best point to it (" + whyNot + ")";
  return text + "\n";
}

// Why there is no share of the roof, where what must move is not known.
static std::string noShareText(const SearchOutcome &o) {
  const bool isMemoryBound = !o.results[o.ranking.front()].measurement.isComputeBound;
  return isMemoryBound && !o.unknownTraffic().empty() ? "       no % of it: " + o.unknownTraffic() + "\n"
                                                      : "";
}

// How a point can be above the roof.
static std::string aboveRoofText(const SearchOutcome &o) {
  double most = 100.5; // what rounds to more than 100
  std::string against;
  for (size_t i : o.ranking)
    if (const auto share = o.shareOfRoof(o.results[i]); share && share->percent >= most)
      most = share->percent, against = share->against;
  if (against.empty())
    return "";
  return "       above it (to " + format("%.0f%%", most) + "): " +
         (against == "copy"
              ? "part of what moves stays in a cache, or the kernel reads more than it writes, "
                "which can go faster than a copy\n"
              : "the device was slower, by its clock or by other work, while it was measured" +
                    std::string(o.isRoofMeasuredAgain ? ", also once more at the end\n" : "\n"));
}

// What was measured of the device, and whether that is what the best point is bound by.
static std::string roofText(const SearchOutcome &o, const ReportContext &c) {
  if (o.roof.bytesPerNs <= 0)
    return "";
  std::string text = "roof   measured here" +
                     (c.roofAge.empty() ? "" : " " + c.roofAge + " (--fresh measures again)") +
                     ": a copy moves " + threeDigits(o.roof.bytesPerNs) + " GB/s";
  for (const ProductRoof &p : o.roof.products)
    text += ", " + productRoofText(p);
  for (const auto &[type, part] : o.products)
    if (!o.roof.of(type))
      text +=
          "; products of " + type + " have none" + (o.noProductRoof.empty() ? "" : ": " + o.noProductRoof);
  if (!o.roof.isSteady)
    text += "; repeated measurements of it did not agree: other work took part of the machine";
  return text + "\n" + noShareText(o) + aboveRoofText(o);
}

// Which of the timed points were not verified at the size at which they were timed, and why.
static std::string fullSizeNotes(const SearchOutcome &o) {
  std::map<std::string, size_t> reasons;
  for (size_t i : o.ranking)
    if (const std::string &why = o.results[i].measurement.verdict.detail; !why.empty())
      ++reasons[why];
  std::string text;
  for (auto &[why, count] : reasons)
    text += "note   not verified at full size (" + std::to_string(count) +
            (count == 1 ? " point): " : " points): ") + why + "\n";
  return text;
}

// Points that agree with the interpreter, each at its own point, but not with one another: some of them are
// no answer to what was asked, often for want of a @require.
static std::string disagreement(const SearchOutcome &o) {
  const PointResult *odd = nullptr;
  size_t count = 0;
  for (size_t i : o.ranking)
    if (dependsOnPoint(o.results[i].measurement.verdict)) {
      odd = odd ? odd : &o.results[i];
      ++count;
    }
  if (!odd)
    return "";
  return "\nWARNING  the points do not compute the same: " + std::to_string(count) + " of " +
         std::to_string(o.ranking.size()) + " differ from the others (the first of them " +
         pointText(odd->measurement.point) +
         ").\n         The fastest may be wrong. Often it is a tile wider than its tensor: what is read past "
         "the end "
         "is 0, and a sum takes in what\n         is made of it (x - mean is -mean there): where(inside, .., "
         "0.0) "
         "leaves it out. phobos-run --check at a point tells of elements\n         that no block stores; a "
         "@require keeps such points away.\n";
}

// What the checks say of the best point that may be meant, or else of another.
static std::string checksWarning(const SearchOutcome &o) {
  size_t count = 0;
  for (size_t i : o.ranking)
    count += !o.results[i].warning.empty();
  const PointResult &best = o.results[o.ranking.front()];
  if (count == 0)
    return "";
  for (size_t i : o.ranking)
    if (const PointResult &r = best.warning.empty() ? o.results[i] : best; !r.warning.empty())
      return "\nWARNING  " + r.warning + "\n         at " + pointText(r.measurement.point) +
             (count > 1 ? ", and so or alike at " + std::to_string(count - 1) + " more" : "") + "\n";
  return "";
}

// The fastest may be right only where it was looked at.
static std::string unverifiedBest(const SearchOutcome &o) {
  const Verdict &v = o.results[o.ranking.front()].measurement.verdict;
  return v.detail.empty() || dependsOnPoint(v)
             ? ""
             : "\nWARNING  the best point was not verified at the size at which it was timed, only at small "
               "sizes: " +
                   v.detail + "\n";
}

// Where the time went. What is left of it: the device waited for compilers.
static std::string spentText(const Spent &s) {
  auto seconds = [](double x) { return format("%.1f s", x); };
  std::string text = "took   " + seconds(s.total) + ": the device verified at small sizes for " +
                     seconds(s.small) + " and at full size for " + seconds(s.full + s.reference) +
                     ", was timed for " + seconds(s.timing);
  if (s.finals > 0)
    text += ", had the finals for " + seconds(s.finals);
  if (s.again > 0)
    text += ", the winner again for " + seconds(s.again);
  return text + "; compiling was " + seconds(s.compiling) + " of work\n";
}

std::string shellWord(const std::string &word) {
  bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`()[]{}*?<>|&;#~!") == std::string::npos;
  if (plain)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string reproduceCommand(const ReportContext &c, const Point &point) {
  std::string text = "phobos-kbench" + c.targetOption;
  text += point.empty() ? "" : " --autotune \"" + point.str() + "\"";
  for (auto &[n, v] : c.dims)
    text += " --dim " + n + "=" + std::to_string(v);
  for (const std::string &a : c.args)
    text += " --arg " + shellWord(a);
  return text + c.gridOption + (c.seed != 1 ? " --seed " + std::to_string(c.seed) : "") + c.kernelOption +
         " " + shellWord(c.file);
}

std::string reportText(const SearchOutcome &o, const ReportContext &c) {
  std::string text;
  if (!o.ranking.empty())
    text += resultTable(o, c) + "\n";
  if (o.results.empty())
    text += o.wasInterrupted || !o.environmentError.empty() ? "no point was finished\n"
                                                            : "there was no point to measure\n";
  else
    text += std::to_string(o.results.size()) + (o.results.size() == 1 ? " point: " : " points: ") +
            counts(o) + "\n" + failures(o);
  const std::string resume = c.resumeCommand.empty() ? "the same command goes on from here"
                                                     : "to go on from here: " + c.resumeCommand;
  if (o.wasInterrupted)
    text += o.ranking.empty() ? "\ninterrupted: " + resume + "\n"
                              : "\ninterrupted: this is the ranking so far; " + resume + "\n";
  if (o.ranking.empty())
    return o.results.empty() ? text : text + "\nno point passed\n";
  const PointResult &best = o.results[o.ranking.front()], &worst = o.results[o.ranking.back()];
  const double bestNs = best.summary().median;
  text += disagreement(o) + unverifiedBest(o) + checksWarning(o);
  text += "\nbest   " + pointText(best.measurement.point) + "\n       " + timeText(bestNs) + ", " +
          rateText(best.measurement, bestNs);
  if (best.measurement.cases)
    text += "; verified at " + std::to_string(best.measurement.cases) +
            (best.measurement.cases == 1 ? " small size" : " small sizes") +
            (best.measurement.verdict.detail.empty() ? " and at full size" : "");
  text += o.winnerHeld ? ", and again in a fresh process on fresh inputs\n" : "\n";
  if (o.finalists > 1)
    text += "       finals: " + std::to_string(o.finalists) + " points in turns, " +
            std::to_string(o.rounds) + (o.rounds == 1 ? " round: " : " rounds: ") +
            (o.isTie             ? "a tie, won by fewer resources\n"
             : o.tied.size() > 1 ? "the least median, but within noise of others (a quieter machine or a "
                                   "larger --budget tells)\n"
                                 : "the fastest beyond doubt\n");
  text += noiseText(o);
  text += roofText(o, c);
  text += baselineText(o, c);
  if (o.ranking.size() > 1) {
    // Like with like: both as the search timed them, unless the worst was in the finals too.
    auto inSearch = [&](const PointResult &p) {
      return worst.wasInFinals() ? p.summary() : summarize(p.measurement.samplesNs);
    };
    const Summary slow = inSearch(worst), fast = inSearch(best);
    text += "worst  " + pointText(worst.measurement.point) + "\n       " + timeText(slow.median) + ", " +
            rateText(worst.measurement, slow.median) + ": " +
            (worst.wasInFinals() ? "" : "there the best took " + timeText(fast.median));
    const std::string whyNot = whyNoRatio(slow, fast),
                      link = worst.wasInFinals() ? "the best is " : " and is ";
    text += whyNot.empty() ? link + format("%.2f", slow.median / fast.median) + " times as fast\n"
                           : (worst.wasInFinals() ? "" : "; ") +
                                 std::string("the noise allows no ratio of the two (") + whyNot + ")\n";
  }
  text += fullSizeNotes(o);
  std::string inPlace;
  for (const std::string &n : c.inPlace)
    inPlace += (inPlace.empty() ? "" : ", ") + n;
  if (!inPlace.empty())
    text += "note   timed repeats found " + inPlace +
            " as the repeat before had left it; verified runs found it fresh\n";
  if (!c.assembler.empty())
    text += "code   by " + c.assembler + "\n";
  text += spentText(o.spent);
  return text + "again  " + reproduceCommand(c, best.measurement.point) + "\n";
}

} // namespace phobos::kbench
