#include "kernel_family.h"

#include <stdexcept>

namespace crossdock::cuda {
namespace {

std::vector<const KernelFamily*>& families() {
  static std::vector<const KernelFamily*> list;
  return list;
}

}  // namespace

// While the library is being loaded, by one thread.
KernelFamily::KernelFamily(const char* header, int size, std::string (*expression)(int number))
    : id_(static_cast<int>(families().size())), header_(header), size_(size), expression_(expression) {
  if (id_ >= kMost) throw std::logic_error("more kernel families than KernelFamily::kMost");
  families().push_back(this);
}

std::vector<KernelName> all_kernel_names() {
  std::vector<KernelName> names;
  for (const KernelFamily* family : families()) {
    for (int number = 0; number < family->size(); ++number) {
      if (auto expression = family->expression(number); !expression.empty())
        names.push_back({family->header(), std::move(expression)});
    }
  }
  return names;
}

}  // namespace crossdock::cuda
