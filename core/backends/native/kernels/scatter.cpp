#include "direct.h"
#include "element.h"
#include "indexes.h"
#include "indexing.h"
#include "loop_table.h"
#include "rows.h"

namespace crossdock::native {

namespace {

// Along a free dimension the offsets stay and the target moves: elements of different places there never meet, so that
// threads may share them out. Along the others the same place may come again, and the last one must stay.
Launch part(const Launch& launch, bool free) {
  Launch out;
  out.noperands = free ? 2 : 3;
  for (int dim = 0; dim < launch.shape.size(); ++dim) {
    const bool is_free = stride(launch.operands[1], dim) == 0 && stride(launch.operands[2], dim) != 0;
    if (is_free != free) continue;
    out.shape.push_back(launch.shape[dim]);
    out.operands[0].strides.push_back(stride(launch.operands[0], dim));
    if (!free) out.operands[1].strides.push_back(stride(launch.operands[1], dim));
    out.operands[free ? 1 : 2].strides.push_back(stride(launch.operands[2], dim));
  }
  out.operands[0].data = pointer(launch.operands[0]);
  if (!free) out.operands[1].data = pointer(launch.operands[1]);
  out.operands[free ? 1 : 2].data = pointer(launch.operands[2]);
  return out;
}

template <class T>
void scatter_row(std::byte* const* p, const std::int64_t* s, std::int64_t n) noexcept {
  const std::byte *values = p[0], *offsets = p[1];
  std::byte* target = p[2];
  const std::int64_t value_stride = s[0], offset_stride = s[1], target_stride = s[2];
  for (std::int64_t i = 0; i < n; ++i) {
    copy_element<T>(target + i * target_stride + load_offset(offsets + i * offset_stride), values + i * value_stride);
  }
}

class Scatter {
 public:
  explicit Scatter(const Launch& launch) : Scatter(launch, part(launch, true), part(launch, false)) {}

  void run() const {
    if (free_.size == 0 || repeating_.size == 0) return;
    check();
    const std::int64_t* s = free_.strides[free_.ndim - 1];
    const bool together = s[0] == size_ && s[1] == size_;
    const std::int64_t grain = std::max<std::int64_t>(together ? 64 : 1, kGrain / repeating_.size);
    parallel_for(free_.size, grain, [&](std::int64_t begin, std::int64_t end) {
      if (together && free_.ndim == 1) {
        runs(begin, end);
      } else if (free_.size > 1 && (together || free_.size > repeating_.size)) {
        rows(begin, end);
      } else {
        columns(begin, end);
      }
    });
  }

 private:
  Scatter(const Launch& launch, const Launch& free, const Launch& repeating)
      : places_(launch),
        size_(itemsize(launch.output().dtype)),
        free_(free, 0, free.shape.size(), 0, 2),
        repeating_(repeating, 0, repeating.shape.size(), 0, 3, true) {
    if (free_.size == 0 || repeating_.size == 0) return;
    // Free dimensions may have been turned around.
    repeating_.pointers[0] += free_.pointers[0] - pointer(launch.operands[0]);
    repeating_.pointers[2] += free_.pointers[1] - pointer(launch.operands[2]);
  }

  // All places, before anything is written.
  void check() const {
    const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      places_.check(p[1], s[1], s[1] == 0 ? 1 : n);
    };
    for_rows(repeating_, kGrain, row);
  }

  // Elements of T at all places in C order.
  template <class T>
  void scatter_elements(std::byte* const* pointers) const {
    if (!goes_direct(places_, repeating_.strides[repeating_.ndim - 1])) return for_places(pointers, scatter_row<T>);
    const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      if (s[2] != 0) return places_.with_offsets(p, s, n, scatter_row<T>);
      scatter_direct<T>(p, s, n, places_.indexes().extent(), places_.indexes().step());
    };
    for_rows(repeating_, 0, repeating_.size, pointers, row);
  }

  // Calls loop(pointers, strides, n) for all places in C order, with offsets as operand 1.
  template <class Body>
  void for_places(std::byte* const* pointers, const Body& body) const {
    const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      places_.with_offsets(p, s, n, body);
    };
    for_rows(repeating_, 0, repeating_.size, pointers, row);
  }

  // One piece of memory for each offset.
  void runs(std::int64_t begin, std::int64_t end) const {
    const std::int64_t bytes = (end - begin) * size_;
    std::byte* const pointers[] = {repeating_.pointers[0] + begin * size_, repeating_.pointers[1],
                                   repeating_.pointers[2] + begin * size_};
    if (with_bytes(bytes, [&]<class T>(T) { scatter_elements<T>(pointers); })) return;
    for_places(pointers, [bytes](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        std::memcpy(p[2] + i * s[2] + load_offset(p[1] + i * s[1]), p[0] + i * s[0], static_cast<std::size_t>(bytes));
      }
    });
  }

  // The free dimensions for each offset.
  void rows(std::int64_t begin, std::int64_t end) const {
    const Loop move = loops().move[size_];
    for_places(repeating_.pointers, [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        std::byte* const pointers[] = {p[0] + i * s[0], p[2] + i * s[2] + load_offset(p[1] + i * s[1])};
        for_rows(free_, begin, end, pointers, move);
      }
    });
  }

  // All offsets for each element of the free dimensions.
  void columns(std::int64_t begin, std::int64_t end) const {
    with_bytes(size_, [&]<class T>(T) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::byte* const places[] = {repeating_.pointers[0], repeating_.pointers[2]};
        const Odometer at(free_, i, places);
        std::byte* const pointers[] = {at.pointers()[0], repeating_.pointers[1], at.pointers()[1]};
        scatter_elements<T>(pointers);
      }
    });
  }

  Places places_;
  std::int64_t size_;
  Nest free_;       // operands: the values, the target
  Nest repeating_;  // operands: the values, the offsets, the target
};

}  // namespace

void scatter(const Launch& launch) { Scatter(launch).run(); }

}  // namespace crossdock::native
