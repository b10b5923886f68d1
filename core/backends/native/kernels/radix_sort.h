// RadixSort: a stable sort by unsigned keys, least significant digit first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "crossdock/runtime/thread_pool.h"

namespace crossdock::native {

// Stable; for few items.
template <class Item, class KeyOf>
void insertion_sort(Item* items, std::int64_t n, const KeyOf& key_of) noexcept {
  for (std::int64_t i = 1; i < n; ++i) {
    const Item item = items[i];
    const auto key = key_of(item);
    std::int64_t place = i;
    for (; place > 0 && key < key_of(items[place - 1]); --place) items[place] = items[place - 1];
    items[place] = item;
  }
}

// `KeyOf` gives the key of an item. Digits in which no two keys differ cost nothing, nor do items in order already. Of
// the others only the highest few are sorted by, as those leave short runs of equal ones, which are put in order after.
template <class Item, class KeyOf>
class RadixSort {
 public:
  using Key = decltype(std::declval<const KeyOf&>()(std::declval<const Item&>()));

  // `threads`: how many may work on one call.
  explicit RadixSort(KeyOf key_of, std::int64_t threads = 1)
      : key_of_(key_of), places_(static_cast<std::size_t>(threads)) {}

  // Sorts n items of `source` into `target`, which may be the same; `scratch` has room for n, apart from both.
  void operator()(const Item* source, Item* target, Item* scratch, std::int64_t n) {
    run(source, target, scratch, n, std::span(places_).first(chunks(n)));
  }

 private:
  static constexpr std::int64_t kChunk = 1 << 15;  // items worth a thread's while
  static constexpr std::int64_t kFewItems = 1 << 12, kShortRun = 24;
  static constexpr int kDigits = sizeof(Key), kBuckets = 256;
  using Places = std::array<std::int64_t, kBuckets>;  // of a chunk: where the next item of each bucket goes

  struct Survey {
    Key varying = 0;                       // bits in which some keys differ
    bool ordered = true, falling = false;  // without equal keys
  };

  std::size_t chunks(std::int64_t n) const noexcept {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(n / kChunk, 1, std::ssize(places_)));
  }
  static std::int64_t begin_of(std::size_t chunk, std::size_t chunks, std::int64_t n) noexcept {
    const auto number = static_cast<std::int64_t>(chunk), count = static_cast<std::int64_t>(chunks);
    return n / count * number + std::min(number, n % count);
  }
  // Calls body(chunk, begin, end) for chunks of n items, on a thread each.
  template <class Body>
  static void for_chunks(std::size_t chunks, std::int64_t n, Body&& body) {
    parallel_for(static_cast<std::int64_t>(chunks), 1, [&](std::int64_t first, std::int64_t last) {
      for (; first < last; ++first) {
        const auto chunk = static_cast<std::size_t>(first);
        body(chunk, begin_of(chunk, chunks, n), begin_of(chunk + 1, chunks, n));
      }
    });
  }
  static std::size_t digit(Key key, int shift) noexcept { return static_cast<std::size_t>(key >> shift) % kBuckets; }

  // A chunk for each of `places`.
  void run(const Item* source, Item* target, Item* scratch, std::int64_t n, std::span<Places> places) const {
    const Survey survey = look(source, n);
    if (survey.ordered) {
      if (source != target) std::copy_n(source, n, target);
      return;
    }
    if (survey.falling) {
      if (source != target) std::reverse_copy(source, source + n, target);
      if (source == target) std::reverse(target, target + n);
      return;
    }
    int shifts[kDigits], count = 0;
    for (int place = 0; place < kDigits; ++place)
      if (digit(survey.varying, 8 * place) != 0) shifts[count++] = 8 * place;
    const int most = n <= kFewItems ? 3 : 4, first = std::max(0, count - most);
    if ((count - first) % 2 != 0 && source == target) source = std::copy_n(source, n, scratch) - n;
    for (int pass = first; pass < count; ++pass) {
      Item* const to = (count - pass) % 2 != 0 ? target : scratch;
      distribute(source, to, n, shifts[pass], places);
      source = to;
    }
    if (first > 0) settle(target, scratch, n, shifts[first], places);
  }

  Survey look(const Item* items, std::int64_t n) const noexcept {
    Survey survey;
    const Key first = key_of_(items[0]);
    std::int64_t inversions = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      const Key key = key_of_(items[i]);
      survey.varying |= key ^ first;
      inversions += key < key_of_(items[i - 1]);
    }
    survey.ordered = inversions == 0;
    survey.falling = inversions == n - 1;
    return survey;
  }

  // One stable pass: items by one digit of their keys.
  void distribute(const Item* from, Item* to, std::int64_t n, int shift, std::span<Places> places) const {
    for_chunks(places.size(), n, [=, this](std::size_t chunk, std::int64_t begin, std::int64_t end) {
      count(from + begin, end - begin, shift, key_of_, places[chunk].data());
    });
    std::int64_t place = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      for (Places& chunk : places) place += std::exchange(chunk[bucket], place);
    }
    for_chunks(places.size(), n, [=, this](std::size_t chunk, std::int64_t begin, std::int64_t end) {
      scatter(from + begin, end - begin, to, shift, key_of_, places[chunk].data());
    });
  }

  // All by value: what is written could be anything else to the compiler.
  static void count(const Item* items, std::int64_t n, int shift, const KeyOf key_of, std::int64_t* counts) noexcept {
    std::fill_n(counts, kBuckets, 0);
    for (std::int64_t i = 0; i < n; ++i) ++counts[digit(key_of(items[i]), shift)];
  }
  static void scatter(const Item* items, std::int64_t n, Item* to, int shift, const KeyOf key_of,
                      std::int64_t* next) noexcept {
    for (std::int64_t i = 0; i < n; ++i) to[next[digit(key_of(items[i]), shift)]++] = items[i];
  }

  // Puts runs whose keys are equal from bit `shift` on in order. No run is shared by two chunks.
  void settle(Item* items, Item* scratch, std::int64_t n, int shift, std::span<Places> places) const {
    const std::size_t chunks = places.size();
    const auto same = [&](std::int64_t a, std::int64_t b) {
      return ((key_of_(items[a]) ^ key_of_(items[b])) >> shift) == 0;
    };
    std::vector<std::int64_t> begins;
    for (std::size_t chunk = 0; chunk <= chunks; ++chunk) {
      std::int64_t begin = begin_of(chunk, chunks, n);
      while (begin > 0 && begin < n && same(begin, begin - 1)) ++begin;
      begins.push_back(begin);
    }
    for_chunks(chunks, n, [&](std::size_t chunk, std::int64_t begin, std::int64_t end) {
      begin = begins[chunk];
      end = begins[chunk + 1];
      while (begin < end) {
        std::int64_t after = begin + 1;
        while (after < end && same(after, begin)) ++after;
        if (after - begin > kShortRun) {
          run(items + begin, items + begin, scratch + begin, after - begin, places.subspan(chunk, 1));
        } else if (after - begin > 1) {
          insertion_sort(items + begin, after - begin, key_of_);
        }
        begin = after;
      }
    });
  }

  KeyOf key_of_;
  std::vector<Places> places_;
};

}  // namespace crossdock::native
