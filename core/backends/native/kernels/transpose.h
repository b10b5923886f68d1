// Transposition: a copy whose source and target are contiguous along different dimensions, done in blocks that fit
// the cache, so that each line of memory is touched once.
#pragma once

#include "conversion.h"
#include "nest.h"

namespace crossdock::native {

bool is_transposition(const Nest& nest, std::int64_t from_itemsize, std::int64_t to_itemsize) noexcept;
void transpose(const Nest& nest, const Conversion& conversion, std::int64_t from_itemsize, std::int64_t to_itemsize);

}  // namespace crossdock::native
