#include "crossdock/runtime/device.h"

#include <utility>

#include "crossdock/runtime/error.h"

namespace crossdock {

Device::Device(Backend& backend, int index)
    : backend_(backend), index_(index), spec_(backend.name() + ":" + std::to_string(index)) {}

Kernel Backend::kernel(Op op, Dtype dtype, const Device& device) const {
  if (Kernel kernel = kernels_.find(op, dtype)) [[likely]] {
    if (const Requirement requirement = kernels_.requirement(op)) requirement();
    return kernel;
  }
  throw NotImplementedError(std::string(crossdock::name(op)) + ": no kernel for dtype " +
                            std::string(crossdock::name(dtype)) + " on device " + device.spec());
}

void Device::order_before(std::optional<std::int64_t> consumer) {
  constexpr std::int64_t kNoOrder = -1;
  if (consumer && *consumer != kNoOrder) {
    throw ExchangeError("__dlpack__: stream " + std::to_string(*consumer) + " means nothing on '" + spec() +
                        "'; None and -1 do");
  }
  if (!consumer && !is_host()) default_stream().synchronize();
}

namespace {

// Never freed: devices live until the process ends, whatever is taken down first.
std::vector<std::unique_ptr<Backend>>& registry() {
  static auto* all = new std::vector<std::unique_ptr<Backend>>;
  return *all;
}

}  // namespace

void register_backend(std::unique_ptr<Backend> backend) {
  if (find_backend(backend->name())) throw ValueError("device kind '" + backend->name() + "' is registered already");
  registry().push_back(std::move(backend));
}

std::vector<Backend*> backends() {
  std::vector<Backend*> all;
  for (auto& backend : registry()) all.push_back(backend.get());
  return all;
}

Backend* find_backend(std::string_view name) noexcept {
  for (auto& backend : registry())
    if (backend->name() == name) return backend.get();
  return nullptr;
}

}  // namespace crossdock
