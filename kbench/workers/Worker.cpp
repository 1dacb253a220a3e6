#include "kbench/workers/Worker.h"
#include "kbench/workers/CompileWorker.h"
#include "kbench/workers/DeviceWorker.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

namespace phobos::kbench {
namespace {

/// The way back: standard output, moved away so that nothing else can write into the conversation.
class Line {
public:
  Line() : out_(fdopen(dup(1), "w")) { dup2(2, 1); }
  void send(const std::string &text) {
    std::fputs((text + "\n").c_str(), out_);
    std::fflush(out_);
  }

private:
  FILE *out_;
};

int serve(KernelWorker &worker, Line &line) {
  auto say = [&](const std::string &words) { line.send(words); };
  std::string text;
  while (std::getline(std::cin, text)) {
    Request request;
    if (!Request::fromLine(text, request) || request.items.empty())
      return 1;
    const Reply reply = worker.answer(request, say);
    // A fault may leave a device's context of no more use: the next request is another process's.
    const bool isLast = reply.verdict.status == Status::Fault;
    line.send((isLast ? "last " : "") + reply.toLine());
    if (isLast)
      return 1;
  }
  return 0;
}

} // namespace

int runWorker(const std::string &role, const std::vector<Target> &targets) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a worker never outlives a parent that was killed
  Line line;
  std::string text, error;
  Session session;
  if (!std::getline(std::cin, text))
    return 0;
  const Target *target = nullptr;
  if (Session::fromLine(text, session, error)) {
    setenv("TMPDIR", session.directory.c_str(),
           1); // what a killed worker's assembler leaves goes with the run
    for (const Target &t : targets)
      if (t.name == session.target)
        target = &t;
    if (!target)
      error = "target '" + session.target + "' is not known";
  }
  std::unique_ptr<KernelWorker> worker;
  if (target && role == "compile")
    worker = std::make_unique<CompileWorker>(*target, session);
  else if (target)
    worker = std::make_unique<DeviceWorker>(*target, session);
  if (worker && worker->start(error)) {
    line.send(worker->ready());
    return serve(*worker, line);
  }
  line.send(error);
  return 1;
}

} // namespace phobos::kbench
