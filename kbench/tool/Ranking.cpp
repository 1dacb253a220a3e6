#include "kbench/tool/Ranking.h"
#include "compiler/driver/Status.h"
#include <algorithm>
#include <cctype>
#include <cstdio>

namespace phobos::kbench {
namespace {

constexpr size_t othersShown = 12;
constexpr std::string_view seedMark = " seed ";

int nothing(const std::string &text) {
  std::fprintf(stderr, "phobos-kbench: %s\n", text.c_str());
  return InputFault;
}

std::string at(const Setting &setting) { return setting.shape.empty() ? "" : " at " + setting.shape; }

/// Whether `NAME=` stands at `at`, after a space: another argument begins there.
bool isArgument(const std::string &text, size_t at) {
  size_t end = at;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  return end > at && end < text.size() && text[end] == '=';
}

/// Whether the options name points, and this one is none of them.
bool isLeftOut(const Point &point, const Subject &subject) {
  for (const auto &[name, value] : subject.pinned.entries())
    if (point.get(name) != value)
      return true;
  return !subject.listed.empty() && std::none_of(subject.listed.begin(), subject.listed.end(),
                                                 [&](const Point &p) { return p.str() == point.str(); });
}

// What else the ledger has of this kernel, where it has nothing with these arguments.
int sayNothingHeld(Ledger &ledger, const Setting &setting) {
  const std::string asked = argumentOptions(setting.args);
  std::string text = "the ledger holds nothing for this kernel" + at(setting) + " on this device";
  std::vector<std::string> others = ledger.otherArguments(setting);
  if (others.empty())
    return nothing(text);
  text +=
      (asked.empty() ? " with default arguments" : " with " + asked) + ", only with others; ask for those by";
  for (size_t i = 0; i < others.size() && i < othersShown; ++i) {
    const std::string options = argumentOptions(others[i]);
    text += "\n  --best" + (options.empty() ? "   (default arguments)" : " " + options);
  }
  if (others.size() > othersShown)
    text += "\n  .. and " + std::to_string(others.size() - othersShown) + " more";
  return nothing(text);
}

std::string standingText(const Ranked &r) {
  if (r.among == 1)
    return "alone";
  const std::string standing = r.standing == Ranked::Standing::Winner     ? "winner"
                               : r.standing == Ranked::Standing::Finalist ? "finals"
                                                                          : "search";
  return standing + " of " + std::to_string(r.among);
}

} // namespace

std::string keptArguments(const Options &options) {
  std::string text;
  for (const std::string &a : options.args)
    text += (text.empty() ? "" : " ") + a;
  return text + (options.seed != 1 ? std::string(seedMark) + std::to_string(options.seed) : "");
}

std::string argumentOptions(const std::string &kept) {
  std::string args = kept, seed, text;
  if (const size_t at = kept.rfind(seedMark); at != std::string::npos) {
    seed = kept.substr(at + seedMark.size());
    if (!seed.empty() && seed.find_first_not_of("0123456789") == std::string::npos)
      args = kept.substr(0, at);
    else
      seed.clear();
  }
  for (size_t from = 0, end = 0; from < args.size(); from = end + 1) {
    for (end = args.find(' ', from); end != std::string::npos && !isArgument(args, end + 1);)
      end = args.find(' ', end + 1);
    end = std::min(end, args.size());
    text += (text.empty() ? "--arg " : " --arg ") + shellWord(args.substr(from, end - from));
  }
  if (!seed.empty())
    text += (text.empty() ? "--seed " : " --seed ") + seed;
  return text;
}

int printRanking(Ledger &ledger, const Subject &subject, const Options &options,
                 const ReportContext &context) {
  Setting setting = context.setting;
  setting.build.clear(); // of any build: what the ledger knows
  std::string error;
  std::vector<Ranked> ranked = ledger.ranking(setting, error);
  if (!error.empty()) {
    std::fprintf(stderr, "phobos-kbench: the ledger: %s\n", error.c_str());
    return EnvironmentFault;
  }
  if (ranked.empty())
    return sayNothingHeld(ledger, setting);
  const size_t leftOut = std::erase_if(ranked, [&](const Ranked &r) { return isLeftOut(r.point, subject); });
  if (ranked.empty())
    return nothing("the ledger holds " + std::to_string(leftOut) + (leftOut == 1 ? " point" : " points") +
                   " of this kernel" + at(setting) + " on this device, but none " +
                   (subject.listed.empty() ? "with " + subject.pinned.str() : "that is listed"));
  size_t shown = 0;
  for (const Ranked &r : ranked) {
    if (options.limit && shown == *options.limit)
      break;
    std::printf("%4zu  %10s  %-14s  %s\n", ++shown, timeText(r.medianNs).c_str(), standingText(r).c_str(),
                r.point.empty() ? "the kernel's only point" : r.point.str().c_str());
  }
  std::printf(
      "ranked: winners of their runs, then finalists by their medians in the final rounds, then the "
      "others by their medians in the search; each as the latest run of several points left it, and of how "
      "many that passed there (alone: only runs of one point had it)\n");
  if (leftOut)
    std::printf("left out: %zu %s\n", leftOut,
                leftOut == 1 ? "point that was not asked for" : "points that were not asked for");
  std::printf("again  %s\n", reproduceCommand(context, ranked[0].point).c_str());
  return Success;
}

} // namespace phobos::kbench
