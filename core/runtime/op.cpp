#include "crossdock/runtime/op.h"

#include <cstddef>

namespace crossdock {
namespace {

// Literals, so data() of each ends with a null character.
constexpr std::string_view kNames[] = {
#define CROSSDOCK_NAME(name) #name,
    CROSSDOCK_OPS(CROSSDOCK_NAME)
#undef CROSSDOCK_NAME
};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == kOpCount);

}  // namespace

std::string_view name(Op op) noexcept { return kNames[static_cast<std::size_t>(op)]; }

}  // namespace crossdock
