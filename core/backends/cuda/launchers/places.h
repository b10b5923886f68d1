// What gather, scatter and index_offsets share on the host side.
#pragma once

#include "../kernels/places.h"
#include "../launcher.h"

namespace crossdock::cuda {

// The launch's places, which lie in operand `operand` and, when `indexed`, count along an axis.
Places places_of(const Launch& launch, int operand, bool indexed) noexcept;

// A nest whose innermost dimension's elements are moved `width` bytes at once: longer than an element where some lie
// together, shorter where they lie on no multiple of their size. Operand 1's elements are the places.
struct Moves {
  explicit Moves(const Launch& launch) noexcept;
  Nest nest;
  int width;
};

// The number of bytes that kernels move at once (1, 2, 4, 8, 16) as the number of an instance, and as a type.
int number_of_width(int width) noexcept;
const char* type_of_width(int number) noexcept;
inline constexpr int kWidths = 5;

}  // namespace crossdock::cuda
