#include "kbench/tune/RoofTask.h"

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
  else if (isBegun_)
    why = reply.note;
  if (reply.roof.bytesPerNs > 0)
    roof.bytesPerNs = reply.roof.bytesPerNs;
  for (ProductRoof &p : reply.roof.products)
    if (known_.insert(p.type); !roof.of(p.type))
      roof.products.push_back(std::move(p));
  isBegun_ = true;
}

} // namespace phobos::kbench
