// What comes before a scatter: each element claims its place, where the last in C order stays; then it is settled which
// ones are written, none of them when some place is outside.
#pragma once

#include "kernels/device.h"
#include "kernels/locate.h"
#include "kernels/resolve.h"

namespace crossdock::cuda {

inline std::uint64_t hash(std::uint64_t key) {  // the finalizer of MurmurHash3
  key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdull;
  key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return key ^ (key >> 33);
}

// The slot of a place; `take`: makes one where there is none. There are more slots than elements.
inline std::int64_t slot_of(const Claims& claims, const unsigned char* place, bool take) {
  const std::int64_t number = (place - claims.first) / claims.grain;
  if (!claims.keys) return number;
  const auto key = static_cast<unsigned long long>(number);
  for (std::uint64_t slot = hash(key);; ++slot) {
    slot &= static_cast<std::uint64_t>(claims.slots - 1);
    if (!take) {
      if (claims.keys[slot] == key) return static_cast<std::int64_t>(slot);
      continue;
    }
    const unsigned long long owner = atomicCAS(&claims.keys[slot], ~0ull, key);
    if (owner == ~0ull || owner == key) return static_cast<std::int64_t>(slot);
  }
}

inline void claim_all(const ClaimArgs& args) {
  const NestArgs<3>& nest = args.nest;
  for (std::int64_t i = grid_thread(); i < nest.size; i += grid_threads()) {
    std::int64_t at[3], offset;
    locate(nest, i, at);
    auto* const resolved = reinterpret_cast<std::int64_t*>(nest.operands[2].data + at[2]);
    const std::int64_t number = resolved - args.offsets;
    if (resolve(args.places, nest.operands[0].data + at[0], offset)) {
      const std::int64_t slot = slot_of(args.claims, nest.operands[1].data + at[1] + offset, true);
      atomicMax(reinterpret_cast<long long*>(&args.claims.owners[slot]), static_cast<long long>(number));
    } else {
      atomicMin(args.bad, static_cast<unsigned long long>(number));
    }
    *resolved = offset;
  }
}

inline void settle_all(const ClaimArgs& args) {
  const NestArgs<3>& nest = args.nest;
  const unsigned long long bad = *args.bad;
  for (std::int64_t i = grid_thread(); i < nest.size; i += grid_threads()) {
    std::int64_t at[3];
    locate(nest, i, at);
    auto* const resolved = reinterpret_cast<std::int64_t*>(nest.operands[2].data + at[2]);
    const std::int64_t number = resolved - args.offsets;
    if (bad != ~0ull) {
      if (static_cast<unsigned long long>(number) == bad)
        report_outside(nest.errors, args.places, nest.operands[0].data + at[0]);
      *resolved = kNowhere;
    } else if (args.claims.owners[slot_of(args.claims, nest.operands[1].data + at[1] + *resolved, false)] != number) {
      *resolved = kNowhere;
    }
  }
}

template <bool settles>
__global__ void claim(const ClaimArgs args) {
  if constexpr (settles)
    settle_all(args);
  else
    claim_all(args);
}

}  // namespace crossdock::cuda
