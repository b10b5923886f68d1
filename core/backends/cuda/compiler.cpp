#include "compiler.h"

#include <algorithm>
#include <charconv>

#include "crossdock/runtime/error.h"
#include "disk_cache.h"
#include "nvrtc.h"
#include "sha256.h"
#include "sources.h"

namespace crossdock::cuda {
namespace {

constexpr std::size_t kLongestLog = 8000;

// What NVRTC is asked for.
struct Request {
  std::string text, expression;
  std::vector<const Source*> headers;
  std::vector<std::string> options;
  bool ptx;
};

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

Request request_of(const Nvrtc& compiler, const KernelName& kernel, Architecture architecture) {
  const std::string header = "kernels/" + kernel.header;
  Request request;
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
  return request;
}

// The driver has no part in it: code depends on what is compiled, how, and by which compiler.
std::string key_of(const Nvrtc& compiler, const Request& request) {
  Sha256 hash;
  hash.add_field("crossdock kernel 1").add_field(compiler.identity);
  for (const auto& option : request.options) hash.add_field(option);
  hash.add_field(request.text).add_field(request.expression);
  for (const Source* source : request.headers) hash.add_field(source->name).add_field(source->sha256);
  return hexadecimal(hash.digest());
}

class Program {
 public:
  Program(const Nvrtc& compiler, const Request& request) : compiler_(compiler), request_(request) {
    std::vector<const char*> texts;
    std::vector<std::string> names;
    std::vector<const char*> name_texts;
    for (const Source* source : request.headers) {
      texts.push_back(source->text);
      names.emplace_back(source->name);
    }
    for (const auto& name : names) name_texts.push_back(name.c_str());
    check(compiler.create(&program_, request.text.c_str(), "kernel.cu", static_cast<int>(texts.size()), texts.data(),
                          name_texts.data()));
  }
  ~Program() { compiler_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CachedKernel compile() {
    check(compiler_.add_name(program_, request_.expression.c_str()));
    std::vector<const char*> options;
    for (const auto& option : request_.options) options.push_back(option.c_str());
    const int code = compiler_.compile(program_, static_cast<int>(options.size()), options.data());
    if (code != 0) throw DeviceError(std::string(compiler_.error_text(code)) + '\n' + log());
    const char* entry = nullptr;
    check(compiler_.lowered_name(program_, request_.expression.c_str(), &entry));
    const bool ptx = request_.ptx;
    std::size_t nbytes = 0;
    check((ptx ? compiler_.ptx_size : compiler_.cubin_size)(program_, &nbytes));
    CachedKernel kernel{entry, std::vector<std::byte>(nbytes)};
    check((ptx ? compiler_.ptx : compiler_.cubin)(program_, reinterpret_cast<char*>(kernel.code.data())));
    return kernel;
  }

 private:
  void check(int code) const {
    if (code != 0) throw DeviceError(compiler_.error_text(code));
  }

  std::string log() const {
    std::size_t nbytes = 0;
    if (compiler_.log_size(program_, &nbytes) != 0 || nbytes < 2) return "(it gives no log)";
    std::string text(nbytes, '\0');
    if (compiler_.log(program_, text.data()) != 0) return "(it gives no log)";
    text.resize(nbytes - 1);
    if (text.size() > kLongestLog) text = text.substr(0, kLongestLog) + "\n... (" + std::to_string(nbytes) + " bytes)";
    return text;
  }

  const Nvrtc& compiler_;
  const Request& request_;
  Nvrtc::Program* program_ = nullptr;
};

CachedKernel run(const Nvrtc& compiler, const Request& request, const KernelName& kernel, Architecture architecture) {
  try {
    return Program(compiler, request).compile();
  } catch (const DeviceError& error) {
    throw DeviceError("cannot compile " + kernel.expression + " of " + kernel.header + " for " + architecture.name() +
                      ": NVRTC " + compiler.version() + " says: " + error.what());
  }
}

}  // namespace

Architecture Architecture::parse(std::string_view text) {
  Architecture architecture;
  std::string_view digits = text.starts_with("sm_") ? text.substr(3) : std::string_view();
  architecture.specific = digits.ends_with('a');
  if (architecture.specific) digits.remove_suffix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), architecture.number);
  if (digits.size() < 2 || digits.size() > 4 || digits[0] < '1' || digits[0] > '9' || error != std::errc() ||
      end != digits.data() + digits.size())
    throw ValueError("no GPU architecture '" + std::string(text) + "'; they are called sm_75, sm_90, sm_90a, sm_100");
  return architecture;
}

std::string Architecture::name() const { return "sm_" + std::to_string(number) + (specific ? "a" : ""); }

Image compile(const KernelName& kernel, Architecture architecture) {
  return compile(kernel, architecture, DiskCache::standard());
}

Image compile(const KernelName& kernel, Architecture architecture, const DiskCache& cache) {
  const Nvrtc& compiler = nvrtc();
  const Request request = request_of(compiler, kernel, architecture);
  const std::string key = key_of(compiler, request);
  if (auto kept = cache.find(key)) return {std::move(kept->entry), std::move(kept->code), true};
  CachedKernel made = run(compiler, request, kernel, architecture);
  cache.keep(key, made);
  return {std::move(made.entry), std::move(made.code), false};
}

}  // namespace crossdock::cuda
