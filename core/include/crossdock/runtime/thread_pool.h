// One pool of threads for all host work. Workers claim chunks; the caller does what nobody has claimed.
#pragma once

#include <cstdint>
#include <type_traits>

namespace crossdock {

// How many threads work on one operation, the caller included: CROSSDOCK_NUM_THREADS, else OMP_NUM_THREADS, else the
// CPUs this process may use. A value that is not a positive number is ignored.
int num_threads() noexcept;
void set_num_threads(int count);  // ValueError unless 1 <= count <= 1024

namespace detail {
void parallel_for(std::int64_t size, std::int64_t grain, void (*body)(void*, std::int64_t, std::int64_t),
                  void* context);
}

// Calls body(begin, end) over disjoint pieces of [0, size), each of at least `grain` items unless it is the last;
// returns when all are done. Runs inline when size <= grain, when there is one thread, or from inside another call.
// The first exception of a body is thrown here after all pieces have ended. Works in a forked child.
template <class Body>
void parallel_for(std::int64_t size, std::int64_t grain, Body&& body) {
  detail::parallel_for(
      size, grain,
      [](void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace crossdock
