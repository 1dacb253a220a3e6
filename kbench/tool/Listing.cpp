#include "kbench/tool/Listing.h"
#include "kbench/space/Walk.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Pool.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace phobos::kbench {
namespace {

constexpr size_t page = 50;
constexpr std::chrono::milliseconds countLimit{8500};

std::string lineOf(const Point &point, const Verdict &verdict) {
  std::string text = point.empty() ? "(no names: one point)" : point.str();
  if (!verdict.ok())
    text += "  " + std::string(name(verdict.status)) + ": " +
            (verdict.rule.empty() ? "" : verdict.rule + ": ") + verdict.detail;
  return text;
}

/// Asks compile workers for verdicts and prints a line as soon as those before it are printed.
class Page {
public:
  Page(std::vector<Point> points, const Session &session, const SearchOptions &search)
      : points_(std::move(points)), verdicts_(points_.size()), search_(search),
        pool_(workerPool(session, search, "compile", search.compileWorkers)) {}

  /// False with a reason if workers cannot be started, or on an interrupt.
  bool print(std::string &error) {
    size_t given = 0, printed = 0;
    while (printed < points_.size()) {
      for (; given < points_.size() && pool_.hasIdle(); ++given) {
        Request request;
        request.kind = Request::Kind::Judge;
        request.items = {{points_[given].str(), "", ""}};
        if (!pool_.give(given, request.toLine(), search_.compileLimit, error))
          return false;
      }
      if (waitForAny({&pool_}, search_.interrupt, std::chrono::milliseconds(500))) {
        error = "interrupted";
        return false;
      }
      for (const Outcome &o : pool_.collect())
        verdicts_[o.job] = verdictOf(o);
      for (; printed < points_.size() && verdicts_[printed]; ++printed) {
        illegal_ += !verdicts_[printed]->ok();
        std::printf("%s\n", lineOf(points_[printed], *verdicts_[printed]).c_str());
      }
      std::fflush(stdout);
    }
    return true;
  }
  size_t illegal() const { return illegal_; }

private:
  static Verdict verdictOf(const Outcome &o) {
    Reply reply;
    if (o.kind == Outcome::Kind::Answer && Reply::fromLine(o.answer, reply))
      return reply.verdict;
    if (o.kind == Outcome::Kind::Timeout)
      return {Status::CompileTimeout, "", "no verdict in time"};
    return {Status::CompileError, "", "the compiler " + o.detail};
  }

  std::vector<Point> points_;
  std::vector<std::optional<Verdict>> verdicts_;
  const SearchOptions &search_;
  Pool pool_;
  size_t illegal_ = 0;
};

double shareOf(double total, const Options &options) {
  if (!options.shardOf)
    return total;
  auto [index, of] = *options.shardOf;
  return std::max(0.0, std::ceil((total - static_cast<double>(index)) / static_cast<double>(of)));
}

} // namespace

std::string listedText(const Subject &subject, double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f listed point%s", number, number == 1 ? "" : "s");
  const std::string repeated =
      std::to_string(subject.repeated) + " more " + (subject.repeated == 1 ? "stands" : "stand") + " twice";
  return text + (subject.repeated ? " (" + repeated + ")" : std::string());
}

std::string countText(const SpaceCount &count) {
  char buffer[160];
  if (count.isExact)
    std::snprintf(buffer, sizeof buffer, "%.0f point%s", count.points, count.points == 1 ? "" : "s");
  else
    std::snprintf(buffer, sizeof buffer,
                  "about %.3g points (an estimate from %llu random samples, give or take %.2g%%)",
                  count.points, static_cast<unsigned long long>(count.samples),
                  count.points > 0 ? 200 * count.error / count.points : 100);
  return buffer;
}

std::string dimsText(const Subject &subject) {
  std::string text;
  for (auto &[n, v] : subject.dims) {
    bool isDefault =
        std::find(subject.defaultDims.begin(), subject.defaultDims.end(), n) != subject.defaultDims.end();
    text += (text.empty() ? "" : " ") + n + "=" + std::to_string(v) + (isDefault ? "*" : "");
  }
  return text.empty() || subject.defaultDims.empty() ? text : text + "  (* by default: --dim NAME=EXTENT)";
}

std::unique_ptr<PointSource> pointsInOrder(const Subject &subject, const Options &options) {
  std::unique_ptr<PointSource> source;
  if (!subject.listed.empty())
    source = listedPoints(subject.listed);
  else
    source = subject.searched.rawSize() <= maxRefusedShown ? everyPointAndRefused(subject.searched)
                                                           : everyPoint(subject.searched);
  return options.shardOf ? shardOf(std::move(source), options.shardOf->first, options.shardOf->second)
                         : std::move(source);
}

std::vector<Point> plainPoints(const Subject &subject) {
  constexpr size_t looked = 256, tried = 3;
  std::vector<std::pair<double, Point>> points;
  auto source = subject.listed.empty() ? everyPoint(subject.searched) : listedPoints(subject.listed);
  while (points.size() < looked) {
    auto p = source->next();
    if (!p)
      break;
    double product = 1;
    for (auto &[n, v] : p->entries())
      product *= static_cast<double>(v);
    points.emplace_back(product, std::move(*p));
  }
  const size_t n = std::min(tried, points.size());
  std::partial_sort(points.begin(), points.begin() + static_cast<ptrdiff_t>(n), points.end(),
                    [](const auto &a, const auto &b) {
                      return std::pair(a.first, a.second.str()) < std::pair(b.first, b.second.str());
                    });
  std::vector<Point> result;
  for (size_t i = 0; i < n; ++i)
    result.push_back(std::move(points[i].second));
  return result;
}

int listPoints(const Subject &subject, const Options &options, const Session &session,
               const SearchOptions &search) {
  const auto since = std::chrono::steady_clock::now();
  const size_t most = options.limit.value_or(page);
  auto source = pointsInOrder(subject, options);
  std::vector<Point> points;
  std::optional<Point> next;
  while ((next = source->next()) && points.size() < most)
    points.push_back(std::move(*next));
  const size_t shown = points.size();
  Page first(std::move(points), session, search);
  std::string error;
  if (!first.print(error)) {
    if (isStandardOutputClosed()) // `| head`: who reads has enough
      return 0;
    std::fprintf(stderr, "phobos-kbench: %s\n", error.c_str());
    return error == "interrupted" ? 1 : 3;
  }
  if (next)
    std::printf(".. (--limit N prints N)\n");
  const std::string dims = dimsText(subject);
  if (!dims.empty())
    std::printf("at %s\n", dims.c_str());
  const std::string shard = options.shardOf ? "shard " + options.shard + ": " : "";
  const std::string illegal = first.illegal() ? "; " + std::to_string(first.illegal()) + " of the " +
                                                    std::to_string(shown) + " shown cannot be had"
                                              : "";
  if (!subject.listed.empty()) {
    std::printf("%s%s%s\n", shard.c_str(),
                listedText(subject, shareOf(static_cast<double>(subject.listed.size()), options)).c_str(),
                illegal.c_str());
    return 0;
  }
  const double raw = subject.searched.rawSize();
  const auto spent =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - since);
  SpaceCount count = countPoints(subject.searched, std::max(countLimit - spent, countLimit / 8));
  if (options.shardOf)
    std::printf("%s%.0f of ", shard.c_str(),
                raw <= maxRefusedShown ? shareOf(raw, options) : shareOf(count.points, options));
  std::printf("%s", countText(count).c_str());
  if (count.isExact && count.points < raw)
    std::printf(" of %.0f: the others fail @require", raw);
  std::printf("%s\n", illegal.c_str());
  return 0;
}

} // namespace phobos::kbench
