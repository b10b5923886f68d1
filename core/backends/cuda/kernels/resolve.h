// resolve: from an index or an offset in an array, which may be anything, to an offset that leads to an element.
#pragma once

#include "kernels/anywhere.h"
#include "kernels/device.h"
#include "kernels/places.h"
#include "kernels/report.h"

namespace crossdock::cuda {

// The index as a signed number; unsigned ones beyond it become -1, with `huge` set.
inline std::int64_t load_index(PlaceKind kind, const unsigned char* at, bool& huge) {
  huge = false;
  switch (kind) {
    case PlaceKind::int8:
      return load_anywhere<std::int8_t>(at);
    case PlaceKind::int16:
      return load_anywhere<std::int16_t>(at);
    case PlaceKind::int32:
      return load_anywhere<std::int32_t>(at);
    case PlaceKind::uint8:
      return *at;
    case PlaceKind::uint16:
      return load_anywhere<std::uint16_t>(at);
    case PlaceKind::uint32:
      return load_anywhere<std::uint32_t>(at);
    case PlaceKind::uint64:
      huge = load_anywhere<std::int64_t>(at) < 0;
      break;
    default:
      break;
  }
  return load_anywhere<std::int64_t>(at);
}

// False, and kNowhere, when it leads outside.
inline bool resolve(const Places& places, const unsigned char* at, std::int64_t& offset) {
  bool inside;
  if (places.kind == PlaceKind::offsets) {
    offset = load_anywhere<std::int64_t>(at);
    inside = offset >= places.low && offset <= places.high;
  } else {
    bool huge;
    const std::int64_t index = load_index(places.kind, at, huge);
    inside = !huge && index >= -places.extent && index < places.extent;
    offset = (index < 0 ? index + places.extent : index) * places.step;
  }
  if (!inside) offset = kNowhere;
  return inside;
}

// Says that resolve() was false.
inline void report_outside(ErrorRecord* errors, const Places& places, const unsigned char* at) {
  if (places.kind == PlaceKind::offsets) return report(errors, places.op, Failure::offset, 0, 0, 0, 0);
  bool huge;
  const std::int64_t index = load_index(places.kind, at, huge);
  report(errors, places.op, Failure::index, index, places.axis, places.extent, huge);
}

}  // namespace crossdock::cuda
