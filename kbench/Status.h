// The eight ways a point of the space can end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace phobos::kbench {

enum class Status : uint8_t {
#define STATUS(NAME, TEXT, MEANING) NAME,
#include "kbench/Status.def"
};

inline constexpr int statusCount = 8;
std::string_view name(Status s);
std::string_view meaning(Status s);
std::optional<Status> statusNamed(std::string_view text);

/// A status with why: for `illegal` the rule's name first.
struct Verdict {
  Status status = Status::Ok;
  std::string rule;   ///< of an illegal point; of a compile error its code and place: points with the same
                      ///< one failed of the same cause; of an ok point at most `dependsOnPointRule`
  std::string detail; ///< one line; of an ok point why it was not verified at full size
  bool ok() const { return status == Status::Ok; }
};

/// Of a point that computes something else than the plain point.
inline constexpr std::string_view dependsOnPointRule = "depends-on-point";
inline bool dependsOnPoint(const Verdict &v) { return v.ok() && v.rule == dependsOnPointRule; }
/// Of a point that was not verified at full size, with why.
inline Verdict uncompared(std::string why) { return {Status::Ok, "", std::move(why)}; }
inline Verdict dependsOnPoint() {
  return {Status::Ok, std::string(dependsOnPointRule), "what the kernel computes depends on the point"};
}

} // namespace phobos::kbench
