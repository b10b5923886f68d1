// Elements of a dtype that only the launch knows.
#pragma once

#include "kernels/element.h"
#include "kernels/nest_place.h"

namespace crossdock::cuda {

// The element converted to T; `dtype` is the number of a crossdock::Dtype that can be computed with.
template <class T>
CROSSDOCK_CALLED Raw<T> load_as(const unsigned char* at, int dtype) {
  switch (dtype) {
    case 0:
      return convert<T, bool>(*at);
    case 1:
      return convert<T, std::int8_t>(*reinterpret_cast<const std::int8_t*>(at));
    case 2:
      return convert<T, std::int16_t>(*reinterpret_cast<const std::int16_t*>(at));
    case 3:
      return convert<T, std::int32_t>(*reinterpret_cast<const std::int32_t*>(at));
    case 4:
      return convert<T, std::int64_t>(*reinterpret_cast<const std::int64_t*>(at));
    case 5:
      return convert<T, std::uint8_t>(*at);
    case 6:
      return convert<T, std::uint16_t>(*reinterpret_cast<const std::uint16_t*>(at));
    case 7:
      return convert<T, std::uint32_t>(*reinterpret_cast<const std::uint32_t*>(at));
    case 8:
      return convert<T, std::uint64_t>(*reinterpret_cast<const std::uint64_t*>(at));
    case 9:
      return convert<T, functors::Float16>(*reinterpret_cast<const functors::Float16*>(at));
    case 10:
      return convert<T, functors::BFloat16>(*reinterpret_cast<const functors::BFloat16*>(at));
    case 11:
      return convert<T, float>(*reinterpret_cast<const float*>(at));
    case 12:
      return convert<T, double>(*reinterpret_cast<const double*>(at));
    case 13:
      return convert<T, functors::Complex<float>>(*reinterpret_cast<const Raw<functors::Complex<float>>*>(at));
    default:
      return convert<T, functors::Complex<double>>(*reinterpret_cast<const functors::Complex<double>*>(at));
  }
}

}  // namespace crossdock::cuda
