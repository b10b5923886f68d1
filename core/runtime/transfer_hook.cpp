#include "crossdock/runtime/transfer_hook.h"

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "crossdock/runtime/at_fork.h"

namespace crossdock {
namespace {

// Never freed: a copy may still be reported while static objects are taken down.
struct Slot {
  std::shared_ptr<const TransferHook> hook;
  ForkMutex mutex;
};

Slot& slot() {
  static Slot* one = new Slot;
  return *one;
}

}  // namespace

namespace detail {

std::atomic<bool> transfer_hook_on{false};

void call_transfer_hook(Transfer& transfer) {
  std::shared_ptr<const TransferHook> hook;  // kept alive by ourselves: the hook may replace itself
  {
    std::lock_guard lock(slot().mutex);
    hook = slot().hook;
  }
  if (hook) (*hook)(transfer);
}

}  // namespace detail

struct TransferReport::UnderWay {
  std::function<void(bool)> end;
  int exceptions;  // in flight when it began
};

void TransferReport::begin(Transfer transfer) {
  detail::call_transfer_hook(transfer);
  if (transfer.end) under_way_ = new UnderWay{std::move(transfer.end), std::uncaught_exceptions()};
}

void TransferReport::finish() noexcept {
  const std::unique_ptr<UnderWay> over(std::exchange(under_way_, nullptr));
  over->end(std::uncaught_exceptions() > over->exceptions);
}

void set_transfer_hook(TransferHook hook) {
  auto next = hook ? std::make_shared<const TransferHook>(std::move(hook)) : nullptr;
  {
    std::lock_guard lock(slot().mutex);
    slot().hook.swap(next);
    detail::transfer_hook_on.store(slot().hook != nullptr, std::memory_order_relaxed);
  }
  // The former hook dies here, unlocked: it may own objects that lock.
}

}  // namespace crossdock
