// Deviations from a centre: their sum and the sum of their squares, in doubles.
#include "vectors.h"

namespace crossdock::native {
namespace {

// Four vectors of doubles take turns, for each of both sums.
template <class T>
void along(const std::byte* elements, std::int64_t n, double centre, double* sum, double* squares) {
  constexpr int kCount = CROSSDOCK_VECTOR_BYTES / 8, kTurns = 4;
  using Doubles = Vector<double>;
  using Elements = Vector<T, static_cast<int>(kCount * sizeof(T))>;
  const T* x = input<T>(elements);
  Doubles sums[kTurns] = {}, products[kTurns] = {};
  std::int64_t i = 0;
  for (; i + kTurns * kCount <= n; i += kTurns * kCount) {
#pragma GCC unroll 4
    for (int turn = 0; turn < kTurns; ++turn) {
      const Doubles values = __builtin_convertvector(load_vector<Elements>(x + i + turn * kCount), Doubles) - centre;
      sums[turn] += values;
      products[turn] += values * values;
    }
  }
  const Doubles total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const Doubles square = (products[0] + products[1]) + (products[2] + products[3]);
  for (int lane = 0; lane < kCount; ++lane) {
    *sum += total[lane];
    *squares += square[lane];
  }
  for (; i < n; ++i) {
    const double value = static_cast<double>(x[i]) - centre;
    *sum += value;
    *squares += value * value;
  }
}

template <class T>
void across(const std::byte* elements, std::int64_t n, const double* centres, double* sums, double* squares) {
  const T* x = input<T>(elements);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(x[i]) - centres[i];
    sums[i] += value;
    squares[i] += value * value;
  }
}

}  // namespace

void CROSSDOCK_LEVEL::register_deviations(LoopTable& table) {
  table.deviations[static_cast<int>(Dtype::float32)] = {&along<float>, &across<float>};
  table.deviations[static_cast<int>(Dtype::float64)] = {&along<double>, &across<double>};
}

}  // namespace crossdock::native
