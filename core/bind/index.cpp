#include "index.h"

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "borrow.h"
#include "convert.h"
#include "crossdock/ops/indexing.h"
#include "crossdock/runtime/error.h"

namespace crossdock::bind {

namespace {

std::int64_t integer_of(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) throw IndexError("index " + digits_of(object) + " is out of bounds for every axis");
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

// Whether the object stands for one integer.
bool is_integer_like(PyObject* item) {
  if (const Array* array = array_or_null(item)) return array->ndim() == 0 && is_integer(array->dtype());
  if (!PyIndex_Check(item) || PyBool_Check(item)) return false;
  // NumPy's arrays have __index__ too; those of one dimension and more, and of other dtypes, are not single integers.
  if (!is_numpy_array(item)) return true;
  const nb::handle array(item);
  if (nb::cast<int>(array.attr("ndim")) != 0) return false;
  const auto kind = text_of(array.attr("dtype").attr("kind"));
  return kind == "i" || kind == "u";
}

// Empty for what is more than an integer, a slice, ... or None.
std::optional<Index> basic_index(PyObject* item) {
  if (PyLong_CheckExact(item)) return integer_of(item);
  if (PySlice_Check(item)) {
    // Absent and huge bounds come as the largest numbers, which end at the array's ends all the same.
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) throw nb::python_error();
    return Slice{start, stop, step};
  }
  if (item == Py_Ellipsis) return Ellipsis{};
  if (item == Py_None) return NewAxis{};
  if (!is_integer_like(item)) return std::nullopt;
  const nb::object integer = nb::steal(PyNumber_Index(item));
  if (!integer.is_valid()) throw nb::python_error();
  return integer_of(integer.ptr());
}

// The dtype of a buffer's elements when they are integers or bools in native byte order.
std::optional<Dtype> index_dtype(const char* format, std::int64_t itemsize) {
  static constexpr Dtype kSigned[] = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64};
  static constexpr Dtype kUnsigned[] = {Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64};
  const std::string_view code = format ? format : "B";
  if (code == "?") return Dtype::bool_;
  if (code.size() != 1) return std::nullopt;
  const int place = itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : 3;
  if (std::string_view("bhilqn").find(code[0]) != std::string_view::npos) return kSigned[place];
  if (std::string_view("BHILQN").find(code[0]) != std::string_view::npos) return kUnsigned[place];
  return std::nullopt;
}

std::optional<ArrayIndex> buffer_index(nb::handle array) {
  static Device& host = find_device("native:0");
  const BufferView view(array, PyBUF_STRIDES | PyBUF_FORMAT);
  const auto dtype = index_dtype(view.format, view.itemsize);
  if (!dtype) return std::nullopt;
  return ArrayIndex{borrow(view, nb::borrow(array), *dtype, host), true};
}

// Of the usual dtypes at once; others are looked at.
AnyIndex numpy_index(nb::object array) {
  const nb::object dtype = array.attr("dtype");
  const auto refuse = [&]() -> AnyIndex {
    throw IndexError("an index array has an integer dtype or bool, not " + text_of(nb::str(dtype)));
  };
  try {
    if (auto index = buffer_index(array)) return *std::move(index);
  } catch (nb::python_error& error) {  // NumPy's times have no buffers
    if (!error.matches(PyExc_ValueError)) throw;
    return refuse();
  }
  const auto kind = text_of(dtype.attr("kind"));
  if (nb::cast<bool>(dtype.attr("isnative")) || (kind != "i" && kind != "u")) return refuse();
  array = array.attr("astype")(dtype.attr("newbyteorder")("="));
  auto index = buffer_index(array);
  return index ? AnyIndex(*std::move(index)) : refuse();
}

// Refuses what NumPy would take long to refuse: lists in themselves, and core arrays, element by element.
void check_list(PyObject* list, int depth = 0) {
  if (depth == kMaxNdim) {
    throw IndexError("a list as an index has " + std::to_string(kMaxNdim) + " dimensions at most");
  }
  const bool tuple = PyTuple_Check(list);
  for (Py_ssize_t i = 0; i < (tuple ? PyTuple_Size(list) : PyList_Size(list)); ++i) {
    const nb::object item = nb::borrow(tuple ? PyTuple_GetItem(list, i) : PyList_GetItem(list, i));
    if (array_or_null(item.ptr())) {
      throw TypeError("a list of core arrays is no index; join them with crossdock.core.stack or concat first");
    }
    if (PyList_Check(item.ptr()) || PyTuple_Check(item.ptr())) check_list(item.ptr(), depth + 1);
  }
}

// A flat list of Python's integers, without NumPy; empty for another.
std::optional<ArrayIndex> plain_list_index(PyObject* list) {
  static Device& host = find_device("native:0");
  const Py_ssize_t count = PyList_Check(list) ? PyList_Size(list) : 0;
  if (count == 0 || !PyLong_CheckExact(PyList_GetItem(list, 0))) return std::nullopt;
  const Array array = Array::empty({count}, Dtype::int64, host);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PyList_GetItem(list, i);
    if (!PyLong_CheckExact(item)) return std::nullopt;
    int overflow = 0;
    const std::int64_t value = PyLong_AsLongLongAndOverflow(item, &overflow);
    if (overflow) return std::nullopt;
    std::memcpy(array.data() + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
  }
  return ArrayIndex{array, true};
}

AnyIndex list_index(PyObject* list) {
  if (auto plain = plain_list_index(list)) return *std::move(plain);
  check_list(list);
  nb::object array;
  try {
    array = nb::module_::import_("numpy").attr("asarray")(nb::handle(list));
    if (nb::cast<std::int64_t>(array.attr("size")) == 0) array = array.attr("astype")("int64");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError) && !error.matches(PyExc_OverflowError)) {
      throw;
    }
    throw IndexError("a list that is no array of integers or bools cannot be an index: " +
                     text_of(nb::str(error.value())));
  }
  return numpy_index(std::move(array));
}

AnyIndex other_index(PyObject* item) {
  if (const Array* array = array_or_null(item)) return ArrayIndex{*array};
  if (PyBool_Check(item)) return item == Py_True;
  if (is_numpy_array(item)) return numpy_index(nb::borrow(item));
  if (PyList_Check(item) || PyTuple_Check(item)) return list_index(item);
  if (!PyFloat_Check(item)) {
    const auto scalar = scalar_or_null(item);
    if (scalar && std::holds_alternative<bool>(scalar->value)) return std::get<bool>(scalar->value);
  }
  throw IndexError("an index is an integer, a slice, ..., None, a mask, or an array or list of integers, not " +
                   text_of(nb::repr(nb::handle(item))));
}

AnyIndex widen(const Index& index) {
  return std::visit([](const auto& item) { return AnyIndex(item); }, index);
}

// The parts of a key: basic ones, until there is another.
struct Key {
  explicit Key(PyObject* key) {
    if (!PyTuple_Check(key)) {
      add(key);
      return;
    }
    const Py_ssize_t count = PyTuple_Size(key);
    if (count > 4 * kMaxNdim) throw IndexError("too many indices: " + std::to_string(count));
    basic.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) add(PyTuple_GetItem(key, i));
  }

  bool is_basic() const noexcept { return all.empty(); }

  // Elements that are looked at, where that is quickly said.
  std::int64_t work(const Array& array) const noexcept {
    const auto* only = all.size() == 1 && array.ndim() == 1 ? std::get_if<ArrayIndex>(&all[0]) : nullptr;
    return only ? only->array.size() : kLongWork;
  }

  std::vector<Index> basic;
  std::vector<AnyIndex> all;

 private:
  void add(PyObject* item) {
    const auto simple = basic_index(item);
    if (simple && is_basic()) {
      basic.push_back(*simple);
      return;
    }
    if (is_basic()) {
      for (const Index& index : basic) all.push_back(widen(index));
    }
    all.push_back(simple ? widen(*simple) : other_index(item));
  }
};

// The usual keys, a few basic indexes, without memory of their own.
class FewIndexes {
 public:
  // Whether the key is of that kind.
  bool read(PyObject* key) {
    if (!PyTuple_Check(key)) return add(key);
    const Py_ssize_t count = PyTuple_Size(key);
    if (count > kMost) return false;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!add(PyTuple_GetItem(key, i))) return false;
    }
    return true;
  }
  std::span<const Index> indexes() const noexcept { return {indexes_.data(), count_}; }

 private:
  static constexpr int kMost = 4;

  bool add(PyObject* item) {
    const auto simple = basic_index(item);
    if (simple) indexes_[count_++] = *simple;
    return simple.has_value();
  }

  std::array<Index, kMost> indexes_;
  std::size_t count_ = 0;
};

}  // namespace

Array subscript(const Array& array, PyObject* object) {
  if (FewIndexes few; few.read(object)) return index(array, few.indexes());
  const Key key(object);
  if (key.is_basic()) return index(array, key.basic);
  return unlocked(array.device(), key.work(array), [&] { return index(array, key.all); });
}

void assign_subscript(const Array& array, PyObject* object, const Argument& value) {
  const auto assign_to = [&](std::span<const Index> indexes) {
    const Array target = index(array, indexes);
    unlocked(array.device(), target.size(), [&] { assign(target, value); });
  };
  if (FewIndexes few; few.read(object)) return assign_to(few.indexes());
  const Key key(object);
  if (key.is_basic()) return assign_to(key.basic);
  unlocked(array.device(), key.work(array), [&] { assign(array, key.all, value); });
}

}  // namespace crossdock::bind
