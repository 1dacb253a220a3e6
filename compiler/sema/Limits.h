// The limits of one kernel, so that no source text can exhaust the compiler. Each is reported by name where
// it is passed.
#pragma once
#include <cstdint>

namespace phobos::sema::limits {

inline constexpr int64_t kTileElements = int64_t(1) << 24; ///< elements of one tile
inline constexpr int64_t kUnroll = 1024;                   ///< iterations of for<unroll n>
inline constexpr unsigned kInlinedStatements = 1u << 16; ///< statements and calls made by inlining functions
inline constexpr unsigned kExpressionNodes = 1u << 21;   ///< nodes of the typed tree
inline constexpr unsigned kNesting =
    400; ///< statements and expressions inside one another, through calls too
inline constexpr int64_t kThreads = 1024; ///< threads of a block

} // namespace phobos::sema::limits
