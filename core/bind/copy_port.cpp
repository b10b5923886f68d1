// Array libraries whose arrays never change, and take over memory of NumPy's: they get a copy that nobody else holds.
#include <cstdint>
#include <new>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "operators.h"
#include "port.h"
#include "types.h"

namespace crossdock::bind {

namespace {

constexpr std::align_val_t kAlignment{64};  // of memory that XLA takes over as it is

Array aligned_copy(const Array& array) {
  const auto nbytes = static_cast<std::size_t>(array.nbytes());
  auto* data = static_cast<std::byte*>(::operator new(nbytes, kAlignment));
  auto buffer =
      Buffer::borrow(array.device(), data, nbytes, [data]() noexcept { ::operator delete(data, kAlignment); });
  Array copy(std::move(buffer), data, array.dtype(), array.shape(), contiguous_strides(array.shape(), array.itemsize()),
             false);
  unlocked(array.device(), array.size(), [&] { copy_into(copy, array); });
  return copy;
}

class CopyWriter final : public Writer {
 public:
  CopyWriter(nb::object numpy_writer, nb::object take_over, std::uint32_t dtypes)
      : numpy_writer_(std::move(numpy_writer)),
        numpy_(*nb::cast<Writer*>(numpy_writer_)),
        take_over_(std::move(take_over)),
        dtypes_(dtypes) {}

  bool keeps(PyObject*) override { return false; }
  PyObject* write(PyObject* source, const Array& array, std::optional<Array>&) override {
    if (!(dtypes_ >> static_cast<int>(array.dtype()) & 1) || array.size() == 0) return nullptr;
    std::optional<Array> copy(aligned_copy(array));
    const nb::object view = nb::steal(numpy_.write(source, *copy, copy));
    if (!view.is_valid()) return nullptr;
    PyObject* argument = view.ptr();
    return PyObject_Vectorcall(take_over_.ptr(), &argument, 1, nullptr);
  }

 private:
  nb::object numpy_writer_;
  Writer& numpy_;
  nb::object take_over_;
  std::uint32_t dtypes_;  // a bit for each
};

}  // namespace

void define_copy_port(nb::module_& m) {
  m.def(
      "_copy_writer",
      [](nb::object numpy_writer, nb::object take_over, nb::handle dtypes) -> Writer* {
        return new CopyWriter(std::move(numpy_writer), std::move(take_over), bits_of(dtypes));
      },
      "numpy_writer"_a, "take_over"_a, "dtypes"_a, nb::rv_policy::take_ownership,
      nb::sig("def _copy_writer(numpy_writer: _Writer, take_over: collections.abc.Callable[[typing.Any], typing.Any], "
              "dtypes: collections.abc.Iterable[str]) -> _Writer"),
      "Makes arrays of what ``take_over`` makes of an aligned NumPy array that nobody else holds.");
}

}  // namespace crossdock::bind
