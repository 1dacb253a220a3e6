// What to say where @require leaves nothing to search.
#pragma once
#include "kbench/tool/Subject.h"

namespace phobos::kbench {

/// Reports it: of one point (`isOnePoint`: options.pinned holds every name) the @require that refuses it,
/// E0801; of a space those that no point satisfies, E0932. With the values that count, and as help a point
/// that all of them allow, where there is one.
void reportRefused(const sema::Space &space, const SpaceOptions &options, bool isOnePoint,
                   Diagnostics &diags);

} // namespace phobos::kbench
