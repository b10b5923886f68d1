#include "crossdock/ops/indexing.h"

#include <algorithm>
#include <array>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/runtime/error.h"
#include "offsets.h"

namespace crossdock {

namespace {

// An array or bool among the indexes, and the dimensions that it takes.
struct Part {
  const AnyIndex* index;
  int axis;   // of the array that is indexed: the first
  int dim;    // of the plan's view: the first
  int count;  // how many: 1 for integers, a mask's own number

  const ArrayIndex* array() const noexcept { return std::get_if<ArrayIndex>(index); }
};

bool is_mask(const Array& array) noexcept { return array.dtype() == Dtype::bool_; }

int axes_taken(const AnyIndex& index) noexcept {
  if (const auto* item = std::get_if<ArrayIndex>(&index)) return is_mask(item->array) ? item->array.ndim() : 1;
  return std::holds_alternative<std::int64_t>(index) || std::holds_alternative<Slice>(index);
}

// The basic indexes by themselves; arrays leave their axes whole.
std::vector<Index> basic_part(std::span<const AnyIndex> indexes) {
  std::vector<Index> basic;
  for (const AnyIndex& index : indexes) {
    if (const auto* number = std::get_if<std::int64_t>(&index)) {
      basic.emplace_back(*number);
    } else if (const auto* slice = std::get_if<Slice>(&index)) {
      basic.emplace_back(*slice);
    } else if (std::holds_alternative<Ellipsis>(index)) {
      basic.emplace_back(Ellipsis{});
    } else if (std::holds_alternative<NewAxis>(index)) {
      basic.emplace_back(NewAxis{});
    } else {
      basic.insert(basic.end(), static_cast<std::size_t>(axes_taken(index)), Slice{});
    }
  }
  return basic;
}

// What an index expression means, before anything is computed: the view that the basic indexes give, which of its
// dimensions the arrays take, and before which of the others the arrays' own dimensions come.
struct Plan {
  Plan(const Array& array, std::span<const AnyIndex> indexes);

  Array view;
  std::vector<Part> parts;
  Dims kept;  // dimensions of the view that no array takes
  int place = 0;
};

Plan::Plan(const Array& array, std::span<const AnyIndex> indexes) : view(index(array, basic_part(indexes))) {
  int taken = 0;
  for (const AnyIndex& index : indexes) taken += axes_taken(index);
  int axis = 0, dim = 0, runs = 0;
  bool in_run = false;
  const auto keep = [&](int count) {
    for (; count > 0; --count) kept.push_back(dim++);
  };
  for (const AnyIndex& index : indexes) {
    const bool is_number = std::holds_alternative<std::int64_t>(index);
    if (std::holds_alternative<ArrayIndex>(index) || std::holds_alternative<bool>(index) || is_number) {
      if (!in_run && ++runs == 1) place = kept.size();
      in_run = true;
      const int count = axes_taken(index);
      if (!is_number) {
        parts.push_back({&index, axis, dim, count});
        dim += count;
      }
      axis += count;
      continue;
    }
    in_run = false;
    if (std::holds_alternative<Ellipsis>(index)) {
      keep(array.ndim() - taken);
      axis += array.ndim() - taken;
    } else {
      keep(1);
      axis += std::holds_alternative<Slice>(index);
    }
  }
  keep(view.ndim() - dim);
  if (runs > 1) place = 0;
}

void check_dtypes(const Plan& plan) {
  for (const Part& part : plan.parts) {
    const ArrayIndex* item = part.array();
    if (item && !is_mask(item->array) && !is_integer(item->array.dtype())) {
      throw IndexError("an index array has an integer dtype or bool, not " + std::string(name(item->array.dtype())));
    }
  }
}

void check_devices(const Plan& plan) {
  const auto is_elsewhere = [&](const Part& part) {
    const ArrayIndex* item = part.array();
    return item && !item->given_on_host && &item->array.device() != &plan.view.device();
  };
  if (std::none_of(plan.parts.begin(), plan.parts.end(), is_elsewhere)) return;
  std::vector<Argument> arguments{&plan.view};
  for (const Part& part : plan.parts) {
    if (part.array() && !part.array()->given_on_host) arguments.emplace_back(&part.array()->array);
  }
  common_device("index", arguments);
}

// Array API standard, "Boolean Array Indexing": an extent of 0 goes with every one.
void check_masks(const Plan& plan) {
  for (const Part& part : plan.parts) {
    if (!part.array() || !is_mask(part.array()->array)) continue;
    const Dims& shape = part.array()->array.shape();
    for (int i = 0; i < part.count; ++i) {
      const std::int64_t extent = plan.view.shape()[part.dim + i];
      if (shape[i] == extent || shape[i] == 0) continue;
      throw IndexError("a mask of shape " + to_string(shape) + " does not fit: axis " + std::to_string(part.axis + i) +
                       " has size " + std::to_string(extent) + ", the mask there " + std::to_string(shape[i]));
    }
  }
}

Plan checked_plan(const Array& array, std::span<const AnyIndex> indexes) {
  Plan plan(array, indexes);
  check_dtypes(plan);
  check_devices(plan);
  check_masks(plan);
  return plan;
}

TransferLabel moving(bool blocking) {
  return {.op = "index", .source = "@numpy", .target = {}, .implicit = true, .blocking = blocking};
}

// A part of a plan with what had to be counted: integers, or a mask and how many of it are true.
struct Counted {
  const Part* part;
  Array array;
  std::int64_t count = 0;
  bool on_host = false;  // and has to be moved from there

  Dims shape() const { return is_mask(array) ? Dims{count} : array.shape(); }
};

// What was given on the host is counted (and later checked) there.
std::vector<Counted> counted(const Plan& plan) {
  Device& device = plan.view.device();
  std::vector<Counted> out;
  for (const Part& part : plan.parts) {
    if (const ArrayIndex* item = part.array()) {
      const bool on_host = item->given_on_host && !device.is_host();
      out.push_back({&part, on_host ? item->array : to_device(item->array, device), 0, on_host});
      if (is_mask(item->array)) out.back().count = count_true(out.back().array, "nonzero");
    } else {
      const std::int64_t count = std::get<bool>(*part.index);
      out.push_back({&part, full({count}, Scalar{std::int64_t{0}}, Dtype::int64, device)});
    }
  }
  return out;
}

Dims common_shape(const std::vector<Counted>& items) {
  Dims shape;
  for (const Counted& item : items) {
    try {
      shape = broadcast_shapes(shape, item.shape());
    } catch (const DimensionError&) {
      throw IndexError("index arrays of shapes " + to_string(shape) + " and " + to_string(item.shape()) +
                       " do not go together");
    }
  }
  return shape;
}

// `so_far`, if any, and where one more item leads.
Array add_offsets(const std::optional<Array>& so_far, const Plan& plan, const Counted& item) {
  const Part& part = *item.part;
  if (part.array() && !is_mask(item.array)) {
    const IndexedAxis axis{plan.view.shape()[part.dim], plan.view.strides()[part.dim], part.axis};
    return index_offsets(item.array, so_far ? &*so_far : nullptr, axis);
  }
  const Dims steps(plan.view.strides().data() + part.dim, part.count);
  const Array offsets = part.array() ? true_offsets(item.array, item.count, steps) : item.array;
  return so_far ? elementwise(Op::add, std::array<Argument, 2>{&*so_far, &offsets}) : offsets;
}

Array offsets_of(const Plan& plan) {
  Device& device = plan.view.device();
  const auto items = counted(plan);
  const Dims shape = common_shape(items);
  if (checked_size(shape) == 0) return Array::empty(shape, Dtype::int64, device);
  std::optional<Array> offsets;
  for (const bool on_host : {true, false}) {
    for (const Counted& item : items) {
      if (item.on_host == on_host) offsets = add_offsets(offsets, plan, item);
    }
    if (offsets) offsets = to_device(*offsets, device, moving(false));
  }
  return *offsets;
}

// Where offsets along all dimensions that arrays take can lead.
Reach reach_of(const Plan& plan) {
  Dims shape, strides;
  for (const Part& part : plan.parts) {
    for (int dim = part.dim; dim < part.dim + part.count; ++dim) {
      shape.push_back(plan.view.shape()[dim]);
      strides.push_back(plan.view.strides()[dim]);
    }
  }
  return reach_of(shape, strides, plan.view.itemsize());
}

// The view and the places in it, both in the shape of the result: one does not move along the arrays' dimensions, the
// other not along the kept ones.
struct Spread {
  // `written`: the array that is assigned to, null for none. What is written there must not change the places.
  explicit Spread(const Plan& plan, const Array* written = nullptr) : view(plan.view), places(plan.view) {
    const Part& part = plan.parts[0];
    const ArrayIndex* only = plan.parts.size() == 1 ? part.array() : nullptr;
    // Indexes that are looked at once need not become offsets before.
    if (only && !is_mask(only->array) && plan.place == 0 && plan.view.size() != 0 &&
        (!only->given_on_host || plan.view.device().is_host())) {
      const Array indexes = to_device(only->array, plan.view.device());
      spread(plan, written && may_overlap(indexes, *written) ? copy(indexes) : indexes);
      along = IndexedAxis{plan.view.shape()[part.dim], plan.view.strides()[part.dim], part.axis};
    } else {
      spread(plan, offsets_of(plan));
      along = reach_of(plan);
    }
  }

  Array view, places;
  Along along;

 private:
  void spread(const Plan& plan, const Array& array) {
    Dims shape, view_strides, place_strides;
    const auto keep = [&](int first, int last) {
      for (int i = first; i < last; ++i) {
        const int dim = static_cast<int>(plan.kept[i]);
        shape.push_back(plan.view.shape()[dim]);
        view_strides.push_back(plan.view.strides()[dim]);
        place_strides.push_back(0);
      }
    };
    keep(0, plan.place);
    for (int i = 0; i < array.ndim(); ++i) {
      shape.push_back(array.shape()[i]);
      view_strides.push_back(0);
      place_strides.push_back(array.strides()[i]);
    }
    keep(plan.place, plan.kept.size());
    checked_nbytes(shape, plan.view.itemsize());
    view = plan.view.view(shape, std::move(view_strides));
    places = array.view(std::move(shape), std::move(place_strides));
  }
};

bool is_basic(std::span<const AnyIndex> indexes) noexcept {
  return std::none_of(indexes.begin(), indexes.end(), [](const AnyIndex& index) {
    return std::holds_alternative<ArrayIndex>(index) || std::holds_alternative<bool>(index);
  });
}

// bool < integer < real < complex; storage dtypes rank with what they hold.
int rank(Dtype dtype) noexcept {
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

void check_value(const Array& array, const Argument& value) {
  const auto* source = std::get_if<const Array*>(&value);
  if (!source) return;
  common_device("assignment", std::array<Argument, 2>{&array, *source});
  if (rank((*source)->dtype()) > rank(array.dtype())) {
    throw DtypeError("assignment: " + std::string(name((*source)->dtype())) + " values do not fit in an array of " +
                     std::string(name(array.dtype())) + "; convert with astype first");
  }
}

// The value in the array's dtype, apart from its memory.
Array ready_value(const Array& array, const Argument& value) {
  const auto* source = std::get_if<const Array*>(&value);
  if (!source) return to_array(std::get<Scalar>(value), array.dtype(), array.device());
  if ((*source)->dtype() != array.dtype()) return astype(**source, array.dtype());
  return may_overlap(array, **source) ? copy(**source) : **source;
}

// For a plan with one mask and no other array, and a value that is the same wherever the mask is true.
class MaskedFill {
 public:
  MaskedFill(const Plan& plan, const Array& value)
      : plan_(plan), part_(plan.parts[0]), value_(without_leading_ones(value, plan.kept.size() + 1)) {
    if (value_.size() == 1) value_ = value_.view({}, {});
  }

  static bool serves(const Plan& plan) {
    return plan.parts.size() == 1 && plan.parts[0].array() && is_mask(plan.parts[0].array()->array);
  }
  bool serves_value() const noexcept {
    const int behind_in_result = plan_.kept.size() - plan_.place;
    return value_.ndim() <= std::min(behind_in_result, plan_.view.ndim() - part_.dim - part_.count);
  }

  void run() const {
    const Array& view = plan_.view;
    const Array value = value_.broadcast_to(view.shape());
    Array mask = part_.array()->array;
    const bool fits = std::equal(mask.shape().begin(), mask.shape().end(), view.shape().begin() + part_.dim);
    if (!fits || view.size() == 0) return;  // an extent of 0: nothing is true
    mask = to_device(mask, view.device(), moving(true));
    if (may_overlap(mask, view)) mask = copy(mask);
    Launch launch;
    launch.op = Op::where;
    launch.dtype = view.dtype();
    launch.noperands = 4;
    launch.shape = view.shape();
    Dims mask_strides(view.ndim());
    std::copy(mask.strides().begin(), mask.strides().end(), mask_strides.begin() + part_.dim);
    launch.operands[0] = {.data = mask.data(), .dtype = Dtype::bool_, .strides = std::move(mask_strides)};
    launch.operands[1] = {.data = value.data(), .dtype = view.dtype(), .strides = value.strides()};
    launch.operands[2] = {.data = view.data(), .dtype = view.dtype(), .strides = view.strides()};
    launch.operands[3] = launch.operands[2];
    view.device().launch(std::move(launch));
  }

 private:
  const Plan& plan_;
  const Part& part_;
  Array value_;
};

// The one index of x[i], where that is an array of integers on x's device; else null.
const Array* only_integers(const Array& array, std::span<const AnyIndex> indexes) noexcept {
  if (indexes.size() != 1 || array.ndim() == 0 || array.size() == 0) return nullptr;
  const auto* item = std::get_if<ArrayIndex>(&indexes[0]);
  const bool fits = item && is_integer(item->array.dtype()) && &item->array.device() == &array.device();
  return fits ? &item->array : nullptr;
}

// What a plan would come to, without one.
Array index_first_axis(const Array& array, const Array& places) {
  Dims shape = places.shape(), data_strides(places.ndim()), place_strides = places.strides();
  for (int dim = 1; dim < array.ndim(); ++dim) {
    shape.push_back(array.shape()[dim]);
    data_strides.push_back(array.strides()[dim]);
    place_strides.push_back(0);
  }
  checked_nbytes(shape, array.itemsize());
  return gather(array.view(shape, std::move(data_strides)), places.view(shape, std::move(place_strides)),
                IndexedAxis{array.shape()[0], array.strides()[0], 0});
}

}  // namespace

Array index(const Array& array, std::span<const AnyIndex> indexes) {
  if (const Array* places = only_integers(array, indexes)) return index_first_axis(array, *places);
  if (is_basic(indexes)) return index(array, basic_part(indexes));
  const Plan plan = checked_plan(array, indexes);
  const Spread spread(plan);
  return gather(spread.view, spread.places, spread.along);
}

void assign(const Array& target, const Argument& value) {
  target.require_writable("assignment");
  check_value(target, value);
  const auto* source = std::get_if<const Array*>(&value);
  if (!source) return fill(target, std::get<Scalar>(value));
  copy_into(target, **source, {.op = "assignment"});
}

void assign(const Array& array, std::span<const AnyIndex> indexes, const Argument& value) {
  if (is_basic(indexes)) return assign(index(array, basic_part(indexes)), value);
  array.require_writable("assignment");
  check_value(array, value);
  const Plan plan = checked_plan(array, indexes);
  const Array ready = ready_value(array, value);
  if (MaskedFill::serves(plan)) {
    const MaskedFill fill(plan, ready);
    if (fill.serves_value()) return fill.run();
  }
  const Spread spread(plan, &array);
  const Array values = without_leading_ones(ready, spread.view.ndim()).broadcast_to(spread.view.shape());
  scatter(values, spread.places, spread.view, spread.along);
}

}  // namespace crossdock
