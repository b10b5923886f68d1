#include "crossdock/ops/copy.h"

#include <cstring>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/transfer_hook.h"

namespace crossdock {

namespace {

bool same_memory(const Device& a, const Device& b) { return &a == &b || a.physical() == b.physical(); }

// Within one memory; `source` already has target's shape, and they do not overlap.
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

// Contiguous, same dtype, same number of bytes, different memories.
void move_bytes(const Array& target, const Array& source, bool blocking) {
  const auto nbytes = static_cast<std::size_t>(source.nbytes());
  if (nbytes == 0) return;
  Device& to = target.device();
  Device& from = source.device();
  if (from.is_host()) {
    to.upload(target.data(), source.data(), nbytes, to.default_stream(), source.buffer(), blocking);
  } else if (to.is_host()) {
    from.download(target.data(), source.data(), nbytes, from.default_stream(), target.buffer(), true);
  } else if (&to.backend() == &from.backend()) {
    to.copy_from(target.data(), from, source.data(), nbytes, to.default_stream());
  } else {  // two kinds of accelerator meet in host memory
    const Array staged = Array::empty(source.shape(), source.dtype(), find_device("native:0"));
    from.download(staged.data(), source.data(), nbytes, from.default_stream(), staged.buffer(), true);
    to.upload(target.data(), staged.data(), nbytes, to.default_stream(), staged.buffer(), true);
  }
}

void copy_between(const Array& target, const Array& source, const TransferLabel& label) {
  // The narrower dtype travels; source has its own shape here, so that a broadcast travels once.
  const bool narrow_first = target.itemsize() < source.itemsize();
  const Dtype travels = narrow_first ? target.dtype() : source.dtype();
  report_transfer([&] {
    return Transfer{label.op,
                    source.size() * itemsize(travels),
                    label.source.empty() ? source.device().spec() : label.source,
                    label.target.empty() ? target.device().spec() : label.target,
                    label.implicit,
                    false};
  });
  const Array packed = ready_to_move(source, travels);
  // A source that had to be packed is ours and held; a caller's own is waited for unless told otherwise.
  const bool blocking = label.blocking && packed.data() == source.data();
  if (target.dtype() == travels && target.is_c_contiguous() && target.shape() == packed.shape()) {
    move_bytes(target, packed, blocking);
    return;
  }
  const Array landed = Array::empty(packed.shape(), travels, target.device());
  move_bytes(landed, packed, blocking);
  launch_copy(target, landed.broadcast_to(target.shape()));
}

}  // namespace

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
  report_transfer(
      [&] { return Transfer{op, host ? 0 : array.itemsize(), array.device().spec(), "@numpy", true, host}; });
  const auto nbytes = static_cast<std::size_t>(array.itemsize());
  if (host) {
    std::memcpy(out, array.data(), nbytes);
  } else {
    array.device().download(out, array.data(), nbytes, array.device().default_stream(), nullptr, true);
  }
}

}  // namespace crossdock
