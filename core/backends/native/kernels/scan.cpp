#include "scan.h"

namespace crossdock::native {

void register_scan(KernelTable&) {}

}  // namespace crossdock::native
