// Every allocation of every step may fail: the error comes out, nothing ends the process, and a second try succeeds.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "crossdock/array/indexing.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/fft.h"
#include "crossdock/ops/indexing.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/products.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/ops/selection.h"
#include "crossdock/ops/sets.h"
#include "crossdock/ops/sorting.h"
#include "crossdock/ops/statistics.h"
#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace {

// How many allocations still succeed, over all threads; negative: all.
std::atomic<std::int64_t> allocations_left{-1};

void* allocate(std::size_t nbytes, std::size_t alignment) {
  if (allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0) {
    allocations_left.store(0);  // and all that follow, as when memory is full
    throw std::bad_alloc();
  }
  void* data = alignment ? std::aligned_alloc(alignment, (nbytes + alignment - 1) / alignment * alignment)
                         : std::malloc(nbytes ? nbytes : 1);
  if (!data) throw std::bad_alloc();
  return data;
}

}  // namespace

void* operator new(std::size_t nbytes) { return allocate(nbytes, 0); }
void* operator new[](std::size_t nbytes) { return allocate(nbytes, 0); }
void* operator new(std::size_t nbytes, std::align_val_t alignment) {
  return allocate(nbytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t nbytes, std::align_val_t alignment) {
  return allocate(nbytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t nbytes, const std::nothrow_t&) noexcept { return std::malloc(nbytes ? nbytes : 1); }
void* operator new[](std::size_t nbytes, const std::nothrow_t&) noexcept { return std::malloc(nbytes ? nbytes : 1); }
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete[](void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete[](void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }

namespace crossdock {
namespace {

using Indexes = std::vector<Index>;

class OutOfMemory : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override {
    allocations_left = -1;
    device.synchronize();
  }

  // Tries `act` with ever more memory until it succeeds.
  void starve(const char* what, const std::function<void()>& act) {
    SCOPED_TRACE(what);
    act();  // what is made once is there
    device.synchronize();
    int failures = 0;
    for (std::int64_t memory = 0; memory < 500; ++memory) {
      bool failed = true;
      allocations_left = memory;
      try {
        act();
        device.synchronize();
        failed = allocations_left == 0;  // a failure may have been survived: less cached, fewer threads
        allocations_left = -1;
      } catch (const std::bad_alloc&) {
        allocations_left = -1;
      } catch (const DeviceError&) {  // OutOfMemoryError, or AsyncDeviceError of an accelerator
        allocations_left = -1;
      }
      try {
        device.synchronize();
      } catch (const AsyncDeviceError&) {
      }
      if (!failed) break;
      ++failures;
    }
    EXPECT_GT(failures, 0);  // or nothing was tried
    act();
    device.synchronize();
  }

  Device& device = test::device(GetParam());
};

TEST_P(OutOfMemory, IsAnErrorAndNoMore) {
  const Array a = full({300, 300}, {2.0}, Dtype::float64, device);
  const Array b = full({300, 300}, {std::int64_t{3}}, Dtype::float32, device);
  const Array odd = index(a, Indexes{Slice{0, 300, 2}, Slice{299, -301, -3}});
  const std::vector<Argument> both{&a, &b};
  starve("full", [&] { full({1000, 10}, {1.5}, Dtype::float32, device); });
  starve("arange", [&] { arange({std::int64_t{0}}, {std::int64_t{5000}}, {std::int64_t{1}}, std::nullopt, device); });
  starve("add", [&] { elementwise(Op::add, both); });
  starve("add in place", [&] { elementwise_in_place(Op::add, a, Argument(&a)); });
  starve("copy", [&] { copy(odd); });
  starve("astype", [&] { astype(odd, Dtype::complex64); });
  starve("copy_into", [&] { copy_into(index(a, Indexes{Slice{0, 300, 2}}), index(a, Indexes{Slice{0, 150, 1}})); });
  starve("sum", [&] { reduce(Op::sum, odd, Dims{0}, false); });
  starve("argmax", [&] { arg_reduce(Op::argmax, a, 0, false); });
  starve("mean", [&] { mean(a, std::nullopt, false); });
  starve("matmul", [&] { matmul(a, a); });
  starve("matmul of a view", [&] { matmul(odd, matrix_transpose(odd)); });
  starve("concat", [&] { concat(std::vector<Array>{a, a, a}, 0); });
  starve("reshape", [&] { reshape(matrix_transpose(a), {-1}); });
  starve("where", [&] {
    const Array mask = elementwise(Op::greater, both);
    where(Argument(&mask), Argument(&a), Argument(&b));
  });
  starve("move", [&] { to_device(a, find_device("native:0"), {}); });
  starve("move away", [&] { to_device(a, find_device("sim:1"), {}); });
  starve("pull", [&] {
    std::byte element[16];
    pull(index(a, Indexes{std::int64_t{0}, std::int64_t{0}}), element, "float");
  });
}

TEST_P(OutOfMemory, IsAnErrorOfComposedOperationsToo) {
  const Array line = arange({std::int64_t{0}}, {std::int64_t{20'000}}, {std::int64_t{1}}, Dtype::float64, device);
  const Array a = reshape(line, {100, 200}), odd = index(a, Indexes{Slice{0, 100, 2}, Slice{199, -201, -3}});
  const Array places = arange({std::int64_t{0}}, {std::int64_t{50}}, {std::int64_t{1}}, Dtype::int64, device);
  const std::vector<AnyIndex> rows{ArrayIndex{places}};
  starve("sort", [&] { sort(Op::sort, odd, 0, true); });
  starve("argsort", [&] { sort(Op::argsort, line, 0, false); });
  starve("searchsorted", [&] { searchsorted(line, odd, true, std::nullopt); });
  starve("unique", [&] { unique("unique_all", odd, {true, true, true}); });
  starve("cumulative_sum", [&] { accumulate(Op::cumulative_sum, odd, 1, std::nullopt, true); });
  starve("var", [&] { var(odd, Dims{1}, 1, true); });
  starve("diff", [&] { diff(odd, 0, 2, &odd, nullptr); });
  starve("take", [&] { take(a, places, 0); });
  starve("nonzero", [&] { nonzero(odd); });
  starve("repeat", [&] { repeat(places, places, 0); });
  starve("index by an array", [&] { index(a, rows); });
  starve("assign by an array", [&] { assign(a, rows, Argument(Scalar{1.0})); });
  starve("fft", [&] { fourier(Fourier::fft, astype(odd, Dtype::complex64), 97, 0, FourierNorm::ortho); });
  starve("rfftn", [&] { fourier(Fourier::rfftn, a, std::nullopt, std::nullopt, FourierNorm::backward); });
  starve("tensordot", [&] { tensordot(odd, odd, {0}, {0}); });
  starve("roll", [&] { roll(odd, {3}, std::nullopt); });
  starve("tile", [&] { tile(odd, {2, 1, 2}); });
  starve("tril", [&] { tril(odd, 1); });
}

INSTANTIATE_TEST_SUITE_P(Devices, OutOfMemory, testing::Values("native:0", "sim:0"));

}  // namespace
}  // namespace crossdock
