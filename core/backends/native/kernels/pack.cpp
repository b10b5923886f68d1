#include "pack.h"

#include <cstring>

#include "crossdock/runtime/thread_pool.h"

namespace crossdock::native {

void pack(const Launch& launch) {
  constexpr std::int64_t kGrain = 4;  // runs of some kilobytes
  const std::byte* from = launch.operands[0].data;
  std::byte* to = launch.operands[1].data;
  const std::int64_t* table = launch.table.data();
  parallel_for(static_cast<std::int64_t>(launch.table.size() / 3), kGrain, [=](std::int64_t begin, std::int64_t end) {
    for (const std::int64_t *run = table + 3 * begin, *last = table + 3 * end; run != last; run += 3)
      std::memcpy(to + run[2], from + run[0], static_cast<std::size_t>(run[1]));
  });
}

}  // namespace crossdock::native
