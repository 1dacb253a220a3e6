#include "kbench/tune/RoofTask.h"
#include <algorithm>

namespace phobos::kbench {

RoofTask::RoofTask(const std::optional<Roof> &kept) : isBegun_(kept.has_value()) {
  if (kept)
    for (const ProductRoof &p : kept->products)
      known_.insert(p.type);
}

std::optional<Request> RoofTask::next(const Products &products) {
  if (isRunning_)
    return std::nullopt;
  Request request;
  request.kind = Request::Kind::Roof;
  request.items = {{"", "", ""}};
  isRunning_ = !isBegun_;
  for (size_t i = 0; i < products.size() && !isRunning_; ++i) {
    request.type = products[i].first;
    isRunning_ = known_.insert(request.type).second;
  }
  return isRunning_ ? std::optional(request) : std::nullopt;
}

void RoofTask::ended(const Outcome &outcome, Roof &roof, std::string &why) {
  Reply reply;
  isRunning_ = false;
  if (outcome.kind != Outcome::Kind::Answer || !Reply::fromLine(outcome.answer, reply))
    why = "its measurement did not end";
  else if (isBegun_ || reply.roof.bytesPerNs <= 0)
    why = reply.note;
  roof.isSteady = roof.isSteady && reply.roof.isSteady;
  if (reply.roof.bytesPerNs > 0)
    roof.bytesPerNs = reply.roof.bytesPerNs;
  for (ProductRoof &p : reply.roof.products)
    if (known_.insert(p.type); !roof.of(p.type))
      roof.products.push_back(std::move(p));
  isBegun_ = true;
}

bool isAboveRoof(const SearchOutcome &outcome) {
  return std::any_of(outcome.ranking.begin(), outcome.ranking.end(), [&](size_t i) {
    const auto share = outcome.shareOfRoof(outcome.results[i]);
    return share && share->percent > 100;
  });
}

void measureRoofAgain(Pool &device, const SearchOptions &options, SearchOutcome &outcome) {
  RoofTask task;
  Roof again;
  std::string ignored;
  while (auto request = task.next(outcome.products)) {
    if (!device.give(0, request->toLine(), options.runLimit, ignored))
      return;
    std::vector<Outcome> ended;
    while ((ended = device.collect()).empty())
      if (waitForAny({&device}, options.interrupt, std::chrono::milliseconds(500)))
        return;
    outcome.spent.roof += ended.front().seconds;
    task.ended(ended.front(), again, ignored);
  }
  outcome.roof.raise(again);
  outcome.roof.isSteady = again.isSteady;
  outcome.isRoofMeasuredAgain = true;
}

} // namespace phobos::kbench
