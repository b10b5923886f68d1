// Ranks: where each of a few keys comes among them.
#include "elements.h"
#include "level.h"

namespace crossdock::native {
namespace {

// Compares all pairs; no branch depends on a key. Equal keys keep their order: those before count, those behind do not.
template <class T>
void rank(const std::byte* elements, std::byte* places, std::int64_t n) {
  const T* keys = input<T>(elements);
  T* ranks = output<T>(places);
  for (std::int64_t i = 0; i < n; ++i) ranks[i] = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const T key = keys[j];
#pragma GCC ivdep
    for (std::int64_t i = 0; i < j; ++i) ranks[i] += static_cast<T>(key < keys[i]);
#pragma GCC ivdep
    for (std::int64_t i = j + 1; i < n; ++i) ranks[i] += static_cast<T>(key <= keys[i]);
  }
}

}  // namespace

void CROSSDOCK_LEVEL::register_ranks(LoopTable& table) {
  table.rank[0] = &rank<std::uint32_t>;
  table.rank[1] = &rank<std::uint64_t>;
}

}  // namespace crossdock::native
