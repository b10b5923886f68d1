#include "places.h"

#include <bit>
#include <cstdint>

namespace crossdock::cuda {
namespace {

PlaceKind kind_of(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::int8:
      return PlaceKind::int8;
    case Dtype::int16:
      return PlaceKind::int16;
    case Dtype::int32:
      return PlaceKind::int32;
    case Dtype::uint8:
      return PlaceKind::uint8;
    case Dtype::uint16:
      return PlaceKind::uint16;
    case Dtype::uint32:
      return PlaceKind::uint32;
    case Dtype::uint64:
      return PlaceKind::uint64;
    default:
      return PlaceKind::int64;
  }
}

// Elements that lie together under one place become one; returns how long it is.
std::int64_t join_run(Nest& nest, std::int64_t itemsize) noexcept {
  const int inner = nest.ndim - 1;
  const std::int64_t* s = nest.strides[inner];
  if (s[1] != 0 || s[0] != itemsize || s[2] != itemsize) return itemsize;
  const std::int64_t run = nest.shape[inner] * itemsize;
  nest.shape[inner] = 1;
  for (int i = 0; i < 3; ++i) nest.strides[inner][i] = 0;
  return run;
}

}  // namespace

Places places_of(const Launch& launch, int operand, bool indexed) noexcept {
  Places places{};
  places.op = static_cast<int>(launch.op);
  if (indexed) {
    places.kind = kind_of(launch.operands[static_cast<std::size_t>(operand)].dtype);
    places.extent = launch.integers[0];
    places.step = launch.integers[1];
    places.axis = launch.integers[2];
  } else {
    places.kind = PlaceKind::offsets;
    places.low = launch.integers[0];
    places.high = launch.integers[1];
  }
  return places;
}

Moves::Moves(const Launch& launch) noexcept : nest(launch) {
  const std::int64_t itemsize = crossdock::itemsize(launch.output().dtype);
  if (nest.size == 0) {
    width = static_cast<int>(itemsize);
    return;
  }
  const bool single = launch.operands[0].data == nullptr;  // a scalar with the launch
  const std::int64_t run = single ? itemsize : join_run(nest, itemsize);
  std::uint64_t all = 16 | static_cast<std::uint64_t>(run);
  for (const int i : {0, 2}) {
    if (i == 0 && single) continue;
    all |= reinterpret_cast<std::uintptr_t>(nest.pointers[i]);
    for (int dim = 0; dim < nest.ndim; ++dim) all |= static_cast<std::uint64_t>(nest.strides[dim][i]);
  }
  if (launch.integers[3] != 0) all |= static_cast<std::uint64_t>(launch.integers[1]);
  width = 1 << std::countr_zero(all);
  nest.size = nest.size / (run / itemsize) * (run / width);
  if (run == width) return;
  int inner = nest.ndim - 1;
  if (nest.shape[inner] != 1) inner = nest.ndim++;
  nest.shape[inner] = run / width;
  nest.strides[inner][0] = nest.strides[inner][2] = width;
  nest.strides[inner][1] = 0;
}

int number_of_width(int width) noexcept { return std::countr_zero(static_cast<unsigned>(width)); }

const char* type_of_width(int number) noexcept {
  constexpr const char* kTypes[kWidths] = {"std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t", "Line16"};
  return kTypes[number];
}

}  // namespace crossdock::cuda
