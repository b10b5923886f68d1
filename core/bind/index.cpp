#include "index.h"

#include <string>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/runtime/error.h"

namespace crossdock::bind {

namespace {

std::int64_t integer_of(PyObject* object) {
  const nb::object integer = nb::steal(PyNumber_Index(object));
  if (!integer.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow) {
    throw IndexError("index " + digits_of(integer) + " is out of bounds for every axis");
  }
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

Index index_of(PyObject* item) {
  if (PySlice_Check(item)) {
    // Absent and huge bounds come as the largest numbers, which end at the array's ends all the same.
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) throw nb::python_error();
    return Slice{start, stop, step};
  }
  if (item == Py_Ellipsis) return Ellipsis{};
  if (item == Py_None) return NewAxis{};
  const Array* array = array_or_null(item);
  const bool integer =
      array ? array->ndim() == 0 && is_integer(array->dtype()) : PyIndex_Check(item) && !PyBool_Check(item);
  // numpy's arrays have __index__ too; those of one dimension and more are not single integers.
  if (integer && !(is_numpy_array(item) && nb::cast<int>(nb::handle(item).attr("ndim")) != 0)) {
    return integer_of(item);
  }
  if (array || is_numpy_array(item) || PyBool_Check(item) || PyList_Check(item)) {
    throw NotImplementedError("indexing by masks and integer arrays is not there yet; use where(), or slices");
  }
  throw IndexError("an index is an integer, a slice, ... or None, not " + text_of(nb::repr(nb::handle(item))));
}

// bool < integer < real < complex; storage dtypes rank with what they hold.
int rank(Dtype dtype) {
  switch (kind(dtype)) {
    case DtypeKind::boolean:
      return 0;
    case DtypeKind::signed_integer:
    case DtypeKind::unsigned_integer:
      return 1;
    case DtypeKind::real_floating:
      return 2;
    case DtypeKind::complex_floating:
      return 3;
    case DtypeKind::storage:
      return dtype == Dtype::int4 || dtype == Dtype::uint4 ? 1 : 2;
  }
  return 3;
}

}  // namespace

std::vector<Index> indexes_of(PyObject* key) {
  if (!PyTuple_Check(key)) return {index_of(key)};
  std::vector<Index> indexes;
  const Py_ssize_t count = PyTuple_Size(key);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (i > 4 * kMaxNdim) throw IndexError("too many indices: " + std::to_string(count));
    indexes.push_back(index_of(PyTuple_GetItem(key, i)));
  }
  return indexes;
}

void assign(const Array& array, PyObject* key, const Argument& value) {
  array.require_writable("assignment");
  const Array target = index(array, indexes_of(key));
  const auto* source = std::get_if<const Array*>(&value);
  if (!source) {
    unlocked(array.device(), target.size(), [&] {
      const Array element = to_array(std::get<Scalar>(value), array.dtype(), array.device());
      copy_into(target, element, {.op = "assignment"});
    });
    return;
  }
  const std::array<Argument, 2> both{&array, *source};
  common_device("assignment", both);
  if (rank((*source)->dtype()) > rank(array.dtype())) {
    throw DtypeError("assignment: " + std::string(name((*source)->dtype())) + " values do not fit in an array of " +
                     std::string(name(array.dtype())) + "; convert with astype first");
  }
  unlocked(array.device(), target.size(), [&] { copy_into(target, **source, {.op = "assignment"}); });
}

}  // namespace crossdock::bind
