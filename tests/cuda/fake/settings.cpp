#include "settings.h"

#include <cstdlib>

namespace fake {
namespace {

std::int64_t number(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoll(text, nullptr, 0) : otherwise;
}

}  // namespace

Settings& settings() {
  static Settings* const made = [] {
    auto* read = new Settings{};
    read->devices = static_cast<int>(number("FAKE_CUDA_DEVICES", 1));
    read->memory = number("FAKE_CUDA_MEMORY", std::int64_t{1} << 30);
    const char* capability = std::getenv("FAKE_CUDA_CAPABILITY");
    char* rest = nullptr;
    read->major = capability ? static_cast<int>(std::strtol(capability, &rest, 10)) : 9;
    read->minor = rest && *rest == '.' ? std::atoi(rest + 1) : 0;
    read->multiprocessors = static_cast<int>(number("FAKE_CUDA_MULTIPROCESSORS", 4));
    read->driver_version = static_cast<int>(number("FAKE_CUDA_DRIVER_VERSION", 13000));
    read->init_result = static_cast<int>(number("FAKE_CUDA_INIT_RESULT", 0));
    read->peer = number("FAKE_CUDA_PEER", 1);
    read->delay_us = static_cast<int>(number("FAKE_CUDA_DELAY_US", 0));
    read->reversed = number("FAKE_CUDA_REVERSED", 0);
    return read;
  }();
  return *made;
}

}  // namespace fake
