// Functor: which functor serves an operation, and for which dtypes.
#pragma once

#include <cstdint>

#include "crossdock/runtime/dtype.h"
#include "crossdock/runtime/op.h"

namespace crossdock::cuda {

enum class ResultKind : std::uint8_t { same, boolean, real };
enum class Cost : std::uint8_t { light, heavy };  // heavy: computing takes longer than memory does

struct Functor {
  Op op;
  int operands;          // 1 or 2
  const char* name;      // in namespace crossdock::cuda
  std::uint32_t dtypes;  // bit i: dtype i
  ResultKind result = ResultKind::same;
  Cost cost = Cost::light;
  bool modular = false;  // modulo 2^N: signed integers take the kernels of the unsigned ones

  bool serves(Dtype dtype) const noexcept { return dtypes >> static_cast<int>(dtype) & 1; }
  // The dtype whose kernel serves `dtype`.
  Dtype kernel_dtype(Dtype dtype) const noexcept;
  Dtype result_dtype(Dtype dtype) const noexcept;
};

// Null when none serves.
const Functor* find_functor(Op op, Dtype dtype) noexcept;

}  // namespace crossdock::cuda
