// argmax, argmin: comparisons of elements with the best so far.
#include "elements.h"
#include "level.h"

namespace crossdock::native {
namespace {

template <bool largest>
struct Better {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    const bool before = largest ? a > b : a < b;
    if constexpr (functors::is_floating<T>)
      return before | ((a != a) & (b == b));
    else
      return before;
  }
};

template <class T>
std::int64_t find(const std::byte* elements, std::int64_t n, const std::byte* value) {
  constexpr std::int64_t kBlock = 16;
  const T* x = input<T>(elements);
  const T wanted = load<T>(value);
  const auto matches = [wanted](T element) {
    if constexpr (functors::is_floating<T>) {
      return (element == wanted) | ((element != element) & (wanted != wanted));
    } else {
      return element == wanted;
    }
  };
  std::int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {  // without looking which it is
    int found = 0;
    for (std::int64_t j = 0; j < kBlock; ++j) found |= matches(x[i + j]);
    if (found != 0) break;
  }
  while (!matches(x[i])) ++i;
  return i;
}

template <class B, class T>
bool is_better(const std::byte* a, const std::byte* b) {
  return B{}(load<T>(a), load<T>(b));
}

template <class B, class T>
void update(const std::byte* elements, std::int64_t n, std::int64_t index, std::byte* bests, std::int64_t* indices) {
  const T* x = input<T>(elements);
  T* best = output<T>(bests);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const bool better = B{}(x[i], best[i]);
    best[i] = better ? x[i] : best[i];
    indices[i] = better ? index : indices[i];
  }
}

template <class... Ts>
void set(LoopTable& table) {
  ((table.arg_reductions[0][static_cast<int>(dtype_of<Ts>)] = {dtype_of<Ts>, &find<Ts>, &is_better<Better<true>, Ts>,
                                                               &update<Better<true>, Ts>}),
   ...);
  ((table.arg_reductions[1][static_cast<int>(dtype_of<Ts>)] = {dtype_of<Ts>, &find<Ts>, &is_better<Better<false>, Ts>,
                                                               &update<Better<false>, Ts>}),
   ...);
}

}  // namespace

void CROSSDOCK_LEVEL::register_arg_reductions(LoopTable& table) {
  set<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
      float, double>(table);
  for (ArgReduction* row : {table.arg_reductions[0], table.arg_reductions[1]}) {
    row[static_cast<int>(Dtype::float16)] = row[static_cast<int>(Dtype::float32)];
    row[static_cast<int>(Dtype::bfloat16)] = row[static_cast<int>(Dtype::float32)];
  }
}

}  // namespace crossdock::native
