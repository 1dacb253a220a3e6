#include "compiler/driver/Compile.h"
#include "compiler/sema/Stdlib.h"
#include "compiler/support/Suggest.h"
#include "compiler/syntax/Parse.h"
#include "runtime/files/ReadFile.h"

namespace phobos::driver {

static std::unique_ptr<ast::File> parseStdlib(SourceManager &sources, Diagnostics &diags) {
  // The stdlib is one file to sema: its sources are joined in order.
  std::string text;
  for (const auto &[name, body] : sema::stdlibSources())
    text += body + "\n";
  auto file = syntax::parse(sources, sources.add("<stdlib>", std::move(text)), diags);
  for (auto &f : file->functions)
    f->fromStdlib = true;
  return file;
}

std::unique_ptr<LoadedFile> loadText(std::string name, std::string text, const LoadOptions &options,
                                     Diagnostics &diags) {
  auto loaded = std::make_unique<LoadedFile>();
  uint32_t index = loaded->sources.add(std::move(name), std::move(text));
  loaded->file = syntax::parse(loaded->sources, index, diags);
  if (options.stdlib)
    loaded->stdlib = parseStdlib(loaded->sources, diags);
  if (!diags.isFull())
    sema::checkFile(*loaded->file, loaded->stdlib.get(), diags);
  return loaded;
}

std::optional<std::string> readText(const std::string &path, Diagnostics &diags) {
  std::string error, name = path == "-" ? "<stdin>" : path;
  std::optional<ReadFile> file = readFile(path, syntax::kMaxTextBytes, error);
  if (file && !file->isCut)
    return std::move(file->bytes);
  if (file)
    diags.report(diag::FileTooLarge, {}, name, syntax::kMaxTextBytes);
  else
    diags.report(diag::CannotReadFile, {}, name, error);
  return std::nullopt;
}

std::unique_ptr<LoadedFile> load(const std::string &path, const LoadOptions &options, Diagnostics &diags) {
  std::optional<std::string> text = readText(path, diags);
  if (text)
    return loadText(path == "-" ? "<stdin>" : path, std::move(*text), options, diags);
  auto loaded = std::make_unique<LoadedFile>();
  loaded->file = std::make_unique<ast::File>();
  return loaded;
}

static std::string kernelList(const ast::File &file) {
  std::string list;
  for (const auto &k : file.kernels)
    list += (list.empty() ? "" : ", ") + k->name.text;
  return list;
}

const ast::Kernel *selectKernel(const ast::File &file, const std::string &name, Diagnostics &diags) {
  if (file.kernels.empty()) {
    diags.report(diag::NoKernel, {});
    return nullptr;
  }
  if (name.empty()) {
    if (file.kernels.size() == 1)
      return file.kernels.front().get();
    diags.report(diag::SeveralKernels, {}, kernelList(file))
        .help("name one with --kernel, for example --kernel " + file.kernels.front()->name.text);
    return nullptr;
  }
  for (const auto &k : file.kernels)
    if (k->name.text == name)
      return k.get();
  std::vector<std::string> names;
  for (const auto &k : file.kernels)
    names.push_back(k->name.text);
  auto report = diags.report(diag::UnknownKernel, {}, name, kernelList(file));
  if (auto near = nearest(name, names))
    report.help("did you mean '" + *near + "'?");
  return nullptr;
}

std::unique_ptr<sema::TypedKernel> checkAt(const LoadedFile &loaded, const ast::Kernel &kernel,
                                           const Point &overrides, Diagnostics &diags,
                                           const sema::CheckOptions &options) {
  sema::Space space = sema::buildSpace(kernel, diags);
  Point point;
  if (!sema::completePoint(space, overrides, point, diags))
    return nullptr;
  auto typed = sema::check(*loaded.file, kernel, loaded.stdlib.get(), point, diags, options);
  return diags.hasErrors() ? nullptr : std::move(typed);
}

} // namespace phobos::driver
