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
  static constexpr std::int64_t kTogether = 16;  // searches side by side, so that the memory's latency is shared

  void search(const std::byte* values, std::int64_t value_stride, std::byte* out, std::int64_t out_stride,
              std::int64_t n) const noexcept {
    Bits keys[kTogether];
    std::int64_t places[kTogether] = {};  // how many are known to come before
    for (std::int64_t i = 0; i < n; ++i) keys[i] = key_(values + i * value_stride);
    for (std::int64_t size = size_; size > 0;) {
      const std::int64_t half = (size + 1) / 2;
      for (std::int64_t i = 0; i < n; ++i) {
        const Bits key = key_(sorted_ + (places[i] + half - 1) * stride_);
        const bool before = right_ ? key <= keys[i] : key < keys[i];
        places[i] += before ? half : 0;
      }
      size -= half;
    }
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(out + i * out_stride, &places[i], sizeof places[i]);
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
