#include "deviations.h"

#include <memory>

#include "reduction_plan.h"

namespace crossdock::native {

namespace {

Dtype element_of(Dtype dtype) { return dtype == Dtype::float64 ? dtype : Dtype::float32; }

// A reduction being done: for each group `width` sums of deviations and then as many of their squares, for each of its
// parts.
class Run {
 public:
  explicit Run(const Launch& launch) noexcept
      : plan_(launch, false),
        loops_(loops().deviations[static_cast<int>(element_of(launch.dtype))]),
        packing_(launch.dtype, element_of(launch.dtype)) {}

  void run() {
    if (plan_.empty()) return;
    if (plan_.reduced.size == 0) return write_zeros();
    const std::int64_t pitch = 2 * plan_.width;
    if (plan_.parts == 1) {
      return parallel_for(plan_.groups, plan_.grain, [&](std::int64_t begin, std::int64_t end) {
        double sums[2 * kMaxWidth];
        for (std::int64_t group = begin; group < end; ++group) {
          const Tile tile(plan_, group);
          reduce(tile, 0, sums);
          finish(tile, sums);
        }
      });
    }
    const std::unique_ptr<double[]> partial(new double[static_cast<std::size_t>(plan_.groups * plan_.parts * pitch)]);
    parallel_for(plan_.groups * plan_.parts, plan_.grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        reduce(Tile(plan_, task / plan_.parts), task % plan_.parts, partial.get() + task * pitch);
      }
    });
    for (std::int64_t group = 0; group < plan_.groups; ++group) {
      double* first = partial.get() + group * plan_.parts * pitch;
      for (std::int64_t i = pitch; i < plan_.parts * pitch; ++i) first[i % pitch] += first[i];
      finish(Tile(plan_, group), first);
    }
  }

 private:
  static double at(const std::byte* place) {
    double value;
    std::memcpy(&value, place, sizeof value);
    return value;
  }

  // One part of a group.
  void reduce(const Tile& tile, std::int64_t part, double* sums) const {
    double centres[kMaxWidth];
    for (std::int64_t i = 0; i < tile.width; ++i) centres[i] = at(tile.second + i * tile.second_stride);
    double* const squares = sums + plan_.width;
    std::fill_n(sums, 2 * plan_.width, 0.0);
    const std::int64_t begin = part * plan_.part_size, end = std::min(begin + plan_.part_size, plan_.reduced.size);
    const auto row = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      if (plan_.by_rows) {
        packing_.pack(pointers[0], strides[0], n, [&](const std::byte* elements, std::int64_t, std::int64_t count) {
          loops_.along(elements, count, centres[0], sums, squares);
        });
        return;
      }
      for (std::int64_t i = 0; i < n; ++i) {
        packing_.pack(pointers[0] + i * strides[0], tile.input_stride, tile.width,
                      [&](const std::byte* elements, std::int64_t column, std::int64_t count) {
                        loops_.across(elements, count, centres + column, sums + column, squares + column);
                      });
      }
    };
    for_rows(plan_.reduced, begin, end, &tile.input, row);
  }

  // The centre is rounded: what the deviations do not cancel to is its error, and counts in each of their squares.
  void finish(const Tile& tile, const double* sums) const {
    const double* const squares = sums + plan_.width;
    for (std::int64_t i = 0; i < tile.width; ++i) {
      const double exact = squares[i] - sums[i] * sums[i] / static_cast<double>(plan_.reduced.size);
      const double result = exact < 0 ? 0 : exact;  // NaN stays
      std::memcpy(tile.output + i * tile.output_stride, &result, sizeof result);
    }
  }

  void write_zeros() const {
    const auto row = [](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) std::memset(pointers[2] + i * strides[2], 0, sizeof(double));
    };
    for_rows(plan_.kept, kGrain, row);
  }

  ReductionPlan plan_;
  const Deviations& loops_;
  Packing packing_;
};

void squared_deviations(const Launch& launch) { Run(launch).run(); }

}  // namespace

void register_deviations(KernelTable& table) {
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
    table.set(Op::squared_deviations, dtype, squared_deviations);
  }
}

}  // namespace crossdock::native
