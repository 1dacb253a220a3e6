#include "kbench/tune/PlainPoint.h"

namespace phobos::kbench {

Request::Item PlainPoint::item() const {
  return {options_.plainPoints[candidate_].str(), session_.directory + "/plain" + std::to_string(candidate_),
          ""};
}

Request PlainPoint::take() {
  isRunning_ = true;
  Request request;
  request.kind = kind_;
  request.items = {item()};
  request.seed = session_.seed;
  return request;
}

void PlainPoint::ended(const Outcome &o) {
  isRunning_ = false;
  Reply reply;
  if (o.kind != Outcome::Kind::Answer)
    return tryNext(o.kind == Outcome::Kind::Timeout ? "it did not end in time" : "its worker " + o.detail);
  if (!Reply::fromLine(o.answer, reply) || !reply.verdict.ok())
    return tryNext(reply.verdict.detail);
  switch (kind_) {
  case Request::Kind::Compile:
    kind_ = Request::Kind::Verify;
    return;
  case Request::Kind::Verify:
    kind_ = Request::Kind::VerifyFull;
    return;
  default:
    why_ = reply.verdict.detail; // no other would have room either
    isFound_ = why_.empty();
    if (!isFound_)
      candidate_ = options_.plainPoints.size();
  }
}

void PlainPoint::tryNext(std::string why) {
  why_ =
      "no small point of the space gave a result there to compare with (the last tried, " +
      (options_.plainPoints[candidate_].empty() ? "the only one" : options_.plainPoints[candidate_].str()) +
      ": " + std::move(why) + ")";
  kind_ = Request::Kind::Compile;
  ++candidate_;
}

} // namespace phobos::kbench
