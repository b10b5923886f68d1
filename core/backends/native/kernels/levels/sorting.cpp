// Quicksort of unsigned keys, with vectors that are parted at a pivot by one compressing move each. Where a CPU has no
// such move there is none (the radix sort serves).
#include "sort_network.h"

namespace crossdock::native {
namespace {

#if defined(__AVX2__)

#if defined(__AVX512F__)
// The lanes that `mask` names, first.
[[gnu::always_inline]] inline Vector<std::uint32_t> compress(Vector<std::uint32_t> v, unsigned mask) {
  return (Vector<std::uint32_t>)_mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), (__m512i)v);
}
[[gnu::always_inline]] inline Vector<std::uint64_t> compress(Vector<std::uint64_t> v, unsigned mask) {
  return (Vector<std::uint64_t>)_mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), (__m512i)v);
}
// GCC 12 has been seen to leave rubbish above a mask's own bits and to drop the `&` that would have removed it.
[[gnu::always_inline]] inline unsigned whatever_above(unsigned mask) {
  asm("" : "+r"(mask));
  return mask;
}
// Bits beyond the lanes may be anything.
[[gnu::always_inline]] inline unsigned above(Vector<std::uint32_t> v, Vector<std::uint32_t> pivot) {
  return whatever_above(_mm512_cmpgt_epu32_mask((__m512i)v, (__m512i)pivot));
}
[[gnu::always_inline]] inline unsigned above(Vector<std::uint64_t> v, Vector<std::uint64_t> pivot) {
  return whatever_above(_mm512_cmpgt_epu64_mask((__m512i)v, (__m512i)pivot));
}
#else
// For each mask of 8 lanes their numbers, those that it names first, a byte each.
struct LaneNumbers {
  std::uint8_t of[256][8];
};
constexpr LaneNumbers lane_numbers() {
  LaneNumbers numbers{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    int place = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) != 0) numbers.of[mask][place++] = lane;
    }
  }
  return numbers;
}
constexpr LaneNumbers kLaneNumbers = lane_numbers();

[[gnu::always_inline]] inline Vector<std::uint32_t> compress(Vector<std::uint32_t> v, unsigned mask) {
  const __m128i numbers = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLaneNumbers.of[mask]));
  return (Vector<std::uint32_t>)_mm256_permutevar8x32_epi32((__m256i)v, _mm256_cvtepu8_epi32(numbers));
}
[[gnu::always_inline]] inline unsigned above(Vector<std::uint32_t> v, Vector<std::uint32_t> pivot) {
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)(v > pivot)));
}
#endif

// Keys up to the pivot go to the front, the others behind them; returns how many the first are. At least a vector of
// keys; `scratch` has room for as many and a vector more.
template <class T>
std::int64_t part(T* keys, T* scratch, std::int64_t n, T pivot) {
  constexpr std::int64_t lanes = kLanes<T>;
  constexpr unsigned all = (1u << lanes) - 1;
  const Vector<T> pivots = pivot - Vector<T>{};
  std::int64_t low = 0, high = 0, i = 0;
  const auto take = [&](Vector<T> v, unsigned valid) {
    const unsigned mask = above(v, pivots) & valid;
    const Vector<T> below_part = compress(v, ~mask & valid), above_part = compress(v, mask);
    __builtin_memcpy(keys + low, &below_part, sizeof v);  // nothing beyond what has been read: low <= i
    __builtin_memcpy(scratch + high, &above_part, sizeof v);
    low += __builtin_popcount(~mask & valid);
    high += __builtin_popcount(mask);
  };
  const auto last = load_vector<Vector<T>>(keys + n - lanes);
  for (; i + lanes <= n; i += lanes) take(load_vector<Vector<T>>(keys + i), all);
  alignas(64) T rest[lanes];
  if (i < n) {  // whole vectors would go beyond the end
    const unsigned mask = above(last, pivots), valid = all & (all << (lanes - (n - i)));
    const Vector<T> below_part = compress(last, ~mask & valid), above_part = compress(last, mask & valid);
    __builtin_memcpy(rest, &below_part, sizeof last);
    const auto more = __builtin_popcount(~mask & valid);
    for (int lane = 0; lane < more; ++lane) keys[low + lane] = rest[lane];
    __builtin_memcpy(scratch + high, &above_part, sizeof last);
    low += more;
    high += __builtin_popcount(mask & valid);
  }
  __builtin_memcpy(keys + low, scratch, static_cast<std::size_t>(high) * sizeof(T));
  return low;
}

// The middle one of some keys from all over, at places that no simple pattern has. The more keys there are, the more it
// is worth to meet the middle.
template <class T, int samples>
T middle_of(const T* keys, std::int64_t n) {
  alignas(64) T sample[samples];
  const auto step = static_cast<std::uint64_t>(n / samples);
  std::uint64_t state = static_cast<std::uint64_t>(n);
  for (int i = 0; i < samples; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    sample[i] = keys[static_cast<std::uint64_t>(i) * step + ((state >> 40) * step >> 24)];
  }
  order_block<T, samples / kLanes<T>>(sample);
  return sample[samples / 2 - 1];
}
template <class T>
T middle(const T* keys, std::int64_t n) {
  return n < 1024 ? middle_of<T, kLanes<T>>(keys, n) : middle_of<T, 4 * kLanes<T>>(keys, n);
}

// The place that parts the keys: none before it is larger than one behind it. n when all are the same. Takes
// kNetwork<T> keys and more.
template <class T>
std::int64_t split(std::byte* memory, std::byte* spare, std::int64_t n) {
  T* const keys = output<T>(memory);
  T* const scratch = output<T>(spare);
  const T pivot = middle(keys, n);
  const std::int64_t place = part(keys, scratch, n, pivot);
  if (place < n) return place;
  const std::int64_t smaller_keys = pivot == 0 ? 0 : part(keys, scratch, n, static_cast<T>(pivot - 1));
  return smaller_keys == 0 ? n : smaller_keys;
}

template <class T>
void heap_sort(T* keys, std::int64_t n) {
  const auto sink = [keys](std::int64_t root, std::int64_t end) {
    const T key = keys[root];
    for (std::int64_t child = 2 * root + 1; child < end; child = 2 * root + 1) {
      if (child + 1 < end && keys[child] < keys[child + 1]) ++child;
      if (keys[child] <= key) break;
      keys[root] = keys[child];
      root = child;
    }
    keys[root] = key;
  };
  for (std::int64_t root = n / 2; root-- > 0;) sink(root, n);
  for (std::int64_t end = n - 1; end > 0; --end) {
    const T largest = keys[0];
    keys[0] = keys[end];
    keys[end] = largest;
    sink(0, end);
  }
}

// `patience`: how often parts may be split before the keys are taken for ones that were made to be slow.
template <class T>
void quick_sort(T* keys, T* scratch, std::int64_t n, int patience) {
  while (n > kNetwork<T>) {
    if (patience-- == 0) return heap_sort(keys, n);
    const std::int64_t place = split<T>(reinterpret_cast<std::byte*>(keys), reinterpret_cast<std::byte*>(scratch), n);
    if (place == n) return;
    quick_sort(keys, scratch, place, patience);
    keys += place;
    n -= place;
  }
  order_few(keys, n);
}

template <class T>
void sort(std::byte* keys, std::byte* scratch, std::int64_t n) {
  const int bits = 64 - __builtin_clzll(static_cast<unsigned long long>(n | 1));
  quick_sort(output<T>(keys), output<T>(scratch), n, 4 * bits);
}

#endif

}  // namespace

void CROSSDOCK_LEVEL::register_sorting([[maybe_unused]] LoopTable& table) {
#if defined(__AVX2__)
  table.key_sort[0] = {&sort<std::uint32_t>, &split<std::uint32_t>};
#endif
#if defined(__AVX512F__)  // without it, comparing unsigned numbers of 64 bits takes too long
  table.key_sort[1] = {&sort<std::uint64_t>, &split<std::uint64_t>};
#endif
}

}  // namespace crossdock::native
