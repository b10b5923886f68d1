// Launches in parts, and division by multiplication, as elementwise CUDA kernels need them.
#include <cstdint>
#include <set>
#include <vector>

#include "../backends/cuda/launchers/indexed.h"
#include "gtest/gtest.h"

namespace crossdock::cuda {
namespace {

TEST(Divisor, DividesAllNumbersBelow31Bits) {
  std::vector<std::uint32_t> by = {1, 2, 3, 5, 7, 10, 641, 65535, 65536, 65537, 6700417, 0x7ffffffe, 0x7fffffff};
  for (std::uint32_t one = 1; one < 2000; ++one) by.push_back(one);
  for (int shift = 11; shift < 31; ++shift) {
    for (const int off : {-1, 0, 1}) by.push_back((1u << shift) + static_cast<std::uint32_t>(off));
  }
  for (const std::uint32_t one : by) {
    const Divisor divides = divisor(one);
    for (const std::uint64_t multiple : {1ull, 2ull, 3ull, 1000ull, 0x7fffffffull / one}) {
      for (const std::int64_t off : {-1, 0, 1}) {
        const std::int64_t number = static_cast<std::int64_t>(multiple * one) + off;
        if (number < 0 || number > 0x7fffffff) continue;
        const auto narrow = static_cast<std::uint32_t>(number);
        ASSERT_EQ(divide(narrow, divides), narrow / one) << narrow << " / " << one;
      }
    }
    ASSERT_EQ(divide(0x7fffffff, divides), 0x7fffffff / one) << one;
  }
}

Launch launch_over(const Dims& shape, const Dims& strides, std::byte* data) {
  Launch launch;
  launch.shape = shape;
  launch.noperands = 2;
  for (int i = 0; i < 2; ++i) {
    auto& operand = launch.operands[static_cast<std::size_t>(i)];
    operand.data = data;
    operand.dtype = Dtype::uint8;
    operand.strides = strides;
  }
  return launch;
}

// Where the elements of a nest are.
std::multiset<const std::byte*> places(const Nest& nest) {
  std::multiset<const std::byte*> all;
  std::byte* p = nest.pointers[1];
  std::vector<std::int64_t> index(static_cast<std::size_t>(nest.ndim));
  for (std::int64_t i = 0; i < nest.size; ++i) {
    std::int64_t rest = i, offset = 0;
    for (int dim = nest.ndim - 1; dim >= 0; --dim) {
      offset += rest % nest.shape[dim] * nest.strides[dim][1];
      rest /= nest.shape[dim];
    }
    all.insert(p + offset);
  }
  return all;
}

void expect_whole(const Launch& launch, std::int64_t limit) {
  const Nest nest(launch);
  std::multiset<const std::byte*> seen;
  auto visit = [&](const Nest& part) {
    EXPECT_LE(part.size, limit);
    EXPECT_LE(part.ndim, kMaxKernelNdim);
    EXPECT_GE(part.ndim, 1);
    seen.merge(places(part));
  };
  for_parts(nest, limit, visit);
  EXPECT_EQ(seen, places(nest)) << limit;
}

TEST(Parts, CoverEachElementOnce) {
  std::vector<std::byte> memory(100000);
  for (const std::int64_t limit : {1, 2, 7, 30, 64, 1000, 100000}) {
    expect_whole(launch_over({5, 6, 7}, {500, 70, 3}, memory.data()), limit);
    expect_whole(launch_over({1001}, {3}, memory.data()), limit);
    expect_whole(launch_over({}, {}, memory.data()), limit);
    expect_whole(launch_over({0, 3}, {3, 1}, memory.data()), limit);
  }
}

TEST(Parts, HaveNoMoreDimensionsThanKernelsTake) {
  std::vector<std::byte> memory(64);
  Dims shape, strides;
  for (int dim = 0; dim < kMaxKernelNdim + 3; ++dim) {  // two elements along each, most of them the same
    shape.push_back(2);
    strides.push_back(0);
  }
  Launch launch = launch_over(shape, strides, memory.data());
  for (int dim = 0; dim < shape.size(); ++dim) launch.operands[0].strides[dim] = dim % 2 ? 5 : 3;  // nothing merges
  int parts = 0;
  std::int64_t elements = 0;
  auto visit = [&](const Nest& part) {
    ++parts;
    elements += part.size;
    EXPECT_EQ(part.ndim, kMaxKernelNdim);
  };
  for_parts(Nest(launch), kMaxIndexedSize, visit);
  EXPECT_EQ(parts, 8);
  EXPECT_EQ(elements, std::int64_t{1} << (kMaxKernelNdim + 3));
}

}  // namespace
}  // namespace crossdock::cuda
