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
  bool implicit;           // nobody asked for it by name
  bool host;               // no memory is left: a scalar pull on a host device
  const char* route = "";  // how the bytes cross: 'copy', 'direct', 'staged', 'peer copy'
  // Set by the hook, if it wants to know when the host is done with the transfer, and whether that failed. Does not
  // throw.
  std::function<void(bool failed)> end = {};
};

using TransferHook = std::function<void(Transfer&)>;

namespace detail {
extern std::atomic<bool> transfer_hook_on;
void call_transfer_hook(Transfer& transfer);
}  // namespace detail

// At most one hook; an empty one switches it off. The hook may throw: then nothing is copied.
void set_transfer_hook(TransferHook hook);

inline bool transfer_hook_on() noexcept { return detail::transfer_hook_on.load(std::memory_order_relaxed); }

// Tells the hook of a transfer, which follows, and of its end when it goes out of scope.
class TransferReport {
 public:
  // Costs one relaxed load when nobody listens; `make` builds the facts only when somebody does.
  template <class Make>
  explicit TransferReport(Make&& make) {
    if (transfer_hook_on()) [[unlikely]]
      begin(make());
  }
  TransferReport(const TransferReport&) = delete;
  TransferReport& operator=(const TransferReport&) = delete;
  ~TransferReport() {
    if (under_way_) [[unlikely]]
      finish();
  }

 private:
  struct UnderWay;
  void begin(Transfer transfer);
  void finish() noexcept;

  UnderWay* under_way_ = nullptr;
};

}  // namespace crossdock
