#include "grid.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "abi.h"
#include "faults.h"
#include "fiber.h"
#include "guard.h"
#include "settings.h"

namespace crossdock_on_host {

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

}  // namespace crossdock_on_host

namespace fake {
namespace {

using crossdock_on_host::Votes;

constexpr std::size_t kStack = 128 << 10, kPage = 64 << 10;

std::byte* reserve(std::size_t nbytes) {
  return static_cast<std::byte*>(
      mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

// Stacks for the threads of one block, each with an inaccessible page below it.
class Stacks {
 public:
  std::byte* take() {
    if (free_.empty()) {
      std::byte* fresh = reserve(kStack + kPage);
      mprotect(fresh, kPage, PROT_NONE);
      all_.push_back(fresh + kPage);
      free_.push_back(fresh + kPage);
    }
    std::byte* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void give_back(std::byte* stack) { free_.push_back(stack); }
  void give_back_all() { free_ = all_; }

 private:
  std::vector<std::byte*> all_, free_;
};

enum class State { running, at_barrier, in_exchange, giving_way, ended };

struct Thread {
  Fiber fiber;
  std::byte* stack;
  uint3 index;
  State state;
  unsigned mask, source, turns;
  bool predicate;
  std::uint64_t value, result;
  unsigned ballot;
};

// The block that runs; under the lock of the grid.
struct Block {
  std::vector<Thread> threads;
  std::deque<unsigned> ready;
  Stacks stacks;
  Fiber scheduler;
  const Kernel* kernel;
  const void* args;
  unsigned current, ended, at_barrier;
  Votes votes, result;
  std::string failure;
  std::byte* shared_end = nullptr;
  std::byte* shared;

  int run();
  void start(unsigned i);
  void resume(unsigned i);
  void leave() { Fiber::go(threads[current].fiber, scheduler); }
  void wait(State state);
  bool complete_exchange(unsigned mask);
  [[noreturn]] void fail(std::string why);
  std::string who_waits() const;
};

Block& block() {
  static Block* const made = new Block;
  return *made;
}

std::mutex grid_lock;

void fiber_main() {
  Block& here = block();
  here.kernel->run(here.args);
  here.threads[here.current].state = State::ended;
  here.leave();
}

std::string name_of(const uint3& index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + ")";
}

void Block::start(unsigned i) {
  Thread& thread = threads[i];
  thread.stack = stacks.take();
  thread.fiber.prepare(thread.stack, kStack, fiber_main);
  thread.turns = 0;
  resume(i);
}

void Block::resume(unsigned i) {
  Thread& thread = threads[i];
  current = i;
  thread.state = State::running;
  crossdock_on_host::threadIdx = thread.index;
  Fiber::go(scheduler, thread.fiber);
  if (thread.state != State::ended) return;
  stacks.give_back(thread.stack);
  ++ended;
}

void Block::wait(State state) {
  threads[current].state = state;
  leave();
}

void Block::fail(std::string why) {
  failure = std::move(why);
  leave();
  __builtin_unreachable();
}

int Block::run() {
  const auto n = static_cast<unsigned>(threads.size());
  ended = at_barrier = 0;
  votes = {0, false, true};
  ready.clear();
  stacks.give_back_all();
  for (Thread& thread : threads) thread.state = State::running;
  const bool reversed = settings().reversed.load();
  for (unsigned i = 0; i < n && failure.empty(); ++i) start(reversed ? n - 1 - i : i);
  while (!ready.empty() && failure.empty()) {
    const unsigned next = ready.front();
    ready.pop_front();
    resume(next);
  }
  if (failure.empty() && ended < n) failure = who_waits();
  return failure.empty() ? abi::kSuccess : abi::kLaunchFailed;
}

std::string Block::who_waits() const {
  unsigned exchanging = 0, first = 0;
  for (unsigned i = 0; i < threads.size(); ++i) {
    exchanging += threads[i].state == State::in_exchange;
    if (threads[i].state == State::at_barrier || threads[i].state == State::in_exchange) first = i;
  }
  return std::to_string(at_barrier) + " threads wait for ever at __syncthreads and " + std::to_string(exchanging) +
         " in an exchange of their warp, one of them " + name_of(threads[first].index) + ", while " +
         std::to_string(ended) + " of " + std::to_string(threads.size()) + " have ended";
}

// When all lanes of the mask are there, each gets its result.
bool Block::complete_exchange(unsigned mask) {
  const unsigned first = current / 32 * 32;
  unsigned ballot = 0;
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = __builtin_ctz(rest), i = first + lane;
    if (i >= threads.size() || threads[i].state != State::in_exchange || threads[i].mask != mask) return false;
    if (threads[i].predicate) ballot |= 1u << lane;
  }
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    const unsigned i = first + __builtin_ctz(rest), source = threads[i].source;
    threads[i].result = source < 32 && (mask >> source & 1) ? threads[first + source].value : ~std::uint64_t{0};
    threads[i].ballot = ballot;
    threads[i].state = State::running;
    if (i != current) ready.push_back(i);
  }
  return true;
}

const Thread& exchange_in_warp(unsigned mask, std::uint64_t value, unsigned source, bool predicate) {
  Block& here = block();
  Thread& thread = here.threads[here.current];
  if (!(mask >> crossdock_on_host::lane() & 1))
    here.fail("thread " + name_of(thread.index) + " is in an exchange whose mask leaves it out");
  thread.mask = mask, thread.value = value, thread.source = source, thread.predicate = predicate;
  thread.state = State::in_exchange;
  if (!here.complete_exchange(mask)) here.leave();
  return thread;
}

void lay_out(Block& here, dim3 shape) {
  here.threads.resize(std::size_t{shape.x} * shape.y * shape.z);
  std::size_t i = 0;
  for (unsigned z = 0; z < shape.z; ++z)
    for (unsigned y = 0; y < shape.y; ++y)
      for (unsigned x = 0; x < shape.x; ++x) here.threads[i++].index = {x, y, z};
}

int run_blocks(Block& here, dim3 grid, std::size_t shared_nbytes) {
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        crossdock_on_host::blockIdx = {x, y, z};
        std::memset(here.shared, 0xFF, shared_nbytes);
        if (const int result = here.run()) return result;
      }
  return abi::kSuccess;
}

}  // namespace

int run_grid(const Kernel& kernel, const void* args, dim3 grid, dim3 shape, std::size_t shared_nbytes) {
  std::lock_guard lock(grid_lock);
  Block& here = block();
  if (!here.shared_end) {  // its end is an inaccessible page's begin
    std::byte* memory = reserve(kSharedMax + 1024 + kPage);
    here.shared_end = memory + kSharedMax + 1024;
    mprotect(here.shared_end, kPage, PROT_NONE);
  }
  here.shared = here.shared_end - (shared_nbytes + 15) / 16 * 16;
  here.kernel = &kernel;
  here.args = args;
  here.failure.clear();
  lay_out(here, shape);
  crossdock_on_host::blockDim = shape;
  crossdock_on_host::gridDim = grid;
  const int result = guarded([&] { return run_blocks(here, grid, shared_nbytes); });
  const std::string where =
      std::string(" in block ") + name_of(crossdock_on_host::blockIdx) + " of " + kernel.expression;
  if (!here.failure.empty()) say(here.failure + where);
  if (result && here.failure.empty()) say(said() + ", by thread " + name_of(crossdock_on_host::threadIdx) + where);
  return result;
}

}  // namespace fake

namespace crossdock_on_host {

using fake::block;

Votes barrier(bool predicate) {
  auto& here = block();
  here.votes.count += predicate;
  here.votes.any |= predicate;
  here.votes.all &= predicate;
  if (++here.at_barrier < here.threads.size()) {
    here.wait(fake::State::at_barrier);
    return here.result;
  }
  here.result = std::exchange(here.votes, {0, false, true});
  here.at_barrier = 0;
  for (unsigned i = 0; i < here.threads.size(); ++i)
    if (i != here.current) here.ready.push_back(i);
  return here.result;
}

std::uint64_t exchange(unsigned mask, std::uint64_t value, unsigned source) {
  return fake::exchange_in_warp(mask, value, source, false).result;
}

unsigned ballot(unsigned mask, bool predicate) { return fake::exchange_in_warp(mask, 0, lane(), predicate).ballot; }

unsigned lane() { return block().current % 32; }

void* dynamic_shared() { return block().shared; }

void give_way() {
  auto& here = block();
  if (++here.threads[here.current].turns % 64) return;
  here.ready.push_back(here.current);
  here.wait(fake::State::giving_way);
}

void trap(const char* why) { block().fail(why); }

}  // namespace crossdock_on_host

long long clock64() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }
