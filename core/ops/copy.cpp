#include "crossdock/ops/copy.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/transfer_hook.h"
#include "staging.h"

namespace crossdock {

namespace {

bool same_memory(const Device& a, const Device& b) { return &a == &b || a.physical() == b.physical(); }

void copy_within(const Array& target, const Array& source) {
  // Same elements in the same order may be read and written by one kernel; any other overlap goes through a copy.
  const bool same_elements =
      target.data() == source.data() && target.strides() == source.strides() && target.itemsize() == source.itemsize();
  if (same_elements && target.dtype() == source.dtype()) return;
  if (may_overlap(target, source)) {
    launch_copy(target, copy(source));
  } else {
    launch_copy(target, source);
  }
}

Array ready_to_move(const Array& array, Dtype dtype) {
  return array.dtype() == dtype ? contiguous(array) : astype(array, dtype);
}

// Whether the bytes cross by one copy: they lie as they shall, and no chunk is needed to fill meanwhile.
bool crosses_at_once(const Array& target, const Array& source, bool pinned) {
  return target.dtype() == source.dtype() && target.is_c_contiguous() && source.is_c_contiguous() &&
         (pinned || source.nbytes() <= static_cast<std::int64_t>(PinnedPool::kChunk));
}

void upload(const Array& target, const Array& source, Dtype travels, bool blocking) {
  Device& to = target.device();
  const auto nbytes = static_cast<std::size_t>(source.nbytes());
  const bool pinned = !blocking || to.backend().pinned_pool().holds(source.data(), nbytes);
  if (crosses_at_once(target, source, pinned))
    to.upload(target.data(), source.data(), nbytes, to.default_stream(), source.buffer(), blocking);
  else
    upload_staged(target, source, travels);
}

void download(const Array& target, const Array& source, Dtype travels) {
  Device& from = source.device();
  const auto nbytes = static_cast<std::size_t>(source.nbytes());
  if (crosses_at_once(target, source, from.backend().pinned_pool().holds(target.data(), nbytes)))
    from.download(target.data(), source.data(), nbytes, from.default_stream(), target.buffer(), true);
  else
    download_staged(target, source, travels);
}

void move_between_accelerators(const Array& target, const Array& source, Dtype travels) {
  const Array packed = ready_to_move(source, travels);
  const bool lands = target.dtype() == travels && target.is_c_contiguous();
  const Array landed = lands ? target : Array::empty(packed.shape(), travels, target.device());
  Device& to = target.device();
  if (&to.backend() == &source.device().backend())
    to.copy_from(landed.data(), packed.device(), packed.data(), static_cast<std::size_t>(packed.nbytes()),
                 to.default_stream());
  else
    move_through_host(landed, packed);
  if (!lands) launch_copy(target, landed);
}

// Of one shape, not empty, in different memories.
void move(const Array& target, const Array& source, Dtype travels, bool blocking) {
  if (source.device().is_host()) return upload(target, source, travels, blocking);
  if (target.device().is_host()) return download(target, source, travels);
  move_between_accelerators(target, source, travels);
}

bool through_host(const Device& from, const Device& to) {
  return !from.is_host() && !to.is_host() && &from.backend() != &to.backend();
}

constexpr const char* kHost = "@numpy";  // where accelerators of different kinds meet, and where pulled scalars go

const char* route_of(const Array& target, const Array& source, bool blocking) {
  if (!source.device().is_host() && !target.device().is_host())
    return through_host(source.device(), target.device()) ? "staged" : "peer copy";
  const bool up = source.device().is_host();
  const PinnedPool& pool = (up ? target : source).device().backend().pinned_pool();
  const Array& host = up ? source : target;
  const bool pinned = pool.holds(host.data(), static_cast<std::size_t>(host.nbytes()));
  if (!crosses_at_once(target, source, pinned || (up && !blocking))) return "staged";
  return pinned ? "direct" : "copy";
}

void copy_between(const Array& target, const Array& source, const TransferLabel& label) {
  // The narrower dtype travels; source has its own shape here, so that a broadcast travels once.
  const bool narrow_first = target.itemsize() < source.itemsize();
  const Dtype travels = narrow_first ? target.dtype() : source.dtype();
  const bool spreads = target.shape() != source.shape();
  const Array landed = spreads ? Array::empty(source.shape(), travels, target.device()) : target;
  const bool stops = through_host(source.device(), target.device());
  const auto leg = [&](bool first, bool last) {
    std::string from = first ? label.source : kHost, to = last ? label.target : kHost;
    if (from.empty()) from = source.device().spec();
    if (to.empty()) to = target.device().spec();
    const char* route = route_of(landed, source, label.blocking);
    return Transfer{label.op, source.size() * itemsize(travels), std::move(from), std::move(to), label.implicit, false,
                    route};
  };
  {
    const TransferReport report([&] { return leg(true, !stops); });
    std::optional<TransferReport> onward;
    if (stops) onward.emplace([&] { return leg(false, true); });
    move(landed, source, travels, label.blocking);
  }
  if (spreads) launch_copy(target, landed.broadcast_to(target.shape()));
}

}  // namespace

void launch_copy(const Array& target, const Array& source) {
  if (target.size() == 0) return;
  Launch launch;
  launch.op = Op::copy;
  launch.dtype = source.dtype();
  launch.noperands = 2;
  const bool flat = target.is_c_contiguous() && source.is_c_contiguous();
  launch.shape = flat ? Dims{target.size()} : target.shape();
  const auto place = [&](Operand& operand, const Array& array) {
    operand.data = array.data();
    operand.dtype = array.dtype();
    operand.strides = flat ? Dims{array.itemsize()} : array.strides();
  };
  place(launch.operands[0], source);
  place(launch.operands[1], target);
  target.device().launch(std::move(launch));
}

Array copy(const Array& array) { return astype(array, array.dtype()); }

Array astype(const Array& array, Dtype dtype) {
  Array out = Array::empty(array.shape(), dtype, array.device());
  launch_copy(out, array);
  return out;
}

Array contiguous(const Array& array) { return array.is_c_contiguous() ? array : copy(array); }

Array without_leading_ones(const Array& source, int ndim) {
  Dims shape = source.shape(), strides = source.strides();
  while (shape.size() > ndim && shape[0] == 1) {
    shape.erase(0);
    strides.erase(0);
  }
  return source.view(std::move(shape), std::move(strides));
}

void copy_into(const Array& target, const Array& source, const TransferLabel& label) {
  target.require_writable(label.op);
  const Array fitting = without_leading_ones(source, target.ndim());
  const Array spread = fitting.broadcast_to(target.shape());
  if (target.size() == 0) return;
  if (same_memory(target.device(), source.device())) {
    copy_within(target, spread);
  } else {
    copy_between(target, fitting, label);
  }
}

Array to_device(const Array& array, Device& device, const TransferLabel& label) {
  if (&array.device() == &device) return array;
  if (same_memory(array.device(), device)) {
    auto buffer = Buffer::borrow(device, array.buffer()->data(), array.buffer()->nbytes(), [keep = array.buffer()] {});
    return Array(std::move(buffer), array.data(), array.dtype(), array.shape(), array.strides(), array.readonly());
  }
  Array out = Array::empty(array.shape(), array.dtype(), device);
  copy_into(out, array, label);
  return out;
}

void pull(const Array& array, std::byte* out, const char* op) {
  if (array.size() != 1) {
    throw TypeError(std::string(op) + ": only an array of size 1 is a scalar, this one has shape " +
                    to_string(array.shape()));
  }
  const bool host = array.device().is_host();
  const TransferReport report(
      [&] { return Transfer{op, host ? 0 : array.itemsize(), array.device().spec(), kHost, true, host, "copy"}; });
  const auto nbytes = static_cast<std::size_t>(array.itemsize());
  if (host) {
    std::memcpy(out, array.data(), nbytes);
  } else {
    array.device().download(out, array.data(), nbytes, array.device().default_stream(), nullptr, true);
  }
}

}  // namespace crossdock
