// Devices for the tests.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "crossdock/backends/sim.h"
#include "crossdock/runtime/device.h"

namespace crossdock::test {

inline Device& device(const std::string& spec) {
  register_native();
  register_sim();
  return find_device(spec);
}

// A block that goes back by itself.
class Held {
 public:
  Held(Device& device, std::size_t nbytes) : Held(device, nbytes, device.default_stream()) {}
  Held(Device& device, std::size_t nbytes, Stream& stream)
      : device_(device), block_(device.allocator().allocate(nbytes, &stream)) {}
  ~Held() { device_.allocator().release(block_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  std::byte* data() const { return block_.data; }
  const Block& block() const { return block_; }

 private:
  Device& device_;
  Block block_;
};

// Ends what a test has injected, and what was not yet told of it.
class Faults {
 public:
  ~Faults() {
    sim::clear_faults();
    for (int i = 0; i < find_backend("sim")->device_count(); ++i) {
      try {
        find_backend("sim")->device(i).synchronize();
      } catch (const std::exception&) {
      }
    }
  }
};

}  // namespace crossdock::test
