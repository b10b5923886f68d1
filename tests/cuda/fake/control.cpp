#include "control.h"

#include <dlfcn.h>

#include <string>
#include <unordered_map>

#include "entry.h"
#include "faults.h"
#include "kernel_table.h"
#include "settings.h"

namespace {

const fake::Kernel* kernel_at(int index) {
  for (fake::KernelList* list = fake::kernel_lists(); list; list = list->next) {
    if (index < static_cast<int>(list->count)) return &list->kernels[index];
    index -= static_cast<int>(list->count);
  }
  return nullptr;
}

}  // namespace

extern "C" {

void fake_cuda_fail(const char* name, long long after, int result, long long times) {
  fake::order_fault(name, after, result, times);
}

void fake_cuda_lose_device(int device, int result) { fake::devices().at(device)->spoil(result); }

void fake_cuda_heal() {
  fake::cancel_faults();
  for (fake::Device* device : fake::devices()) {
    device->drain();
    device->heal();
  }
}

long long fake_cuda_counter(const char* name) { return fake::counted(name); }
long long fake_cuda_calls(const char* name) { return fake::calls(name); }
void fake_cuda_reset_counters() { fake::reset_counters(); }

const char* fake_cuda_message() {
  thread_local std::string last;
  last = fake::said();
  return last.c_str();
}

void fake_cuda_delay(int us) { fake::settings().delay_us = us; }
void fake_cuda_reverse(int on) { fake::settings().reversed = on; }
void fake_cuda_hold(int held) { fake::hold_streams(held); }

void fake_cuda_watch_copies(int on) { fake::watch_copies(on); }
int fake_cuda_next_copy(fake::Copy* out, int forced) { return fake::next_copy(*out, forced); }

int fake_cuda_kernel_count() {
  int n = 0;
  for (fake::KernelList* list = fake::kernel_lists(); list; list = list->next) n += static_cast<int>(list->count);
  return n;
}

const char* fake_cuda_lowered_name(int index) {
  const fake::Kernel* kernel = kernel_at(index);
  Dl_info found;
  return kernel && dladdr(reinterpret_cast<void*>(kernel->function), &found) ? found.dli_sname : nullptr;
}

const char* fake_cuda_expression(int index) {
  const fake::Kernel* kernel = kernel_at(index);
  return kernel ? kernel->expression : nullptr;
}

const char* fake_cuda_lowered(const char* expression) {
  static const auto* const by_expression = [] {
    auto* all = new std::unordered_map<std::string, int>;
    for (int i = 0; i < fake_cuda_kernel_count(); ++i) all->emplace(fake_cuda_expression(i), i);
    return all;
  }();
  auto found = by_expression->find(expression);
  return found == by_expression->end() ? nullptr : fake_cuda_lowered_name(found->second);
}

int fake_cuda_submit(void* handle, int (*work)(void*), void* data) {
  if (!fake::current()) return fake::abi::kInvalidContext;
  auto stream = fake::abi::stream_of(static_cast<fake::abi::CUstream>(handle));
  if (!stream) return fake::abi::kInvalidHandle;
  stream->device.submit(stream, {.kind = "run:library", .work = [=] { return work(data); }});
  return fake::abi::kSuccess;
}

int fake_cuda_ordered_fault(const char* name) { return fake::ordered_fault(name); }

int fake_cuda_current_device() {
  fake::Device* device = fake::current();
  return device ? device->index : -1;
}
}
