#include "ordering.h"

#include <atomic>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "loop_table.h"
#include "order_key.h"
#include "quick_sort.h"
#include "radix_sort.h"
#include "rows.h"
#include "scratch.h"
#include "searchsorted.h"

namespace crossdock::native {

namespace {

constexpr std::int64_t kShortRow = 80;        // up to here, comparing all pairs is faster
constexpr std::int64_t kSortGrain = 1 << 12;  // elements worth a thread's while
constexpr std::int64_t kKeyGrain = 1 << 15;

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

struct Row {
  const std::byte* input;
  std::int64_t input_stride;
  std::byte* output;
  std::int64_t output_stride;
  std::int64_t n;

  const std::byte* operator[](std::int64_t i) const noexcept { return input + i * input_stride; }
  template <class T>
  void write(std::int64_t i, const T& value) const noexcept {
    std::memcpy(output + i * output_stride, &value, sizeof value);
  }
};

// Calls body(begin, end, stride), on several threads for a long row; with a stride known to the compiler where
// elements lie one after the other. Bodies hold what they use by value: what they write could be anything else to the
// compiler, and it would look at that again for each element.
template <class T, class Body>
void for_elements(std::int64_t n, std::int64_t stride, const Body& body) {
  parallel_for(n, kKeyGrain, [&](std::int64_t begin, std::int64_t end) {
    const Body own = body;
    if (stride == sizeof(T)) {
      own(begin, end, std::integral_constant<std::int64_t, sizeof(T)>{});
    } else {
      own(begin, end, stride);
    }
  });
}

// The order of a row's elements, as indexed keys. `Key` has at least the bits of an element and of a row's length.
template <class Bits, class Key>
class RowOrder {
 public:
  using Item = Indexed<Key>;

  RowOrder(const Launch& launch, std::int64_t threads)
      : key_(real_part(launch.dtype), launch.integers[0] != 0),
        complex_(is_complex(launch.dtype)),
        descending_(launch.integers[0] != 0),
        sort_({}, threads),
        items_(launch),
        scratch_(launch) {}

  // Items in order; valid until the next call.
  const Item* operator()(const Row& row) {
    Item* const items = items_.room(row.n);
    const std::int64_t imaginary = complex_ ? sizeof(Bits) : 0;
    for_elements<Bits>(row.n, row.input_stride,
                       [items, key = key_, input = row.input + imaginary](auto begin, auto end, auto stride) {
                         for (auto i = begin; i < end; ++i) items[i] = {key(input + i * stride), static_cast<Key>(i)};
                       });
    sort_(items, items, scratch_.room(row.n), row.n);
    if (!complex_) return items;
    for (std::int64_t i = 0; i < row.n; ++i) items[i].key = key_(row[static_cast<std::int64_t>(items[i].index)]);
    sort_(items, items, scratch_.room(row.n), row.n);
    separate_nans(row, items);
    return items;
  }

 private:
  // As NumPy: numbers with NaN as imaginary part come between the others and those with NaN as real part.
  void separate_nans(const Row& row, Item* items) {
    const auto real_nan = [&](const Item& item) { return item.key == key_.nan(); };
    const auto nan_part = [&](const Item& item) {
      return key_(row[static_cast<std::int64_t>(item.index)] + sizeof(Bits)) == key_.nan();
    };
    Item* const end = items + row.n;
    if (descending_) {
      std::stable_partition(std::find_if_not(items, end, real_nan), end, nan_part);
    } else {
      std::stable_partition(items, std::find_if(items, end, real_nan), std::not_fn(nan_part));
    }
  }

  OrderKey<Bits> key_;
  bool complex_, descending_;
  RadixSort<Item, KeyOfIndexed> sort_;
  Scratch<Item> items_, scratch_;
};

template <class Bits>
void write_values(const Row row, const auto* items, bool complex) {
  for_elements<Bits>(row.n, row.output_stride, [=](auto begin, auto end, auto stride) {
    for (auto i = begin; i < end; ++i) {
      const std::byte* const from = row[static_cast<std::int64_t>(items[i].index)];
      std::byte* const to = row.output + i * stride;
      if (complex) {
        std::memcpy(to, from, 2 * sizeof(Bits));
      } else {
        std::memcpy(to, from, sizeof(Bits));
      }
    }
  });
}

void write_indices(const Row& row, const auto* items) {
  for_elements<std::int64_t>(row.n, row.output_stride, [items, output = row.output](auto begin, auto end, auto stride) {
    for (auto i = begin; i < end; ++i) {
      const auto index = static_cast<std::int64_t>(items[i].index);
      std::memcpy(output + i * stride, &index, sizeof index);
    }
  });
}

// Sorts the elements of a row themselves, as keys that can be turned back into them.
template <class Bits, class Key>
class RowValues {
 public:
  RowValues(const Launch& launch, std::int64_t threads)
      : key_(launch.dtype, launch.integers[0] != 0),
        sort_({}, threads),
        quick_sort_(threads),
        order_(launch, threads),
        keys_(launch),
        scratch_(launch) {}

  void operator()(const Row& row) {
    const bool direct =
        row.output_stride == sizeof(Bits) && reinterpret_cast<std::uintptr_t>(row.output) % alignof(Bits) == 0;
    Bits* const keys = direct ? reinterpret_cast<Bits*>(row.output) : keys_.room(row.n);
    if (!make_keys(row, keys)) return write_values<Bits>(row, order_(row), false);
    if (sizeof(Bits) == 1 || (sizeof(Bits) == 2 && row.n >= kManyKeys)) {
      count(keys, row.n);
    } else if (QuickSort<Bits>::available()) {
      quick_sort_(keys, scratch_.room(QuickSort<Bits>::room(row.n)), row.n);
    } else {
      sort_(keys, keys, scratch_.room(row.n), row.n);
    }
    for_elements<Bits>(row.n, row.output_stride,
                       [keys, key = key_, output = row.output](auto begin, auto end, auto stride) {
                         for (auto i = begin; i < end; ++i) {
                           const Bits element = key.element(keys[i]);
                           std::memcpy(output + i * stride, &element, sizeof element);
                         }
                       });
  }

 private:
  static constexpr std::int64_t kManyKeys = 1 << 16;
  struct Self {
    Bits operator()(Bits key) const noexcept { return key; }
  };

  // False where equal elements differ in their bits (0.0 and -0.0, NaNs): such keys would not keep their order.
  bool make_keys(const Row& row, Bits* keys) const {
    std::atomic<bool> faithful{true};
    for_elements<Bits>(row.n, row.input_stride,
                       [keys, key = key_, input = row.input, &faithful](auto begin, auto end, auto stride) {
                         Bits differs = 0;
                         for (auto i = begin; i < end; ++i) {
                           const Bits bits = key.load(input + i * stride);
                           keys[i] = key.plain(bits);
                           differs |= key.differs(bits);
                         }
                         if (differs != 0) faithful.store(false, std::memory_order_relaxed);
                       });
    return faithful.load(std::memory_order_relaxed);
  }

  // As there are few different keys, it is enough to know how many there are of each.
  void count(Bits* keys, std::int64_t n) {
    counts_.assign(std::size_t{1} << (8 * std::min<std::size_t>(sizeof(Bits), 2)), 0);
    for (std::int64_t i = 0; i < n; ++i) ++counts_[static_cast<std::size_t>(keys[i])];
    for (std::size_t key = 0; key < counts_.size(); ++key) {
      keys = std::fill_n(keys, counts_[key], static_cast<Bits>(key));
    }
  }

  OrderKey<Bits> key_;
  RadixSort<Bits, Self> sort_;
  QuickSort<Bits> quick_sort_;
  RowOrder<Bits, Key> order_;
  Scratch<Bits> keys_, scratch_;
  std::vector<std::int64_t> counts_;
};

// Short rows of real numbers: sort and argsort.
template <class Bits, class Key>
class ShortRow {
 public:
  explicit ShortRow(const Launch& launch) noexcept
      : key_(launch.dtype, launch.integers[0] != 0), indices_(launch.op == Op::argsort) {}

  void operator()(const Row row) const noexcept {
    alignas(64) Key keys[kShortRow], places[kShortRow];
    const OrderKey<Bits> key = key_;
    for (std::int64_t i = 0; i < row.n; ++i) keys[i] = key(row[i]);
    loops().rank[sizeof(Key) == 8](reinterpret_cast<const std::byte*>(keys), reinterpret_cast<std::byte*>(places),
                                   row.n);
    for (std::int64_t i = 0; i < row.n; ++i) {
      const auto place = static_cast<std::int64_t>(places[i]);
      if (indices_) {
        row.write(place, i);
      } else {
        row.write(place, key_.load(row[i]));
      }
    }
  }

 private:
  OrderKey<Bits> key_;
  bool indices_;
};

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

template <class Bits, class Key>
void order_with(const Launch& launch) {
  if (is_complex(launch.dtype)) {
    by_order<Bits, Key>(launch);
  } else if (launch.shape[launch.shape.size() - 1] <= kShortRow) {
    for_each_row(launch, [&](std::int64_t) { return ShortRow<Bits, Key>(launch); });
  } else if (launch.op == Op::argsort) {
    by_order<Bits, Key>(launch);
  } else {
    for_each_row(launch, [&](std::int64_t threads) { return RowValues<Bits, Key>(launch, threads); });
  }
}

template <class Bits>
void order(const Launch& launch) {
  using Narrow = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  if (launch.shape[launch.shape.size() - 1] > std::numeric_limits<std::uint32_t>::max()) {
    order_with<Bits, std::uint64_t>(launch);
  } else {
    order_with<Bits, Narrow>(launch);
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
