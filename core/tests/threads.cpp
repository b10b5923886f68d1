// Many threads at the array core at once.
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arrays.h"
#include "crossdock/array/dlpack.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/products.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/transfer_hook.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

double value_of(const Array& array) {
  alignas(16) std::byte element[16];
  pull(array, element, "float");
  return std::get<double>(load(element, array.dtype()).value);
}

// Something of everything, on one device, with results that can be told.
void work(Device& device, std::int64_t size) {
  const Array ones = full({size}, {1.0}, Dtype::float32, device);
  const Array twos = elementwise(Op::add, std::array<Argument, 2>{&ones, &ones});
  const Array cube = reshape(full({size * 8}, {0.5}, Dtype::float32, device), {8, size});
  elementwise_in_place(Op::multiply, twos, &ones);
  const Array dots = matmul(cube, twos);
  const Array total = reduce(Op::sum, astype(dots, Dtype::float64), {}, false);
  if (value_of(total) != 8 * static_cast<double>(size)) throw std::logic_error("a wrong sum on " + device.spec());
  const Array host = to_device(dots, test::device("native:0"));
  const Array back = to_device(host, device);
  const Array imported = dlpack::import_versioned(dlpack::export_versioned(transpose(cube), false));
  copy_into(imported.view({size, 8}, imported.strides()), full({}, {3.0}, Dtype::float32, device));
  const Array parts = concat(std::vector<Array>{back, ones, twos}, 0);
  const double want = 8 * static_cast<double>(size) + 3 * static_cast<double>(size);
  if (value_of(astype(reduce(Op::sum, parts, {}, false), Dtype::float64)) != want)
    throw std::logic_error("a wrong sum of parts on " + device.spec());
}

// Runs all at once, each `rounds` times; the first error of any.
void at_once(int rounds, const std::vector<std::function<void(int)>>& bodies) {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        for (int round = 0; round < rounds; ++round) bodies[i](round);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

TEST(Threads, WorkOnAllDevicesWhileTheHookComesAndGoes) {
  std::atomic<int> calls{0};
  std::vector<std::function<void(int)>> bodies;
  for (const char* spec : {"native:0", "native:1", "sim:0", "sim:0"}) {
    Device& device = test::device(spec);
    bodies.push_back([&device](int round) { work(device, 1 + round % 4 * 500); });
  }
  bodies.push_back([&](int round) {
    set_transfer_hook(round % 2 ? TransferHook([&](const Transfer&) { ++calls; }) : TransferHook());
  });
  at_once(40, bodies);
  set_transfer_hook({});
}

TEST(Threads, ShareArrays) {
  Device &native = test::device("native:0"), &sim = test::device("sim:0");
  const Array here = test::count<float>(native, {64, 64}), there = test::count<float>(sim, {64, 64});
  const std::int64_t before = native.memory_info().used + sim.memory_info().used;
  std::vector<std::function<void(int)>> bodies;
  for (int i = 0; i < 4; ++i) {
    bodies.push_back([&, i](int) {
      const Array& array = i % 2 ? here : there;
      const Array sum = reduce(Op::sum, astype(transpose(array), Dtype::float64), {}, false);
      if (value_of(sum) != 4096.0 * 4095 / 2) throw std::logic_error("a wrong sum");
      copy_into(Array::empty({64, 64}, Dtype::float64, i < 2 ? native : sim), array);
    });
  }
  at_once(40, bodies);
  sim.synchronize();
  EXPECT_EQ(native.memory_info().used + sim.memory_info().used, before);
}

TEST(Threads, TheLastViewMayDieAnywhere) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const std::int64_t before = device.memory_info().used;
    std::vector<Array> views(4, Array::empty({100}, Dtype::float64, device));
    std::vector<std::function<void(int)>> bodies;
    for (int i = 0; i < 4; ++i) {
      bodies.push_back([&, i](int) {
        Array& view = views[static_cast<std::size_t>(i)];
        view = flip(view, std::nullopt);
        Array other = Array::empty({10}, Dtype::int8, device);
        view = elementwise(Op::negative, std::array<Argument, 1>{&view});
      });
    }
    at_once(100, bodies);
    views.clear();
    EXPECT_EQ(device.memory_info().used, before);
  }
}

TEST(Threads, AHookThatRefusesStopsNobodyElse) {
  std::vector<std::function<void(int)>> bodies;
  std::atomic<int> refused{0};
  set_transfer_hook([](const Transfer& t) {
    if (t.target == "sim:1") throw ValueError("not there");
  });
  for (int i = 0; i < 4; ++i) {
    bodies.push_back([&, i](int) {
      const Array array = test::count(test::device("native:0"), {50});
      try {
        to_device(array, test::device(i % 2 ? "sim:0" : "sim:1"));
      } catch (const ValueError&) {
        ++refused;
      }
    });
  }
  at_once(50, bodies);
  set_transfer_hook({});
  EXPECT_EQ(refused, 100);
}

}  // namespace
}  // namespace crossdock
