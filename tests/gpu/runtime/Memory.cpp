// gpu-runtime-check: memory that the runtime gives to kernels, and tensors whose rows lie far apart.
#include "tests/gpu/runtime/Checks.h"
#include <atomic>
#include <thread>

namespace checks {

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

} // namespace checks
