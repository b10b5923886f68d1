// The fake libnvrtc.so.13: knows the kernels of the fake driver's table, and makes code that has nothing but a name.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "control.h"

namespace {

enum Result { ok = 0, invalid_input = 3, invalid_program = 4, compilation = 6, no_names = 10, name_not_valid = 11 };

constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr const char* kNamespace = "crossdock::cuda::";

struct Program {
  std::map<std::string, std::string> lowered;  // by expression; "" before it is compiled
  std::string log, code;
  bool ptx = false, compiled = false;
};

Program* of(void* program) { return static_cast<Program*>(program); }

// As the table has it.
const char* bare(const std::string& expression) {
  return expression.starts_with(kNamespace) ? expression.c_str() + std::strlen(kNamespace) : expression.c_str();
}

int put(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return ok;
}

int put_size(const std::string& text, std::size_t* nbytes) {
  *nbytes = text.size() + 1;
  return ok;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13, *minor = 99;
  return ok;
}

const char* nvrtcGetErrorString(int result) { return result ? "NVRTC_ERROR" : "NVRTC_SUCCESS"; }

int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchitectures));
  return ok;
}

int nvrtcGetSupportedArchs(int* list) {
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), list);
  return ok;
}

int nvrtcCreateProgram(void** program, const char* source, const char*, int headers, const char* const* texts,
                       const char* const* names) {
  if (!program || !source || headers < 0 || (headers && (!texts || !names))) return invalid_input;
  *program = new Program;
  return ok;
}

int nvrtcDestroyProgram(void** program) {
  if (!program || !*program) return invalid_program;
  delete of(*program);
  *program = nullptr;
  return ok;
}

int nvrtcAddNameExpression(void* program, const char* expression) {
  if (!program) return invalid_program;
  of(program)->lowered[expression];
  return ok;
}

int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  if (!program) return invalid_program;
  if (const int fault = fake_cuda_ordered_fault("nvrtcCompileProgram")) return fault;
  Program& own = *of(program);
  for (int i = 0; i < count; ++i) own.ptx |= std::string(options[i]).starts_with("--gpu-architecture=compute_");
  own.code = own.ptx ? std::string("// PTX\n.version 9.0\n")
                     : std::string(
                           "\x7f"
                           "ELF") +
                           std::string(60, '\0');
  for (auto& [expression, lowered] : own.lowered) {
    const char* found = fake_cuda_lowered(bare(expression));
    if (!found) {
      own.log = "test.cu(1): error: no kernel " + expression + " was built into the fake driver\n";
      return compilation;
    }
    lowered = found;
    own.code += lowered + '\n';
  }
  own.compiled = true;
  return ok;
}

int nvrtcGetLoweredName(void* program, const char* expression, const char** lowered) {
  if (!program) return invalid_program;
  if (!of(program)->compiled) return no_names;
  auto found = of(program)->lowered.find(expression);
  if (found == of(program)->lowered.end()) return name_not_valid;
  *lowered = found->second.c_str();
  return ok;
}

int nvrtcGetProgramLogSize(void* program, std::size_t* nbytes) { return put_size(of(program)->log, nbytes); }
int nvrtcGetProgramLog(void* program, char* log) { return put(of(program)->log, log); }

int nvrtcGetCUBINSize(void* program, std::size_t* nbytes) {
  if (!of(program)->ptx) return put_size(of(program)->code, nbytes);
  *nbytes = 0;
  return ok;
}

int nvrtcGetCUBIN(void* program, char* code) { return of(program)->ptx ? ok : put(of(program)->code, code); }

int nvrtcGetPTXSize(void* program, std::size_t* nbytes) {
  return of(program)->ptx ? put_size(of(program)->code, nbytes) : put_size("", nbytes);
}

int nvrtcGetPTX(void* program, char* code) { return put(of(program)->ptx ? of(program)->code : "", code); }
}
