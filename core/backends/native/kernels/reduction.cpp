#include "reduction.h"

#include <atomic>
#include <memory>

#include "arg_reduction.h"
#include "loop_table.h"
#include "reduction_plan.h"

namespace crossdock::native {

namespace {

constexpr std::int64_t kStretch = 16 * kPiece;  // elements between two looks at what has been settled

// A reduction being done: accumulators for each group, its parts one after the other.
class Run {
 public:
  explicit Run(const Launch& launch) noexcept
      : plan_(launch, false),
        loops_(loops().reductions[static_cast<int>(launch.op)][static_cast<int>(launch.dtype)]),
        merge_(loops().reductions[static_cast<int>(launch.op)][static_cast<int>(loops_.accumulator)]),
        packing_(launch.operands[0].dtype, loops_.element),
        finish_(loops_.accumulator, launch.output().dtype),
        itemsize_(itemsize(loops_.accumulator)),
        may_settle_(plan_.by_rows && (launch.op == Op::any || launch.op == Op::all)) {}

  void run() {
    if (plan_.empty()) return;
    if (plan_.reduced.size == 0) return write_identity();
    if (plan_.parts == 1) {
      return parallel_for(plan_.groups, plan_.grain, [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte accumulators[kMaxWidth * 16];
        for (std::int64_t group = begin; group < end; ++group) {
          const Tile tile(plan_, group);
          reduce(tile, 0, accumulators);
          finish(tile, accumulators);
        }
      });
    }
    run_parts();
  }

 private:
  void run_parts() {
    const std::int64_t pitch = plan_.width * itemsize_;
    const std::unique_ptr<std::byte[]> partial(
        new std::byte[static_cast<std::size_t>(plan_.groups * plan_.parts * pitch)]);
    const auto part = [&](std::int64_t task) {
      reduce(Tile(plan_, task / plan_.parts), task % plan_.parts, partial.get() + task * pitch);
    };
    std::int64_t done = 0;
    std::atomic<bool> stop{false};
    if (may_settle_ && plan_.groups == 1) {  // the first part alone may do, and then no other thread is woken
      part(done++);
      if (settled(partial.get())) return finish(Tile(plan_, 0), partial.get());
    }
    parallel_for(plan_.groups * plan_.parts - done, plan_.grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = done + begin; task < done + end; ++task) {
        if (stop.load(std::memory_order_relaxed)) {
          set_identity(partial.get() + task * pitch, 1);
          continue;
        }
        part(task);
        if (plan_.groups == 1 && settled(partial.get() + task * pitch)) stop.store(true, std::memory_order_relaxed);
      }
    });
    for (std::int64_t group = 0; group < plan_.groups; ++group) {
      const Tile tile(plan_, group);
      std::byte* first = partial.get() + group * plan_.parts * pitch;
      for (std::int64_t part = 1; part < plan_.parts; ++part)
        merge_.reduce_row(first + part * pitch, tile.width, first);
      finish(tile, first);
    }
  }

  void set_identity(std::byte* accumulators, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(accumulators + i * itemsize_, loops_.identity, static_cast<std::size_t>(itemsize_));
  }

  bool settled(const std::byte* accumulator) const { return may_settle_ && *accumulator != loops_.identity[0]; }

  // One part of a group into its accumulators.
  void reduce(const Tile& tile, std::int64_t part, std::byte* accumulators) const {
    set_identity(accumulators, tile.width);
    const std::int64_t begin = part * plan_.part_size, end = std::min(begin + plan_.part_size, plan_.reduced.size);
    const auto row = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      if (plan_.by_rows) {
        const std::int64_t stretch = may_settle_ ? kStretch : n;
        for (std::int64_t i = 0; i < n && !settled(accumulators); i += stretch) {
          packing_.pack(pointers[0] + i * strides[0], strides[0], std::min(stretch, n - i),
                        [&](const std::byte* elements, std::int64_t, std::int64_t count) {
                          loops_.reduce(elements, count, accumulators);
                        });
        }
        return;
      }
      for (std::int64_t i = 0; i < n; ++i) {
        packing_.pack(pointers[0] + i * strides[0], tile.input_stride, tile.width,
                      [&](const std::byte* elements, std::int64_t column, std::int64_t count) {
                        loops_.reduce_row(elements, count, accumulators + column * itemsize_);
                      });
      }
    };
    for_rows(plan_.reduced, begin, end, &tile.input, row);
  }

  void finish(const Tile& tile, const std::byte* accumulators) const {
    finish_(accumulators, itemsize_, tile.output, tile.output_stride, tile.width);
  }

  void write_identity() const {
    const auto row = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      finish_(loops_.identity, 0, pointers[1], strides[1], n);
    };
    for_rows(plan_.kept, kGrain, row);
  }

  ReductionPlan plan_;
  const Reduction& loops_;
  const Reduction& merge_;
  Packing packing_;
  Conversion finish_;
  std::int64_t itemsize_;
  bool may_settle_;  // one element may decide its output, whatever the others are
};

void reduce(const Launch& launch) { Run(launch).run(); }

}  // namespace

void register_reductions(KernelTable& table) {
  for (int dtype = 0; dtype < kDtypeCount; ++dtype) {
    for (const Op op : {Op::sum, Op::prod, Op::max, Op::min, Op::any, Op::all}) {
      if (loops().reductions[static_cast<int>(op)][dtype].reduce) table.set(op, static_cast<Dtype>(dtype), reduce);
    }
    for (const Op op : {Op::argmax, Op::argmin}) {
      if (loops().arg_reductions[op == Op::argmin][dtype].find) table.set(op, static_cast<Dtype>(dtype), arg_reduce);
    }
  }
}

}  // namespace crossdock::native
