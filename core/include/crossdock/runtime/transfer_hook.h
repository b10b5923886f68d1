// The hook that sees every copy between memories and every scalar that the host pulls, before it happens.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace crossdock {

struct Transfer {
  const char* op;       // 'copy', 'float', 'item', ...
  std::int64_t nbytes;  // 0 for a scalar pulled from host memory
  std::string source, target;
  bool implicit;  // nobody asked for it by name
  bool host;      // no memory is left: a scalar pull on a host device
};

using TransferHook = std::function<void(const Transfer&)>;

namespace detail {
extern std::atomic<bool> transfer_hook_on;
void call_transfer_hook(const Transfer& transfer);
}  // namespace detail

// At most one hook; an empty one switches it off. The hook may throw: then nothing is copied.
void set_transfer_hook(TransferHook hook);

inline bool transfer_hook_on() noexcept { return detail::transfer_hook_on.load(std::memory_order_relaxed); }

// Costs one relaxed load when nobody listens; `make` builds the facts only when somebody does.
template <class Make>
inline void report_transfer(Make&& make) {
  if (transfer_hook_on()) [[unlikely]]
    detail::call_transfer_hook(make());
}

}  // namespace crossdock
