#include "crossdock/ops/packing.h"

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

// One behind the other. ValueError when they are more than a block holds.
struct Slots {
  std::vector<Slot> all;
  std::int64_t nbytes = 0;

  void add(std::int64_t length) {
    const std::int64_t begin = (nbytes + kPackAlignment - 1) / kPackAlignment * kPackAlignment;
    if (length > static_cast<std::int64_t>(PinnedPool::kChunk) - begin)
      throw ValueError("pack: a block of more than " + std::to_string(PinnedPool::kChunk) + " bytes");
    all.push_back({begin, length});
    nbytes = begin + length;
  }
};

Array part_of(const Array& block, const Slot& slot, Dtype dtype, const Dims& shape) {
  return Array(block.buffer(), block.data() + slot.begin, dtype, shape, contiguous_strides(shape, itemsize(dtype)),
               false);
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
  std::vector<Array> out;
  Stream& stream = device.default_stream();
  Ring ring(device.backend().pinned_pool(), stream);
  for (const Parcels& parcels : blocks) {
    Slots slots;
    for (const Parcel& one : parcels) slots.add(one.from.size() * itemsize(one.dtype));
    const Array block = Array::empty({slots.nbytes}, Dtype::uint8, device);
    auto pinned = ring.next(PinnedPool::kChunk);
    fill(view_of(pinned, Dtype::uint8, {slots.nbytes}), slots, parcels);
    device.upload_staged(block.data(), pinned, static_cast<std::size_t>(slots.nbytes), stream);
    ring.sent(std::move(pinned));
    for (std::size_t i = 0; i < parcels.size(); ++i)
      out.push_back(part_of(block, slots.all[i], parcels[i].dtype, parcels[i].from.shape()));
  }
  return out;
}

namespace {

// Narrower ones travel as what they become.
Dtype travels(const Unpacking& one) {
  return one.to.itemsize() < one.from.itemsize() ? one.to.dtype() : one.from.dtype();
}

// Those that lie in one piece by few kernels, each of the others by its own.
void gather(const Array& block, const Slots& slots, const std::vector<Unpacking>& all) {
  constexpr std::size_t kRuns = 128;
  const Array* base = nullptr;
  Launch launch;
  auto flush = [&] {
    if (!base) return;
    launch.op = Op::pack;
    launch.dtype = Dtype::uint8;
    launch.noperands = 2;
    launch.operands[0].data = base->data();
    launch.operands[1].data = block.data();
    block.device().launch(std::exchange(launch, Launch()));
    base = nullptr;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Array& from = all[i].from;
    if (from.dtype() != travels(all[i]) || !from.is_c_contiguous()) {
      launch_copy(part_of(block, slots.all[i], travels(all[i]), from.shape()), from);
      continue;
    }
    if (!base) base = &from;
    launch.table.insert(launch.table.end(), {from.data() - base->data(), slots.all[i].nbytes, slots.all[i].begin});
    if (launch.table.size() == 3 * kRuns) flush();
  }
  flush();
}

struct Arriving {
  std::shared_ptr<const PinnedBlock> pinned;
  Event over;
  Slots slots;
  const std::vector<Unpacking>* all;
};

std::shared_ptr<const PinnedBlock> unload(Arriving arriving) {
  arriving.over.synchronize();
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
  Stream& stream = device.default_stream();
  PinnedPool& pool = device.backend().pinned_pool();
  std::deque<Arriving> arriving;
  auto unload_one = [&] {
    Arriving first = std::move(arriving.front());
    arriving.pop_front();
    return unload(std::move(first));
  };
  for (const auto& all : blocks) {
    Slots slots;
    for (const Unpacking& one : all) slots.add(one.from.size() * itemsize(travels(one)));
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
