#include "arange.h"

#include "conversion.h"
#include "rows.h"

namespace crossdock::native {

namespace {

void fill(double* values, std::int64_t n, std::int64_t begin, double start, double step) {
  const auto first = static_cast<double>(begin);  // exact: for 2^53 elements there is no memory
  for (int i = 0; i < static_cast<int>(n); ++i) values[i] = start + (first + i) * step;
}
void fill(std::uint64_t* values, std::int64_t n, std::int64_t begin, std::uint64_t start, std::uint64_t step) {
  std::uint64_t value = start + static_cast<std::uint64_t>(begin) * step;
  for (std::int64_t i = 0; i < n; ++i, value += step) values[i] = value;
}

// Values are made as `Wide` (wrapping uint64, or double) in pieces, then converted.
template <class Wide>
void run(const Launch& launch, Wide start, Wide step, Dtype wide) {
  const Conversion conversion(wide, launch.dtype);
  std::byte* const data = pointer(launch.output());
  const std::int64_t to_stride = stride(launch.output(), 0);
  const std::int64_t size = launch.shape.size() == 0 ? 1 : launch.shape[0];
  parallel_for(size, kGrain, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kPiece = 512;
    alignas(64) Wide values[kPiece];
    for (; begin < end; begin += kPiece) {
      const std::int64_t n = std::min(kPiece, end - begin);
      fill(values, n, begin, start, step);
      conversion(reinterpret_cast<const std::byte*>(values), sizeof(Wide), data + begin * to_stride, to_stride, n);
    }
  });
}

}  // namespace

void arange(const Launch& launch) {
  if (is_integer(launch.dtype)) {
    run(launch, static_cast<std::uint64_t>(launch.integers[0]), static_cast<std::uint64_t>(launch.integers[1]),
        Dtype::int64);
  } else {
    run(launch, launch.scalars[0], launch.scalars[1], Dtype::float64);
  }
}

}  // namespace crossdock::native
