// Copies and selections, by the size of an element: its type does not matter.
#include "elementwise.h"
#include "level.h"

namespace crossdock::native {
namespace {

struct alignas(8) Bytes16 {
  std::uint64_t low, high;
};

template <class T>
void move_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  if (s[0] == size && s[1] == size) {
    if (p[0] != p[1]) __builtin_memcpy(p[1], p[0], static_cast<std::size_t>(n * size));
    return;
  }
  if (s[0] == 0 && contiguous<T>(p[1], s[1])) {
    const T value = load<T>(p[0]);
    T* r = output<T>(p[1]);
    for (std::int64_t i = 0; i < n; ++i) r[i] = value;
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) store<T>(p[1] + i * s[1], load<T>(p[0] + i * s[0]));
}

// One value where the condition is `wanted`, elements of `other` where it is not.
template <class T, bool wanted>
[[gnu::always_inline]] inline void where_one(const std::uint8_t* condition, const T one, const T* other, T* r,
                                             std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const T element = other[i];
    r[i] = (condition[i] != 0) == wanted ? one : element;
  }
}

template <class T>
void where_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  if (s[0] == 1 && contiguous<T>(p[1], s[1]) && contiguous<T>(p[2], s[2]) && contiguous<T>(p[3], s[3])) {
    const std::uint8_t* condition = input<std::uint8_t>(p[0]);
    const T *a = input<T>(p[1]), *b = input<T>(p[2]);
    T* r = output<T>(p[3]);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
      const T yes = a[i], no = b[i];
      r[i] = condition[i] ? yes : no;
    }
    return;
  }
  if (s[0] == 1 && contiguous<T>(p[3], s[3])) {
    if (s[1] == 0 && contiguous<T>(p[2], s[2])) {
      return where_one<T, true>(input<std::uint8_t>(p[0]), load<T>(p[1]), input<T>(p[2]), output<T>(p[3]), n);
    }
    if (s[2] == 0 && contiguous<T>(p[1], s[1])) {
      return where_one<T, false>(input<std::uint8_t>(p[0]), load<T>(p[2]), input<T>(p[1]), output<T>(p[3]), n);
    }
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const bool condition = load<std::uint8_t>(p[0] + i * s[0]) != 0;
    store<T>(p[3] + i * s[3], load<T>(condition ? p[1] + i * s[1] : p[2] + i * s[2]));
  }
}

template <class T>
void set(LoopTable& table) {
  table.move[sizeof(T)] = &move_loop<T>;
  table.where[sizeof(T)] = &where_loop<T>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_moves(LoopTable& table) {
  set<std::uint8_t>(table);
  set<std::uint16_t>(table);
  set<std::uint32_t>(table);
  set<std::uint64_t>(table);
  set<Bytes16>(table);
}

}  // namespace crossdock::native
