// Faults on demand, counters, and the last thing that went wrong in words.
#pragma once

#include <cstdint>
#include <string>

#include "abi.h"

namespace fake {

// The result that `name` shall have this time by a test's order; kSuccess when there is none. Counts the call.
// Names are those of entry points, and "run:copy", "run:launch", "run:memset", "run:host" for what streams do.
int ordered_fault(const char* name);

void order_fault(const std::string& name, std::int64_t after, int result, std::int64_t times);
void cancel_faults();

void count(const char* name, std::int64_t by = 1);  // "allocations", "h2d_bytes", ...
std::int64_t counted(const std::string& name);
std::int64_t calls(const std::string& name);
void reset_counters();  // but those of what is live now

void say(const std::string& what);  // kept for fake_cuda_message(), and printed
std::string said();

}  // namespace fake
