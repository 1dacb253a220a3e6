// gpu-runtime-check: several devices of one host, and memory of a peer.
#include "tests/gpu/runtime/Checks.h"
#include <tuple>

namespace checks {

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

} // namespace checks
