#include "compiler.h"

#include "compile_request.h"
#include "crossdock/runtime/error.h"
#include "disk_cache.h"
#include "nvrtc.h"

namespace crossdock::cuda {
namespace {

constexpr std::size_t kLongestLog = 8000;

class Program {
 public:
  Program(const Nvrtc& compiler, const CompileRequest& request) : compiler_(compiler), request_(request) {
    std::vector<const char*> texts, names;
    for (const Source* source : request.headers) {
      texts.push_back(source->text);
      names.push_back(source->name);
    }
    check(compiler.create(&program_, request.text.c_str(), "kernel.cu", static_cast<int>(texts.size()), texts.data(),
                          names.data()));
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
  const CompileRequest& request_;
  Nvrtc::Program* program_ = nullptr;
};

CachedKernel run(const Nvrtc& compiler, const CompileRequest& request, const KernelName& kernel,
                 Architecture architecture) {
  try {
    return Program(compiler, request).compile();
  } catch (const DeviceError& error) {
    throw DeviceError("cannot compile " + kernel.expression + " of " + kernel.header + " for " + architecture.name() +
                      ": NVRTC " + compiler.version() + " says: " + error.what());
  }
}

}  // namespace

Image compile(const KernelName& kernel, Architecture architecture) {
  return compile(kernel, architecture, DiskCache::standard());
}

Image compile(const KernelName& kernel, Architecture architecture, const DiskCache& cache) {
  const Nvrtc& compiler = nvrtc();
  const CompileRequest request = request_of(compiler, kernel, architecture);
  const std::string key = key_of(compiler, request);
  if (auto kept = cache.find(key)) return {std::move(kept->entry), std::move(kept->code), true};
  CachedKernel made = run(compiler, request, kernel, architecture);
  cache.keep(key, made);
  return {std::move(made.entry), std::move(made.code), false};
}

}  // namespace crossdock::cuda
