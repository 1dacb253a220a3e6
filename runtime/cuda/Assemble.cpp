#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/Driver.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace phobos::cuda {

namespace {

/// nvJitLink's functions. Their exported names carry the toolkit's version, so the newest that the library
/// has is taken.
struct JitLink {
  using Handle = void *;
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;
  bool found = false;
  int cudaVersion = 0; ///< of its toolkit, 1000 * major + 10 * minor
};

void *openLibrary() {
  for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"})
    if (void *p = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return p;
  for (const char *dir :
       {"/usr/local/cuda/lib64/", "/usr/local/cuda-13.0/lib64/", "/usr/local/cuda-12/lib64/"})
    for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12"})
      if (void *p = dlopen((std::string(dir) + name).c_str(), RTLD_NOW | RTLD_LOCAL))
        return p;
  return nullptr;
}

JitLink loadJitLink() {
  JitLink j;
  void *library = openLibrary();
  if (!library)
    return j;
  for (int major = 13; major >= 12; --major)
    for (int minor = 9; minor >= 0; --minor) {
      std::string suffix = "_" + std::to_string(major) + "_" + std::to_string(minor);
      auto get = [&](const char *name) {
        return dlsym(library, ("__nvJitLink" + std::string(name) + suffix).c_str());
      };
      if (!get("Create"))
        continue;
#define GET(MEMBER, NAME) j.MEMBER = reinterpret_cast<decltype(j.MEMBER)>(get(NAME))
      GET(create, "Create"), GET(destroy, "Destroy"), GET(addData, "AddData"), GET(complete, "Complete");
      GET(cubinSize, "GetLinkedCubinSize"), GET(cubin, "GetLinkedCubin");
      GET(errorSize, "GetErrorLogSize"), GET(errorLog, "GetErrorLog"), GET(infoSize, "GetInfoLogSize"),
          GET(infoLog, "GetInfoLog");
#undef GET
      j.cudaVersion = 1000 * major + 10 * minor;
      j.found = j.create && j.destroy && j.addData && j.complete && j.cubinSize && j.cubin && j.errorSize &&
                j.errorLog && j.infoSize && j.infoLog;
      return j;
    }
  return j;
}

const JitLink &jitLink() {
  static const JitLink j = loadJitLink();
  return j;
}

std::string readLog(int (*size)(void *, size_t *), int (*get)(void *, char *), void *handle) {
  size_t n = 0;
  if (size(handle, &n) || n == 0)
    return {};
  std::string s(n, '\0');
  get(handle, s.data());
  s.resize(std::strlen(s.c_str()));
  return s;
}

void withJitLink(std::string_view ptx, const AssembleOptions &options, Assembled &out) {
  const JitLink &j = jitLink();
  std::string arch = "-arch=" + options.target;
  const char *args[] = {arch.c_str(), "-verbose", "-lineinfo"};
  void *handle = nullptr;
  std::string text(ptx);
  constexpr int inputPtx = 2;
  bool ok = j.create(&handle, 3, args) == 0 &&
            j.addData(handle, inputPtx, text.c_str(), text.size() + 1, "kernel") == 0 &&
            j.complete(handle) == 0;
  if (handle)
    out.log = readLog(j.infoSize, j.infoLog, handle);
  size_t n = 0;
  if (ok && j.cubinSize(handle, &n) == 0) {
    out.cubin.resize(n);
    ok = j.cubin(handle, out.cubin.data()) == 0;
  }
  if (!ok)
    out.error = "nvJitLink: " + (handle ? readLog(j.errorSize, j.errorLog, handle)
                                        : std::string("it does not know " + options.target));
  if (handle)
    j.destroy(&handle);
}

std::string findPtxas() {
  std::vector<std::string> places;
  if (const char *path = std::getenv("PATH")) {
    std::istringstream s(path);
    for (std::string dir; std::getline(s, dir, ':');)
      places.push_back(dir + "/ptxas");
  }
  places.insert(places.end(), {"/usr/local/cuda/bin/ptxas", "/usr/local/cuda-13.0/bin/ptxas"});
  for (const std::string &p : places)
    if (access(p.c_str(), X_OK) == 0)
      return p;
  return {};
}

std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream s;
  s << in.rdbuf();
  return std::move(s).str();
}

void withPtxas(const std::string &ptxas, std::string_view ptx, const AssembleOptions &options,
               Assembled &out) {
  const char *tmp = std::getenv("TMPDIR");
  std::string dir = std::string(tmp && *tmp ? tmp : "/tmp") + "/phobos-ptxas-XXXXXX";
  if (!mkdtemp(dir.data())) {
    out.error = "ptxas: no temporary folder can be made";
    return;
  }
  std::string in = dir + "/k.ptx", cubin = dir + "/k.cubin", log = dir + "/log";
  std::ofstream(in, std::ios::binary) << ptx;
  std::array<std::string, 7> words = {ptxas, "-arch=" + options.target, "-v", "-lineinfo", "-o", cubin, in};
  std::vector<char *> argv;
  for (std::string &w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  // Not by posix_spawn: nothing else ends an assembler whose caller has been killed.
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int to = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (to >= 0 && dup2(to, 1) >= 0 && dup2(to, 2) >= 0)
      execv(ptxas.c_str(), argv.data());
    _exit(127);
  }
  int status = child < 0;
  bool timedOut = false;
  const auto since = std::chrono::steady_clock::now();
  while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
    usleep(2000);
    if (options.timeoutSeconds > 0 &&
        std::chrono::steady_clock::now() - since >= std::chrono::seconds(options.timeoutSeconds)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      timedOut = true;
      break;
    }
  }
  out.log = slurp(log);
  if (timedOut)
    out.error = "ptxas: no result within " + std::to_string(options.timeoutSeconds) + " s";
  else if (status != 0)
    out.error = "ptxas: " + (out.log.empty() ? std::string("it could not be run") : out.log);
  else
    out.cubin = slurp(cubin);
  for (const std::string &f : {in, cubin, log})
    unlink(f.c_str());
  rmdir(dir.c_str());
}

/// The largest number that `pattern` captures in the log, or -1.
int largest(const std::string &log, const char *pattern) {
  int best = -1;
  std::regex re(pattern);
  for (std::sregex_iterator it(log.begin(), log.end(), re), end; it != end; ++it)
    best = std::max(best, static_cast<int>(std::strtol((*it)[1].str().c_str(), nullptr, 10)));
  return best;
}

} // namespace

// Each function is announced, then what it takes.
Assembled::Usage Assembled::usageOf(std::string_view function) const {
  const std::string name = "entry function '" + std::string(function) + "'";
  size_t from = log.find(name);
  if (from == std::string::npos)
    return {};
  from += name.size();
  const std::string about = log.substr(from, log.find("entry function '", from) - from);
  return {largest(about, "Used ([0-9]+) registers"), largest(about, "([0-9]+) bytes spill stores")};
}

std::vector<std::string> assemblersFor(std::string_view ptx) {
  std::vector<std::string> tools;
  if (jitLink().found)
    tools.push_back("nvjitlink");
  if (!findPtxas().empty())
    tools.insert(ptx.find("setmaxnreg") == ptx.npos ? tools.end() : tools.begin(), "ptxas");
  return tools;
}

std::string assemblerFound() {
  const std::vector<std::string> tools = assemblersFor("");
  return tools.empty() ? "" : tools.front();
}

std::string assemblerNames() {
  if (!jitLink().found)
    return assemblerFound();
  const int v = jitLink().cudaVersion;
  return "nvJitLink " + std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10) +
         (findPtxas().empty() ? "" : " (ptxas for setmaxnreg and where it spills less)");
}

unsigned assemblerPtxVersion() { return jitLink().found ? ptxVersionOf(jitLink().cudaVersion) : 0; }

static Assembled assembleWith(const std::string &tool, std::string_view ptx, const AssembleOptions &options) {
  Assembled out;
  out.tool = tool;
  const std::string ptxas = tool == "ptxas" ? findPtxas() : "";
  if (tool == "nvjitlink" && jitLink().found)
    withJitLink(ptx, options, out);
  else if (!ptxas.empty())
    withPtxas(ptxas, ptx, options, out);
  else
    out.error = "neither nvJitLink nor ptxas is on this machine";
  out.registers = largest(out.log, "Used ([0-9]+) registers");
  out.spillBytes = largest(out.log, "([0-9]+) bytes spill stores");
  out.sharedBytes = largest(out.log, "([0-9]+) bytes smem");
  return out;
}

// Where all fail, the first one's reason: the next may be of an older toolkit.
Assembled assemble(std::string_view ptx, const AssembleOptions &options) {
  if (!options.tool.empty())
    return assembleWith(options.tool, ptx, options);
  std::vector<std::string> tools = assemblersFor(ptx);
  if (tools.empty())
    return assembleWith("", ptx, options);
  Assembled best = assembleWith(tools.front(), ptx, options);
  for (size_t k = 1; k < tools.size() && (!best.ok() || best.spillBytes > 0); ++k)
    if (Assembled next = assembleWith(tools[k], ptx, options);
        next.ok() && (!best.ok() || next.spillBytes < best.spillBytes))
      best = std::move(next);
  return best;
}

} // namespace phobos::cuda
