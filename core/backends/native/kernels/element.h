// Elements by their size alone, at any address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace crossdock::native {

struct Bytes16 {
  std::uint64_t low, high;
};

inline std::int64_t load_offset(const std::byte* at) noexcept {
  std::int64_t offset;
  std::memcpy(&offset, at, sizeof offset);
  return offset;
}

template <class T>
void copy_element(std::byte* to, const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  std::memcpy(to, &value, sizeof value);
}

// Calls body(T{}) with the type of `size` bytes; false when there is none.
template <class Body>
bool with_bytes(std::int64_t size, Body&& body) {
  switch (size) {
    case 1:
      body(std::uint8_t{});
      return true;
    case 2:
      body(std::uint16_t{});
      return true;
    case 4:
      body(std::uint32_t{});
      return true;
    case 8:
      body(std::uint64_t{});
      return true;
    case 16:
      body(Bytes16{});
      return true;
  }
  return false;
}

}  // namespace crossdock::native
