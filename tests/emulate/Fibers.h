// Stacks that take turns on one thread of the host.
#pragma once
#include <cstddef>
#include <vector>

namespace phobos::emulate {

class Fibers {
public:
  explicit Fibers(size_t count);
  ~Fibers();
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;

  /// Fiber `k` will call `body(argument)`, which must not return: its last act is to leave().
  void start(size_t k, void (*body)(void *), void *argument);
  /// From outside: goes on with fiber `k` until it leaves.
  void resume(size_t k);
  /// From inside fiber `k`: back to who resumed it.
  void leave(size_t k);

private:
  struct Fiber {
    void *memory = nullptr; ///< its stack's, the lowest page without access
    void *place = nullptr;  ///< where it goes on
  };
  std::vector<Fiber> fibers_;
  void *outside_ = nullptr;
};

} // namespace phobos::emulate
