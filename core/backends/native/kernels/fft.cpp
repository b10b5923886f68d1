#include "fft.h"

namespace crossdock::native {

void register_fft(KernelTable&) {}

}  // namespace crossdock::native
