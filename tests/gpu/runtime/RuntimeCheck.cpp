// gpu-runtime-check BUNDLE: the runtime on a GPU, through phobos.hpp alone: contexts that the application
// made, threads, graphs, several devices, the choice of code, and every misuse refused by name with nothing
// launched. BUNDLE is runtime.pho for this device and for the CPU. Prints a line a failure and last `N
// passed, N failed, N skipped`; 77 (CTest: skipped) without a device.
#include "tests/gpu/runtime/Checks.h"
#include <atomic>
#include <cstring>
#include <thread>

using namespace checks;

namespace {

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
