// Elements in packs that one memory instruction moves.
#pragma once

#include "kernels/element.h"

namespace crossdock::cuda {

// 1, 2, 4, 8 or 16 bytes as the unsigned integers of one move.
template <int nbytes>
struct alignas(nbytes) Words {
  std::uint32_t words[nbytes / 4];
};
template <>
struct Words<2> {
  std::uint16_t words[1];
};
template <>
struct Words<1> {
  std::uint8_t words[1];
};

// n elements of S.
template <class S, int n>
struct Pack {
  Raw<S> elements[n];
};

// The pack number `index` of an array that lies on a multiple of a pack's size.
template <class S, int n>
CROSSDOCK_HD Pack<S, n> load_pack(const void* data, std::int64_t index) {
  constexpr int nbytes = static_cast<int>(sizeof(Pack<S, n>));
  Pack<S, n> pack;
  if constexpr (nbytes > 16) {
    CROSSDOCK_UNROLL
    for (int i = 0; i < n; ++i) pack.elements[i] = load_pack<S, 1>(data, index * n + i).elements[0];
  } else {
    const Words<nbytes> words = static_cast<const Words<nbytes>*>(data)[index];
    memcpy(&pack, &words, sizeof pack);
  }
  return pack;
}

template <class S, int n>
CROSSDOCK_HD void store_pack(void* data, std::int64_t index, const Pack<S, n>& pack) {
  constexpr int nbytes = static_cast<int>(sizeof(Pack<S, n>));
  Words<nbytes> words;
  memcpy(&words, &pack, sizeof pack);
  static_cast<Words<nbytes>*>(data)[index] = words;
}

// A scalar, n times.
template <class S, int n>
CROSSDOCK_HD Pack<S, n> repeat(const unsigned char (&immediate)[16]) {
  Raw<S> raw;
  memcpy(&raw, immediate, sizeof raw);
  Pack<S, n> pack;
  CROSSDOCK_UNROLL
  for (int i = 0; i < n; ++i) pack.elements[i] = raw;
  return pack;
}

}  // namespace crossdock::cuda
