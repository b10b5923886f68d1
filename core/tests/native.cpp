#include "crossdock/backends/native.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(Native, CountsMemoryPerDevice) {
  Device &first = test::device("native:0"), &second = test::device("native:1");
  std::int64_t before = second.memory_info().used;
  std::int64_t before_first = first.memory_info().used;
  test::Held block(second, 12345);
  EXPECT_EQ(second.memory_info().used, before + 12345);
  EXPECT_EQ(first.memory_info().used, before_first);
  EXPECT_GT(first.memory_info().total, 0);
  EXPECT_GT(first.memory_info().free, 0);
  EXPECT_LE(first.memory_info().free, first.memory_info().total);
}

TEST(Native, RunsWorkAtOnce) {
  Stream& stream = test::device("native:0").default_stream();
  int value = 0;
  stream.enqueue("set", [&] { value = 1; });
  EXPECT_EQ(value, 1);
  EXPECT_TRUE(stream.record().done());
  stream.wait(stream.record());
  EXPECT_THROW(stream.enqueue("break", [] { throw std::runtime_error("now"); }), std::runtime_error);
  stream.synchronize();
}

TEST(Native, CopiesSmallLargeAndOverlapping) {
  Device& native = test::device("native:0");
  Stream& stream = native.default_stream();
  for (std::size_t nbytes : {0, 1, 1000, 5'000'001}) {
    std::vector<std::byte> from(nbytes), to(nbytes);
    for (std::size_t i = 0; i < nbytes; ++i) from[i] = static_cast<std::byte>(i * 31);
    native.copy_from(to.data(), test::device("native:1"), from.data(), nbytes, stream);
    EXPECT_EQ(to, from);
  }
  std::vector<std::byte> bytes(2'000'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31);
  auto want = bytes;
  std::memmove(want.data() + 3, want.data(), want.size() - 3);
  native.upload(bytes.data() + 3, bytes.data(), bytes.size() - 3, stream, nullptr, true);
  EXPECT_EQ(bytes, want);
}

TEST(Native, SaysWhenThereIsNoRoom) {
  Device& native = test::device("native:0");
  EXPECT_THROW(native.allocator().allocate(std::size_t{1} << 46, nullptr), OutOfMemoryError);
  EXPECT_THROW(native.allocator().allocate(SIZE_MAX - 64, nullptr), OutOfMemoryError);
}

}  // namespace
}  // namespace crossdock
