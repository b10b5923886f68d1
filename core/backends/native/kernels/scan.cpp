#include "scan.h"

#include <type_traits>

#include "crossdock/backends/dtype_of.h"
#include "crossdock/functors/cast.h"
#include "reduction_plan.h"

namespace crossdock::native {

namespace {

using functors::BFloat16;
using functors::Complex;
using functors::Float16;

struct Sum {
  static constexpr int identity = 0;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Product {
  static constexpr int identity = 1;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};

// Integers wrap in their own width (without sign, at least 32 bits); all floating-point numbers add up in 64 bits.
template <class T>
struct AccumulatorOf {
  using type = std::conditional_t<functors::is_complex<T>, Complex<double>, double>;
};
template <class T>
  requires std::is_integral_v<T>
struct AccumulatorOf<T> {
  using type = functors::Wrapping<T>;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

template <class T>
Accumulator<T> widen(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return functors::to_float(value);
  else
    return functors::cast<Accumulator<T>>(value);
}
template <class T>
T narrow(Accumulator<T> value) {
  if constexpr (std::is_same_v<T, Float16>)
    return functors::to_float16(value);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return functors::to_bfloat16(static_cast<float>(value));
  else
    return functors::cast<T>(value);
}

// Elements are contiguous and aligned, the results `stride` bytes apart.
struct Loops {
  // One accumulator that goes along n elements.
  void (*along)(const std::byte* elements, std::int64_t n, std::byte* accumulator, std::byte* out, std::int64_t stride);
  // n accumulators that take one element each.
  void (*across)(const std::byte* elements, std::int64_t n, std::byte* accumulators, std::byte* out,
                 std::int64_t stride);
  std::int64_t itemsize;  // of an accumulator
  std::byte identity[16];
};

template <class T>
void put(std::byte* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class F, class T>
void along(const std::byte* elements, std::int64_t n, std::byte* accumulator, std::byte* out, std::int64_t stride) {
  const T* x = reinterpret_cast<const T*>(elements);
  Accumulator<T> total;
  std::memcpy(&total, accumulator, sizeof total);
  for (std::int64_t i = 0; i < n; ++i) {
    total = F{}(total, widen(x[i]));
    put(out + i * stride, narrow<T>(total));
  }
  put(accumulator, total);
}

template <class F, class T>
void across(const std::byte* elements, std::int64_t n, std::byte* accumulators, std::byte* out, std::int64_t stride) {
  const T* x = reinterpret_cast<const T*>(elements);
  auto* totals = reinterpret_cast<Accumulator<T>*>(accumulators);
  const auto run = [&](std::int64_t step) {
    for (std::int64_t i = 0; i < n; ++i) {
      totals[i] = F{}(totals[i], widen(x[i]));
      put(out + i * step, narrow<T>(totals[i]));
    }
  };
  if (stride == static_cast<std::int64_t>(sizeof(T)))
    run(sizeof(T));
  else
    run(stride);
}

template <class F, class T>
Loops make_loops() {
  Loops loops{&along<F, T>, &across<F, T>, sizeof(Accumulator<T>), {}};
  put(loops.identity, functors::cast<Accumulator<T>>(static_cast<double>(F::identity)));
  return loops;
}

// A scan being done. Each line along the scanned axis has one accumulator: a result does not depend on the threads.
class Scan {
 public:
  Scan(const Launch& launch, const Loops& loops) noexcept
      : axis_(launch.shape.size() - 1),
        lines_(launch, 0, axis_, 0, 2),
        length_(launch.shape[axis_]),
        in_stride_(stride(launch.operands[0], axis_)),
        out_stride_(stride(launch.output(), axis_)),
        loops_(loops),
        packing_(launch.operands[0].dtype, launch.output().dtype) {}

  void run() const {
    if (length_ == 0) return;
    const auto row = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      const bool neighbours = n > 1 && std::abs(strides[1]) < std::abs(out_stride_);
      const std::int64_t width = neighbours ? kWidth : 1;
      for (std::int64_t line = 0; line < n; line += width) {
        std::byte* const from = pointers[0] + line * strides[0];
        std::byte* const to = pointers[1] + line * strides[1];
        neighbours ? run_across(from, strides[0], to, strides[1], std::min(width, n - line)) : run_along(from, to);
      }
    };
    for_rows(lines_, std::max(kWidth / 4, kGrain / length_), row);
  }

 private:
  static constexpr std::int64_t kWidth = 256;  // lines that go side by side

  void run_along(const std::byte* from, std::byte* to) const {
    alignas(16) std::byte accumulator[16];
    std::memcpy(accumulator, loops_.identity, sizeof accumulator);
    packing_.pack(from, in_stride_, length_, [&](const std::byte* elements, std::int64_t begin, std::int64_t n) {
      loops_.along(elements, n, accumulator, to + begin * out_stride_, out_stride_);
    });
  }

  void run_across(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
                  std::int64_t width) const {
    alignas(64) std::byte accumulators[kWidth * 16];
    for (std::int64_t i = 0; i < width; ++i)
      std::memcpy(accumulators + i * loops_.itemsize, loops_.identity, static_cast<std::size_t>(loops_.itemsize));
    for (std::int64_t i = 0; i < length_; ++i) {
      packing_.pack(from + i * in_stride_, from_stride, width,
                    [&](const std::byte* elements, std::int64_t begin, std::int64_t n) {
                      loops_.across(elements, n, accumulators + begin * loops_.itemsize,
                                    to + i * out_stride_ + begin * to_stride, to_stride);
                    });
    }
  }

  int axis_;
  Nest lines_;  // operands: the input, the output
  std::int64_t length_, in_stride_, out_stride_;
  const Loops& loops_;
  Packing packing_;
};

template <class F, class T>
void scan(const Launch& launch) {
  static const Loops loops = make_loops<F, T>();
  Scan(launch, loops).run();
}

template <class F, class... Ts>
void set(KernelTable& table, Op op) {
  (table.set(op, dtype_of<Ts>, scan<F, Ts>), ...);
  // Wrapping does not look at the sign.
  table.set(op, Dtype::int8, scan<F, std::uint8_t>);
  table.set(op, Dtype::int16, scan<F, std::uint16_t>);
  table.set(op, Dtype::int32, scan<F, std::uint32_t>);
  table.set(op, Dtype::int64, scan<F, std::uint64_t>);
}

template <class F>
void set_all(KernelTable& table, Op op) {
  set<F, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, Float16, BFloat16, float, double, Complex<float>,
      Complex<double>>(table, op);
}

}  // namespace

void register_scan(KernelTable& table) {
  set_all<Sum>(table, Op::cumulative_sum);
  set_all<Product>(table, Op::cumulative_prod);
}

}  // namespace crossdock::native
