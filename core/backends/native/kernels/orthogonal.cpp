// QR, eigenvalue and singular value decompositions.
#include <cmath>
#include <limits>

#include "block.h"
#include "crossdock/runtime/error.h"
#include "linalg.h"
#include "stack.h"

namespace crossdock::native {

namespace {

// How much room a function wants; the least it works with, and what it says serves best.
int room_size(double least, const Block& answer, Dtype dtype, Op op) {
  constexpr double kMost = std::numeric_limits<int>::max();
  if (least > kMost) {
    throw DimensionError(std::string(name(op)) + ": a matrix of this size needs room for " +
                         std::to_string(static_cast<std::int64_t>(least)) + " elements, more than LAPACK counts (" +
                         std::to_string(std::numeric_limits<int>::max()) + ")");
  }
  // The answer comes as an element: a float may have been rounded down.
  const double best = itemsize(real_part(dtype)) == 4 ? std::ceil(*static_cast<float*>(answer.data()) * 1.000001)
                                                      : *static_cast<double*>(answer.data());
  return static_cast<int>(best > least && best <= kMost ? best : least);
}

// Room for work, as sizes; each thread makes its own.
struct Sizes {
  int work = 0, real_work = 0, integer_work = 0;
};

class Room {
 public:
  Room(const Sizes& sizes, Dtype dtype)
      : sizes_(sizes),
        work_(sizes.work, 1, itemsize(dtype)),
        real_work_(sizes.real_work, 1, itemsize(real_part(dtype))),
        integer_work_(sizes.integer_work, 1, sizeof(int)) {}
  operator Lapack::Room() const noexcept {
    return {
        work_.data(),       sizes_.work, real_work_.data(), sizes_.real_work, static_cast<int*>(integer_work_.data()),
        sizes_.integer_work};
  }

 private:
  Sizes sizes_;
  Block work_, real_work_, integer_work_;
};

enum class Content { finite, infinite, nan };

template <class T>
Content content(const T* numbers, std::int64_t count) noexcept {
  T sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += numbers[i] * 0;  // NaN when some number is not finite
  if (sum == 0) return Content::finite;
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(numbers[i])) return Content::nan;
  }
  return Content::infinite;
}

// Of a column, from row `first` on.
Content content(const Block& a, Dtype dtype, std::int64_t column, std::int64_t first) noexcept {
  const std::int64_t parts = is_complex(dtype) ? 2 : 1, count = (a.rows() - first) * parts;
  return itemsize(real_part(dtype)) == 4 ? content(static_cast<float*>(a.column(column)) + first * parts, count)
                                         : content(static_cast<double*>(a.column(column)) + first * parts, count);
}

// Of a matrix or its lower triangle. LAPACK is not asked about what is not finite: some versions loop forever.
Content content(const Block& a, Dtype dtype, bool lower) noexcept {
  Content worst = Content::finite;
  for (std::int64_t j = 0; j < a.columns(); ++j) worst = std::max(worst, content(a, dtype, j, lower ? j : 0));
  return worst;
}

void fill_nan(const Block& block, Dtype dtype) {
  const std::int64_t count = block.size() * (is_complex(dtype) ? 2 : 1);
  if (itemsize(real_part(dtype)) == 4)
    std::fill_n(static_cast<float*>(block.data()), count, std::numeric_limits<float>::quiet_NaN());
  else
    std::fill_n(static_cast<double*>(block.data()), count, std::numeric_limits<double>::quiet_NaN());
}

double work_of(std::int64_t m, std::int64_t n) noexcept {
  return 4 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
}

constexpr int kNotConverged = 1;

}  // namespace

void qr(const Launch& launch) {
  const Lapack& lapack = Lapack::get();
  const Dtype dtype = launch.dtype;
  const int ndim = launch.shape.size();
  const int m = lapack_size(launch.shape[ndim - 2], launch.op), n = lapack_size(launch.shape[ndim - 1], launch.op);
  const int k = std::min(m, n), width = launch.integers[0] != 0 ? m : k;
  const Block answer(1, 1, itemsize(dtype));
  lapack.geqrf(dtype, m, n, nullptr, nullptr, answer.data(), -1);
  int nwork = room_size(n, answer, dtype, launch.op);
  lapack.orgqr(dtype, m, width, k, nullptr, nullptr, answer.data(), -1);
  nwork = std::max(nwork, room_size(width, answer, dtype, launch.op));
  Stack(launch).for_each(work_of(m, n), [&] {
    return [&, a = Block(m, std::max(n, width), itemsize(dtype)), r = Block(width, n, itemsize(dtype)),
            tau = Block(k, 1, itemsize(dtype)), work = Block(nwork, 1, itemsize(dtype))](const Group& group) {
      a.read(group.matrix(0, m, n));
      lapack.geqrf(dtype, m, n, a.data(), tau.data(), work.data(), nwork);
      a.write(r.matrix());
      r.clear_below();
      r.write(group.matrix(2, width, n));
      lapack.orgqr(dtype, m, width, k, a.data(), tau.data(), work.data(), nwork);
      a.write(group.matrix(1, m, width));
      return 0;
    };
  });
}

void eigh(const Launch& launch) {
  const Lapack& lapack = Lapack::get();
  const Dtype dtype = launch.dtype, real = real_part(dtype);
  const bool vectors = launch.op == Op::eigh, complex = is_complex(dtype);
  const char job = vectors ? 'V' : 'N';
  const int n = lapack_size(launch.shape.back(), launch.op);
  const double d = n;
  const Block answer(1, 1, itemsize(dtype)), real_answer(1, 1, itemsize(real));
  // LAPACK's least sizes (dsyevd, zheevd); the longest first, which says when a matrix is too large.
  const double real_least = vectors ? 1 + 5 * d + 2 * d * d : d;
  const double least = complex ? (vectors ? 2 * d + d * d : d + 1) : (vectors ? 1 + 6 * d + 2 * d * d : 2 * d + 1);
  const double integer_least = vectors ? 3 + 5 * d : 1;
  std::memset(answer.data(), 0, static_cast<std::size_t>(itemsize(dtype)));
  std::memset(real_answer.data(), 0, static_cast<std::size_t>(itemsize(real)));
  Sizes sizes;
  if (complex) sizes.real_work = room_size(real_least, real_answer, real, launch.op);
  sizes.work = room_size(least, answer, dtype, launch.op);
  int integer_answer = 0;
  lapack.syevd(dtype, job, n, nullptr, nullptr, {answer.data(), -1, real_answer.data(), -1, &integer_answer, -1});
  sizes.work = room_size(least, answer, dtype, launch.op);
  sizes.integer_work = std::max(static_cast<int>(integer_least), integer_answer);
  Stack(launch).for_each(work_of(n, n), [&] {
    return [&, a = Block(n, n, itemsize(dtype)), values = Block(n, 1, itemsize(real)),
            room = Room(sizes, dtype)](const Group& group) {
      a.read(group.matrix(0, n, n));
      const Content what = content(a, dtype, true);
      if (what == Content::nan) return kNotConverged;
      if (what == Content::infinite) {
        fill_nan(a, dtype);
        fill_nan(values, real);
      } else if (const int info = lapack.syevd(dtype, job, n, a.data(), values.data(), room)) {
        return info;
      }
      values.write(group.vector(1, n));
      if (vectors) a.write(group.matrix(2, n, n));
      return 0;
    };
  });
}

void svd(const Launch& launch) {
  const Lapack& lapack = Lapack::get();
  const Dtype dtype = launch.dtype, real = real_part(dtype);
  const bool vectors = launch.op == Op::svd, complex = is_complex(dtype);
  const int ndim = launch.shape.size();
  const int m = lapack_size(launch.shape[ndim - 2], launch.op), n = lapack_size(launch.shape[ndim - 1], launch.op);
  const int k = std::min(m, n);
  const bool full = vectors && launch.integers[0] != 0;
  const int u_columns = !vectors ? 0 : full ? m : k, vh_rows = !vectors ? 0 : full ? n : k;
  const char job = !vectors ? 'N' : full ? 'A' : 'S';
  const double most = std::max(m, n), d = k;
  const Block answer(1, 1, itemsize(dtype));
  // LAPACK's least sizes (dgesdd, zgesdd).
  const double real_least = vectors ? std::max(5 * d * d + 5 * d, 2 * most * d + 2 * d * d + d) : 7 * d;
  const double least = complex ? (vectors ? d * d + 3 * d + most : 2 * d + most)
                               : (vectors ? 4 * d * d + 7 * d + most : 3 * d + std::max(most, 7 * d));
  std::memset(answer.data(), 0, static_cast<std::size_t>(itemsize(dtype)));
  Sizes sizes;
  if (complex) sizes.real_work = room_size(real_least, answer, real, launch.op);
  sizes.work = room_size(least, answer, dtype, launch.op);
  sizes.integer_work = lapack_size(8 * std::int64_t{k}, launch.op);
  lapack.gesdd(dtype, job, m, n, nullptr, nullptr, nullptr, nullptr, {answer.data(), -1, nullptr, -1, nullptr, -1});
  sizes.work = room_size(least, answer, dtype, launch.op);
  const int s_operand = vectors ? 2 : 1;
  Stack(launch).for_each(work_of(m, n), [&] {
    return [&, a = Block(m, n, itemsize(dtype)), u = Block(m, u_columns, itemsize(dtype)),
            vh = Block(vh_rows, n, itemsize(dtype)), values = Block(k, 1, itemsize(real)),
            room = Room(sizes, dtype)](const Group& group) {
      a.read(group.matrix(0, m, n));
      const Content what = content(a, dtype, false);
      if (what == Content::nan) return kNotConverged;
      if (what == Content::infinite) {
        fill_nan(u, dtype);
        fill_nan(vh, dtype);
        fill_nan(values, real);
      } else if (const int info = lapack.gesdd(dtype, job, m, n, a.data(), values.data(), u.data(), vh.data(), room)) {
        return info;
      }
      values.write(group.vector(s_operand, k));
      if (vectors) {
        u.write(group.matrix(1, m, u_columns));
        vh.write(group.matrix(3, vh_rows, n));
      }
      return 0;
    };
  });
}

}  // namespace crossdock::native
