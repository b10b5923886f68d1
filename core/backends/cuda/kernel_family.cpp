#include "kernel_family.h"

namespace crossdock::cuda {
namespace {

std::vector<const KernelFamily*>& families() {
  static std::vector<const KernelFamily*> list;
  return list;
}

}  // namespace

KernelFamily::KernelFamily(const char* header, int size, std::string (*expression)(int number))
    : header_(header), size_(size), expression_(expression) {
  families().push_back(this);  // while the library is being loaded, by one thread
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
