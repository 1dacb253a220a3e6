// A whole number as the value of an option. For who includes CLI11 anyway.
#pragma once
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace phobos::driver {

/// From `least` to `most`; CLI11's own checks name their limits as floats of 300 digits.
inline CLI::Validator wholeNumber(uint64_t least, uint64_t most) {
  return CLI::Validator(
      [least, most](std::string &text) {
        uint64_t value = 0;
        const char *end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        const bool ok = read.ec == std::errc() && read.ptr == end && value >= least && value <= most;
        return ok ? std::string()
                  : "'" + text + "' is not a whole number from " + std::to_string(least) +
                        (most == UINT64_MAX ? "" : " to " + std::to_string(most));
      },
      "", "whole");
}

} // namespace phobos::driver
