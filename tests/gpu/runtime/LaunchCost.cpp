// gpu-launch-cost BUNDLE [LAUNCHES]: what a prepared launch costs beside a bare cuLaunchKernel of the same
// function, grid and arguments on the same stream, taken in turns. Passes where the medians differ by at most
// a microsecond.
#include "runtime/bundle/Bundle.h"
#include "runtime/contract/GpuAbi.h"
#include "tests/gpu/runtime/Cuda.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <phobos/phobos.hpp>
#include <thread>

using Clock = std::chrono::steady_clock;

namespace {

double microseconds(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

struct Samples {
  std::vector<double> us;
  double at(double share) {
    const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(us.size() - 1));
    std::nth_element(us.begin(), us.begin() + k, us.end());
    return us[static_cast<size_t>(k)];
  }
};

/// Kernel saxpy of the bundle as the driver alone loads and launches it.
class Bare {
public:
  Bare(const phobos::Bundle &bundle, const std::string &target, uint64_t x, uint64_t y, int64_t n, float a) {
    for (const phobos::Variant &v : bundle.variants) {
      if (v.contract.kernel != "saxpy" || v.target != target)
        continue;
      cuda::check(cuda::open().moduleLoad(&module_, v.images.front().bytes.c_str()), "loading the code");
      const phobos::EntryPoint &e = v.entries.front();
      cuda::check(cuda::open().moduleFunction(&function_, module_, e.symbol.c_str()), "finding the function");
      cuda::check(cuda::open().functionSet(function_, 8, static_cast<int>(e.sharedBytes)), "shared memory");
      threads_ = static_cast<unsigned>(e.threads), shared_ = static_cast<unsigned>(e.sharedBytes);
      blocks_ = static_cast<unsigned>((n + v.point.front().second - 1) / v.point.front().second);
      phobos::GpuKernel kernel;
      kernel.params = phobos::gpuParams(v.contract, false);
      phobos::TensorShape shape;
      shape.extents = {n}, shape.strides = {1};
      phobos::BoundLaunch bound;
      bound.dims = {n}, bound.grid = {blocks_, 1, 1};
      arguments_ = std::make_unique<phobos::GpuArguments>(
          kernel, std::vector<const phobos::TensorShape *>{&shape, &shape, nullptr},
          std::vector<uint64_t>{x, y, 0}, std::vector<const void *>{nullptr, nullptr, &a}, bound);
      return;
    }
    std::printf("FAULT the bundle has no saxpy for %s\n", target.c_str());
    std::exit(1);
  }
  ~Bare() { cuda::open().moduleUnload(module_); }
  int launch(cuda::Handle stream) {
    return cuda::open().launch(function_, blocks_, 1, 1, threads_, 1, 1, shared_, stream,
                               arguments_->pointers(), nullptr);
  }

private:
  cuda::Handle module_ = nullptr, function_ = nullptr;
  unsigned threads_ = 0, shared_ = 0, blocks_ = 0;
  std::unique_ptr<phobos::GpuArguments> arguments_;
};

/// Times `first` and `second` in turns, who begins alternating; the queue is emptied, untimed, long before it
/// is full.
template <typename First, typename Second>
std::pair<Samples, Samples> interleaved(int launches, cuda::Handle stream, First first, Second second) {
  std::pair<Samples, Samples> s;
  for (int i = 0; i < launches + 1000; ++i) {
    if (i % 64 == 0)
      cuda::check(cuda::open().streamSynchronize(stream), "running");
    const bool swapped = i % 2 != 0;
    auto t0 = Clock::now();
    swapped ? second() : first();
    auto t1 = Clock::now();
    swapped ? first() : second();
    auto t2 = Clock::now();
    if (i < 1000)
      continue; // warm-up
    s.first.us.push_back(microseconds(swapped ? t2 - t1 : t1 - t0));
    s.second.us.push_back(microseconds(swapped ? t1 - t0 : t2 - t1));
  }
  cuda::check(cuda::open().streamSynchronize(stream), "running");
  return s;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return std::puts("usage: gpu-launch-cost BUNDLE [LAUNCHES]"), 2;
  const cuda::Api &cu = cuda::open();
  const int launches = argc > 2 ? std::atoi(argv[2]) : 100000;
  int device = 0;
  cuda::Handle context = nullptr;
  cuda::check(cu.deviceGet(&device, 0), "device");
  cuda::check(cu.primaryRetain(&context, device), "context");
  cuda::check(cu.contextSet(context), "context");
  {
    const int64_t n = 64;
    cuda::Array<float> x(std::vector<float>(n, 1.0f)), y(std::vector<float>(n, 0.0f));
    phobos::TensorView tx(x.data(), {n}), ty(y.data(), {n});
    cuda::Stream stream;

    auto t0 = Clock::now();
    auto module = phobos::Module::load(argv[1], {.target = "cuda", .device = 0});
    if (!module)
      return std::printf("FAIL %s\n", module.error().message.c_str()), 1;
    phobos::Kernel kernel = module->kernel("saxpy").value();
    auto t1 = Clock::now();
    auto prepared = kernel.prepare({}, tx, ty, 0.0f);
    if (!prepared)
      return std::printf("FAIL %s\n", prepared.error().message.c_str()), 1;
    auto t2 = Clock::now();
    if (phobos::Status s = prepared->launch(stream.handle); !s)
      return std::printf("FAIL %s\n", s.message.c_str()), 1;
    auto t3 = Clock::now();
    cuda::check(cu.streamSynchronize(stream.handle), "running");
    auto t4 = Clock::now();
    std::printf("once: reading the bundle %.0f us, preparing %.0f us (code %s put in place), the first "
                "launch %.1f us, "
                "its end %.0f us later\n",
                microseconds(t1 - t0), microseconds(t2 - t1), prepared->target().c_str(),
                microseconds(t3 - t2), microseconds(t4 - t3));

    phobos::Bundle bundle;
    std::string error;
    if (!phobos::readBundle(argv[1], bundle, error))
      return std::printf("FAIL %s\n", error.c_str()), 1;
    Bare bare(bundle, prepared->target(), reinterpret_cast<uint64_t>(x.data()),
              reinterpret_cast<uint64_t>(y.data()), n, 0.0f);
    int refused = 0;
    auto [plain, ours] = interleaved(
        launches, stream.handle, [&] { refused |= bare.launch(stream.handle); },
        [&] { refused |= !prepared->launch(stream.handle); });
    auto [checked, again] = interleaved(
        launches / 10, stream.handle, [&] { refused |= !kernel.launch(stream.handle, tx, ty, 0.0f); },
        [&] { refused |= !prepared->launch(stream.handle); });
    Samples away;
    std::thread([&] { // a thread with no current context pays for making one current
      for (int i = 0; i < launches / 10; ++i) {
        auto begin = Clock::now();
        refused |= !prepared->launch(stream.handle);
        away.us.push_back(microseconds(Clock::now() - begin));
        if (i % 64 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    })
        .join();
    cuda::check(cu.streamSynchronize(stream.handle), "running");
    if (refused)
      return std::puts("FAIL a launch was refused"), 1;
    const double a = plain.at(0.5), b = ours.at(0.5);
    std::printf("%d launches each, in turns     median      p10      p90 us\n", launches);
    std::printf("bare cuLaunchKernel         %9.3f %8.3f %8.3f\n", a, plain.at(0.1), plain.at(0.9));
    std::printf("prepared launch             %9.3f %8.3f %8.3f\n", b, ours.at(0.1), ours.at(0.9));
    std::printf("prepared, no current context%9.3f %8.3f %8.3f\n", away.at(0.5), away.at(0.1), away.at(0.9));
    std::printf("launch with every check     %9.3f %8.3f %8.3f\n", checked.at(0.5), checked.at(0.1),
                checked.at(0.9));
    std::printf("%s a prepared launch costs %.3f us more than a bare one (at most 1.000)\n",
                b - a <= 1.0 ? "PASS" : "FAIL", b - a);
    if (b - a > 1.0)
      return 1;
  }
  cu.primaryRelease(device);
  return 0;
}
