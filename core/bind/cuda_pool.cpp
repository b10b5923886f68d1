// One pool of device memory for the core and another library, either way round.
#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../backends/cuda/borrowed_pool.h"
#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/device.h"
#include "crossdock/runtime/error.h"
#include "gil.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// The other library's functions. Memory that outlives the interpreter stays where it is.
struct PythonPool {
  nb::callable take, give_back;

  ~PythonPool() {
    if (!nb::is_alive()) {
      take.release();
      give_back.release();
      return;
    }
    const Locked locked;
    take.reset();
    give_back.reset();
  }
};

std::byte* take_from(const PythonPool& pool, std::size_t nbytes, int device) {
  const Locked locked;
  try {
    return reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(pool.take(nbytes, device)));
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_MemoryError)) return nullptr;
    throw;
  }
}

void give_back_to(const PythonPool& pool, std::byte* data, std::size_t nbytes, int device) {
  if (!nb::is_alive()) return;
  const Locked locked;
  try {
    pool.give_back(reinterpret_cast<std::uintptr_t>(data), nbytes, device);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("giving device memory back to another library's pool");
  }
}

void borrow_pool(nb::handle take, nb::handle give_back) {
  if (take.is_none() && give_back.is_none()) return cuda::set_borrowed_pool(nullptr);
  auto functions = std::make_shared<PythonPool>();
  if (!nb::try_cast(take, functions->take) || !nb::try_cast(give_back, functions->give_back))
    throw TypeError("_cuda_borrow_pool: takes two functions, or None twice");
  auto pool = std::make_shared<cuda::BorrowedPool>();
  pool->take = [functions](std::size_t nbytes, int device) { return take_from(*functions, nbytes, device); };
  pool->give_back = [functions](std::byte* data, std::size_t nbytes, int device) {
    give_back_to(*functions, data, nbytes, device);
  };
  cuda::set_borrowed_pool(std::move(pool));
}

// What another library has from this one's pool.
struct Lent {
  std::unordered_map<std::uintptr_t, std::pair<Device*, Block>> blocks;
  ForkMutex mutex;
};
Lent& lent() {
  static auto* one = new Lent;
  return *one;
}

std::uintptr_t lend(std::size_t nbytes, int index) {
  if (cuda::borrowed_pool()) throw DeviceError("the core's own memory comes from another library's pool at present");
  Device& device = find_device("cuda:" + std::to_string(index));
  const Unlocked unlocked;
  const Block block = device.allocator().allocate(nbytes, &device.default_stream());
  const auto address = reinterpret_cast<std::uintptr_t>(block.data);
  std::lock_guard lock(lent().mutex);
  lent().blocks.emplace(address, std::pair(&device, block));
  return address;
}

void take_back(std::uintptr_t address, int /*index*/) {
  const Unlocked unlocked;
  std::pair<Device*, Block> found;
  {
    std::lock_guard lock(lent().mutex);
    const auto place = lent().blocks.find(address);
    if (place == lent().blocks.end())
      throw ValueError("_cuda_take_back: the core has not lent " + std::to_string(address));
    found = place->second;
    lent().blocks.erase(place);
  }
  found.first->allocator().release(found.second);
}

}  // namespace

void define_cuda_pool(nb::module_& m) {
  m.def("_cuda_borrow_pool", &borrow_pool, "take"_a.none(), "give_back"_a.none(),
        nb::sig("def _cuda_borrow_pool(take: typing.Callable[[int, int], int] | None, "
                "give_back: typing.Callable[[int, int, int], object] | None) -> None"),
        "Device memory comes from take(nbytes, device) -> address (MemoryError: no room) and goes back by\n"
        "give_back(address, nbytes, device); None twice: from the driver again.");
  m.def("_cuda_lend", &lend, "nbytes"_a, "device"_a, "Memory of cuda:DEVICE from the core's pool: its address.");
  m.def("_cuda_take_back", &take_back, "address"_a, "device"_a, "What _cuda_lend gave.");
}

}  // namespace crossdock::bind
