#include "crossdock/ops/packing.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/thread_pool.h"
#include "staging.h"

namespace crossdock {

namespace {

struct Slot {
  std::int64_t begin, nbytes;
};

struct Slots {
  std::vector<Slot> all;
  std::int64_t nbytes = 0;  // where the last ends

  void add(std::int64_t begin, std::int64_t length) {
    all.push_back({begin, length});
    nbytes = begin + length;
  }
};

// On the device, each where kernels like arrays to begin. ValueError when they are more than a block holds.
Slots aligned(std::span<const std::int64_t> lengths) {
  Slots slots;
  for (auto length : lengths) {
    slots.add((slots.nbytes + kPackAlignment - 1) / kPackAlignment * kPackAlignment, length);
    if (slots.nbytes > static_cast<std::int64_t>(PinnedPool::kChunk) || length < 0)
      throw ValueError("pack: a block of more than " + std::to_string(PinnedPool::kChunk) + " bytes");
  }
  return slots;
}

// On the way there are no gaps: those with the largest elements come first, so that none lies across its own size.
Slots dense(std::span<const std::int64_t> lengths, std::span<const int> itemsizes) {
  Slots slots;
  slots.all.resize(lengths.size());
  for (int size : {16, 8, 4, 2, 1}) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (itemsizes[i] != size) continue;
      slots.all[i] = {slots.nbytes, lengths[i]};
      slots.nbytes += lengths[i];
    }
  }
  return slots;
}

Array part_of(const Array& block, const Slot& slot, Dtype dtype, const Dims& shape) {
  return Array(block.buffer(), block.data() + slot.begin, dtype, shape, contiguous_strides(shape, itemsize(dtype)),
               false);
}

// Runs of bytes between memory of one device, by few kernels.
class Runs {
 public:
  explicit Runs(const Array& to) : to_(to) {}
  void add(const std::byte* from, const Slot& slot) {
    constexpr std::size_t kMost = 128;
    if (!slot.nbytes) return;
    if (launch_.table.empty()) launch_.operands[0].data = const_cast<std::byte*>(from);  // it is only read
    launch_.table.insert(launch_.table.end(), {from - launch_.operands[0].data, slot.nbytes, slot.begin});
    if (launch_.table.size() == 3 * kMost) launch();
  }
  void launch() {
    if (launch_.table.empty()) return;
    launch_.op = Op::pack;
    launch_.dtype = Dtype::uint8;
    launch_.noperands = 2;
    launch_.operands[1].data = to_.data();
    to_.device().launch(std::exchange(launch_, Launch()));
  }

 private:
  const Array& to_;
  Launch launch_;
};

void require_host(const Array& array, const char* op) {
  if (!array.device().is_host())
    throw DeviceError(std::string(op) + ": an array on '" + array.device().spec() + "' is not in host memory",
                      array.device().spec());
}

void require_accelerator(const Device& device, const char* op) {
  if (device.is_host())
    throw DeviceError(std::string(op) + ": '" + device.spec() + "' is no accelerator", device.spec());
}

constexpr std::int64_t kGrain = 2;  // arrays of some kilobytes

void fill(const Array& staged, const Slots& slots, const Parcels& parcels) {
  parallel_for(static_cast<std::int64_t>(parcels.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Parcel& one = parcels[i];
      launch_copy(part_of(staged, slots.all[i], one.dtype, one.from.shape()), one.from);
    }
  });
}

}  // namespace

std::vector<Array> pack_to(Device& device, std::span<const Parcels> blocks) {
  require_accelerator(device, "pack");
  for (const Parcels& parcels : blocks)
    for (const Parcel& one : parcels) require_host(one.from, "pack");
  std::vector<Array> out;
  Stream& stream = device.default_stream();
  Ring ring(device.backend().pinned_pool(), stream);
  std::vector<std::int64_t> lengths;
  std::vector<int> itemsizes;
  for (const Parcels& parcels : blocks) {
    lengths.clear(), itemsizes.clear();
    for (const Parcel& one : parcels) {
      itemsizes.push_back(itemsize(one.dtype));
      lengths.push_back(one.from.size() * itemsizes.back());
    }
    const Slots there = aligned(lengths), way = dense(lengths, itemsizes);
    const Array block = Array::empty({there.nbytes}, Dtype::uint8, device);
    const bool as_it_lies = std::ranges::equal(there.all, way.all, {}, &Slot::begin, &Slot::begin);
    const Array landing = as_it_lies ? block : Array::empty({way.nbytes}, Dtype::uint8, device);
    auto pinned = ring.next(PinnedPool::kChunk);
    fill(view_of(pinned, Dtype::uint8, {way.nbytes}), way, parcels);
    device.upload_staged(landing.data(), pinned, static_cast<std::size_t>(way.nbytes), stream);
    ring.sent(std::move(pinned));
    if (!as_it_lies) {
      Runs runs(block);
      for (std::size_t i = 0; i < parcels.size(); ++i) runs.add(landing.data() + way.all[i].begin, there.all[i]);
      runs.launch();
    }
    for (std::size_t i = 0; i < parcels.size(); ++i)
      out.push_back(part_of(block, there.all[i], parcels[i].dtype, parcels[i].from.shape()));
  }
  return out;
}

namespace {

void require_fitting(const Device& device, const Unpacking& one) {
  require_host(one.to, "unpack");
  one.to.require_writable("unpack");
  if (&one.from.device() != &device)
    throw DeviceError("unpack: an array on '" + one.from.device().spec() + "' is not on '" + device.spec() + "'",
                      device.spec());
  if (one.to.shape() != one.from.shape())
    throw DimensionError("unpack: shapes " + to_string(one.to.shape()) + " and " + to_string(one.from.shape()) +
                         " differ");
}

// Narrower ones travel as what they become.
Dtype travels(const Unpacking& one) {
  return one.to.itemsize() < one.from.itemsize() ? one.to.dtype() : one.from.dtype();
}

// Those that lie in one piece by few kernels, each of the others by its own.
void gather(const Array& block, const Slots& slots, const std::vector<Unpacking>& all) {
  Runs runs(block);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Array& from = all[i].from;
    if (from.dtype() == travels(all[i]) && from.is_c_contiguous())
      runs.add(from.data(), slots.all[i]);
    else
      launch_copy(part_of(block, slots.all[i], travels(all[i]), from.shape()), from);
  }
  runs.launch();
}

struct Arriving {
  std::shared_ptr<const PinnedBlock> pinned;
  Event over;
  Slots slots;
  const std::vector<Unpacking>* all;
};

std::shared_ptr<const PinnedBlock> unload(Arriving arriving) {
  const Array staged = view_of(arriving.pinned, Dtype::uint8, {arriving.slots.nbytes});
  const auto& all = *arriving.all;
  parallel_for(static_cast<std::int64_t>(all.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      launch_copy(all[i].to, part_of(staged, arriving.slots.all[i], travels(all[i]), all[i].to.shape()));
  });
  return std::move(arriving.pinned);
}

}  // namespace

void unpack_from(Device& device, std::span<const std::vector<Unpacking>> blocks) {
  require_accelerator(device, "unpack");
  for (const auto& all : blocks)
    for (const Unpacking& one : all) require_fitting(device, one);
  Stream& stream = device.default_stream();
  PinnedPool& pool = device.backend().pinned_pool();
  std::deque<Arriving> arriving;
  auto unload_one = [&] { return unload(wait_for_first(arriving)); };
  std::vector<std::int64_t> lengths;
  std::vector<int> itemsizes;
  for (const auto& all : blocks) {
    lengths.clear(), itemsizes.clear();
    for (const Unpacking& one : all) {
      itemsizes.push_back(itemsize(travels(one)));
      lengths.push_back(one.from.size() * itemsizes.back());
    }
    aligned(lengths);  // for its bound alone
    Slots slots = dense(lengths, itemsizes);
    const Array block = Array::empty({slots.nbytes}, Dtype::uint8, device);
    gather(block, slots, all);
    std::shared_ptr<const PinnedBlock> pinned;
    if (arriving.empty())
      pinned = pool.take(PinnedPool::kChunk);
    else if (arriving.size() < Ring::kDepth)
      pinned = pool.try_take(PinnedPool::kChunk);
    if (!pinned) pinned = unload_one();
    device.download(pinned->data(), block.data(), static_cast<std::size_t>(slots.nbytes), stream, pinned, false);
    arriving.push_back({std::move(pinned), stream.record(), std::move(slots), &all});
  }
  while (!arriving.empty()) unload_one();
}

}  // namespace crossdock
