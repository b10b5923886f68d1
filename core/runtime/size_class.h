// Size classes: which free blocks may stand for each other.
#pragma once

#include <bit>
#include <cstddef>

namespace crossdock {

// Multiples of 64 up to 512, then eight classes per power of two: at most an eighth is wasted.
struct SizeClass {
  static constexpr std::size_t kAlignment = 64;
  static constexpr int kLargestBits = 47;
  static constexpr std::size_t kLargest = std::size_t{1} << kLargestBits;  // more is never there
  static constexpr int kCount = 8 + 8 * (kLargestBits - 9);

  int index;
  std::size_t capacity;  // of the smallest block in the class

  // The class whose every block holds `nbytes`.
  static constexpr SizeClass holding(std::size_t nbytes) noexcept {
    std::size_t last = nbytes ? nbytes - 1 : 0;
    if (last < 512) return {static_cast<int>(last / kAlignment), (last / kAlignment + 1) * kAlignment};
    int octave = static_cast<int>(std::bit_width(last)) - 1;  // >= 9
    std::size_t eighths = last >> (octave - 3);               // 8 to 15
    return {8 * (octave - 9) + static_cast<int>(eighths), (eighths + 1) << (octave - 3)};
  }
  // The class in which a block of `capacity` >= 64 bytes may be kept.
  static constexpr SizeClass of_block(std::size_t capacity) noexcept {
    SizeClass above = holding(capacity);
    return above.capacity == capacity ? above : holding(below(above));
  }

 private:
  static constexpr std::size_t below(SizeClass one) noexcept {
    return one.index < 9 ? one.capacity - kAlignment : one.capacity - (std::bit_floor(one.capacity - 1) >> 3);
  }
};

}  // namespace crossdock
