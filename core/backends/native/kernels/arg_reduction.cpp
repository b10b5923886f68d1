#include "arg_reduction.h"

#include <memory>

#include "loop_table.h"
#include "reduction_plan.h"

namespace crossdock::native {

namespace {

// A reduction being done: for each output the best value so far and its index, parts one after the other.
class Run {
 public:
  explicit Run(const Launch& launch) noexcept
      : plan_(launch, true),
        loops_(loops().arg_reductions[launch.op == Op::argmin][static_cast<int>(launch.dtype)]),
        best_(loops().reductions[static_cast<int>(launch.op == Op::argmin ? Op::min : Op::max)]
                                [static_cast<int>(loops_.element)]),
        packing_(launch.operands[0].dtype, loops_.element),
        finish_(Dtype::int64, launch.output().dtype),
        itemsize_(itemsize(loops_.element)) {}

  void run() {
    if (plan_.empty()) return;
    const std::int64_t tasks = plan_.groups * plan_.parts, count = tasks * plan_.width;
    const std::unique_ptr<std::byte[]> bests(new std::byte[static_cast<std::size_t>(count * itemsize_)]);
    const std::unique_ptr<std::int64_t[]> indices(new std::int64_t[static_cast<std::size_t>(count)]);
    parallel_for(tasks, plan_.grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t place = task * plan_.width;
        reduce(Tile(plan_, task / plan_.parts), task % plan_.parts, bests.get() + place * itemsize_,
               indices.get() + place);
      }
    });
    for (std::int64_t group = 0; group < plan_.groups; ++group) {
      const std::int64_t place = group * plan_.parts * plan_.width;
      finish(Tile(plan_, group), bests.get() + place * itemsize_, indices.get() + place);
    }
  }

 private:
  void reduce(const Tile& tile, std::int64_t part, std::byte* bests, std::int64_t* indices) const {
    const std::int64_t begin = part * plan_.part_size, end = std::min(begin + plan_.part_size, plan_.reduced.size);
    std::int64_t index = begin;
    const auto row = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      if (plan_.by_rows) {
        packing_.pack(pointers[0], strides[0], n, [&](const std::byte* elements, std::int64_t, std::int64_t count) {
          take_row(elements, count, index, index == begin, bests, indices);
          index += count;
        });
        return;
      }
      for (std::int64_t i = 0; i < n; ++i, ++index) {
        packing_.pack(pointers[0] + i * strides[0], tile.input_stride, tile.width,
                      [&](const std::byte* elements, std::int64_t column, std::int64_t count) {
                        take_columns(elements, count, index, index == begin, bests + column * itemsize_,
                                     indices + column);
                      });
      }
    };
    for_rows(plan_.reduced, begin, end, &tile.input, row);
  }

  void take_columns(const std::byte* elements, std::int64_t n, std::int64_t index, bool first, std::byte* bests,
                    std::int64_t* indices) const {
    if (!first) return loops_.update(elements, n, index, bests, indices);
    std::memcpy(bests, elements, static_cast<std::size_t>(n * itemsize_));
    std::fill_n(indices, n, index);
  }

  // The best of each kPiece elements first: where it is needs a search only when it is better than the best so far.
  void take_row(const std::byte* elements, std::int64_t n, std::int64_t index, bool first, std::byte* best,
                std::int64_t* best_index) const {
    for (std::int64_t begin = 0; begin < n; begin += kPiece, first = false) {
      const std::byte* piece = elements + begin * itemsize_;
      alignas(16) std::byte value[16];
      std::memcpy(value, best_.identity, sizeof value);
      const std::int64_t count = std::min(kPiece, n - begin);
      best_.reduce(piece, count, value);
      if (!first && !loops_.better(value, best)) continue;
      std::memcpy(best, value, static_cast<std::size_t>(itemsize_));
      *best_index = index + begin + loops_.find(piece, count, value);
    }
  }

  void finish(const Tile& tile, std::byte* bests, std::int64_t* indices) const {
    for (std::int64_t part = 1; part < plan_.parts; ++part) {
      for (std::int64_t i = 0; i < tile.width; ++i) {
        const std::int64_t other = part * plan_.width + i;
        if (!loops_.better(bests + other * itemsize_, bests + i * itemsize_)) continue;
        std::memcpy(bests + i * itemsize_, bests + other * itemsize_, static_cast<std::size_t>(itemsize_));
        indices[i] = indices[other];
      }
    }
    finish_(reinterpret_cast<std::byte*>(indices), sizeof(std::int64_t), tile.output, tile.output_stride, tile.width);
  }

  ReductionPlan plan_;
  const ArgReduction& loops_;
  const Reduction& best_;
  Packing packing_;
  Conversion finish_;
  std::int64_t itemsize_;
};

}  // namespace

void arg_reduce(const Launch& launch) { Run(launch).run(); }

}  // namespace crossdock::native
