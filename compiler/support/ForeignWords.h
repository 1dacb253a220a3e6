// What users coming from Python, Triton, C and CUDA write, and what stands for it here.
#pragma once
#include <span>
#include <string_view>

namespace phobos {

/// A word of another language with the help line that says what to write instead. What stands in quotes in
/// a help line compiles (tests/sema/ForeignWordsTest.cpp), so that no advice is refused.
struct ForeignWord {
  std::string_view word;
  const char *help;
};

/// The scalar type that another language's type is here, `f32` for `float`; empty for other words.
std::string_view foreignType(std::string_view word);
/// The help for a value (`None`, `threadIdx`) or a function (`arange`) of another language; null where there
/// is none.
const char *foreignValue(std::string_view word);
const char *foreignCall(std::string_view word);

/// All of them, for the test.
std::span<const ForeignWord> foreignValues();
std::span<const ForeignWord> foreignCalls();

} // namespace phobos
