// Rule: which dtypes an elementwise operation takes, and which one it gives.
#pragma once

#include <cstdint>

#include "crossdock/runtime/dtype.h"
#include "crossdock/runtime/op.h"

namespace crossdock {

enum class Takes : std::uint8_t {
  any,
  numeric,
  real,
  floating,
  real_floating,
  integer_or_bool,
  integer,
  boolean,
  complex
};
enum class Gives : std::uint8_t { same, boolean, real_part };

struct Rule {
  Takes takes;
  Gives gives;
};

// Array API standard 2024.12, "Element-wise functions". A new operation is a case here, unless it takes floating-point
// dtypes and keeps them.
Rule rule(Op op) noexcept;
// 'a real dtype', ...: for messages and docstrings.
const char* words(Takes takes) noexcept;
// DtypeError naming operation and dtype, with advice, unless the rule takes it.
void require(Op op, Takes takes, Dtype dtype);
Dtype result_dtype(Gives gives, Dtype dtype) noexcept;

}  // namespace crossdock
