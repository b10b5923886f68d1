#include "fft_workspace.h"

namespace crossdock::native {

FourierAllocator& FourierAllocator::get() {
  static auto* one = new FourierAllocator;  // never destroyed: threads may still transform
  return *one;
}

}  // namespace crossdock::native
