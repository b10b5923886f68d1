// Linear equations and what comes with them: inverses, determinants, ranks, powers (array API standard, "Linear Algebra
// Functions"). Dtypes, errors and results as in factorizations.h.
#pragma once

#include <optional>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"

namespace crossdock {

// x with a @ x = b; a 1-d b is one column, also beside a stack of matrices. LinAlgError for a singular a.
Array solve(const Array& a, const Array& b);
Array inv(const Array& x);

// det = sign * exp(logabsdet); of a singular matrix 0, and -inf.
struct Slogdet {
  Array sign, logabsdet;
};
Slogdet slogdet(const Array& x);
Array det(const Array& x);

// x @ x @ ...; n below 0: of the inverse; 0: the identity. Integer dtypes too while n is not negative.
Array matrix_power(const Array& x, std::int64_t n);

// Singular values up to `rtol` (a real number, or an array for the stack; max(M, N) * eps when absent) times the
// largest one count as zero.
Array pinv(const Array& x, const std::optional<Argument>& rtol);
Array matrix_rank(const Array& x, const std::optional<Argument>& rtol);  // int64

}  // namespace crossdock
