// Transposition: a copy whose source and target have their smallest strides along different dimensions, done in tiles
// that fit the cache, so that each line of memory is touched once.
#pragma once

#include "conversion.h"
#include "rows.h"

namespace crossdock::native {

bool is_transposition(const Nest& nest) noexcept;
// `streams`: writes past the caches where it can.
void transpose(const Nest& nest, const Conversion& conversion, bool streams);

}  // namespace crossdock::native
