#include "kbench/workers/Fault.h"
#include "kbench/Environment.h"
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace phobos::kbench {
namespace {

constexpr std::string_view texts[] = {
#define FAULT(NAME, TEXT, MEANING) TEXT,
#include "kbench/Faults.def"
};

} // namespace

bool Faults::parse(std::string_view text, std::string &error) {
  while (!text.empty()) {
    size_t end = std::min(text.find(';'), text.size());
    std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    size_t at = std::min(item.find('@'), item.size());
    std::string_view kind = item.substr(0, at);
    size_t k = 0;
    while (k < std::size(texts) && texts[k] != kind)
      ++k;
    if (k == std::size(texts)) {
      error = "no fault is called '" + std::string(kind) + "'";
      return false;
    }
    Entry entry{static_cast<Fault>(k), {}};
    if (at < item.size() && !parsePoint(item.substr(at + 1), entry.where, error))
      return false;
    entries_.push_back(std::move(entry));
  }
  return true;
}

bool Faults::strikes(Fault fault, const Point &point) const {
  for (const Entry &e : entries_) {
    bool all = e.fault == fault;
    for (auto &[n, v] : e.where.entries())
      all = all && point.get(n) == v;
    if (all)
      return true;
  }
  return false;
}

Faults faultsFromEnvironment() {
  Faults faults;
  std::string error;
  if (auto text = get(Environment::Fault); text && !faults.parse(*text, error))
    std::fprintf(stderr, "PHOBOS_KBENCH_FAULT: %s\n", error.c_str());
  return faults;
}

// The default action, whatever handlers a sanitizer or LLVM installed: the process must look as a real fault
// leaves it.
static void dieOf(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  _exit(1);
}

void crashHere() {
  dieOf(SIGSEGV);
  __builtin_unreachable();
}
void abortHere() {
  std::fputs("injected: the compiler gives up\n", stderr);
  std::fflush(stderr);
  dieOf(SIGABRT);
  __builtin_unreachable();
}
void hangHere() {
  while (true)
    pause();
}
void leaveHere() { _exit(7); }

} // namespace phobos::kbench
