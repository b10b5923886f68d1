// Architecture: a generation of GPUs, as compilers name it.
#pragma once

#include <string>
#include <string_view>

namespace crossdock::cuda {

struct Architecture {
  int number = 0;         // 90: compute capability 9.0
  bool specific = false;  // sm_90a: code for this one alone, none later

  // "sm_90", "sm_90a"; ValueError for anything else.
  static Architecture parse(std::string_view text);
  std::string name() const;  // as parsed
};

}  // namespace crossdock::cuda
