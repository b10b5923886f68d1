// What the environment says about the machine that is played: FAKE_CUDA_* variables, read at the first use.
#pragma once

#include <atomic>
#include <cstdint>

namespace fake {

struct Settings {
  int devices;                 // FAKE_CUDA_DEVICES, 1; 0 is a driver without a GPU
  std::int64_t memory;         // FAKE_CUDA_MEMORY, bytes of each device, 1 GiB
  int major, minor;            // FAKE_CUDA_CAPABILITY, "9.0"
  int multiprocessors;         // FAKE_CUDA_MULTIPROCESSORS, 4: few, so that loops over the grid go round
  int driver_version;          // FAKE_CUDA_DRIVER_VERSION, 13000
  int init_result;             // FAKE_CUDA_INIT_RESULT, what cuInit answers, 0
  bool peer;                   // FAKE_CUDA_PEER, whether devices reach each other's memory, 1
  std::atomic<int> delay_us;   // FAKE_CUDA_DELAY_US, before each thing that a stream does, 0
  std::atomic<bool> reversed;  // FAKE_CUDA_REVERSED, a block's threads are begun from the last one, 0
};

Settings& settings();

}  // namespace fake
