#include "lapack.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "blas.h"
#include "blas_turn.h"
#include "crossdock/runtime/error.h"

namespace crossdock::native {

namespace {

// Fortran takes everything by address, and the lengths of strings last.
using Potrf = void(const char*, const int*, void*, const int*, int*, std::size_t);
using Getrf = void(const int*, const int*, void*, const int*, int*, int*);
using Getrs = void(const char*, const int*, const int*, const void*, const int*, const int*, void*, const int*, int*,
                   std::size_t);
using Geqrf = void(const int*, const int*, void*, const int*, void*, void*, const int*, int*);
using Orgqr = void(const int*, const int*, const int*, void*, const int*, const void*, void*, const int*, int*);
using Syevd = void(const char*, const char*, const int*, void*, const int*, void*, void*, const int*, int*, const int*,
                   int*, std::size_t, std::size_t);
using Heevd = void(const char*, const char*, const int*, void*, const int*, void*, void*, const int*, void*, const int*,
                   int*, const int*, int*, std::size_t, std::size_t);
using RealGesdd = void(const char*, const int*, const int*, void*, const int*, void*, void*, const int*, void*,
                       const int*, void*, const int*, int*, int*, std::size_t);
using ComplexGesdd = void(const char*, const int*, const int*, void*, const int*, void*, void*, const int*, void*,
                          const int*, void*, const int*, void*, int*, int*, std::size_t);

template <class Function>
Function* as(void* function) noexcept {
  return reinterpret_cast<Function*>(function);
}

int checked(const char* word, int info) {
  if (info >= 0) return info;
  throw Error(std::string("LAPACK's ") + word + " refuses its argument " + std::to_string(-info));
}

// LAPACK wants a distance between columns of at least 1, also where there are no rows.
int distance(int rows) noexcept { return std::max(rows, 1); }

std::size_t number(Dtype dtype) noexcept {
  return static_cast<std::size_t>(dtype) - static_cast<std::size_t>(Dtype::float32);
}

}  // namespace

const Lapack& Lapack::get() {
  const Blas* blas = Blas::get();
  if (blas && blas->lapack()) return *blas->lapack();
  throw NotImplementedError(
      "factorizations of matrices need LAPACK, which is not installed here; `pip install scipy-openblas32` brings it");
}

bool Lapack::load(const DynamicLibrary& library) noexcept {
  static constexpr const char* kWords[4][7] = {{"scipy_spotrf_", "scipy_sgetrf_", "scipy_sgetrs_", "scipy_sgeqrf_",
                                                "scipy_sorgqr_", "scipy_ssyevd_", "scipy_sgesdd_"},
                                               {"scipy_dpotrf_", "scipy_dgetrf_", "scipy_dgetrs_", "scipy_dgeqrf_",
                                                "scipy_dorgqr_", "scipy_dsyevd_", "scipy_dgesdd_"},
                                               {"scipy_cpotrf_", "scipy_cgetrf_", "scipy_cgetrs_", "scipy_cgeqrf_",
                                                "scipy_cungqr_", "scipy_cheevd_", "scipy_cgesdd_"},
                                               {"scipy_zpotrf_", "scipy_zgetrf_", "scipy_zgetrs_", "scipy_zgeqrf_",
                                                "scipy_zungqr_", "scipy_zheevd_", "scipy_zgesdd_"}};
  for (int i = 0; i < 4; ++i) {
    Functions& f = functions_[i];
    void** places[] = {&f.potrf, &f.getrf, &f.getrs, &f.geqrf, &f.orgqr, &f.syevd, &f.gesdd};
    for (int j = 0; j < 7; ++j) {
      *places[j] = library.symbol(kWords[i][j]);
      if (!*places[j]) return false;
    }
  }
  return true;
}

const Lapack::Functions& Lapack::of(Dtype dtype) const noexcept { return functions_[number(dtype)]; }

int Lapack::potrf(Dtype dtype, char triangle, int n, void* a) const {
  const int leading = distance(n);
  int info = 0;
  const BlasTurn turn;
  as<Potrf>(of(dtype).potrf)(&triangle, &n, a, &leading, &info, 1);
  return checked("potrf", info);
}

int Lapack::getrf(Dtype dtype, int rows, int columns, void* a, int* pivots) const {
  const int leading = distance(rows);
  int info = 0;
  const BlasTurn turn;
  as<Getrf>(of(dtype).getrf)(&rows, &columns, a, &leading, pivots, &info);
  return checked("getrf", info);
}

int Lapack::getrs(Dtype dtype, int n, int columns, const void* lu, const int* pivots, void* b) const {
  const int leading = distance(n);
  const char as_it_is = 'N';
  int info = 0;
  const BlasTurn turn;
  as<Getrs>(of(dtype).getrs)(&as_it_is, &n, &columns, lu, &leading, pivots, b, &leading, &info, 1);
  return checked("getrs", info);
}

int Lapack::geqrf(Dtype dtype, int rows, int columns, void* a, void* tau, void* work, int nwork) const {
  const int leading = distance(rows);
  int info = 0;
  const BlasTurn turn;
  as<Geqrf>(of(dtype).geqrf)(&rows, &columns, a, &leading, tau, work, &nwork, &info);
  return checked("geqrf", info);
}

int Lapack::orgqr(Dtype dtype, int rows, int columns, int reflectors, void* a, const void* tau, void* work,
                  int nwork) const {
  const int leading = distance(rows);
  int info = 0;
  const BlasTurn turn;
  as<Orgqr>(of(dtype).orgqr)(&rows, &columns, &reflectors, a, &leading, tau, work, &nwork, &info);
  return checked("orgqr", info);
}

int Lapack::syevd(Dtype dtype, char job, int n, void* a, void* values, const Room& room) const {
  const int leading = distance(n);
  const char lower = 'L';
  int info = 0;
  const BlasTurn turn;
  if (is_complex(dtype)) {
    as<Heevd>(of(dtype).syevd)(&job, &lower, &n, a, &leading, values, room.work, &room.nwork, room.real_work,
                               &room.nreal_work, room.integer_work, &room.ninteger_work, &info, 1, 1);
  } else {
    as<Syevd>(of(dtype).syevd)(&job, &lower, &n, a, &leading, values, room.work, &room.nwork, room.integer_work,
                               &room.ninteger_work, &info, 1, 1);
  }
  return checked("syevd", info);
}

int Lapack::gesdd(Dtype dtype, char job, int rows, int columns, void* a, void* values, void* u, void* vh,
                  const Room& room) const {
  const int leading = distance(rows);
  const int vh_leading = distance(job == 'S' ? std::min(rows, columns) : columns);
  int info = 0;
  const BlasTurn turn;
  if (is_complex(dtype)) {
    as<ComplexGesdd>(of(dtype).gesdd)(&job, &rows, &columns, a, &leading, values, u, &leading, vh, &vh_leading,
                                      room.work, &room.nwork, room.real_work, room.integer_work, &info, 1);
  } else {
    as<RealGesdd>(of(dtype).gesdd)(&job, &rows, &columns, a, &leading, values, u, &leading, vh, &vh_leading, room.work,
                                   &room.nwork, room.integer_work, &info, 1);
  }
  return checked("gesdd", info);
}

}  // namespace crossdock::native
