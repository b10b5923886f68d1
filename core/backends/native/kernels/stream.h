// Stores past the caches: what is too big to be found there again need not drive out all else on its way.
#pragma once

#include <cstdint>

namespace crossdock::native {

// Whether an array of so many bytes is written past the caches.
bool streams(std::int64_t nbytes) noexcept;
// Makes this thread's streamed stores known to others; before the end of each piece of work that has any.
void end_stream() noexcept;

}  // namespace crossdock::native
