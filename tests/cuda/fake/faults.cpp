#include "faults.h"

#include <cstdio>
#include <map>
#include <mutex>

namespace fake {
namespace {

struct Order {
  std::int64_t after, times;
  int result;
};

struct Book {
  std::mutex mutex;
  std::map<std::string, Order> orders;
  std::map<std::string, std::int64_t> calls, counters;
  std::string message;
};

Book& book() {
  static Book* const made = new Book;
  return *made;
}

std::int64_t look_up(const std::map<std::string, std::int64_t>& in, const std::string& name) {
  auto found = in.find(name);
  return found == in.end() ? 0 : found->second;
}

}  // namespace

int ordered_fault(const char* name) {
  std::lock_guard lock(book().mutex);
  ++book().calls[name];
  auto found = book().orders.find(name);
  if (found == book().orders.end()) return abi::kSuccess;
  Order& order = found->second;
  if (order.after-- > 0) return abi::kSuccess;
  const int result = order.result;
  if (--order.times == 0) book().orders.erase(found);
  return result;
}

void order_fault(const std::string& name, std::int64_t after, int result, std::int64_t times) {
  std::lock_guard lock(book().mutex);
  book().orders[name] = {after, times, result};
}

void cancel_faults() {
  std::lock_guard lock(book().mutex);
  book().orders.clear();
}

void count(const char* name, std::int64_t by) {
  std::lock_guard lock(book().mutex);
  book().counters[name] += by;
}

std::int64_t counted(const std::string& name) {
  std::lock_guard lock(book().mutex);
  return look_up(book().counters, name);
}

std::int64_t calls(const std::string& name) {
  std::lock_guard lock(book().mutex);
  return look_up(book().calls, name);
}

void reset_counters() {
  std::lock_guard lock(book().mutex);
  book().calls.clear();
  std::erase_if(book().counters, [](const auto& entry) { return !entry.first.starts_with("live_"); });
}

void say(const std::string& what) {
  std::lock_guard lock(book().mutex);
  book().message = what;
  std::fprintf(stderr, "fake CUDA: %s\n", what.c_str());
}

std::string said() {
  std::lock_guard lock(book().mutex);
  return book().message;
}

}  // namespace fake
