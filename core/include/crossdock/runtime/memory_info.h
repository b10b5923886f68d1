// MemoryInfo: a device's memory, in bytes.
#pragma once

#include <cstdint>

namespace crossdock {

struct MemoryInfo {
  std::int64_t free;  // what the device can still give, the pool's unused blocks not counted
  std::int64_t total;
  std::int64_t used;    // what live arrays hold, as requested
  std::int64_t pooled;  // what the pool keeps for reuse
};

}  // namespace crossdock
