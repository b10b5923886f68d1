// Threads of our own, apart from the user's.
#pragma once

#include <functional>

namespace crossdock {

// Starts a detached thread that is never told the process's signals (they are for the user's threads); `label` has at
// most 15 characters. False when the system gives no thread.
bool start_worker(const char* label, std::function<void()> work) noexcept;

}  // namespace crossdock
