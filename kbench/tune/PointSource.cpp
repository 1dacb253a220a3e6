#include "kbench/tune/PointSource.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

class Every : public PointSource {
public:
  explicit Every(const SearchSpace &space) : walk_(space) {}
  std::optional<Point> next() override { return walk_.next(); }

private:
  Walk walk_;
};

// Points are told apart by the names that are not ignored: one that some choice of the ignored ones allows is
// not refused.
class EveryAndRefused : public PointSource {
public:
  explicit EveryAndRefused(const SearchSpace &space)
      : space_(space), all_(unconstrained(space)), allowed_(space_), raw_(all_) {}
  std::optional<Point> next() override {
    if (auto p = allowed_.next()) {
      seen_.insert(key(*p));
      return p;
    }
    while (auto p = raw_.next())
      if (!seen_.count(key(*p)))
        return p;
    return std::nullopt;
  }

private:
  static SearchSpace unconstrained(SearchSpace space) {
    space.constraints.clear();
    space.sources.clear();
    space.neverHolds.reset();
    return space;
  }
  std::vector<int64_t> key(const Point &p) const {
    std::vector<int64_t> values;
    for (const FreeName &n : space_.names)
      if (!n.isIgnored)
        values.push_back(*p.get(n.name));
    return values;
  }
  const SearchSpace &space_;
  SearchSpace all_;
  Walk allowed_, raw_;
  std::set<std::vector<int64_t>> seen_;
};

class Listed : public PointSource {
public:
  explicit Listed(std::vector<Point> points) : points_(std::move(points)) {}
  std::optional<Point> next() override {
    return next_ < points_.size() ? std::optional(points_[next_++]) : std::nullopt;
  }

private:
  std::vector<Point> points_;
  size_t next_ = 0;
};

// Each point is the first of the space with every list of choices in a random order; repeats are drawn again.
// Names that the target ignores keep their order: one choice of them stands for all. Where only repeats are
// drawn, what is missing is looked for in order.
class Spread : public PointSource {
public:
  Spread(const SearchSpace &space, size_t count, uint64_t seed)
      : space_(space), left_(count), random_(seed) {}
  std::optional<Point> next() override {
    if (left_ == 0)
      return std::nullopt;
    --left_;
    for (int tries = 0; !rest_ && tries < 200; ++tries) {
      for (FreeName &n : space_.names)
        if (!n.isIgnored)
          std::shuffle(n.choices.begin(), n.choices.end(), random_);
      auto point = Walk(space_).next();
      if (!point || seen_.insert(point->str()).second)
        return point;
    }
    if (!rest_)
      rest_.emplace(space_);
    while (auto point = rest_->next())
      if (seen_.insert(point->str()).second)
        return point;
    return std::nullopt;
  }

private:
  SearchSpace space_;
  std::optional<Walk> rest_; ///< of the space as it was shuffled last
  size_t left_;
  std::mt19937_64 random_;
  std::set<std::string> seen_;
};

class Shard : public PointSource {
public:
  Shard(std::unique_ptr<PointSource> all, size_t index, size_t of)
      : all_(std::move(all)), skip_(index), of_(of) {}
  std::optional<Point> next() override {
    for (; skip_ > 0; --skip_)
      if (!all_->next())
        return std::nullopt;
    skip_ = of_ - 1;
    return all_->next();
  }

private:
  std::unique_ptr<PointSource> all_;
  size_t skip_, of_;
};

} // namespace

std::unique_ptr<PointSource> everyPoint(const SearchSpace &space) { return std::make_unique<Every>(space); }
std::unique_ptr<PointSource> everyPointAndRefused(const SearchSpace &space) {
  return std::make_unique<EveryAndRefused>(space);
}
std::unique_ptr<PointSource> listedPoints(std::vector<Point> points) {
  return std::make_unique<Listed>(std::move(points));
}
std::unique_ptr<PointSource> spreadPoints(const SearchSpace &space, size_t count, uint64_t seed) {
  return std::make_unique<Spread>(space, count, seed);
}
std::unique_ptr<PointSource> shardOf(std::unique_ptr<PointSource> all, size_t index, size_t of) {
  return std::make_unique<Shard>(std::move(all), index, of);
}

} // namespace phobos::kbench
