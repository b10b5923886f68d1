// BlasTurn: leave for a thread to be in the BLAS library.
#pragma once

namespace crossdock::native {

// The library keeps room for a number of threads that was fixed when it was built, and may crash when more are in it at
// a time: they wait for their turn. A thread that has one waits for nobody.
class BlasTurn {
 public:
  BlasTurn() noexcept;
  ~BlasTurn();
  BlasTurn(const BlasTurn&) = delete;
  BlasTurn& operator=(const BlasTurn&) = delete;
};

}  // namespace crossdock::native
