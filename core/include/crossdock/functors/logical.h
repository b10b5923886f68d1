// Logic on bools, stored as bytes of which any but 0 is true.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors {

struct LogicalAnd {
  CROSSDOCK_HD bool operator()(std::uint8_t a, std::uint8_t b) const { return (a != 0) & (b != 0); }
};
struct LogicalOr {
  CROSSDOCK_HD bool operator()(std::uint8_t a, std::uint8_t b) const { return (a | b) != 0; }
};
struct LogicalXor {
  CROSSDOCK_HD bool operator()(std::uint8_t a, std::uint8_t b) const { return (a != 0) != (b != 0); }
};
struct LogicalEqual {
  CROSSDOCK_HD bool operator()(std::uint8_t a, std::uint8_t b) const { return (a != 0) == (b != 0); }
};
struct LogicalNot {
  CROSSDOCK_HD bool operator()(std::uint8_t a) const { return a == 0; }
};

}  // namespace crossdock::functors
