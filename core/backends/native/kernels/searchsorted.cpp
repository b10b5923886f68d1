#include "searchsorted.h"

#include "nest.h"
#include "order_key.h"

namespace crossdock::native {

namespace {

template <class Bits>
class Search {
 public:
  explicit Search(const Launch& launch) noexcept
      : key_(launch.dtype),
        sorted_(launch.operands[0].data),
        size_(launch.integers[0]),
        stride_(launch.integers[1]),
        right_(launch.integers[2] != 0) {}

  void operator()(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) const noexcept {
    for (std::int64_t done = 0; done < n; done += kTogether) {
      search(pointers[0] + done * strides[0], strides[0], pointers[1] + done * strides[1], strides[1],
             std::min(kTogether, n - done));
    }
  }

 private:
  static constexpr std::int64_t kTogether = 64;  // searches side by side, so that the memory's latency is shared

  void search(const std::byte* values, std::int64_t value_stride, std::byte* out, std::int64_t out_stride,
              std::int64_t n) const noexcept {
    Bits keys[kTogether];
    for (std::int64_t i = 0; i < n; ++i) keys[i] = key_(values + i * value_stride);
    // Values near each other need not look far: all places are between those of the least and of the greatest.
    const auto [least, greatest] = std::minmax_element(keys, keys + n);
    const Bits ends[] = {*least, *greatest};
    std::int64_t bounds[2], places[kTogether];
    search(ends, bounds, 2, 0, size_);
    search(keys, places, n, bounds[0], bounds[1] - bounds[0]);
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(out + i * out_stride, &places[i], sizeof places[i]);
  }

  // The place of each key is in [first, first + size].
  void search(const Bits* keys, std::int64_t* places, std::int64_t n, std::int64_t first,
              std::int64_t size) const noexcept {
    std::fill_n(places, n, first);  // so many are known to come before
    const Search self = *this;      // which `places` cannot be part of
    while (size > 0) {
      const std::int64_t half = (size + 1) / 2;
      for (std::int64_t i = 0; i < n; ++i) {
        const Bits key = self.key_(self.sorted_ + (places[i] + half - 1) * self.stride_);
        const bool before = (key < keys[i]) | (self.right_ & (key == keys[i]));
        places[i] += half & -std::int64_t{before};
      }
      size -= half;
    }
  }

  OrderKey<Bits> key_;
  const std::byte* sorted_;
  std::int64_t size_, stride_;
  bool right_;
};

template <class Bits>
void run(const Launch& launch) {
  const Nest nest(launch, 0, launch.shape.size(), 1, 3);
  const Search<Bits> search(launch);
  for_rows(nest, kCallGrain, search);
}

}  // namespace

void searchsorted(const Launch& launch) {
  switch (itemsize(launch.dtype)) {
    case 1:
      return run<std::uint8_t>(launch);
    case 2:
      return run<std::uint16_t>(launch);
    case 4:
      return run<std::uint32_t>(launch);
    default:
      return run<std::uint64_t>(launch);
  }
}

}  // namespace crossdock::native
