#include "ordering.h"

#include <functional>
#include <limits>
#include <memory>

#include "loop_table.h"
#include "nest.h"
#include "order_key.h"
#include "radix_sort.h"
#include "searchsorted.h"

namespace crossdock::native {

namespace {

constexpr std::int64_t kShortRow = 48;        // up to here an insertion sort is faster
constexpr std::int64_t kSortGrain = 1 << 12;  // elements worth a thread's while

// Numbers of elements travel in as many bits as their keys.
template <class Key>
struct Indexed {
  Key key, index;
};
struct KeyOfIndexed {
  template <class Key>
  Key operator()(const Indexed<Key>& item) const noexcept {
    return item.key;
  }
};

// Room for n elements, kept from row to row; std::bad_alloc.
template <class T>
T* room(std::unique_ptr<T[]>& memory, std::int64_t n) {
  if (!memory) memory.reset(new T[static_cast<std::size_t>(n)]);
  return memory.get();
}

struct Row {
  const std::byte* input;
  std::int64_t input_stride;
  std::byte* output;
  std::int64_t output_stride;
  std::int64_t n;

  const std::byte* operator[](std::int64_t i) const noexcept { return input + i * input_stride; }
};

template <class T>
bool is_run_of(const std::byte* data, std::int64_t stride) noexcept {
  return stride == sizeof(T) && reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
}

void move(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride, std::int64_t n,
          std::int64_t itemsize) {
  std::byte* const pointers[] = {const_cast<std::byte*>(from), to};
  const std::int64_t strides[] = {from_stride, to_stride};
  loops().move[itemsize](pointers, strides, n);
}

// Sorts the elements themselves; equal ones may differ (0.0 and -0.0, NaNs), so their keys are made as they go.
template <class Bits>
class ValueSorter {
 public:
  ValueSorter(const Launch& launch, std::int64_t threads)
      : sort_(OrderKey<Bits>(launch.dtype, launch.integers[0] != 0), threads) {}

  void operator()(const Row& row) {
    const Bits* source = reinterpret_cast<const Bits*>(row.input);
    if (!is_run_of<Bits>(row.input, row.input_stride)) {
      Bits* const gathered = room(source_, row.n);
      move(row.input, row.input_stride, reinterpret_cast<std::byte*>(gathered), sizeof(Bits), row.n, sizeof(Bits));
      source = gathered;
    }
    const bool direct = is_run_of<Bits>(row.output, row.output_stride);
    Bits* const target = direct ? reinterpret_cast<Bits*>(row.output) : room(target_, row.n);
    sort_(source, target, room(scratch_, row.n), row.n);
    if (!direct) {
      move(reinterpret_cast<std::byte*>(target), sizeof(Bits), row.output, row.output_stride, row.n, sizeof(Bits));
    }
  }

 private:
  RadixSort<Bits, OrderKey<Bits>> sort_;
  std::unique_ptr<Bits[]> source_, target_, scratch_;
};

// The order of a row's elements, as indexed keys. `Key` has at least the bits of an element and of a row's length.
template <class Bits, class Key>
class RowOrder {
 public:
  using Item = Indexed<Key>;

  RowOrder(const Launch& launch, std::int64_t threads)
      : key_(real_part(launch.dtype), launch.integers[0] != 0),
        complex_(is_complex(launch.dtype)),
        descending_(launch.integers[0] != 0),
        sort_({}, threads) {}

  // Items in order; valid until the next call.
  const Item* operator()(const Row& row) {
    items_ = row.n <= kShortRow ? few_ : room(items_memory_, row.n);
    scratch_ = row.n <= kShortRow ? few_ : room(scratch_memory_, row.n);
    const std::int64_t imaginary = complex_ ? sizeof(Bits) : 0;
    for (std::int64_t i = 0; i < row.n; ++i) items_[i] = {key_(row[i] + imaginary), static_cast<Key>(i)};
    sort_items(row.n);
    if (!complex_) return items_;
    for (std::int64_t i = 0; i < row.n; ++i) items_[i].key = key_(row[static_cast<std::int64_t>(items_[i].index)]);
    sort_items(row.n);
    separate_nans(row);
    return items_;
  }

 private:
  void sort_items(std::int64_t n) {
    if (n <= kShortRow) return insertion_sort(items_, n, KeyOfIndexed{});
    sort_(items_, items_, scratch_, n);
  }

  // As NumPy: numbers with NaN as imaginary part come between the others and those with NaN as real part.
  void separate_nans(const Row& row) {
    const Bits nan = descending_ ? Bits{0} : static_cast<Bits>(~Bits{0});
    const auto real_nan = [&](const Item& item) { return item.key == nan; };
    const auto nan_part = [&](const Item& item) {
      return key_(row[static_cast<std::int64_t>(item.index)] + sizeof(Bits)) == nan;
    };
    Item* const end = items_ + row.n;
    if (descending_) {
      std::stable_partition(std::find_if_not(items_, end, real_nan), end, nan_part);
    } else {
      std::stable_partition(items_, std::find_if(items_, end, real_nan), std::not_fn(nan_part));
    }
  }

  OrderKey<Bits> key_;
  bool complex_, descending_;
  RadixSort<Item, KeyOfIndexed> sort_;
  Item few_[kShortRow];
  std::unique_ptr<Item[]> items_memory_, scratch_memory_;
  Item *items_ = nullptr, *scratch_ = nullptr;
};

template <class Bits>
void write_values(const Row& row, const auto* items, bool complex) {
  for (std::int64_t i = 0; i < row.n; ++i) {
    std::byte* const to = row.output + i * row.output_stride;
    const std::byte* const from = row[static_cast<std::int64_t>(items[i].index)];
    if (complex) {
      std::memcpy(to, from, 2 * sizeof(Bits));
    } else {
      std::memcpy(to, from, sizeof(Bits));
    }
  }
}

void write_indices(const Row& row, const auto* items) {
  for (std::int64_t i = 0; i < row.n; ++i) {
    const auto index = static_cast<std::int64_t>(items[i].index);
    std::memcpy(row.output + i * row.output_stride, &index, sizeof index);
  }
}

// Calls work(row) for each row, where work = make(threads): several rows at a time, or several threads on each row
// where those are few and long.
template <class Make>
void for_each_row(const Launch& launch, Make&& make) {
  const int last = launch.shape.size() - 1;
  const std::int64_t n = launch.shape[last];
  const Nest nest(launch, 0, last, 0, 2);
  if (nest.size == 0 || n == 0) return;
  const auto run = [&](std::int64_t begin, std::int64_t end, std::int64_t threads) {
    auto work = make(threads);
    const auto rows = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        work(Row{pointers[0] + i * strides[0], stride(launch.operands[0], last), pointers[1] + i * strides[1],
                 stride(launch.operands[1], last), n});
      }
    };
    for_rows(nest, begin, end, nest.pointers, rows);
  };
  if (nest.size < num_threads()) return run(0, nest.size, num_threads());
  parallel_for(nest.size, std::max<std::int64_t>(1, kSortGrain / n),
               [&](std::int64_t begin, std::int64_t end) { run(begin, end, 1); });
}

template <class Bits, class Key>
void by_order(const Launch& launch) {
  for_each_row(launch, [&](std::int64_t threads) {
    return [&launch, order = RowOrder<Bits, Key>(launch, threads)](const Row& row) mutable {
      if (launch.op == Op::argsort) {
        write_indices(row, order(row));
      } else {
        write_values<Bits>(row, order(row), is_complex(launch.dtype));
      }
    };
  });
}

template <class Bits>
void order(const Launch& launch) {
  const std::int64_t n = launch.shape[launch.shape.size() - 1];
  if (launch.op == Op::sort && !is_complex(launch.dtype) && n > kShortRow) {
    for_each_row(launch, [&](std::int64_t threads) { return ValueSorter<Bits>(launch, threads); });
  } else if (sizeof(Bits) == 8 || n > std::numeric_limits<std::uint32_t>::max()) {
    by_order<Bits, std::uint64_t>(launch);
  } else {
    by_order<Bits, std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>>(launch);
  }
}

}  // namespace

void register_ordering(KernelTable& table) {
  static constexpr Kernel kKernels[] = {
      nullptr, order<std::uint8_t>, order<std::uint16_t>, nullptr, order<std::uint32_t>, nullptr, nullptr,
      nullptr, order<std::uint64_t>};  // by the size of a real part
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (kind(dtype) == DtypeKind::storage) continue;
    for (const Op op : {Op::sort, Op::argsort}) table.set(op, dtype, kKernels[itemsize(real_part(dtype))]);
    if (!is_complex(dtype)) table.set(Op::searchsorted, dtype, searchsorted);
  }
}

}  // namespace crossdock::native
