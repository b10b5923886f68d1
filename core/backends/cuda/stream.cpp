#include "stream.h"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/interrupt.h"
#include "current.h"
#include "device.h"
#include "failure_text.h"

namespace crossdock::cuda {
namespace {

class CudaEvent final : public Event::State {
 public:
  CudaEvent(Recorded recorded, std::shared_ptr<Failures> failures)
      : recorded_(std::move(recorded)), failures_(std::move(failures)) {}
  EventHandle handle() const noexcept { return recorded_.handle(); }
  bool done() const noexcept override {
    const Current current(recorded_.device(), std::nothrow);
    return !current || recorded_.device().driver().event_query(handle()) != kNotReady;
  }
  void wait() override {
    const Current current(recorded_.device());
    failures_->surface(wait_until_ready([&] { return recorded_.device().driver().event_query(handle()); }));
  }

 private:
  Recorded recorded_;
  std::shared_ptr<Failures> failures_;
};

// Host work on its way through the driver, which knows no exceptions.
struct HostWork {
  const char* op;
  std::function<void()> work;
  std::shared_ptr<Failures> failures;

  static void run(void* data) noexcept {
    const std::unique_ptr<HostWork> self(static_cast<HostWork*>(data));
    try {
      self->work();
    } catch (const std::exception& error) {
      self->failures->host_work_failed(self->op, error.what());
    }
  }
};

}  // namespace

Result wait_until_ready(const std::function<Result()>& query) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kEager = std::chrono::microseconds(100);
  constexpr auto kLongest = std::chrono::microseconds(1000);
  const auto began = Clock::now();
  InterruptTimer interrupt;
  for (;;) {
    const Result result = query();
    if (result != kNotReady) return result;
    const auto waited = Clock::now() - began;
    if (waited < kEager) continue;
    interrupt.turn();
    // A sleep in proportion to the wait so far adds little to it.
    std::this_thread::sleep_for(std::min<Clock::duration>(waited / 16, kLongest));
  }
}

CudaStream::CudaStream(CudaDevice& device) : Stream(device), device_(device), owned_(true) {
  const Current current(device);
  failures_ = std::make_shared<Failures>(device);
  cuda::check(device.driver().stream_create(&handle_, kStreamNonBlocking), "cuStreamCreate", device.spec());
}

CudaStream::CudaStream(CudaDevice& device, StreamHandle existing)
    : Stream(device), device_(device), handle_(existing), owned_(false) {
  const Current current(device);
  failures_ = std::make_shared<Failures>(device);
}

CudaStream::~CudaStream() {
  const Current current(device_, std::nothrow);
  // What it cached may serve other streams from now on, so that nothing here may use it any more.
  if (current) device_.driver().stream_synchronize(handle_);
  device_.allocator().forget(*this);
  if (current && owned_) device_.driver().stream_destroy(handle_);
}

void CudaStream::enqueue(const char* op, std::function<void()> work) {
  const Current current(device_);
  auto host_work = std::make_unique<HostWork>(op, std::move(work), failures_);
  check(device_.driver().launch_host_function(handle_, &HostWork::run, host_work.get()), "cuLaunchHostFunc");
  host_work.release();
}

Event CudaStream::record() {
  const Current current(device_);
  return Event(std::make_shared<CudaEvent>(Recorded(device_, handle_), failures_));
}

void CudaStream::wait(const Event& event) {
  const auto& state = event.state();
  if (!state) return;
  auto* own = dynamic_cast<CudaEvent*>(state.get());
  if (!own) return state->wait();  // another kind's: the host waits in the stream's place
  const Current current(device_);
  check(device_.driver().stream_wait_event(handle_, own->handle(), 0), "cuStreamWaitEvent");
}

void CudaStream::synchronize() {
  const Current current(device_);
  failures_->surface(wait_until_ready([&] { return device_.driver().stream_query(handle_); }));
}

}  // namespace crossdock::cuda
