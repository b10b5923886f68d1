// CUDA's words for a host compiler: device code runs on the CPU, a block's threads as fibers of one system thread.
//
// One grid runs at a time in the process, block after block, so that shared memory may be static. What CUDA leaves
// undefined is a failed launch where it can be seen: a barrier or an exchange that not all named threads reach.
#pragma once

#include <math.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#define __global__ __attribute__((weak))
#define __device__
#define __host__
#define __shared__ static
#define __constant__ inline
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

#define CROSSDOCK_VECTOR(type, scalar, align2, align4)                 \
  struct alignas(align2) type##2 { scalar x, y; };                     \
  struct alignas(align4) type##4 { scalar x, y, z, w; };               \
  inline type##2 make_##type##2(scalar x, scalar y) { return {x, y}; } \
  inline type##4 make_##type##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
CROSSDOCK_VECTOR(int, int, 8, 16)
CROSSDOCK_VECTOR(uint, unsigned, 8, 16)
CROSSDOCK_VECTOR(float, float, 8, 16)
CROSSDOCK_VECTOR(double, double, 16, 16)
CROSSDOCK_VECTOR(longlong, long long, 16, 16)
CROSSDOCK_VECTOR(ulonglong, unsigned long long, 16, 16)
#undef CROSSDOCK_VECTOR

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

namespace crossdock_on_host {

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

struct Votes {
  unsigned count;
  bool any, all;
};

Votes barrier(bool predicate);
// Gives `value` to the lanes of the mask and takes that of lane `source`; all bits set when that one is not in the
// mask.
std::uint64_t exchange(unsigned mask, std::uint64_t value, unsigned source);
unsigned ballot(unsigned mask, bool predicate);
unsigned lane();
void* dynamic_shared();
void give_way();  // to the block's other threads, in loops that wait for one of them
[[noreturn]] void trap(const char* why);

template <class T>
using Exchanged = decltype(+T());  // small integers become int, as in CUDA

template <class T>
std::uint64_t bits_of(T value) {
  static_assert(std::is_arithmetic_v<T>, "only numbers of 4 or 8 bytes are exchanged between lanes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
Exchanged<T> take(unsigned mask, T value, unsigned source) {
  const std::uint64_t bits = exchange(mask, bits_of<Exchanged<T>>(value), source);
  Exchanged<T> result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

template <class To, class From>
To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &value, sizeof to);
  return to;
}

}  // namespace crossdock_on_host

using crossdock_on_host::blockDim;
using crossdock_on_host::blockIdx;
using crossdock_on_host::gridDim;
using crossdock_on_host::threadIdx;
constexpr int warpSize = 32;

// Barriers, votes and exchanges.

inline void __syncthreads() { crossdock_on_host::barrier(false); }
inline int __syncthreads_count(int predicate) { return static_cast<int>(crossdock_on_host::barrier(predicate).count); }
inline int __syncthreads_or(int predicate) { return crossdock_on_host::barrier(predicate).any; }
inline int __syncthreads_and(int predicate) { return crossdock_on_host::barrier(predicate).all; }
inline void __syncwarp(unsigned mask = 0xffffffff) { crossdock_on_host::ballot(mask, false); }
inline unsigned __activemask() { return 1u << crossdock_on_host::lane(); }
inline unsigned __ballot_sync(unsigned mask, int predicate) { return crossdock_on_host::ballot(mask, predicate); }
inline int __any_sync(unsigned mask, int predicate) { return crossdock_on_host::ballot(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return crossdock_on_host::ballot(mask, predicate) == mask; }
inline void __threadfence() { crossdock_on_host::give_way(); }
inline void __threadfence_block() { crossdock_on_host::give_way(); }
inline void __threadfence_system() { crossdock_on_host::give_way(); }
inline void __nanosleep(unsigned) { crossdock_on_host::give_way(); }
[[noreturn]] inline void __trap() { crossdock_on_host::trap("__trap()"); }

template <class T>
auto __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned first = crossdock_on_host::lane() & ~static_cast<unsigned>(width - 1);
  return crossdock_on_host::take(mask, value, first + (static_cast<unsigned>(source) & (width - 1)));
}

template <class T>
auto __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = crossdock_on_host::lane(), place = lane & static_cast<unsigned>(width - 1);
  return crossdock_on_host::take(mask, value, delta > place ? lane : lane - delta);
}

template <class T>
auto __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = crossdock_on_host::lane(), place = lane & static_cast<unsigned>(width - 1);
  return crossdock_on_host::take(mask, value, place + delta >= static_cast<unsigned>(width) ? lane : lane + delta);
}

template <class T>
auto __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const unsigned lane = crossdock_on_host::lane(), source = lane ^ static_cast<unsigned>(bits);
  const unsigned end = (lane & ~static_cast<unsigned>(width - 1)) + width;
  return crossdock_on_host::take(mask, value, source >= end ? lane : source);
}

// Atomics, for the types that CUDA has them for. Mapped host memory is seen by other threads meanwhile.

#define CROSSDOCK_ATOMIC(name, type, expression)                                                                  \
  inline type name(type* address, type value) {                                                                   \
    type old;                                                                                                     \
    __atomic_load(address, &old, __ATOMIC_RELAXED);                                                               \
    for (;;) {                                                                                                    \
      type next = expression;                                                                                     \
      if (__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old; \
    }                                                                                                             \
  }
#define CROSSDOCK_ATOMICS(type)                                \
  CROSSDOCK_ATOMIC(atomicMin, type, value < old ? value : old) \
  CROSSDOCK_ATOMIC(atomicMax, type, old < value ? value : old)
#define CROSSDOCK_BITWISE(type)                 \
  CROSSDOCK_ATOMIC(atomicAnd, type, old& value) \
  CROSSDOCK_ATOMIC(atomicOr, type, old | value) \
  CROSSDOCK_ATOMIC(atomicXor, type, old ^ value)
CROSSDOCK_ATOMICS(int)
CROSSDOCK_ATOMICS(unsigned)
CROSSDOCK_ATOMICS(long long)
CROSSDOCK_ATOMICS(unsigned long long)
CROSSDOCK_BITWISE(int)
CROSSDOCK_BITWISE(unsigned)
CROSSDOCK_BITWISE(unsigned long long)
CROSSDOCK_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
CROSSDOCK_ATOMIC(atomicAdd, unsigned, old + value)
CROSSDOCK_ATOMIC(atomicAdd, unsigned long long, old + value)
CROSSDOCK_ATOMIC(atomicAdd, float, old + value)
CROSSDOCK_ATOMIC(atomicAdd, double, old + value)
CROSSDOCK_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
CROSSDOCK_ATOMIC(atomicSub, unsigned, old - value)
CROSSDOCK_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
CROSSDOCK_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef CROSSDOCK_BITWISE
#undef CROSSDOCK_ATOMICS
#undef CROSSDOCK_ATOMIC

#define CROSSDOCK_SWAP(type)                                    \
  inline type atomicExch(type* address, type value) {           \
    type old;                                                   \
    crossdock_on_host::give_way();                              \
    __atomic_exchange(address, &value, &old, __ATOMIC_SEQ_CST); \
    return old;                                                 \
  }
#define CROSSDOCK_CAS(type)                                                                           \
  inline type atomicCAS(type* address, type expected, type value) {                                   \
    crossdock_on_host::give_way();                                                                    \
    __atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                                  \
  }
CROSSDOCK_SWAP(int)
CROSSDOCK_SWAP(unsigned)
CROSSDOCK_SWAP(unsigned long long)
CROSSDOCK_SWAP(float)
CROSSDOCK_CAS(int)
CROSSDOCK_CAS(unsigned)
CROSSDOCK_CAS(unsigned long long)
CROSSDOCK_CAS(unsigned short)
#undef CROSSDOCK_SWAP
#undef CROSSDOCK_CAS

// Bits.

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed = reversed << 1 | (x >> i & 1);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __float_as_int(float x) { return crossdock_on_host::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return crossdock_on_host::same_bits<unsigned>(x); }
inline float __int_as_float(int x) { return crossdock_on_host::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return crossdock_on_host::same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return crossdock_on_host::same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return crossdock_on_host::same_bits<double>(x); }

// Arithmetic that CUDA has without a header, and loads with advice.

#define CROSSDOCK_LESSER(type)                              \
  inline type min(type a, type b) { return b < a ? b : a; } \
  inline type max(type a, type b) { return a < b ? b : a; }
CROSSDOCK_LESSER(int)
CROSSDOCK_LESSER(unsigned)
CROSSDOCK_LESSER(long)
CROSSDOCK_LESSER(unsigned long)
CROSSDOCK_LESSER(long long)
CROSSDOCK_LESSER(unsigned long long)
#undef CROSSDOCK_LESSER
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

#define CROSSDOCK_ROUNDED(name, type, expression) \
  inline type __##name(type a, type b) { return expression; }
CROSSDOCK_ROUNDED(fadd_rn, float, a + b)
CROSSDOCK_ROUNDED(fsub_rn, float, a - b)
CROSSDOCK_ROUNDED(fmul_rn, float, a* b)
CROSSDOCK_ROUNDED(fdiv_rn, float, a / b)
CROSSDOCK_ROUNDED(dadd_rn, double, a + b)
CROSSDOCK_ROUNDED(dsub_rn, double, a - b)
CROSSDOCK_ROUNDED(dmul_rn, double, a* b)
CROSSDOCK_ROUNDED(ddiv_rn, double, a / b)
#undef CROSSDOCK_ROUNDED
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}

long long clock64();
unsigned long long __globaltimer();
