// Errors, one class per class of src/crossdock/errors.py. `bind` turns each into its Python counterpart.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace crossdock {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A device spec outside the grammar `KIND[:INDEX]`; with the kinds that exist, and what was most likely meant (or
// empty).
class SpecError : public Error {
 public:
  SpecError(const std::string& message, std::string spec, std::vector<std::string> known = {}, std::string nearest = {})
      : Error(message), spec(std::move(spec)), known(std::move(known)), nearest(std::move(nearest)) {}
  std::string spec;
  std::vector<std::string> known;
  std::string nearest;
};

// Something about a device; `device` is its spec, empty when unknown.
class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message, std::string device = {})
      : Error(message), device(std::move(device)) {}
  std::string device;
};

// A device of a known kind that is not here; `count` is how many there are, -1 when unknown.
class DeviceUnavailableError : public DeviceError {
 public:
  DeviceUnavailableError(const std::string& message, std::string device, std::string reason, int count)
      : DeviceError(message, std::move(device)), reason(std::move(reason)), count(count) {}
  std::string reason;
  int count;
};

// Arguments on several devices: (position, device spec) of each.
class MixedDevicesError : public DeviceError {
 public:
  MixedDevicesError(const std::string& message, std::vector<std::pair<int, std::string>> arguments)
      : DeviceError(message), arguments(std::move(arguments)) {}
  std::vector<std::pair<int, std::string>> arguments;
};

// No room left on a device; all in bytes, -1 when unknown.
class OutOfMemoryError : public DeviceError {
 public:
  OutOfMemoryError(const std::string& message, std::string device, std::int64_t requested, std::int64_t free,
                   std::int64_t pooled)
      : DeviceError(message, std::move(device)), requested(requested), free(free), pooled(pooled) {}
  std::int64_t requested, free, pooled;
};

// An operation queued earlier has failed; thrown by the next synchronisation of its stream. `reason` is what the
// operation itself said, without its name; `cause` the class of that error, where code may want to catch it by class.
class AsyncDeviceError : public DeviceError {
 public:
  enum class Cause { other, linalg, index };
  AsyncDeviceError(const std::string& message, std::string device, std::string op, std::string reason, Cause cause)
      : DeviceError(message, std::move(device)), op(std::move(op)), reason(std::move(reason)), cause(cause) {}
  std::string op, reason;
  Cause cause;
};

// Without facts of their own.
struct DtypeError : Error {
  using Error::Error;
};
struct DimensionError : Error {
  using Error::Error;
};
// A matrix that is singular, not positive definite, or whose decomposition does not converge.
struct LinAlgError : Error {
  using Error::Error;
};
struct ReadOnlyError : Error {
  using Error::Error;
};
struct CopyRequiredError : Error {
  using Error::Error;
};
struct ExchangeError : Error {
  using Error::Error;
};  // becomes BufferError, the word of DLPack and the buffer protocol
struct IndexError : Error {
  using Error::Error;
};
struct TypeError : Error {
  using Error::Error;
};
struct ValueError : Error {
  using Error::Error;
};
struct OverflowError : Error {
  using Error::Error;
};
struct NotImplementedError : Error {
  using Error::Error;
};

}  // namespace crossdock
