// Short rows: several to a block, each sorted by a bitonic network in shared memory. Stable, as the element's number is
// the last part of its key.
#pragma once

#include "kernels/sort_rows.h"

namespace crossdock::cuda {

// Bits: those of a real part.
template <class Bits, bool complex>
struct ShortItem {
  Bits real;
  int index;
  CROSSDOCK_HD bool before(const ShortItem& other) const {
    return real < other.real || (real == other.real && index < other.index);
  }
  CROSSDOCK_HD void read(const OrderKey& order, const unsigned char* at) {
    real = order.key(*reinterpret_cast<const Bits*>(at));
  }
  CROSSDOCK_HD void set_last() { real = static_cast<Bits>(~Bits{0}); }
};
template <class Bits>
struct ShortItem<Bits, true> {
  Bits real, imaginary;
  int index, nans;
  CROSSDOCK_HD bool before(const ShortItem& other) const {
    if (nans != other.nans) return nans < other.nans;
    if (real != other.real) return real < other.real;
    if (imaginary != other.imaginary) return imaginary < other.imaginary;
    return index < other.index;
  }
  CROSSDOCK_HD void read(const OrderKey& order, const unsigned char* at) {
    real = order.key(*reinterpret_cast<const Bits*>(at));
    imaginary = order.key(*reinterpret_cast<const Bits*>(at + sizeof(Bits)));
    nans = nan_class(order, real, imaginary);
  }
  CROSSDOCK_HD void set_last() {
    real = imaginary = static_cast<Bits>(~Bits{0});
    nans = 3;
  }
};

template <class Bits, bool complex>
__global__ void __launch_bounds__(kSortThreads) sort_short(const ShortSortArgs args) {
  using Item = ShortItem<Bits, complex>;
  __shared__ Item items[kShortRow];
  const RowsArgs& rows = args.rows;
  const int thread = static_cast<int>(threadIdx.x), room = 1 << args.log2, n = static_cast<int>(rows.n);
  const std::int64_t together = kShortRow >> args.log2;
  CROSSDOCK_ROLLED
  for (std::int64_t first = blockIdx.x * together; first < rows.count; first += gridDim.x * together) {
    CROSSDOCK_ROLLED
    for (int i = thread; i < kShortRow; i += kSortThreads) {
      const std::int64_t row = first + (i >> args.log2);
      Item item;
      item.index = i & (room - 1);
      if (item.index < n && row < rows.count)
        item.read(rows.order, row_input(rows, row) + item.index * rows.input_stride);
      else
        item.set_last();
      items[i] = item;
    }
    __syncthreads();
    CROSSDOCK_ROLLED
    for (int size = 2; size <= room; size *= 2) {
      CROSSDOCK_ROLLED
      for (int step = size / 2; step > 0; step /= 2) {
        CROSSDOCK_ROLLED
        for (int pair = thread; pair < kShortRow / 2; pair += kSortThreads) {
          const int low = 2 * pair - (pair & (step - 1)), high = low + step;
          const bool ascending = (low & size) == 0 || size == room;
          const Item a = items[low], b = items[high];
          if (b.before(a) == ascending) {
            items[low] = b;
            items[high] = a;
          }
        }
        __syncthreads();
      }
    }
    CROSSDOCK_ROLLED
    for (int i = thread; i < kShortRow; i += kSortThreads) {
      const std::int64_t row = first + (i >> args.log2);
      const int to = i & (room - 1);
      if (to >= n || row >= rows.count) continue;
      write_sorted(rows, row_input(rows, row), rows.output + place(rows.rows, rows.rows.ndim, rows.first + row, 1),
                   items[i].index, to);
    }
    __syncthreads();
  }
}

}  // namespace crossdock::cuda
