#include "copy.h"

#include <algorithm>
#include <cstdlib>

#include "conversion.h"
#include "rows.h"
#include "runs.h"
#include "stream.h"
#include "transpose.h"

namespace crossdock::native {

namespace {

// One element to many: converted once.
void fill(const Nest& nest, const Conversion& conversion) {
  alignas(16) std::byte value[16];
  conversion(nest.pointers[0], 0, value, conversion.to_itemsize(), 1);
  Nest moves = nest;
  moves.pointers[0] = value;
  const Loop move = loops().move[conversion.to_itemsize()];
  for_rows(moves, kGrain, move);
}

bool reads_one_element(const Nest& nest) noexcept {
  for (int dim = 0; dim < nest.ndim; ++dim) {
    if (nest.strides[dim][0] != 0) return false;
  }
  return true;
}

// Short runs that are contiguous on both sides are moved as one larger element each: returns its size.
std::int64_t widen(Nest& nest, std::int64_t itemsize) noexcept {
  const int last = nest.ndim - 1;
  const std::int64_t bytes = nest.shape[last] * itemsize;
  const bool contiguous = nest.strides[last][0] == itemsize && nest.strides[last][1] == itemsize;
  if (last == 0 || !contiguous || (bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)) return itemsize;
  nest.size /= nest.shape[last];
  --nest.ndim;
  return bytes;
}

// Long rows, the same in source and target, of a target that no cache could hold. (Rows that change on their way are as
// fast without: what is gained by the stores is lost by working in bursts.)
bool streams_rows(const Nest& nest, const Conversion& conversion) noexcept {
  constexpr std::int64_t kLeastRow = 1024;  // bytes: of shorter ones too much is not whole lines
  const std::int64_t size = conversion.to_itemsize();
  const int last = nest.ndim - 1;
  return conversion.moves() && nest.strides[last][0] == size && nest.strides[last][1] == size &&
         nest.shape[last] * size >= kLeastRow && streams(nest.size * size);
}

void stream_rows(const Nest& nest, std::int64_t itemsize) {
  const auto row = [itemsize](std::byte* const* pointers, const std::int64_t*, std::int64_t n) {
    loops().stream(pointers[0], pointers[1], n * itemsize);
  };
  parallel_for(nest.size, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for_rows(nest, begin, end, nest.pointers, row);
    end_stream();
  });
}

// Whether a conversion computes for so long, between reading and reading, that a large memory would have to wait.
bool pauses(const Nest& nest, const Conversion& conversion) noexcept {
  return conversion.to_itemsize() <= 2 && streams(nest.size * conversion.from_itemsize());
}

// Rows that fetch the elements of their next piece before they convert one.
class Ahead {
 public:
  explicit Ahead(const Conversion& conversion) noexcept : conversion_(conversion) {}
  void operator()(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) const {
    const std::int64_t step = strides[0], to_step = strides[1];
    const std::int64_t piece = std::max(
        kFewest, std::min(kElements / conversion_.from_itemsize(), kSpan / std::max<std::int64_t>(1, std::abs(step))));
    for (std::int64_t done = 0; done < n; done += piece) {
      const std::byte* from = pointers[0] + done * step;
      fetch(from + piece * step, step, std::min(piece, n - done - piece));
      conversion_(from, step, pointers[1] + done * to_step, to_step, std::min(piece, n - done));
    }
  }

 private:
  // Bytes of a piece, of its elements and from the first to the last: more lines than that would wait in turn.
  static constexpr std::int64_t kElements = 2048, kSpan = 4096;
  static constexpr std::int64_t kFewest = 64;

  static void fetch(const std::byte* first, std::int64_t step, std::int64_t n) noexcept {
    constexpr std::int64_t kLine = 64;
    const std::int64_t distance = std::max(kLine, std::abs(step)), nbytes = n * std::abs(step);
    for (std::int64_t at = 0; at < nbytes; at += distance) __builtin_prefetch(first + (step < 0 ? -at : at));
  }

  const Conversion& conversion_;
};

void copy(Nest& nest, const Conversion& conversion) {
  if (nest.size > 1 && reads_one_element(nest)) return fill(nest, conversion);
  const std::int64_t nbytes = nest.size * conversion.to_itemsize();
  if (is_transposition(nest)) {
    constexpr std::int64_t kScattered = 4;  // times sooner than rows: its lines compete for few sets of the caches
    return transpose(nest, conversion, streams(kScattered * nbytes));
  }
  if (streams_rows(nest, conversion)) return stream_rows(nest, conversion.to_itemsize());
  if (conversion.moves() && is_runs(nest, conversion.to_itemsize())) return copy_runs(nest, conversion.to_itemsize());
  if (const Loop loop = conversion.moves() ? conversion.direct() : nullptr) return for_rows(nest, kGrain, loop);
  if (pauses(nest, conversion)) {
    const Ahead ahead(conversion);
    return for_rows(nest, kGrain, ahead);
  }
  for_rows(nest, kGrain, conversion);
}

}  // namespace

void copy(const Launch& launch) {
  const Dtype from = launch.operands[0].dtype, to = launch.operands[1].dtype;
  const Conversion conversion(from, to);
  if (launch.shape.size() == 0 || (launch.shape.size() == 1 && launch.shape[0] <= kGrain))
    return for_rows(launch, kGrain, conversion);
  Nest nest(launch);
  if (nest.size == 0) return;
  const std::int64_t size = conversion.moves() ? widen(nest, itemsize(to)) : 0;
  if (size > itemsize(to)) return copy(nest, Conversion::moving(size));
  copy(nest, conversion);
}

}  // namespace crossdock::native
