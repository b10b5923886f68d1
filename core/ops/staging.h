// Copies between host memory and accelerators that go through pinned chunks: gathered, scattered and converted there,
// piece by piece, while the pieces before are on their way. No temporary is larger than a chunk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "crossdock/array/array.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/stream.h"

namespace crossdock {

// Within one memory; `source` already has target's shape, and they do not overlap.
void launch_copy(const Array& target, const Array& source);

// All of one shape; `travels` is the dtype on the way, which the host's side is converted to or from on the host, and
// the accelerator's there. `source` has been read when upload_staged returns, not yet arrived; a failure of what is
// under way is told by the stream's next wait. download_staged waits for everything.
void upload_staged(const Array& target, const Array& source, Dtype travels);
void download_staged(const Array& target, const Array& source, Dtype travels);
// Between accelerators of two kinds. Both contiguous, of one dtype.
void move_through_host(const Array& target, const Array& source);

// An array on the host over a pinned block.
Array view_of(const std::shared_ptr<const PinnedBlock>& block, Dtype dtype, const Dims& shape);

// Waits for the first of the copies under way, and takes it out. When it has failed the others are waited for as well:
// whatever they would say belongs to the same failure, which is told once.
template <class UnderWay>
UnderWay wait_for_first(std::deque<UnderWay>& under_way) {
  UnderWay first = std::move(under_way.front());
  under_way.pop_front();
  try {
    first.over.synchronize();
  } catch (const AsyncDeviceError&) {
    for (auto& other : under_way) {
      try {
        other.over.synchronize();
      } catch (const AsyncDeviceError&) {
      }
    }
    throw;
  }
  return first;
}

// The chunks of one copy, used in turn. One that is under way is waited for when all are.
class Ring {
 public:
  static constexpr std::size_t kDepth = 3;
  // At least two chunks of work for each of the largest.
  static std::size_t chunk_nbytes(std::int64_t nbytes) noexcept {
    constexpr auto kMost = static_cast<std::int64_t>(PinnedPool::kChunk);
    return static_cast<std::size_t>(std::clamp(nbytes / 8, kMost / 4, kMost));
  }

  Ring(PinnedPool& pool, Stream& stream) noexcept : pool_(pool), stream_(stream) {}
  // AsyncDeviceError when the copy of an earlier chunk has failed.
  std::shared_ptr<const PinnedBlock> next(std::size_t nbytes);
  void sent(std::shared_ptr<const PinnedBlock> block);  // its copy has been queued

 private:
  struct UnderWay {
    std::shared_ptr<const PinnedBlock> block;
    Event over;
  };
  PinnedPool& pool_;
  Stream& stream_;
  std::deque<UnderWay> under_way_;
};

}  // namespace crossdock
