#include "searchsorted.h"

#include <algorithm>
#include <utility>

#include "order_key.h"
#include "rows.h"
#include "scratch.h"

namespace crossdock::native {

namespace {

// The keys of the sorted array, made beforehand or when they are looked at.
template <class Bits>
struct Made {
  const Bits* keys;
  Bits operator[](std::int64_t i) const noexcept { return keys[i]; }
};
template <class Bits>
struct Making {
  OrderKey<Bits> key;
  const std::byte* elements;
  std::int64_t stride;
  Bits operator[](std::int64_t i) const noexcept { return key(elements + i * stride); }
};

template <class Bits, class Sorted>
class Search {
 public:
  Search(const Launch& launch, Sorted sorted) noexcept
      : key_(launch.dtype), sorted_(sorted), size_(launch.integers[0]), right_(launch.integers[2] != 0) {}

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
    search(sorted_, ends, bounds, 2, 0, size_, right_);
    search(sorted_, keys, places, n, bounds[0], bounds[1] - bounds[0], right_);
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(out + i * out_stride, &places[i], sizeof places[i]);
  }

  // The place of each key is in [first, first + size]. No branch depends on a key.
  static void search(const Sorted sorted, const Bits* keys, std::int64_t* places, std::int64_t n, std::int64_t first,
                     std::int64_t size, bool right) noexcept {
    std::fill_n(places, n, first);  // so many are known to come before
    while (size > 0) {
      const std::int64_t half = (size + 1) / 2;
      for (std::int64_t i = 0; i < n; ++i) {
        const Bits key = sorted[places[i] + half - 1];
        const bool before = (key < keys[i]) | (right & (key == keys[i]));
        places[i] += half & -std::int64_t{before};
      }
      size -= half;
    }
  }

  OrderKey<Bits> key_;
  Sorted sorted_;
  std::int64_t size_;
  bool right_;
};

template <class Bits>
void make_keys(Making<Bits> from, std::int64_t size, Bits* to) {
  parallel_for(size, kGrain, [from, to](std::int64_t begin, std::int64_t end) {
    const auto [own, keys] = std::pair(from, to);  // by value: what is written could be the captures to the compiler
    for (std::int64_t i = begin; i < end; ++i) keys[i] = own[i];
  });
}

template <class Bits>
void run(const Launch& launch) {
  const Nest nest(launch, 0, launch.shape.size(), 1, 3);
  const Making<Bits> sorted{OrderKey<Bits>(launch.dtype), launch.operands[0].data, launch.integers[1]};
  const std::int64_t size = launch.integers[0];
  if (nest.size < size / 8) {
    const Search<Bits, Making<Bits>> search(launch, sorted);
    return for_rows(nest, kCallGrain, search);
  }
  Scratch<Bits> memory(launch);
  Bits* const keys = memory.room(size);
  make_keys(sorted, size, keys);
  const Search<Bits, Made<Bits>> search(launch, {keys});
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
