// SHA-256 (FIPS 180-4): names files by what is in them, and tells whether they are whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crossdock::cuda {

class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  Sha256& add(const void* data, std::size_t nbytes) noexcept;
  Sha256& add(std::string_view text) noexcept { return add(text.data(), text.size()); }
  // With its length before it, so that ("ab", "c") is not ("a", "bc").
  Sha256& add_field(std::string_view text) noexcept;
  Digest digest() const noexcept;  // of what was added so far

 private:
  void block(const unsigned char* data) noexcept;

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  std::uint64_t nbytes_ = 0;
};

std::string hexadecimal(const Sha256::Digest& digest);

}  // namespace crossdock::cuda
