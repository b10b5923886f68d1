#include "staging.h"

#include <utility>

namespace crossdock {

namespace {

// Parts of an array that are no larger than a chunk and lie one behind the other in C order.
class Pieces {
 public:
  Pieces(const Dims& shape, int itemsize, std::size_t most) : shape_(shape) {
    std::int64_t nbytes = itemsize;
    for (axis_ = shape.size(); axis_ > 0 && nbytes * shape[axis_ - 1] <= static_cast<std::int64_t>(most); --axis_)
      nbytes *= shape[axis_ - 1];
    if (axis_ == 0) {
      nbytes_ = nbytes;
      return;
    }
    --axis_;
    const std::int64_t extent = shape[axis_];
    rows_ = std::max<std::int64_t>(static_cast<std::int64_t>(most) / nbytes, 1);
    const std::int64_t parts = (extent - 1) / rows_ + 1;
    rows_ = (extent - 1) / parts + 1;  // of nearly one size
    nbytes_ = rows_ * nbytes;
    split_ = true;
  }

  std::size_t nbytes() const noexcept { return static_cast<std::size_t>(nbytes_); }  // of the largest

  // Calls visit(shape, start) for each, in C order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    Dims start(shape_.size()), shape = shape_;
    if (!split_) return visit(shape, start);
    for (int dim = 0; dim < axis_; ++dim) shape[dim] = 1;
    for (;;) {
      for (start[axis_] = 0; start[axis_] < shape_[axis_]; start[axis_] += rows_) {
        shape[axis_] = std::min(rows_, shape_[axis_] - start[axis_]);
        visit(shape, start);
      }
      start[axis_] = 0;
      int dim = axis_ - 1;
      for (; dim >= 0 && ++start[dim] == shape_[dim]; --dim) start[dim] = 0;
      if (dim < 0) return;
    }
  }

 private:
  Dims shape_;
  int axis_ = 0;
  bool split_ = false;
  std::int64_t rows_ = 0, nbytes_ = 0;
};

Array part_of(const Array& array, const Dims& shape, const Dims& start) {
  std::int64_t offset = 0;
  for (int dim = 0; dim < start.size(); ++dim) offset += start[dim] * array.strides()[dim];
  return array.view(shape, array.strides(), offset);
}

Array flat(const Array& array) { return array.view({array.size()}, {array.itemsize()}); }

// Both as one dimension where that loses nothing.
std::pair<Array, Array> simplest(const Array& a, const Array& b) {
  return a.is_c_contiguous() && b.is_c_contiguous() ? std::pair(flat(a), flat(b)) : std::pair(a, b);
}

// On the accelerator's side, where a piece cannot cross as it lies: one for all, as the stream keeps order.
class Landing {
 public:
  Landing(const Array& side, Dtype travels, std::size_t nbytes) : travels_(travels) {
    if (!side.is_c_contiguous() || side.dtype() != travels)
      memory_.emplace(Array::empty({static_cast<std::int64_t>(nbytes)}, Dtype::uint8, side.device()));
  }
  Array place_for(const Array& part) const {
    if (!memory_) return part;
    return Array(memory_->buffer(), memory_->data(), travels_, part.shape(),
                 contiguous_strides(part.shape(), itemsize(travels_)), false);
  }
  bool needed() const noexcept { return memory_.has_value(); }

 private:
  Dtype travels_;
  std::optional<Array> memory_;
};

}  // namespace

std::shared_ptr<const PinnedBlock> Ring::next(std::size_t nbytes) {
  std::shared_ptr<const PinnedBlock> block;
  if (under_way_.empty()) return pool_.take(nbytes);
  if (under_way_.size() < kDepth && (block = pool_.try_take(nbytes))) return block;
  return wait_for_first(under_way_).block;
}

void Ring::sent(std::shared_ptr<const PinnedBlock> block) {
  under_way_.push_back({std::move(block), stream_.record()});
}

Array view_of(const std::shared_ptr<const PinnedBlock>& block, Dtype dtype, const Dims& shape) {
  static Device& host = find_device("native:0");
  auto buffer = Buffer::borrow(host, block->data(), block->nbytes(), [block] {});
  return Array(std::move(buffer), block->data(), dtype, shape, contiguous_strides(shape, itemsize(dtype)), false);
}

void upload_staged(const Array& target, const Array& source, Dtype travels) {
  Device& device = target.device();
  Stream& stream = device.default_stream();
  const auto [to, from] = simplest(target, source);
  const Pieces pieces(to.shape(), itemsize(travels), Ring::chunk_nbytes(to.size() * itemsize(travels)));
  const Landing landing(to, travels, pieces.nbytes());
  Ring ring(device.backend().pinned_pool(), stream);
  pieces.for_each([&](const Dims& shape, const Dims& start) {
    auto block = ring.next(pieces.nbytes());
    const Array staged = view_of(block, travels, shape);
    launch_copy(staged, part_of(from, shape, start));
    const Array part = part_of(to, shape, start), landed = landing.place_for(part);
    device.upload_staged(landed.data(), block, static_cast<std::size_t>(staged.nbytes()), stream);
    ring.sent(std::move(block));
    if (landing.needed()) launch_copy(part, landed);
  });
}

namespace {

struct Arriving {
  std::shared_ptr<const PinnedBlock> block;
  Event over;
  Dims shape, start;
};

}  // namespace

void download_staged(const Array& target, const Array& source, Dtype travels) {
  Device& device = source.device();
  Stream& stream = device.default_stream();
  PinnedPool& pool = device.backend().pinned_pool();
  const auto [to, from] = simplest(target, source);
  const Pieces pieces(to.shape(), itemsize(travels), Ring::chunk_nbytes(to.size() * itemsize(travels)));
  const Landing landing(from, travels, pieces.nbytes());
  std::deque<Arriving> arriving;
  auto unload_one = [&] {
    Arriving first = wait_for_first(arriving);
    launch_copy(part_of(to, first.shape, first.start), view_of(first.block, travels, first.shape));
    return std::move(first.block);
  };
  pieces.for_each([&](const Dims& shape, const Dims& start) {
    std::shared_ptr<const PinnedBlock> block;
    if (arriving.empty()) {
      block = pool.take(pieces.nbytes());
    } else if (arriving.size() < Ring::kDepth) {
      block = pool.try_take(pieces.nbytes());
    }
    if (!block) block = unload_one();
    const Array part = part_of(from, shape, start), ready = landing.place_for(part);
    if (landing.needed()) launch_copy(ready, part);
    device.download(block->data(), ready.data(), static_cast<std::size_t>(ready.nbytes()), stream, block, false);
    arriving.push_back({std::move(block), stream.record(), shape, start});
  });
  while (!arriving.empty()) unload_one();
}

void move_through_host(const Array& target, const Array& source) {
  Device &from = source.device(), &to = target.device();
  const Array there = flat(target), here = flat(source);
  const Pieces pieces(here.shape(), here.itemsize(), Ring::chunk_nbytes(here.nbytes()));
  Ring ring(to.backend().pinned_pool(), to.default_stream());
  pieces.for_each([&](const Dims& shape, const Dims& start) {
    auto block = ring.next(pieces.nbytes());
    const Array part = part_of(here, shape, start);
    const auto nbytes = static_cast<std::size_t>(part.nbytes());
    from.download(block->data(), part.data(), nbytes, from.default_stream(), block, true);
    to.upload_staged(part_of(there, shape, start).data(), block, nbytes, to.default_stream());
    ring.sent(std::move(block));
  });
}

}  // namespace crossdock
