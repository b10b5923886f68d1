// Nvrtc: NVIDIA's run-time compiler, as far as it is used here; opened at run time, declared by ourselves.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace crossdock::cuda {

// Functions return 0, or a code that `error_text` explains.
struct Nvrtc {
  struct Program;  // theirs

  std::string path;
  int major = 0, minor = 0;
  std::string identity;            // of this very build, as far as its file tells
  std::vector<int> architectures;  // that it makes CUBINs for, in ascending order: 75, 80, ...

  const char* (*error_text)(int);
  int (*create)(Program**, const char* text, const char* name, int count, const char* const* headers,
                const char* const* include_names);
  int (*destroy)(Program**);
  int (*add_name)(Program*, const char* expression);
  int (*compile)(Program*, int count, const char* const* options);
  int (*log_size)(Program*, std::size_t* nbytes);  // with the zero at its end
  int (*log)(Program*, char*);
  int (*lowered_name)(Program*, const char* expression, const char** name);
  int (*cubin_size)(Program*, std::size_t*);
  int (*cubin)(Program*, char*);
  int (*ptx_size)(Program*, std::size_t*);  // with the zero at its end
  int (*ptx)(Program*, char*);

  std::string version() const { return std::to_string(major) + '.' + std::to_string(minor); }
};

// The first candidate that is 12.0 or later; found once, and looked for again while there is none. Otherwise
// DeviceError 'NVRTC not found ...', with what to install and why each candidate did not do.
const Nvrtc& nvrtc();

}  // namespace crossdock::cuda
