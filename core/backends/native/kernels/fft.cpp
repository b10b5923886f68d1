#include "fft.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "crossdock/runtime/thread_pool.h"
#include "fft_cache.h"
#include "fft_lanes.h"
#include "fft_roots.h"
#include "fft_row.h"

namespace crossdock::native {

namespace {

// Powers 0 .. n / 4 of the root of unity of n, for real numbers of even length n.
template <class T>
class RealTwiddles {
 public:
  explicit RealTwiddles(std::int64_t n) : n_(n) {
    const UnitRoots roots(n);
    for (std::int64_t k = 0; k <= n / 4; ++k) {
      twiddles_.push_back(static_cast<T>(roots(k).real()));
      twiddles_.push_back(static_cast<T>(roots(k).imag()));
    }
  }
  std::int64_t length() const noexcept { return n_; }
  std::int64_t nbytes() const noexcept { return static_cast<std::int64_t>(twiddles_.size() * sizeof(T)); }
  const T* data() const noexcept { return twiddles_.data(); }

 private:
  std::int64_t n_;
  std::vector<T> twiddles_;
};

// A transform along the last dimension of a launch. Rows go side by side through columns, or one by one.
template <class T>
class Transform {
 public:
  explicit Transform(const Launch& launch)
      : rows_(launch, 0, launch.shape.size() - 1, 0, 2),
        n_(launch.shape[launch.shape.size() - 1]),
        in_step_(stride(launch.operands[0], launch.shape.size() - 1)),
        out_step_(stride(launch.operands[1], launch.shape.size() - 1)),
        scale_(static_cast<T>(launch.scalars[0])),
        real_in_(launch.op == Op::rfft),
        real_out_(launch.op == Op::irfft),
        inverse_(real_out_ || (!real_in_ && launch.integers[0] == 1)),
        halved_((real_in_ || real_out_) && n_ % 2 == 0),
        length_(halved_ ? n_ / 2 : n_),
        in_count_(real_out_ ? n_ / 2 + 1 : n_),
        out_count_(real_in_ ? n_ / 2 + 1 : n_) {
    if (halved_) twiddles_ = cached_plan<RealTwiddles<T>>(n_);
  }

  void run() {
    if (rows_.size == 0 || n_ == 0) return;
    if (side_by_side())
      run_columns();
    else
      run_rows();
  }

 private:
  static constexpr int kLanes = kFourierLanes<T>;
  static constexpr std::int64_t kElement = 2 * kLanes;
  static constexpr std::int64_t kTask = 16 * 1024;  // elements worth a thread's while

  bool side_by_side() const noexcept {
    if (rows_.size == 1) return false;
    if (length_ <= 24) return true;
    const bool together = in_step_ == in_itemsize() && out_step_ == out_itemsize();
    return together ? rows_.size >= kLanes / 2 && length_ < 512 : length_ <= 16 * 1024;
  }
  std::int64_t in_itemsize() const noexcept { return static_cast<std::int64_t>(real_in_ ? sizeof(T) : 2 * sizeof(T)); }
  std::int64_t out_itemsize() const noexcept {
    return static_cast<std::int64_t>(real_out_ ? sizeof(T) : 2 * sizeof(T));
  }

  void run_columns() const {
    const auto plan = cached_plan<ColumnPlan<T>>(length_);
    const std::int64_t size = std::max(plan->room(), length_ + 1) * kElement;
    const std::int64_t blocks = (rows_.size + kLanes - 1) / kLanes;
    parallel_for(blocks, 1 + kTask / (length_ * kLanes), [&](std::int64_t begin, std::int64_t end) {
      const FourierBuffer<T> buffer(2 * size);
      RowWalk walk(rows_, begin * kLanes);
      for (std::int64_t block = begin; block < end; ++block) {
        const Lanes<T> lanes(walk, rows_.size - block * kLanes);
        run_column(*plan, lanes, buffer.data(), buffer.data() + size);
      }
    });
  }

  void run_column(const ColumnPlan<T>& plan, const Lanes<T>& lanes, T* x, T* y) const {
    const FourierLoops<T>& loops = fourier_loops<T>();
    gather(lanes.in, lanes.count, in_step_, real_in_, x, real_in_ && halved_ ? kLanes : kElement, in_count_);
    if (real_in_ && !halved_) {
      for (std::int64_t i = 0; i < n_; ++i) std::fill_n(x + i * kElement + kLanes, kLanes, T{0});
    }
    if (real_out_ && halved_) loops.tangle_column(x, twiddles_->data(), length_);
    if (real_out_ && !halved_) mirror_column(x);
    const std::int64_t exchange = inverse_ ? kLanes : 0;
    T* done = plan.run(x + exchange, y + exchange, inverse_ ? -kLanes : kLanes) - exchange;
    if (real_in_ && halved_) loops.untangle_column(done, twiddles_->data(), length_);
    scatter(done, real_out_ && halved_ ? kLanes : kElement, lanes.out, lanes.count, out_step_, real_out_, out_count_,
            scale_);
  }

  // The other half, which is the conjugate of the first one backwards.
  void mirror_column(T* x) const {
    std::fill_n(x + kLanes, kLanes, T{0});
    for (std::int64_t k = 1; k <= n_ / 2; ++k) {
      const T* from = x + k * kElement;
      T* to = x + (n_ - k) * kElement;
      for (int lane = 0; lane < kLanes; ++lane) {
        to[lane] = from[lane];
        to[lane + kLanes] = -from[lane + kLanes];
      }
    }
  }

  void run_rows() const {
    const auto plan = cached_plan<RowPlan<T>>(length_);
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      const FourierBuffer<T> in(2 * n_ + 2), out(2 * n_ + 2);
      RowWalk walk(rows_, begin);
      for (std::int64_t row = begin; row < end; ++row, walk.next())
        run_row(*plan, walk.in(), walk.out(), in.data(), out.data());
    };
    if (rows_.size < num_threads() && length_ > 32 * 1024) return part(0, rows_.size);  // threads share each row
    parallel_for(rows_.size, 1 + kTask / length_, part);
  }

  static bool in_place(const std::byte* row, std::int64_t step, std::int64_t itemsize) noexcept {
    return step == itemsize && reinterpret_cast<std::uintptr_t>(row) % alignof(T) == 0;
  }

  // `x` and `y`: room for a row of complex numbers each.
  void run_row(const RowPlan<T>& plan, const std::byte* in, std::byte* out, T* x, T* y) const {
    const FourierLoops<T>& loops = fourier_loops<T>();
    const T* from = reinterpret_cast<const T*>(in);
    if (!in_place(in, in_step_, in_itemsize())) {
      move_row(in, in_step_, reinterpret_cast<std::byte*>(x), in_itemsize(), in_itemsize(), in_count_);
      from = x;
    }
    const bool direct = in_place(out, out_step_, out_itemsize()) && (real_out_ || real_in_ ? halved_ : true);
    T* to = direct ? reinterpret_cast<T*>(out) : y;
    if (real_in_ && !halved_) from = widen(from, x);
    if (real_out_ && !halved_) from = mirror(from, x);
    if (real_out_ && halved_) {
      loops.tangle(from, x, twiddles_->data(), length_);
      from = x;
    }
    plan.run(from, to, inverse_, real_in_ && halved_ ? T{1} : scale_);
    if (real_in_ && halved_) loops.untangle(to, twiddles_->data(), length_, scale_);
    if (direct) return;
    const std::int64_t step = real_out_ && !halved_ ? 2 * static_cast<std::int64_t>(sizeof(T)) : out_itemsize();
    move_row(reinterpret_cast<const std::byte*>(to), step, out, out_step_, out_itemsize(), out_count_);
  }

  static void move_row(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step,
                       std::int64_t itemsize, std::int64_t n) noexcept {
    std::byte* const pointers[] = {const_cast<std::byte*>(from), to};
    const std::int64_t strides[] = {from_step, to_step};
    loops().move[itemsize](pointers, strides, n);
  }

  // Backwards: `from` may be `to`.
  const T* widen(const T* from, T* to) const noexcept {
    for (std::int64_t i = n_ - 1; i >= 0; --i) {
      to[2 * i] = from[i];
      to[2 * i + 1] = 0;
    }
    return to;
  }
  const T* mirror(const T* from, T* to) const noexcept {
    for (std::int64_t k = 1; k <= n_ / 2; ++k) {
      const T re = from[2 * k], im = from[2 * k + 1];
      to[2 * k] = re;
      to[2 * k + 1] = im;
      to[2 * (n_ - k)] = re;
      to[2 * (n_ - k) + 1] = -im;
    }
    to[0] = from[0];
    to[1] = 0;
    return to;
  }

  Nest rows_;
  std::int64_t n_, in_step_, out_step_;
  T scale_;
  bool real_in_, real_out_, inverse_, halved_;
  std::int64_t length_, in_count_, out_count_;  // of the complex transform, of the input and of the output
  std::shared_ptr<const RealTwiddles<T>> twiddles_;
};

template <class T>
void run(const Launch& launch) {
  if (launch.shape[launch.shape.size() - 1] != 0) Transform<T>(launch).run();
}

}  // namespace

void register_fft(KernelTable& table) {
  for (const Op op : {Op::fft, Op::irfft}) {
    table.set(op, Dtype::complex64, run<float>);
    table.set(op, Dtype::complex128, run<double>);
  }
  table.set(Op::rfft, Dtype::float32, run<float>);
  table.set(Op::rfft, Dtype::float64, run<double>);
}

}  // namespace crossdock::native
