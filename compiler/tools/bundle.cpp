// phobos-bundle: looks into bundles.
#include "compiler/driver/BundleText.h"
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Status.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/tools/Tools.h"
#include "runtime/files/ReadFile.h"
#include <CLI/CLI.hpp>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace phobos::tools {

namespace {

int fail(diag id, const std::string &path, const std::string &reason) {
  Diagnostics diags;
  diags.report(id, {}, path, reason);
  SourceManager none;
  std::cerr << renderText(diags, none, isatty(2));
  return driver::statusOf(diags);
}

/// A bundle is anybody's: its names lead to no other folder.
std::string fileName(std::string text) {
  for (char &c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return text;
}

/// One file an image: KERNEL.TARGET.N.ptx, .cubin or .o.
int extract(const Bundle &bundle, const std::string &folder) {
  static const char *const endings[] = {".ptx", ".cubin", ".o"};
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  if (!std::filesystem::is_directory(folder, ec))
    return fail(diag::CannotWriteFile, folder,
                std::filesystem::exists(folder, ec) ? "it is a file; -o names the folder to write to"
                                                    : "the folder cannot be made");
  for (size_t n = 0; n < bundle.variants.size(); ++n) {
    const Variant &v = bundle.variants[n];
    for (const CodeImage &image : v.images) {
      std::string path = folder + "/" + fileName(v.contract.kernel) + "." + fileName(v.target) + "." +
                         std::to_string(n) + endings[static_cast<size_t>(image.format)];
      std::ofstream out(path, std::ios::binary);
      out.write(image.bytes.data(), static_cast<std::streamsize>(image.bytes.size()));
      out.close();
      if (!out)
        return fail(diag::CannotWriteFile, path, std::strerror(errno ? errno : EIO));
      std::cout << path << "\n";
    }
  }
  return Success;
}

} // namespace

int bundleMain(int argc, char **argv) {
  CLI::App app{"phobos-bundle: looks into the bundles that phobos-compile writes.\n\n"
               "  phobos-bundle show gemm.phx              kernels, points, targets, parameters, entries\n"
               "  phobos-bundle extract gemm.phx -o code   the PTX, cubins and objects as files\n"
               "  phobos-bundle verify gemm.phx            container, checksum and contract are sound\n\n"
               "Exit status: 0 success; 1 it is not a sound bundle; 2 usage; 3 files that cannot be read or "
               "written.\n",
               "phobos-bundle"};
  std::string file, folder = ".";
  app.require_subcommand(1);
  CLI::App *show = app.add_subcommand("show", "print what is in it");
  CLI::App *take = app.add_subcommand("extract", "write its code as files");
  CLI::App *verify = app.add_subcommand("verify", "check it, and say nothing if it is sound");
  for (CLI::App *sub : {show, take, verify})
    sub->add_option("FILE", file, "the bundle, or - for standard input")->required();
  take->add_option("-o,--output", folder, "the folder to write to")->capture_default_str();
  app.set_version_flag("--version", "phobos-bundle " PHOBOS_VERSION_TEXT);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return driver::finishParsing(app, e, argc, argv);
  }
  Bundle bundle;
  std::string error;
  const std::string shown = file == "-" ? "<stdin>" : file;
  std::optional<ReadFile> bytes = readFile(file, kMaxBundleBytes, error);
  if (!bytes)
    return fail(diag::CannotReadFile, shown, error);
  if (bytes->isCut)
    return fail(diag::BadBundle, shown, tooLargeForBundle());
  if (!decodeBundle(bytes->bytes, bundle, error))
    return fail(diag::BadBundle, shown, error);
  if (*show)
    std::cout << driver::describeBundle(bundle);
  return *take ? extract(bundle, folder) : Success;
}

} // namespace phobos::tools
