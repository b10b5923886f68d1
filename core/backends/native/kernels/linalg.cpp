#include "linalg.h"

namespace crossdock::native {

void register_linalg(KernelTable&) {}

}  // namespace crossdock::native
