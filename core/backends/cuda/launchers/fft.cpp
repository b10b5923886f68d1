#include <algorithm>
#include <optional>
#include <string>

#include "../kernels/fft_args.h"
#include "../launcher.h"
#include "fft_plan.h"
#include "launchers.h"
#include "parts.h"

namespace crossdock::cuda {
namespace {

KernelFamily passes("fft.cuh", 2, [](int number) { return std::string(number == 0 ? "fft<float>" : "fft<double>"); });
KernelFamily tables("fft_table.cuh", 2,
                    [](int number) { return std::string(number == 0 ? "fft_table<float>" : "fft_table<double>"); });

// A transform along the last dimension of a launch.
class Transform {
 public:
  explicit Transform(const Launch& launch)
      : launch_(launch),
        launcher_(launch),
        rows_(launch, 0, launch.shape.size() - 1, 0, 2),
        n_(launch.shape.back()),
        is_double_(launch.dtype == Dtype::float64 || launch.dtype == Dtype::complex128),
        inverse_(launch.op == Op::irfft || (launch.op == Op::fft && launch.integers[0] == 1)) {}

  void run() {
    if (rows_.size == 0 || n_ == 0) return;
    const FftPlan plan(n_, room());
    // Bluestein's algorithm where the length has large factors: a convolution with a chirp, by longer transforms.
    const bool convolves = plan.radices.empty();
    const std::int64_t length = convolves ? smooth_length(2 * n_ - 1) : n_;
    radices_ = convolves ? FftPlan(length, room()).radices : plan.radices;
    make_roots();
    if (convolves) make_chirp(length);
    const std::size_t nrooms = convolves ? 2 : std::min<std::size_t>(2, radices_.size() - 1);
    const std::int64_t together = std::clamp<std::int64_t>(kRoom / (length * size()), 1, rows_.size);
    std::optional<Scratch> rooms[2];
    for (std::size_t i = 0; i < nrooms; ++i) rooms_[i] = rooms[i].emplace(launcher_, bytes(together * length)).data();
    for (first_row_ = 0; first_row_ < rows_.size; first_row_ += together) {
      count_ = std::min(together, rows_.size - first_row_);
      convolves ? convolve(length) : run_passes(side(0), side(1), length, inverse_, launch_.scalars[0]);
    }
  }

 private:
  static constexpr std::int64_t kRoom = 256 * 1024 * 1024;  // bytes, unless one row alone is longer

  std::int64_t size() const noexcept { return is_double_ ? 16 : 8; }  // of a complex number
  std::size_t bytes(std::int64_t elements) const noexcept { return static_cast<std::size_t>(elements * size()); }
  int room() const noexcept { return static_cast<int>(kFftNbytes / size()); }

  // The input or the output.
  FftSide side(int operand) const noexcept {
    const int last = launch_.shape.size() - 1;
    const bool is_real = (operand == 0 && launch_.op == Op::rfft) || (operand == 1 && launch_.op == Op::irfft);
    FftSide side{};
    side.data = reinterpret_cast<unsigned char*>(rows_.pointers[operand]);
    side.step = stride(launch_.operands[static_cast<std::size_t>(operand)], last);
    side.count = operand == 1 && launch_.op == Op::rfft ? n_ / 2 + 1 : n_;
    side.form = is_real                                   ? FftForm::real
                : operand == 0 && launch_.op == Op::irfft ? FftForm::hermitian
                                                          : FftForm::complex;
    side.down = side.step == (is_real ? size() / 2 : size());
    return side;
  }

  // Whole rows one after the other.
  FftSide packed(std::byte* data, std::int64_t length) const noexcept {
    FftSide side{};
    side.data = reinterpret_cast<unsigned char*>(data);
    side.step = size();
    side.row_step = length * size();
    side.count = length;
    side.form = FftForm::complex;
    side.down = true;
    return side;
  }

  void fill_table(FftTable kind, std::byte* out, std::int64_t n, std::int64_t count, bool conjugate) const {
    launcher_.run(tables, is_double_, launcher_.grid(count), FftTableArgs{out, kind, conjugate, n, count});
  }

  void make_roots() {
    std::int64_t count = 0;
    for (const int radix : radices_) count += radix;
    std::byte* at = roots_memory_.emplace(launcher_, bytes(count)).data();
    for (std::size_t i = 0; i < radices_.size(); ++i) {
      const auto before = std::find(radices_.begin(), radices_.begin() + static_cast<std::ptrdiff_t>(i), radices_[i]);
      const auto same = static_cast<std::size_t>(before - radices_.begin());
      roots_.push_back(same < i ? roots_[same] : at);
      if (same < i) continue;
      fill_table(FftTable::roots, at, radices_[i], radices_[i], false);
      at += bytes(radices_[i]);
    }
  }

  // The chirp, and the transform of its conjugate.
  void make_chirp(std::int64_t length) {
    chirp_ = chirp_memory_.emplace(launcher_, bytes(n_)).data();
    filter_ = filter_memory_.emplace(launcher_, bytes(length)).data();
    fill_table(FftTable::chirp, chirp_, n_, n_, inverse_);
    fill_table(FftTable::filter, filter_, n_, length, !inverse_);
    std::optional<Scratch> rooms[2];
    for (int i = 0; i < 2; ++i) rooms_[i] = rooms[i].emplace(launcher_, bytes(length)).data();
    first_row_ = 0;
    count_ = 1;
    run_passes(packed(filter_, length), packed(filter_, length), length, false, 1);
  }

  void convolve(std::int64_t length) const {
    FftSide in = side(0), out = side(1), middle = packed(rooms_[1], length);
    in.factors = chirp_;
    out.factors = chirp_;
    FftSide filtered = middle;
    filtered.factors = filter_;
    const double scale = launch_.scalars[0] / static_cast<double>(length);
    run_passes(in, filtered, length, false, 1, radices_.size() % 2);
    run_passes(middle, out, length, true, scale);
  }

  // From `in` to `out` by way of the rooms, in turn from room `first` on. A pass never writes where it reads, unless it
  // is the only one.
  void run_passes(const FftSide& in, const FftSide& out, std::int64_t length, bool inverse, double scale,
                  std::size_t first = 0) const {
    std::int64_t before = 1;
    FftSide from = in;
    for (std::size_t i = 0; i < radices_.size(); ++i) {
      const bool last = i + 1 == radices_.size();
      const FftSide to = last ? out : packed(rooms_[(first + i) % 2], length);
      FftArgs args = args_of(radices_[i], before, length);
      args.roots = roots_[i];
      args.inverse = inverse;
      args.scale = last ? scale : 1;
      args.in = from;
      args.out = to;
      args.in.down = args.in.down && args.radix == length;
      args.out.down = args.out.down && before == 1;
      launch_pass(args);
      before *= radices_[i];
      from = to;
    }
  }

  FftArgs args_of(int radix, std::int64_t before, std::int64_t length) const noexcept {
    FftArgs args{};
    args.ndim = rows_.ndim;
    for (int dim = 0; dim < rows_.ndim; ++dim) {
      args.shape[dim] = rows_.shape[dim];
      for (int i = 0; i < 2; ++i) args.strides[i][dim] = rows_.strides[dim][i];
    }
    args.radix = radix;
    for (const int factor : butterflies(radix)) args.factors[args.nfactors++] = factor;
    args.length = length;
    args.before = before;
    args.first_row = first_row_;
    args.rows = count_;
    return args;
  }

  // As many columns side by side as there is room for, but enough blocks for the whole device.
  void launch_pass(FftArgs& args) const {
    const std::int64_t all = args.rows * (args.length / args.radix);
    const int most = std::min(room() / args.radix, kFftMostColumns);
    const std::int64_t spread = all / (2 * launcher_.multiprocessors());
    args.columns = static_cast<int>(std::min<std::int64_t>({most, all, std::max<std::int64_t>(spread, 4)}));
    // An odd pitch keeps threads that go down a column out of each other's banks.
    args.pitch = args.radix * (args.columns | 1) <= room() ? args.columns | 1 : args.columns;
    const int threads = (args.radix * args.columns / 4 + 31) / 32 * 32;
    Grid grid;
    grid.x = static_cast<unsigned>((all + args.columns - 1) / args.columns);
    grid.threads = static_cast<unsigned>(std::clamp(threads, 32, kFftThreads));
    launcher_.run(passes, is_double_, grid, args);
  }

  const Launch& launch_;
  Launcher launcher_;
  Nest rows_;
  std::int64_t n_;
  bool is_double_, inverse_;
  std::vector<int> radices_;
  std::vector<std::byte*> roots_;
  std::optional<Scratch> roots_memory_, chirp_memory_, filter_memory_;
  std::byte* chirp_ = nullptr;
  std::byte* filter_ = nullptr;
  std::byte* rooms_[2] = {};
  std::int64_t first_row_ = 0, count_ = 0;  // of the part at hand
};

void launch_fft(const Launch& launch) {
  for_parts(launch, 1, [](const Launch& part) { Transform(part).run(); });
}

}  // namespace

void register_fft(KernelTable& table) {
  for (const Op op : {Op::fft, Op::irfft}) {
    table.set(op, Dtype::complex64, launch_fft);
    table.set(op, Dtype::complex128, launch_fft);
  }
  table.set(Op::rfft, Dtype::float32, launch_fft);
  table.set(Op::rfft, Dtype::float64, launch_fft);
}

}  // namespace crossdock::cuda
