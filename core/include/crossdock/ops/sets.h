// Set functions (array API standard 2024.12, "Set Functions").
#pragma once

#include <optional>

#include "crossdock/array/array.h"

namespace crossdock {

struct UniqueParts {
  bool indices = false, inverse = false, counts = false;
};
// All fresh, int64 but for the values.
struct Unique {
  Array values;                  // 1-d, in the order of sort; of equal ones the first
  std::optional<Array> indices;  // where each is first, in C order
  std::optional<Array> inverse;  // of the array's shape: which of the values each element is
  std::optional<Array> counts;   // how often each is there
};

// The different elements of an array, and the parts that are wanted. NaNs are all different; 0.0 and -0.0 are one.
// Pulls their number: an implicit transfer `op`, which waits on an accelerator. DtypeError for storage dtypes.
Unique unique(const char* op, const Array& array, UniqueParts wanted);

}  // namespace crossdock
