#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "aligned.h"
#include "kernels.h"
#include "kernels/sort_args.h"
#include "launcher.h"
#include "launchers.h"
#include "nest_dims.h"
#include "order_key.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

constexpr int kSizes = 4;  // of the real part of an element: 1, 2, 4, 8 bytes

int size_number(Dtype dtype) { return std::countr_zero(static_cast<unsigned>(itemsize(real_part(dtype)))); }
std::string bits_type(int number) { return bytes_type(1 << number); }

std::string short_expression(int number) {
  const bool complex = number % 2 != 0;
  if (complex && number / 2 < 2) return "";  // no complex dtype has such small parts
  return "sort_short<" + bits_type(number / 2) + (complex ? ", true>" : ", false>");
}
KernelFamily short_family("short_sort.cuh", kSizes * 2, short_expression);

// What keys and places travel as.
enum class Widths : int { narrow, wide_key, wide };
constexpr int kWidths = 3;
const char* key_type(int widths) { return widths == 0 ? "std::uint32_t" : "std::uint64_t"; }
const char* index_type(int widths) { return widths == 2 ? "std::uint64_t" : "std::uint32_t"; }

enum class RadixKernel : int { make_keys, count = kSizes, move, write };
std::string radix_expression(int number) {
  const int widths = number % kWidths, kernel = number / kWidths;
  const std::string key = key_type(widths), index = index_type(widths);
  if (kernel < kSizes) {
    const bool fits = widths == 2 || (kernel == kSizes - 1) == (widths == 1);
    return fits ? "make_keys<" + bits_type(kernel) + ", " + key + ", " + index + ">" : "";
  }
  if (kernel == static_cast<int>(RadixKernel::count)) return widths == 2 ? "" : "count_digits<" + key + ">";
  if (kernel == static_cast<int>(RadixKernel::move)) return "move_digits<" + key + ", " + index + ">";
  return widths == 1 ? "" : "write_rows<" + index + ">";
}
KernelFamily radix_family("radix_sort.cuh", (kSizes + 3) * kWidths, radix_expression);
int radix_number(int kernel, Widths widths) { return kernel * kWidths + static_cast<int>(widths); }
int radix_number(RadixKernel kernel, Widths widths) { return radix_number(static_cast<int>(kernel), widths); }

RowsArgs rows_args(const Launch& launch) {
  const int last = launch.shape.size() - 1;
  const Nest nest(launch, 0, last, 0, 2);
  RowsArgs args{};
  args.count = nest.size;
  args.n = launch.shape[last];
  if (args.count == 0 || args.n == 0) return args;
  args.input = reinterpret_cast<const unsigned char*>(nest.pointers[0]);
  args.output = reinterpret_cast<unsigned char*>(nest.pointers[1]);
  args.input_stride = stride(launch.operands[0], last);
  args.output_stride = stride(launch.operands[1], last);
  args.complex = is_complex(launch.dtype);
  args.indices = launch.op == Op::argsort;
  args.itemsize = itemsize(launch.dtype);
  args.order = order_key(real_part(launch.dtype), launch.integers[0] != 0);
  args.rows = nest_dims<2>(nest, {0, 1});
  return args;
}

void sort_short(const Launcher& launcher, const RowsArgs& rows) {
  const ShortSortArgs args{rows, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows.n - 1)))};
  const std::int64_t together = kShortRow >> args.log2, blocks = (rows.count + together - 1) / together;
  const Grid grid{.x = static_cast<unsigned>(std::min<std::int64_t>(blocks, 1 << 20)), .threads = kSortThreads};
  launcher.run(short_family, size_number(launcher.launch().dtype) * 2 + rows.complex, grid, args);
}

// The rows that are sorted at a time, and the memory that it takes.
class RadixSort {
 public:
  RadixSort(const Launcher& launcher, const RowsArgs& rows)
      : launcher_(launcher),
        rows_(rows),
        widths_(rows.n > std::int64_t{std::numeric_limits<std::uint32_t>::max()} ? Widths::wide
                : itemsize(real_part(launcher.launch().dtype)) == 8              ? Widths::wide_key
                                                                                 : Widths::narrow),
        tiles_((rows.n + kRadixTile - 1) / kRadixTile),
        key_nbytes_(rows.count * rows.n * (widths_ == Widths::narrow ? 4 : 8)),
        index_nbytes_(rows.count * rows.n * (widths_ == Widths::wide ? 8 : 4)),
        memory_(launcher, static_cast<std::size_t>(2 * (aligned(key_nbytes_) + aligned(index_nbytes_)) +
                                                   rows.count * kRadix * tiles_ * 8)) {
    std::byte* next = memory_.data();
    for (auto& keys : keys_) keys = std::exchange(next, next + aligned(key_nbytes_));
    for (auto& indices : indices_) indices = std::exchange(next, next + aligned(index_nbytes_));
    counts_ = next;
  }

  void run() {
    const int bits = 8 * itemsize(real_part(launcher_.launch().dtype));
    if (rows_.complex) sort_by(KeyPart::imaginary, bits);
    sort_by(KeyPart::real, bits);
    if (rows_.complex) sort_by(KeyPart::nans, 2);
    const SortedArgs args{rows_, bytes(indices_[0])};
    const Widths widths = widths_ == Widths::wide ? Widths::wide : Widths::narrow;
    launcher_.run(radix_family, radix_number(RadixKernel::write, widths), launcher_.grid(rows_.count * rows_.n), args);
  }

 private:
  static std::int64_t aligned(std::int64_t nbytes) { return (nbytes + 255) / 256 * 256; }
  static unsigned char* bytes(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }

  void sort_by(KeyPart part, int bits) {
    const KeysArgs args{rows_, bytes(keys_[0]), bytes(indices_[0]), part, begin_};
    begin_ = false;
    launcher_.run(radix_family, radix_number(size_number(launcher_.launch().dtype), widths_),
                  launcher_.grid(rows_.count * rows_.n), args);
    for (int shift = 0; shift < bits; shift += kRadixBits) pass(shift);
  }

  void pass(int shift) {
    const RadixArgs args{bytes(keys_[0]),
                         bytes(indices_[0]),
                         bytes(keys_[1]),
                         bytes(indices_[1]),
                         reinterpret_cast<std::int64_t*>(counts_),
                         rows_.count,
                         rows_.n,
                         tiles_,
                         shift};
    const Grid grid{.x = static_cast<unsigned>(std::min<std::int64_t>(rows_.count * tiles_, 1 << 20)),
                    .threads = kSortThreads};
    const Widths keys = widths_ == Widths::narrow ? Widths::narrow : Widths::wide_key;
    launcher_.run(radix_family, radix_number(RadixKernel::count, keys), grid, args);
    sum_counts();
    launcher_.run(radix_family, radix_number(RadixKernel::move, widths_), grid, args);
    std::swap(keys_[0], keys_[1]);
    std::swap(indices_[0], indices_[1]);
  }

  void sum_counts() const {
    Launch sums;
    sums.op = Op::cumulative_sum;
    sums.dtype = Dtype::int64;
    sums.shape = {rows_.count, kRadix * tiles_};
    sums.noperands = 2;
    sums.stream = launcher_.launch().stream;
    for (std::size_t i = 0; i < 2; ++i)
      sums.operands[i] = {.data = counts_, .dtype = Dtype::int64, .strides = {kRadix * tiles_ * 8, 8}};
    kernels().find(sums.op, sums.dtype)(sums);
  }

  const Launcher& launcher_;
  RowsArgs rows_;
  Widths widths_;
  std::int64_t tiles_, key_nbytes_, index_nbytes_;
  Scratch memory_;
  std::byte *keys_[2], *indices_[2], *counts_;
  bool begin_ = true;
};

void sort(const Launch& launch) {
  const Launcher launcher(launch);
  RowsArgs rows = rows_args(launch);
  const std::int64_t count = rows.count;
  if (count == 0 || rows.n == 0) return;
  if (rows.n <= kShortRow) return sort_short(launcher, rows);
  constexpr std::int64_t kTogether = std::int64_t{1} << 27;  // elements, unless one row has more
  const std::int64_t most = std::max<std::int64_t>(1, kTogether / rows.n);
  for (rows.first = 0; rows.first < count; rows.first += most) {
    rows.count = std::min(most, count - rows.first);
    RadixSort(launcher, rows).run();
  }
}

}  // namespace

void register_ordering(KernelTable& table) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (kind(dtype) == DtypeKind::storage) continue;
    for (const Op op : {Op::sort, Op::argsort}) table.set(op, dtype, aligned<sort>);
  }
}

}  // namespace crossdock::cuda
