#include "sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace crossdock::cuda {
namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const unsigned char* bytes) noexcept {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

void Sha256::block(const unsigned char* data) noexcept {
  std::uint32_t w[64];
  for (int t = 0; t < 16; ++t) w[t] = big_endian(data + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t early = w[t - 15], late = w[t - 2];
    const std::uint32_t s0 = std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3);
    const std::uint32_t s1 = std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[t] + w[t];
    const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const std::uint32_t added[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

Sha256& Sha256::add(const void* data, std::size_t nbytes) noexcept {
  const auto* next = static_cast<const unsigned char*>(data);
  while (nbytes > 0) {
    const std::size_t held = nbytes_ % 64;
    if (held == 0 && nbytes >= 64) {
      block(next);
      next += 64, nbytes -= 64, nbytes_ += 64;
      continue;
    }
    const std::size_t taken = std::min(nbytes, 64 - held);
    std::memcpy(rest_.data() + held, next, taken);
    next += taken, nbytes -= taken, nbytes_ += taken;
    if (nbytes_ % 64 == 0) block(rest_.data());
  }
  return *this;
}

Sha256& Sha256::add_field(std::string_view text) noexcept {
  const std::uint64_t nbytes = text.size();
  return add(&nbytes, sizeof nbytes).add(text);
}

Sha256::Digest Sha256::digest() const noexcept {
  Sha256 last = *this;
  const unsigned char one = 0x80, zero = 0;
  last.add(&one, 1);
  while (last.nbytes_ % 64 != 56) last.add(&zero, 1);
  unsigned char nbits[8];
  for (int i = 0; i < 8; ++i) nbits[i] = static_cast<unsigned char>(8 * nbytes_ >> (56 - 8 * i));
  last.add(nbits, sizeof nbits);
  Digest digest;
  for (int i = 0; i < 32; ++i) digest[i] = static_cast<std::byte>(last.state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string hexadecimal(const Sha256::Digest& digest) {
  std::string text;
  for (std::byte byte : digest) {
    text += "0123456789abcdef"[static_cast<int>(byte >> 4)];
    text += "0123456789abcdef"[static_cast<int>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace crossdock::cuda
