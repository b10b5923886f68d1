#include "reduction.h"
namespace crossdock::native {
void register_reductions(KernelTable&) {}
}  // namespace crossdock::native
