// The modelled speed of a simulated device.
#pragma once

#include <chrono>
#include <cstddef>

namespace crossdock::sim {

// Makes an operation last as long as the model says: from here to the end of the scope, at least.
class Modelled {
 public:
  explicit Modelled(std::size_t nbytes = 0, double gbps = 0) noexcept;
  ~Modelled();
  Modelled(const Modelled&) = delete;
  Modelled& operator=(const Modelled&) = delete;

 private:
  std::chrono::steady_clock::time_point until_;  // the epoch: no wait
};

// Whether a copy is over before a person would notice, modelled speed included.
bool is_brief_copy(std::size_t nbytes, double gbps = 0) noexcept;

}  // namespace crossdock::sim
