// What every tool does first: read a file, parse it, choose a kernel, check it at a point, make its launch
// contract.
#pragma once
#include "compiler/sema/Check.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "runtime/contract/Contract.h"
#include <memory>
#include <optional>
#include <string>

namespace phobos::driver {

/// A parsed file with the stdlib beside it. Immutable after load; may be shared by threads.
struct LoadedFile {
  SourceManager sources;
  std::unique_ptr<ast::File> file;
  std::unique_ptr<ast::File> stdlib; ///< null with LoadOptions::stdlib off
};

struct LoadOptions {
  bool stdlib = true;
};

/// The text of a file that a person wrote ("-" is standard input): a source, a list of points. Nothing, with
/// E0901 or E0908, where it cannot be read or is larger than a source may be.
std::optional<std::string> readText(const std::string &path, Diagnostics &diags);

/// Reads `path` ("-" is standard input) and parses it. Never null; errors (E0901 for a file that cannot be
/// read) are in `diags`.
std::unique_ptr<LoadedFile> load(const std::string &path, const LoadOptions &options, Diagnostics &diags);
/// The same for a text at hand.
std::unique_ptr<LoadedFile> loadText(std::string name, std::string text, const LoadOptions &options,
                                     Diagnostics &diags);

/// The kernel called `name`, or the only one where `name` is empty; otherwise an error that lists them, and
/// null.
const ast::Kernel *selectKernel(const ast::File &file, const std::string &name, Diagnostics &diags);

/// Checks `kernel` with `overrides` completed by first choices. Null on errors.
std::unique_ptr<sema::TypedKernel> checkAt(const LoadedFile &loaded, const ast::Kernel &kernel,
                                           const Point &overrides, Diagnostics &diags,
                                           const sema::CheckOptions &options = {});

/// The launch contract of a typed kernel.
Contract contractOf(const sema::TypedKernel &kernel);

} // namespace phobos::driver
