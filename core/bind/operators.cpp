// The C slots of Array: numbers, comparison, length, items, buffer. Slots cost a third of a bound method's call.
#include "operators.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "buffer.h"
#include "convert.h"
#include "crossdock/array/indexing.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/products.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/transfer_hook.h"
#include "errors.h"
#include "gil.h"
#include "index.h"
#include "types.h"

namespace crossdock::bind {

namespace {

PyObject* not_implemented() {
  Py_INCREF(Py_NotImplemented);
  return Py_NotImplemented;
}

// Operands that are neither ours nor numbers get their chance to answer, except NumPy's arrays, which never would.
std::optional<Argument> operand_of(PyObject* object, const char* op, PyObject* beside) {
  if (const Array* array = array_or_null(object)) return array;
  if (auto scalar = scalar_or_null(object)) return *scalar;
  if (is_numpy_array(object)) refuse_argument(op, object, array_or_null(beside));
  // Python's own answer to x == [1, 2] would be False.
  if (PyList_Check(object) || PyTuple_Check(object)) {
    throw TypeError(std::string(op) +
                    ": a list or tuple does not mix with an array; crossdock.core.asarray makes one of it");
  }
  return std::nullopt;
}

std::int64_t work_of(std::span<const Argument> arguments) {
  std::int64_t most = 0;
  for (const Argument& argument : arguments) {
    if (const auto* array = std::get_if<const Array*>(&argument)) most = std::max(most, (*array)->size());
  }
  return most;
}

PyObject* binary(Op op, PyObject* left, PyObject* right) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const auto a = operand_of(left, name(op).data(), right), b = operand_of(right, name(op).data(), left);
    if (!a || !b) return not_implemented();
    const std::array<Argument, 2> arguments{*a, *b};
    const Array* array = array_or_null(left);
    if (!array) array = array_or_null(right);
    return to_python_raw(unlocked(array->device(), work_of(arguments), [&] { return elementwise(op, arguments); }));
  });
}

PyObject* unary(Op op, PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] {
    const Array& array = *array_or_null(self);
    const std::array<Argument, 1> arguments{&array};
    return to_python_raw(unlocked(array.device(), array.size(), [&] { return elementwise(op, arguments); }));
  });
}

PyObject* in_place(Op op, PyObject* self, PyObject* other) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const auto argument = operand_of(other, name(op).data(), self);
    if (!argument) return not_implemented();
    const Array& array = *array_or_null(self);
    unlocked(array.device(), array.size(), [&] { elementwise_in_place(op, array, *argument); });
    Py_INCREF(self);
    return self;
  });
}

template <Op op>
PyObject* binary_slot(PyObject* left, PyObject* right) {
  return binary(op, left, right);
}
template <Op op>
PyObject* unary_slot(PyObject* self) {
  return unary(op, self);
}
template <Op op>
PyObject* in_place_slot(PyObject* self, PyObject* other) {
  return in_place(op, self, other);
}

// `&`, `|`, `^` and `~` are bitwise on integers and logical on bool; the kernels of bool do both.
PyObject* power_slot(PyObject* left, PyObject* right, PyObject* modulo) {
  if (modulo != Py_None) return not_implemented();
  return binary(Op::pow, left, right);
}
PyObject* in_place_power_slot(PyObject* self, PyObject* other, PyObject*) { return in_place(Op::pow, self, other); }

PyObject* positive_slot(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] {
    const Array& array = *array_or_null(self);
    return to_python_raw(unlocked(array.device(), array.size(), [&] { return copy(array); }));
  });
}

PyObject* matmul_slot(PyObject* left, PyObject* right) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    for (PyObject* side : {left, right}) {
      if (array_or_null(side)) continue;
      if (is_numpy_array(side)) refuse_argument("matmul", side, array_or_null(side == left ? right : left));
      return not_implemented();
    }
    const Array &a = *array_or_null(left), &b = *array_or_null(right);
    constexpr std::int64_t kLong = 1 << 20;  // a product works longer than its size shows
    return to_python_raw(
        unlocked(a.device(), std::max(a.size(), b.size()) > 2048 ? kLong : 0, [&] { return matmul(a, b); }));
  });
}

PyObject* compare_slot(PyObject* left, PyObject* right, int kind) {
  static constexpr Op kOps[] = {Op::less, Op::less_equal, Op::equal, Op::not_equal, Op::greater, Op::greater_equal};
  PyObject* answer = binary(kOps[kind], left, right);
  const bool falls_back = answer == Py_NotImplemented && (kOps[kind] == Op::equal || kOps[kind] == Op::not_equal);
  if (!falls_back || !is_foreign_array(right)) return answer;
  // Where the other library does not know our arrays either, Python's own answer would be that they differ.
  Py_DECREF(answer);
  return guarded<PyObject*>(nullptr, [&] {
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(right)));
    nb::object theirs = type.attr(kOps[kind] == Op::equal ? "__eq__" : "__ne__")(nb::handle(right), nb::handle(left));
    if (theirs.is(nb::handle(Py_NotImplemented))) {
      refuse_argument(kOps[kind] == Op::equal ? "equal" : "not_equal", right, array_or_null(left));
    }
    return theirs.release().ptr();
  });
}

struct Element {
  alignas(16) std::byte bytes[16];
};

Scalar pull_scalar(const Array& array, const char* op) {
  Element element;
  if (array.device().is_host()) {
    pull(array, element.bytes, op);
  } else {
    const Unlocked unlocked;
    pull(array, element.bytes, op);
  }
  return load(element.bytes, array.dtype());
}

double as_real(const Scalar& scalar, const char* op) {
  return std::visit(
      [&](auto value) -> double {
        if constexpr (std::is_same_v<decltype(value), std::complex<double>>) {
          throw TypeError(std::string(op) + ": a complex number has no real value; take real(x) or abs(x)");
        } else {
          return static_cast<double>(value);
        }
      },
      scalar.value);
}

// The usual case of float(x), without what the others need: a host array of size 1, read where it is.
std::optional<double> quick_real(const Array& array) noexcept {
  if (array.size() != 1 || transfer_hook_on() || !array.device().is_host()) return std::nullopt;
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, array.data(), sizeof value);
    return static_cast<double>(value);
  };
  switch (array.dtype()) {
    case Dtype::float64:
      return read(double{});
    case Dtype::float32:
      return read(float{});
    case Dtype::int64:
      return read(std::int64_t{});
    default:
      return std::nullopt;
  }
}

PyObject* float_slot(PyObject* self) {
  if (const auto value = quick_real(*array_or_null(self))) return PyFloat_FromDouble(*value);
  return guarded<PyObject*>(
      nullptr, [&] { return PyFloat_FromDouble(as_real(pull_scalar(*array_or_null(self), "float"), "float")); });
}

PyObject* int_slot(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const Scalar scalar = pull_scalar(*array_or_null(self), "int");
    if (const auto* value = std::get_if<std::int64_t>(&scalar.value)) return PyLong_FromLongLong(*value);
    if (const auto* value = std::get_if<std::uint64_t>(&scalar.value)) return PyLong_FromUnsignedLongLong(*value);
    return PyLong_FromDouble(as_real(scalar, "int"));
  });
}

PyObject* index_slot(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const Array& array = *array_or_null(self);
    if (!is_integer(array.dtype()) || array.ndim() != 0) {
      throw TypeError("index: only a 0-d array of integers is an index, this one has dtype " +
                      std::string(name(array.dtype())) + " and shape " + to_string(array.shape()));
    }
    return int_slot(self);
  });
}

int bool_slot(PyObject* self) {
  return guarded<int>(-1, [&] {
    const Scalar scalar = pull_scalar(*array_or_null(self), "bool");
    return std::visit([](auto value) { return static_cast<int>(value != decltype(value){}); }, scalar.value);
  });
}

Py_ssize_t length_slot(PyObject* self) {
  return guarded<Py_ssize_t>(-1, [&] {
    const Array& array = *array_or_null(self);
    if (array.ndim() == 0) throw TypeError("len() of a 0-d array");
    return static_cast<Py_ssize_t>(array.shape()[0]);
  });
}

// Iteration: views on the same device, nothing moves.
PyObject* item_slot(PyObject* self, Py_ssize_t position) {
  return guarded<PyObject*>(nullptr, [&] {
    const std::array<Index, 1> at{Index{static_cast<std::int64_t>(position)}};
    return to_python_raw(index(*array_or_null(self), at));
  });
}

PyObject* iterator_slot(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] {
    if (array_or_null(self)->ndim() == 0) throw TypeError("a 0-d array cannot be iterated");
    return PySeqIter_New(self);
  });
}

int contains_slot(PyObject* self, PyObject* value) {
  return guarded<int>(-1, [&] {
    const Array& array = *array_or_null(self);
    const std::array<Argument, 2> arguments{&array, argument_of(value, "in", &array)};
    const Array found = unlocked(array.device(), array.size(), [&] {
      return reduce(Op::any, elementwise(Op::equal, arguments), std::nullopt, false);
    });
    return static_cast<int>(std::get<bool>(pull_scalar(found, "in").value));
  });
}

PyObject* subscript_slot(PyObject* self, PyObject* key) {
  return guarded<PyObject*>(nullptr, [&] { return to_python_raw(subscript(*array_or_null(self), key)); });
}

int assign_slot(PyObject* self, PyObject* key, PyObject* value) {
  return guarded<int>(-1, [&] {
    if (!value) throw TypeError("elements of an array cannot be deleted");
    assign_subscript(*array_or_null(self), key, argument_of(value, "assignment", array_or_null(self)));
    return 0;
  });
}

// Without it Array.__new__ would give an object with no array inside, which no slot here could bear.
PyObject* new_slot(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "Array: made by functions such as asarray, zeros and empty, not by its class");
  return nullptr;
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

Scalar pull_scalar_of(const Array& array, const char* op) { return pull_scalar(array, op); }

PyType_Slot array_slots[] = {
    {Py_tp_new, slot(new_slot)},
    {Py_nb_add, slot(binary_slot<Op::add>)},
    {Py_nb_subtract, slot(binary_slot<Op::subtract>)},
    {Py_nb_multiply, slot(binary_slot<Op::multiply>)},
    {Py_nb_true_divide, slot(binary_slot<Op::divide>)},
    {Py_nb_floor_divide, slot(binary_slot<Op::floor_divide>)},
    {Py_nb_remainder, slot(binary_slot<Op::remainder>)},
    {Py_nb_power, slot(power_slot)},
    {Py_nb_and, slot(binary_slot<Op::bitwise_and>)},
    {Py_nb_or, slot(binary_slot<Op::bitwise_or>)},
    {Py_nb_xor, slot(binary_slot<Op::bitwise_xor>)},
    {Py_nb_lshift, slot(binary_slot<Op::bitwise_left_shift>)},
    {Py_nb_rshift, slot(binary_slot<Op::bitwise_right_shift>)},
    {Py_nb_matrix_multiply, slot(matmul_slot)},
    {Py_nb_inplace_add, slot(in_place_slot<Op::add>)},
    {Py_nb_inplace_subtract, slot(in_place_slot<Op::subtract>)},
    {Py_nb_inplace_multiply, slot(in_place_slot<Op::multiply>)},
    {Py_nb_inplace_true_divide, slot(in_place_slot<Op::divide>)},
    {Py_nb_inplace_floor_divide, slot(in_place_slot<Op::floor_divide>)},
    {Py_nb_inplace_remainder, slot(in_place_slot<Op::remainder>)},
    {Py_nb_inplace_power, slot(in_place_power_slot)},
    {Py_nb_inplace_and, slot(in_place_slot<Op::bitwise_and>)},
    {Py_nb_inplace_or, slot(in_place_slot<Op::bitwise_or>)},
    {Py_nb_inplace_xor, slot(in_place_slot<Op::bitwise_xor>)},
    {Py_nb_inplace_lshift, slot(in_place_slot<Op::bitwise_left_shift>)},
    {Py_nb_inplace_rshift, slot(in_place_slot<Op::bitwise_right_shift>)},
    {Py_nb_negative, slot(unary_slot<Op::negative>)},
    {Py_nb_positive, slot(positive_slot)},
    {Py_nb_absolute, slot(unary_slot<Op::abs>)},
    {Py_nb_invert, slot(unary_slot<Op::bitwise_invert>)},
    {Py_nb_float, slot(float_slot)},
    {Py_nb_int, slot(int_slot)},
    {Py_nb_index, slot(index_slot)},
    {Py_nb_bool, slot(bool_slot)},
    {Py_tp_richcompare, slot(compare_slot)},
    {Py_tp_hash, slot(PyObject_HashNotImplemented)},
    {Py_tp_iter, slot(iterator_slot)},
    {Py_sq_length, slot(length_slot)},
    {Py_sq_item, slot(item_slot)},
    {Py_sq_contains, slot(contains_slot)},
    {Py_mp_length, slot(length_slot)},
    {Py_mp_subscript, slot(subscript_slot)},
    {Py_mp_ass_subscript, slot(assign_slot)},
    {Py_bf_getbuffer, slot(get_buffer)},
    {Py_bf_releasebuffer, slot(release_buffer)},
    {0, nullptr},
};

}  // namespace crossdock::bind
