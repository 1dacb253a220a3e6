// Which threads of a block touch which elements of a tensor: what must be kept in order between them.
#pragma once
#include "compiler/ir/Pho.h"

namespace phobos::nvptx {

/// Whether the kernel stores to the tensor.
bool isWritten(mlir::Value view);

/// Whether the tile is read by its store to shared memory alone, and loaded only there, some registers at a
/// time.
bool goesToShared(pho::LoadOp load);

/// Whether two loads or stores of tiles of one tensor are of the same elements in the same threads' hands, so
/// that each thread's own order keeps theirs; the values they start at are those of one moment.
bool isSameAccess(mlir::Operation *a, mlir::Operation *b);

/// Whether an element that the load or store touches in several iterations of the loops around it is the same
/// thread's each time.
bool keepsThreads(mlir::Operation *access);

/// Whether each element of the tensor is one thread's alone for the whole kernel, however often it is
/// accessed. Nothing then depends on what other threads do before or after a barrier, which is what `noalias`
/// tells LLVM. Asked once tiles have layouts.
bool isOneThreads(mlir::Value view);

} // namespace phobos::nvptx
