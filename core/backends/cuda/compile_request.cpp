#include "compile_request.h"

#include <algorithm>
#include <string_view>

#include "crossdock/runtime/error.h"
#include "sha256.h"

namespace crossdock::cuda {
namespace {

// "CROSSDOCK_FUSED_PRODUCTS" of kernels/device.h.
bool wants_fused_products(const Source& header) {
  return std::string_view(header.text).find("\n#define CROSSDOCK_FUSED_PRODUCTS\n") != std::string_view::npos;
}

// What NVRTC can make for the architecture: a CUBIN, or PTX of the newest that it knows before it.
std::string target(const Nvrtc& compiler, Architecture architecture, bool& ptx) {
  const auto& known = compiler.architectures;
  ptx = !std::ranges::binary_search(known, architecture.number);
  if (!ptx) return architecture.name();
  const auto after = std::ranges::upper_bound(known, architecture.number);
  if (after == known.begin() || architecture.specific)
    throw DeviceError("NVRTC " + compiler.version() + " (" + compiler.path + ") makes no code for " +
                      architecture.name() + "; it knows sm_" + std::to_string(known.front()) + " to sm_" +
                      std::to_string(known.back()) +
                      (after == known.begin() ? "; an older CUDA may know it" : "; a newer CUDA may know it"));
  return "compute_" + std::to_string(after[-1]);
}

}  // namespace

CompileRequest request_of(const Nvrtc& compiler, const KernelName& kernel, Architecture architecture) {
  const std::string header = "kernels/" + kernel.header;
  CompileRequest request;
  request.headers = with_includes(header);
  const bool fused = wants_fused_products(*find_source(header));
  // The expression is read as within crossdock::cuda; NVRTC looks at it from outside.
  request.text = "#include \"" + header + "\"\nusing namespace crossdock;\nusing namespace crossdock::cuda;\n";
  request.expression = "crossdock::cuda::" + kernel.expression;
  request.options = {
      "--gpu-architecture=" + target(compiler, architecture, request.ptx),
      "--std=c++20",
      "--device-as-default-execution-space",
      // IEEE results, those of the host wherever a single operation rounds.
      "--ftz=false",
      "--prec-div=true",
      "--prec-sqrt=true",
      fused ? "--fmad=true" : "--fmad=false",
  };
  // Its own cache, since 12.9, starts CUDA in a process that only compiles, and keeps on the disk what is kept here.
  if (compiler.major > 12 || (compiler.major == 12 && compiler.minor >= 9)) request.options.push_back("--no-cache");
  return request;
}

std::string key_of(const Nvrtc& compiler, const CompileRequest& request) {
  Sha256 hash;
  hash.add_field("crossdock kernel 1").add_field(compiler.identity);
  for (const auto& option : request.options) hash.add_field(option);
  hash.add_field(request.text).add_field(request.expression);
  for (const Source* source : request.headers) hash.add_field(source->name).add_field(source->sha256);
  return hexadecimal(hash.digest());
}

}  // namespace crossdock::cuda
