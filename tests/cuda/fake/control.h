// What tests say to the fake, by ctypes. Shipped code never looks for these.
#pragma once

#include "copies.h"

extern "C" {

// The next calls of an entry point ("cuMemAlloc_v2"), or of a thing that streams do ("run:launch", "run:copy",
// "run:memset", "run:host", "run:free"), have this result: after `after` more, `times` times (0: always).
void fake_cuda_fail(const char* name, long long after, int result, long long times);
void fake_cuda_lose_device(int device, int result);  // every call for it has the result from now on
void fake_cuda_heal();                               // no faults on order, no spoiled contexts

long long fake_cuda_counter(const char* name);  // "launches", "h2d_bytes", "live_allocations", ...; 0 if never counted
long long fake_cuda_calls(const char* name);
void fake_cuda_reset_counters();
const char* fake_cuda_message();  // the last failure that no test ordered, for the calling thread to read

void fake_cuda_delay(int us);    // before each thing that a stream does
void fake_cuda_reverse(int on);  // begins a block's threads from the last one
void fake_cuda_hold(int held);   // streams begin nothing until let go
int fake_cuda_kernel_count();
const char* fake_cuda_lowered_name(int index);  // of a kernel in the table
const char* fake_cuda_expression(int index);
const char* fake_cuda_lowered(const char* expression);  // null when the table has none

// Copies as a profiling library has them: noted while somebody watches, taken one by one, 1 for each.
void fake_cuda_watch_copies(int on);
int fake_cuda_next_copy(fake::Copy* out, int forced);

// For the other fake libraries: `work(data)` in the stream with device memory open; `data` is theirs to free in it.
int fake_cuda_submit(void* stream, int (*work)(void*), void* data);
int fake_cuda_ordered_fault(const char* name);  // counts the call; names as in fake_cuda_fail
int fake_cuda_current_device();                 // -1 without a current context
}
