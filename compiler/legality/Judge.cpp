#include "compiler/legality/Legality.h"
#include <algorithm>
#include <cassert>

namespace phobos::legality {

static Formula parsed(std::string_view text) {
  std::string error;
  auto f = Formula::parse(text, error);
  assert(f && "a rule's formula does not parse"); // a test parses them all
  return std::move(*f);
}

static bool binds(Paths paths, Path path) { return paths & static_cast<Paths>(path); }

Judge::Judge(Path path) : path_(path) {
  for (const Rule &r : rules())
    if (binds(r.paths, path))
      rules_.push_back({&r, parsed(r.formula)});
  for (const Number &n : numbers())
    if (binds(n.paths, path))
      numbers_.emplace_back(n.name, parsed(n.formula));
}

Lookup Judge::withNumbers(const Lookup &names) const {
  // A number's formula may use other numbers, so it is evaluated with this same look-up.
  struct WithNumbers {
    const Judge *judge;
    const Lookup *names;
    std::optional<int64_t> operator()(std::string_view name) const {
      for (const auto &[number, formula] : judge->numbers_)
        if (number == name)
          return formula.evaluate(*this);
      return (*names)(name);
    }
  };
  return WithNumbers{this, &names};
}

std::string Judge::fill(std::string_view sentence, const Lookup &names) const {
  std::string text, error;
  while (!sentence.empty()) {
    size_t open = sentence.find('{'), close = sentence.find('}');
    text += sentence.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos)
      break;
    auto hole = Formula::parse(sentence.substr(open + 1, close - open - 1), error);
    auto value = hole ? hole->evaluate(names) : std::nullopt;
    text += value ? std::to_string(*value) : "?";
    sentence.remove_prefix(close + 1);
  }
  return text;
}

bool Judge::isInSentence(std::string_view sentence, std::string_view name) const {
  std::string error;
  for (size_t open = sentence.find('{'); open != std::string_view::npos;
       open = sentence.find('{', open + 1)) {
    const size_t close = sentence.find('}', open);
    auto hole = Formula::parse(sentence.substr(open + 1, close - open - 1), error);
    const auto names = hole ? hole->names() : std::vector<std::string>();
    if (std::find(names.begin(), names.end(), name) != names.end())
      return true;
  }
  return false;
}

Verdict Judge::judge(const Lookup &names) const {
  Lookup all = withNumbers(names);
  for (const Parsed &p : rules_)
    if (auto holds = p.formula.evaluate(all); !holds || !*holds)
      return {p.rule, fill(p.rule->sentence, all)};
  return {};
}

Verdict Judge::judge(const Point &point) const {
  return judge([&](std::string_view name) { return point.get(name); });
}

//===-- unset names --===//

/// Values for the unset names, one after the other; a rule is asked as soon as all of its names have one.
struct Judge::Search {
  const Judge &judge;
  Point point; ///< given, limits and what is chosen so far
  std::vector<const Unset *> open;
  int furthest = -1; ///< index of the rule that the best try broke
  Verdict verdict;

  bool run(size_t next) {
    if (!holds(next == open.size()))
      return false;
    if (next == open.size())
      return true;
    Point before = point;
    for (int64_t choice : open[next]->choices) {
      point.set(open[next]->name, choice);
      if (run(next + 1))
        return true;
      point = before;
    }
    return false;
  }

  /// The sentence of a rule that is broken whatever the names without a value are: each stands there as its
  /// first choice, and is named.
  std::string reason(const Rule &rule) const {
    Point tried = point;
    std::string left;
    for (const Unset *u : open) {
      if (tried.get(u->name))
        continue;
      tried.set(u->name, u->choices.front());
      if (judge.isInSentence(rule.sentence, u->name))
        left +=
            (left.empty() ? "" : ", ") + std::string(u->name) + " = " + std::to_string(u->choices.front());
    }
    Lookup given = [&](std::string_view name) { return tried.get(name); };
    return judge.fill(rule.sentence, judge.withNumbers(given)) +
           (left.empty() ? "" : " (" + left + " by the compiler, as by any other choice)");
  }

  /// Whether no rule is known to be broken. `complete`: every name has a value, so a rule without one divides
  /// by zero.
  bool holds(bool complete) {
    Lookup given = [&](std::string_view name) { return point.get(name); };
    Lookup all = judge.withNumbers(given);
    for (size_t i = 0; i < judge.rules_.size(); ++i) {
      auto value = judge.rules_[i].formula.evaluate(all);
      if (value ? *value != 0 : !complete)
        continue;
      if (static_cast<int>(i) > furthest) {
        furthest = static_cast<int>(i);
        verdict = {judge.rules_[i].rule, reason(*judge.rules_[i].rule)};
      }
      return false;
    }
    return true;
  }
};

Verdict Judge::complete(const Point &point, const Point &limits, Point &completed) const {
  Search search{*this, point, {}, -1, {}};
  for (const auto &[name, value] : limits.entries())
    if (!point.get(name))
      search.point.set(name, value);
  for (bool single :
       {true, false}) // names with one choice first: they cost nothing and let rules be asked early
    for (const Unset &u : unsetNames())
      if (binds(u.paths, path_) && !search.point.get(u.name) && single == (u.choices.size() == 1))
        search.open.push_back(&u);
  if (!search.run(0))
    return search.verdict;
  completed = search.point;
  return {};
}

std::vector<std::string> Judge::inputs() const {
  std::vector<std::string> list;
  auto add = [&](const Formula &f) {
    for (const std::string &name : f.names()) {
      bool known =
          std::any_of(numbers_.begin(), numbers_.end(), [&](const auto &n) { return n.first == name; }) ||
          std::any_of(unsetNames().begin(), unsetNames().end(),
                      [&](const Unset &u) { return binds(u.paths, path_) && u.name == name; }) ||
          std::find(list.begin(), list.end(), name) != list.end();
      if (!known)
        list.push_back(name);
    }
  };
  for (const Parsed &p : rules_)
    add(p.formula);
  for (const auto &[name, formula] : numbers_)
    add(formula);
  return list;
}

std::string Judge::markdown() const {
  std::string text = "| rule | holds if | else |\n|---|---|---|\n";
  auto escaped = [](std::string_view s) {
    std::string out;
    for (char c : s)
      out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  for (const Parsed &p : rules_)
    text += "| `" + std::string(p.rule->name) + "` | `" + escaped(p.rule->formula) + "` | " +
            escaped(p.rule->sentence) + " |\n";
  text += "\n| number | is | meaning |\n|---|---|---|\n";
  for (const Number &n : numbers())
    if (binds(n.paths, path_))
      text += "| `" + std::string(n.name) + "` | `" + escaped(n.formula) + "` | " + std::string(n.meaning) +
              " |\n";
  return text;
}

} // namespace phobos::legality
