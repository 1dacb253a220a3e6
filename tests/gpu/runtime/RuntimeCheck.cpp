// gpu-runtime-check BUNDLE: the runtime on a GPU, through phobos.hpp alone: contexts that the application
// made, threads, graphs, several devices, the choice of code, and every misuse refused by name with nothing
// launched. BUNDLE is runtime.pho for this device and for the CPU. Prints a line a failure and last `N
// passed, N failed, N skipped`; 77 (CTest: skipped) without a device.
#include "tests/gpu/runtime/Cuda.h"
#include <atomic>
#include <cstring>
#include <phobos/phobos.hpp>
#include <string>
#include <thread>

namespace {

int passed = 0, failed = 0, skipped = 0;
const char *bundlePath = nullptr;

void expect(bool ok, const char *what, const std::string &detail = {}) {
  ok ? ++passed : ++failed;
  if (!ok)
    std::printf("FAIL %s%s%s\n", what, detail.empty() ? "" : ": ", detail.c_str());
}
void expectDone(const phobos::Status &s, const char *what) { expect(static_cast<bool>(s), what, s.message); }
void skip(const char *what) {
  ++skipped;
  std::printf("skipped: %s\n", what);
}

phobos::Module load(int32_t device = -1, const char *target = "cuda") {
  auto m = phobos::Module::load(bundlePath, {.target = target, .device = device});
  if (m)
    return std::move(m).value();
  std::printf("FAIL loading the bundle: %s\n%d passed, %d failed, %d skipped\n", m.error().message.c_str(),
              passed, failed + 1, skipped);
  std::exit(1);
}

constexpr int64_t n = 1000;
std::vector<float> filled(float value, int64_t count = n) {
  return std::vector<float>(static_cast<size_t>(count), value);
}
phobos::TensorView view(const cuda::Array<float> &a, int64_t count = n) { return {a.data(), {count}}; }

/// What the driver says that the current context may do at an address.
std::string access(const void *address) {
  unsigned flags = 0;
  uint64_t usable = 0;
  const int f = cuda::open().pointerAttribute(&flags, 16, reinterpret_cast<uint64_t>(address)),
            u = cuda::open().pointerAttribute(&usable, 3, reinterpret_cast<uint64_t>(address));
  return "(access flags " + std::to_string(flags) + ", status " + std::to_string(f) + "; device pointer " +
         std::to_string(usable) + ", status " + std::to_string(u) + ")";
}

/// A device's primary context, current for a scope, as the CUDA runtime would have it.
struct Primary {
  explicit Primary(int ordinal) {
    cuda::check(cuda::open().deviceGet(&device, ordinal), "device");
    cuda::check(cuda::open().primaryRetain(&context, device), "context");
    cuda::check(cuda::open().contextSet(context), "context");
  }
  ~Primary() {
    cuda::open().contextSet(nullptr);
    cuda::open().primaryRelease(device);
  }
  int device = 0;
  cuda::Handle context = nullptr;
};

cuda::Handle currentContext() {
  cuda::Handle c = nullptr;
  cuda::open().contextGet(&c);
  return c;
}

void launches() {
  Primary primary(0);
  phobos::Module module = load();
  expect(!module.isCpu() && !module.deviceName().empty(), "a module on the device");
  cuda::Stream stream;
  for (const char *name : {"saxpy", "walk"}) {
    phobos::Kernel k = module.kernel(name).value();
    cuda::Array<float> x(filled(2)), y(filled(1));
    expectDone(k.launch(nullptr, view(x), view(y), 3.0f), "a launch on the default stream");
    expect(y.values() == filled(7), "its result");
    expectDone(k.launch(stream.handle, view(x), view(y), 1.0f), "a launch on a stream");
    expect(y.values() == filled(9), "its result");
    // An address that is no multiple of 16 takes another entry point.
    expectDone(k.launch(stream.handle, phobos::TensorView(x.data() + 1, {n - 1}),
                        phobos::TensorView(y.data() + 1, {n - 1}), 0.5f),
               "addresses off 16 bytes");
    auto v = y.values();
    expect(v[0] == 9 && v[1] == 10 && v[n - 1] == 10, "their result");
    auto p = k.prepare({}, view(x), view(y), 1.0f);
    expect(static_cast<bool>(p), "preparing", p.error().message);
    cuda::Array<float> other(filled(0));
    expectDone(p->setPointer(1, other.data()), "another address");
    expectDone(p->set(2, 10.0), "another scalar");
    for (int i = 0; i < 5; ++i)
      expectDone(p->launch(stream.handle), "a prepared launch");
    expect(other.values() == filled(100), "five prepared launches");
    expect(
        p->setPointer(1, other.data() + 1).message.find("prepared for addresses that are multiples of 16") !=
            std::string::npos,
        "an address off 16 bytes for code that leans on 16");
    cuda::Array<float> nothing(filled(0));
    expectDone(
        k.launch(nullptr, phobos::TensorView(static_cast<float *>(nullptr), {0}), view(nothing, 0), 1.0f),
        "no elements");
  }
  phobos::Kernel tall = module.kernel("tall").value();
  const int64_t rows = 70000;
  cuda::Array<uint8_t> a(std::vector<uint8_t>(rows * 4, 5)), b(std::vector<uint8_t>(rows * 4, 0));
  expectDone(
      tall.launch(nullptr, phobos::TensorView(a.data(), {rows, 4}), phobos::TensorView(b.data(), {rows, 4})),
      "a grid of 70000 rows");
  expect(b.values() == std::vector<uint8_t>(rows * 4, 6), "its result");
  phobos::LaunchOptions two;
  two.grid = {{2, 1, 1}};
  cuda::Array<float> x(filled(2)), y(filled(1));
  auto part = module.kernel("part").value();
  auto prepared = part.prepare(two, view(x), view(y), 3.0f);
  expect(prepared && prepared->launch(), "a grid from the host");
  auto v = y.values();
  const size_t covered = prepared->point() == "BLOCK=64" ? 128 : 512;
  expect(v[0] == 6 && v[covered - 1] == 6 && v[covered] == 1, "what two blocks cover", prepared->point());
}

void choice() {
  Primary primary(0);
  phobos::Module module = load();
  cuda::Array<float> x(filled(1, 6000)), y(filled(1, 6000));
  auto saxpy = module.kernel("saxpy").value();
  auto small = saxpy.prepare({}, view(x, 1000), view(y, 1000), 1.0f),
       large = saxpy.prepare({}, view(x, 6000), view(y, 6000), 1.0f);
  expect(small && small->point() == "BLOCK=64", "the point for N <= 2000",
         small ? small->point() : small.error().message);
  expect(large && large->point() == "BLOCK=256", "the point for more",
         large ? large->point() : large.error().message);
  int major = 0, minor = 0;
  cuda::open().deviceAttribute(&major, 75, primary.device);
  cuda::open().deviceAttribute(&minor, 76, primary.device);
  const std::string own = "sm_" + std::to_string(major * 10 + minor);
  expect(small && small->target().rfind(own, 0) == 0, "code for this architecture, though older comes first",
         small ? small->target() : "");
  phobos::Module cpu = load(-1, "cpu");
  std::vector<float> hx = filled(2), hy = filled(1);
  expectDone(cpu.kernel("saxpy").value().launch(nullptr, phobos::TensorView(hx.data(), {n}),
                                                phobos::TensorView(hy.data(), {n}), 3.0f),
             "the same bundle on the CPU");
  expect(hy == filled(7), "its result");
}

/// A context of the application's own, with its memory and streams; the runtime lives in it and leaves it
/// current.
void ownContext() {
  const cuda::Api &cu = cuda::open();
  int device = 0;
  cuda::Handle own = nullptr;
  cuda::check(cu.deviceGet(&device, 0), "device");
  cuda::check(cu.contextCreate(&own, 0, device), "making a context");
  {
    phobos::Module module = load();
    cuda::Stream stream;
    cuda::Array<float> x(filled(2)), y(filled(1));
    auto k = module.kernel("saxpy").value();
    expectDone(k.launch(stream.handle, view(x), view(y), 3.0f), "a launch in the application's context");
    expect(y.values() == filled(7), "its result");
    expect(currentContext() == own, "the application's context stays current");
    auto p = k.prepare({}, view(x), view(y), 1.0f);
    std::thread([&] {
      expectDone(p->launch(stream.handle), "a launch from a thread with no context");
      expect(currentContext() == nullptr, "which then has none still");
    }).join();
    expect(y.values() == filled(9), "its result");
    {
      Primary primary(0); // another context of the same device, current
      expectDone(p->launch(stream.handle), "a launch beside another current context");
      expect(currentContext() == primary.context, "which stays current");
    }
    cu.contextSet(own);
    expect(y.values() == filled(11), "its result");
  }
  cu.contextDestroy(own);
}

void graphs() {
  const cuda::Api &cu = cuda::open();
  Primary primary(0);
  for (const char *name : {"saxpy", "walk"}) {
    phobos::Module module = load(); // nothing of it is on the device when the capture begins
    auto k = module.kernel(name).value();
    cuda::Stream stream;
    cuda::Array<float> x(filled(2)), y(filled(1)), z(filled(0));
    cuda::Handle graph = nullptr, exec = nullptr;
    cuda::check(cu.beginCapture(stream.handle, 0), "beginning a capture"); // 0: the strictest mode
    expectDone(k.launch(stream.handle, view(x), view(y), 1.0f), "a first launch, captured");
    auto p = k.prepare({}, view(y), view(z), 1.0f);
    expect(static_cast<bool>(p), "preparing during a capture", p.error().message);
    expectDone(p->launch(stream.handle), "a prepared launch, captured");
    expect(!k.launch(stream.handle, view(x), view(x), 1.0f), "misuse during a capture");
    const int ended = cu.endCapture(stream.handle, &graph);
    expect(ended == 0 && graph, "the capture is whole", "CUDA error " + std::to_string(ended));
    if (ended != 0)
      continue;
    expect(y.values() == filled(1) && z.values() == filled(0), "capturing runs nothing");
    cuda::check(cu.instantiate(&exec, graph, 0), "instantiating");
    for (int i = 0; i < 3; ++i)
      cuda::check(cu.launchGraph(exec, stream.handle), "replaying");
    cuda::check(cu.streamSynchronize(stream.handle), "running");
    expect(y.values() == filled(7), "three replays of the first launch");   // 3, 5, 7
    expect(z.values() == filled(15), "three replays of the second launch"); // their sum
    cu.destroyGraphExec(exec);
    cu.destroyGraph(graph);
  }
}

/// Kernels whose blocks meet in a workspace: launches on several streams at once, from several threads, in
/// graphs. C starts at 0 and each launch adds A B, all elements of which are 2 * 3 * 500.
void workspaces() {
  const cuda::Api &cu = cuda::open();
  Primary primary(0);
  phobos::Module module = load();
  auto k = module.kernel("product").value();
  constexpr int64_t rows = 200, columns = 150, depth = 500, streams = 4, launchesEach = 25;
  constexpr float once = 2 * 3 * depth;
  cuda::Array<float> a(filled(2, rows * depth)), b(filled(3, depth * columns));
  const phobos::TensorView va(a.data(), {rows, depth}), vb(b.data(), {depth, columns});
  struct Lane {
    cuda::Stream stream;
    cuda::Array<float> c{filled(0, rows *columns)};
    phobos::TensorView view{c.data(), {rows, columns}};
    bool holds(float value) const { return c.values() == filled(value, rows * columns); }
  };
  {
    std::vector<Lane> lanes(streams);
    for (int i = 0; i < launchesEach; ++i)
      for (Lane &l : lanes)
        expectDone(k.launch(l.stream.handle, va, vb, l.view), "a launch with a workspace");
    bool right = true;
    for (Lane &l : lanes)
      right &= l.holds(launchesEach * once);
    expect(right, "launches on four streams do not meet");
  }
  {
    std::vector<Lane> lanes(streams);
    std::vector<std::thread> list;
    std::atomic<int> done = 0;
    for (Lane &l : lanes)
      list.emplace_back([&] {
        auto p = k.prepare({}, va, vb, l.view);
        for (int i = 0; p && i < launchesEach; ++i)
          done += static_cast<bool>(p->launch(l.stream.handle));
      });
    for (auto &t : list)
      t.join();
    expect(done == streams * launchesEach, "four threads launch with workspaces");
    bool right = true;
    for (Lane &l : lanes)
      right &= l.holds(launchesEach * once);
    expect(right, "their results");
  }
  phobos::Module fresh = load(); // which has neither code nor workspaces when the capture begins
  auto captured = fresh.kernel("product").value();
  Lane l;
  cuda::Handle graph = nullptr, exec = nullptr;
  cuda::check(cu.beginCapture(l.stream.handle, 0), "beginning a capture");
  expectDone(captured.launch(l.stream.handle, va, vb, l.view), "a launch with a workspace, captured");
  expectDone(captured.launch(l.stream.handle, va, vb, l.view), "another one");
  const int ended = cu.endCapture(l.stream.handle, &graph);
  expect(ended == 0 && graph, "the capture is whole", "CUDA error " + std::to_string(ended));
  if (ended != 0)
    return;
  cuda::check(cu.instantiate(&exec, graph, 0), "instantiating");
  for (int i = 0; i < 3; ++i)
    cuda::check(cu.launchGraph(exec, l.stream.handle), "replaying");
  cuda::check(cu.streamSynchronize(l.stream.handle), "running");
  expect(l.holds(6 * once), "three replays of two launches with workspaces");
  cu.destroyGraphExec(exec);
  cu.destroyGraph(graph);
}

void misuse() {
  Primary primary(0);
  phobos::Module module = load();
  auto k = module.kernel("saxpy").value(), scaled = module.kernel("scaled").value(),
       part = module.kernel("part").value();
  cuda::Array<float> x(filled(2, 80000)), y(filled(1, 80000));
  auto refused = [&](const phobos::Status &s, const char *text) {
    expect(s.code != PHOBOS_OK && s.message.find(text) != std::string::npos, text, "got: " + s.message);
  };
  std::vector<float> host = filled(5);
  refused(k.launch(nullptr, phobos::TensorView(host.data(), {n}), view(y), 1.0f),
          "parameter 'X' is at an address that the driver");
  refused(k.launch(nullptr, view(x), phobos::TensorView(host.data(), {n}), 1.0f),
          "parameter 'Y' is at an address that the driver");
  refused(k.launch(nullptr, phobos::TensorView(x.data(), {n}, PHOBOS_DEVICE_HOST), view(y), 1.0f),
          "parameter 'X' is in host memory, the kernel runs on device 0");
  refused(k.launch(nullptr, phobos::TensorView(x.data(), {n}, 7), view(y), 1.0f),
          "parameter 'X' is on device 7");
  refused(k.launch(nullptr, phobos::TensorView(static_cast<float *>(nullptr), {n}), view(y), 1.0f),
          "'X' has a null address");
  refused(k.launch(nullptr,
                   phobos::TensorView(reinterpret_cast<float *>(reinterpret_cast<char *>(x.data()) + 2), {n}),
                   view(y), 1.0f),
          "is not a multiple of 4");
  refused(k.launch(nullptr, phobos::TensorView(y.data() + 999, {n}), view(y), 1.0f), "overlap in memory");
  refused(k.launch(nullptr, view(x), view(y)), "has 3 parameters, 2 arguments");
  refused(k.launch(nullptr, view(x), view(y), 1), "parameter 'a' is of f32, the argument is of i32");
  refused(k.launch(nullptr, view(x), view(y, n - 1), 1.0f), "dimension 'N' is 1000");
  refused(k.launch(nullptr, phobos::TensorView(x.data(), {10, 100}), view(y), 1.0f), "rank");
  refused(k.launch(nullptr, phobos::TensorView(x.data(), {n}, {2}), view(y), 1.0f), "stride 1");
  refused(scaled.launch(nullptr, phobos::TensorView(x.data(), {9, 16}), phobos::TensorView(y.data(), {9, 16}),
                        int32_t(2)),
          "@aligned: 'M' must be a multiple of 8, it is 9");
  refused(scaled.launch(nullptr, phobos::TensorView(x.data(), {8, 5000}),
                        phobos::TensorView(y.data(), {8, 5000}), int32_t(2)),
          "short rows only");
  refused(part.launch(nullptr, view(x), view(y), 1.0f), "@grid(host)");
  auto p = k.prepare({}, view(x), view(y), 1.0f);
  expect(static_cast<bool>(p), "preparing", p.error().message);
  refused(p->setPointer(0, host.data()), "parameter 'X' is at an address that the driver");
  refused(p->setPointer(0, nullptr), "'X' has a null address");
  expect(y.values() == filled(1, 80000), "a refused launch runs nothing");
  phobos::LaunchOptions disjoint;
  disjoint.assumeDisjoint = true;
  expectDone(k.launchWith(disjoint, nullptr, view(y), view(y), 1.0f), "assume_disjoint");
  expect(y.values()[0] == 2, "its result");
  void *pinned = nullptr;
  cuda::check(cuda::open().allocateHost(&pinned, n * sizeof(float)), "page-locked memory");
  auto *values = static_cast<float *>(pinned);
  for (int i = 0; i < n; ++i)
    values[i] = 3;
  cuda::Array<float> out(filled(0));
  expectDone(k.launch(nullptr, phobos::TensorView(values, {n}), view(out), 1.0f), "page-locked host memory");
  expect(out.values() == filled(3), "its result");
  cuda::open().releaseHost(pinned);
  auto absent = phobos::Module::load(bundlePath, {.target = "cuda", .device = 99});
  expect(!absent && absent.error().code == PHOBOS_NO_DEVICE &&
             absent.error().message.find("no device 99") != std::string::npos,
         "a device that is not there", absent.error().message);
}

void threads() {
  Primary primary(0);
  phobos::Module module = load();
  auto k = module.kernel("saxpy").value(), count = module.kernel("count").value();
  cuda::Array<int32_t> counter({0});
  cuda::Array<float> ones(filled(1));
  std::atomic<int> right = 0;
  std::vector<std::thread> list;
  for (int t = 0; t < 8; ++t)
    list.emplace_back([&, t] {
      if (t % 2) // half of the threads have no current context of their own
        cuda::open().contextSet(primary.context);
      auto tensor = phobos::TensorView(counter.data(), {1});
      bool ok = true;
      for (int i = 0; i < 200; ++i)
        ok &= static_cast<bool>(count.launch(nullptr, view(ones, 64), tensor)) &&
              !k.launch(nullptr, view(ones), view(ones), 1.0f);
      right += ok;
    });
  for (auto &t : list)
    t.join();
  expect(right == 8, "eight threads launch from one module");
  expect(counter.values()[0] == 1600, "each launch ran once", std::to_string(counter.values()[0]));
}

void interop() {
  Primary primary(0);
  phobos::Module module = load();
  cuda::Array<float> x(filled(2)), y(filled(1));
  struct {
    void *data;
    int32_t deviceType = 2, device = 0, rank = 1;
    uint8_t code = 2, bits = 32;
    uint16_t lanes = 1;
    int64_t *shape, *strides = nullptr;
    uint64_t offset = 0;
  } dl;
  int64_t shape[] = {n};
  dl.data = x.data(), dl.shape = shape;
  auto tx = phobos::TensorView::fromDLPack(&dl);
  auto ty = phobos::TensorView::fromArrayInterface(reinterpret_cast<uint64_t>(y.data()), "<f4", shape,
                                                   nullptr, 1, 0);
  expect(tx && ty, "views from other libraries");
  expectDone(module.kernel("saxpy").value().launch(nullptr, *tx, *ty, 3.0f), "their launch");
  expect(y.values() == filled(7), "its result");
}

/// Strides around 2^32 bytes, on either side of what the fast entry point takes: 8 rows of two tensors share
/// one stretch of memory, in the gaps of each other.
void farRows() {
  Primary primary(0);
  const cuda::Api &cu = cuda::open();
  constexpr int64_t rows = 8, columns = 600, between = 1 << 16;
  constexpr uint64_t widest = (uint64_t(1) << 32) + 16;
  uint64_t memory = 0;
  if (cu.allocate(&memory, rows * widest) != 0)
    return skip("rows four GiB apart: the device has no 32 GiB free");
  phobos::Module module = load();
  auto scaled = module.kernel("scaled").value();
  for (uint64_t stride : {widest - 32, widest - 16, widest}) {
    auto at = [&](int64_t row, uint64_t offset) {
      return memory + static_cast<uint64_t>(row) * stride + offset;
    };
    for (int64_t row = 0; row < rows; ++row) {
      cuda::check(cu.upload(at(row, 0), filled(float(row + 1), columns).data(), columns * 4), "uploading");
      cuda::check(cu.upload(at(row, between), filled(0, columns).data(), columns * 4), "uploading");
    }
    const auto step = static_cast<int64_t>(stride / 4);
    phobos::TensorView a(reinterpret_cast<float *>(at(0, 0)), {rows, columns}, {step, 1}),
        b(reinterpret_cast<float *>(at(0, between)), {rows, columns}, {step, 1});
    phobos::LaunchOptions interleaved;
    interleaved.assumeDisjoint = true;
    expectDone(scaled.launchWith(interleaved, nullptr, a, b, int32_t(3)), "rows four GiB apart");
    cuda::check(cu.synchronize(), "running");
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<float> got(columns);
      cuda::check(cu.download(got.data(), at(row, between), columns * 4), "downloading");
      expect(got == filled(float(3 * (row + 1)), columns), "a row four GiB from the last",
             std::to_string(row) + " of stride " + std::to_string(stride));
    }
  }
  cu.release(memory);
}

void severalDevices() {
  const cuda::Api &cu = cuda::open();
  if (cu.devices < 2)
    return skip("several devices: this machine has one");
  {
    Primary zero(0);
    phobos::Module on0 = load(0);
    cuda::Array<float> x0(filled(2)), y0(filled(1));
    Primary one(1);
    phobos::Module on1 = load(1), current = load(-1);
    cuda::Array<float> x1(filled(2)), y1(filled(1));
    auto k0 = on0.kernel("saxpy").value(), k1 = on1.kernel("saxpy").value(),
         kc = current.kernel("saxpy").value();
    expectDone(k1.launch(nullptr, view(x1), view(y1), 3.0f), "a launch on device 1");
    expectDone(k0.launch(nullptr, view(x0), view(y0), 1.0f),
               "a launch on device 0 while device 1 is current");
    expect(currentContext() == one.context, "device 1 stays current");
    expectDone(kc.launch(nullptr, view(x1), view(y1), 1.0f), "-1 is the current device");
    expect(y1.values() == filled(9), "the results on device 1");
    for (auto [kernel, other, name] : {std::tuple{&k0, &x1, "on device 1, the kernel runs on device 0"},
                                       std::tuple{&k1, &x0, "on device 0, the kernel runs on device 1"}}) {
      phobos::Status s = kernel->launch(nullptr, view(*other), kernel == &k0 ? view(y0) : view(y1), 1.0f);
      expect(s.code == PHOBOS_CONTRACT &&
                 s.message.find(std::string("parameter 'X' is ") + name) != std::string::npos,
             name, s.message);
    }
    cu.contextSet(zero.context);
    expect(y0.values() == filled(3), "the results on device 0");

    // Memory of a peer: refused until the context that the kernel runs in was given access, and again after.
    int possible = 0;
    cu.canAccessPeer(&possible, zero.device, one.device);
    if (!possible) {
      skip("memory of a peer device: these two have no access to each other");
    } else {
      auto refused = [&](const phobos::Status &s, const char *text) {
        expect(s.code == PHOBOS_CONTRACT && s.message.find(text) != std::string::npos, text,
               s.message + access(x1.data()));
      };
      const char *noAccess =
          "parameter 'X' is on device 1, the kernel runs on device 0, which has no peer access";
      refused(k0.launch(nullptr, view(x1), view(y0), 1.0f), noAccess);
      cuda::check(cu.enablePeer(one.context, 0), "enabling peer access");
      const std::string said = access(x1.data());
      phobos::Status s = k0.launch(nullptr, view(x1), view(y0), 1.0f);
      expect(static_cast<bool>(s), "a tensor of a peer, read", s.message + said);
      s = k0.launch(nullptr, phobos::TensorView(x1.data(), {n}, 1), view(y0), 1.0f);
      expect(static_cast<bool>(s), "a view that says where it is", s.message + said);
      expect(y0.values() == filled(7), "their results");
      refused(k0.launch(nullptr, phobos::TensorView(x0.data(), {n}, 1), view(y0), 1.0f),
              "parameter 'X' is on device 1 by its view, the kernel runs on device 0, and the memory is not "
              "there");
      s = k0.launch(nullptr, view(x0), view(y1), 1.0f);
      expect(static_cast<bool>(s), "a tensor of a peer, written", s.message + said);
      expect(y1.values() == filled(11), "its result");
      auto p = k0.prepare({}, view(x0), view(y0), 1.0f);
      expect(p && p->setPointer(0, x1.data()) && p->launch(), "a prepared launch takes a peer's address");
      expect(y0.values() == filled(9), "its result");
      s = k1.launch(nullptr, view(x0), view(y1), 1.0f);
      expect(s.code == PHOBOS_CONTRACT, "access is of one direction", s.message);
      cu.contextSet(one.context); // what counts is the context of the kernel
      s = k0.launch(nullptr, view(x1), view(y0), 1.0f);
      expect(static_cast<bool>(s), "a tensor of a peer while that one is current", s.message);
      cu.contextSet(zero.context);
      expect(y0.values() == filled(11), "its result");
      cuda::check(cu.disablePeer(one.context), "disabling peer access");
      refused(k0.launch(nullptr, view(x1), view(y0), 1.0f), noAccess);
      expect(y0.values() == filled(11), "a refused launch runs nothing");
    }
    cu.contextSet(one.context);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return std::puts("usage: gpu-runtime-check BUNDLE"), 2;
  bundlePath = argv[1];
  cuda::open();
  launches();
  choice();
  ownContext();
  graphs();
  workspaces();
  misuse();
  threads();
  interop();
  farRows();
  severalDevices();
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed != 0;
}
