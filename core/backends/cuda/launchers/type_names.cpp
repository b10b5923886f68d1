#include "type_names.h"

namespace crossdock::cuda {

const char* storage_type(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::bool_:
      return "bool";
    case Dtype::int8:
      return "std::int8_t";
    case Dtype::int16:
      return "std::int16_t";
    case Dtype::int32:
      return "std::int32_t";
    case Dtype::int64:
      return "std::int64_t";
    case Dtype::uint8:
      return "std::uint8_t";
    case Dtype::uint16:
      return "std::uint16_t";
    case Dtype::uint32:
      return "std::uint32_t";
    case Dtype::uint64:
      return "std::uint64_t";
    case Dtype::float16:
      return "functors::Float16";
    case Dtype::bfloat16:
      return "functors::BFloat16";
    case Dtype::float32:
      return "float";
    case Dtype::float64:
      return "double";
    case Dtype::complex64:
      return "functors::Complex<float>";
    case Dtype::complex128:
      return "functors::Complex<double>";
    case Dtype::float8_e4m3fn:
      return "functors::Float8E4M3FN";
    case Dtype::float8_e5m2:
      return "functors::Float8E5M2";
    case Dtype::int4:
      return "functors::Int4";
    case Dtype::uint4:
      return "functors::UInt4";
  }
  return "";
}

const char* compute_type(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::float16:
    case Dtype::bfloat16:
    case Dtype::float8_e4m3fn:
    case Dtype::float8_e5m2:
      return "float";
    case Dtype::int4:
      return "std::int8_t";
    case Dtype::uint4:
      return "std::uint8_t";
    default:
      return storage_type(dtype);
  }
}

const char* bytes_type(int itemsize) noexcept {
  switch (itemsize) {
    case 1:
      return "std::uint8_t";
    case 2:
      return "std::uint16_t";
    case 4:
      return "std::uint32_t";
    case 8:
      return "std::uint64_t";
    default:
      return "Bytes16";
  }
}

}  // namespace crossdock::cuda
