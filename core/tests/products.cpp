#include "crossdock/ops/products.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "arrays.h"
#include "crossdock/backends/native.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using Values = std::vector<double>;

// Of two arrays with two dimensions or more, by the definition.
Values product(const Array& a, const Array& b, Dims& shape) {
  const std::int64_t m = a.shape()[a.ndim() - 2], k = a.shape()[a.ndim() - 1], n = b.shape()[b.ndim() - 1];
  const auto stretched = [&](const Array& x, std::int64_t rows, std::int64_t columns) {
    Dims full = broadcast_shapes(Dims(a.shape().data(), a.ndim() - 2), Dims(b.shape().data(), b.ndim() - 2));
    full.push_back(rows);
    full.push_back(columns);
    return test::numbers(x.broadcast_to(full));
  };
  shape = broadcast_shapes(Dims(a.shape().data(), a.ndim() - 2), Dims(b.shape().data(), b.ndim() - 2));
  const auto batch = static_cast<std::size_t>(checked_size(shape));
  const auto x = stretched(a, m, k), y = stretched(b, k, n);
  shape.push_back(m);
  shape.push_back(n);
  const auto rows = static_cast<std::size_t>(m), inner = static_cast<std::size_t>(k),
             columns = static_cast<std::size_t>(n);
  Values out(batch * rows * columns);
  for (std::size_t g = 0; g < batch; ++g) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        double& sum = out[(g * rows + i) * columns + j];
        for (std::size_t p = 0; p < inner; ++p) sum += x[(g * rows + i) * inner + p] * y[(g * inner + p) * columns + j];
      }
    }
  }
  return out;
}

Array some(Device& device, const Dims& shape, Dtype dtype) {
  Values values(static_cast<std::size_t>(checked_size(shape)));
  const std::size_t most = dtype == Dtype::int8 || dtype == Dtype::bfloat16 ? 2 : 5;  // sums stay exact
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 7 + 3) % most);
  return test::make(device, shape, dtype, values);
}

const std::vector<Dtype> kDtypes = {Dtype::int8,    Dtype::uint64,  Dtype::float16,   Dtype::bfloat16,
                                    Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128};

// By BLAS, where CROSSDOCK_TEST_BLAS names a library, and by the own product.
class Matmul : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const char* path = std::getenv("CROSSDOCK_TEST_BLAS");
    if (GetParam() && !path) GTEST_SKIP() << "CROSSDOCK_TEST_BLAS is not set";
    native::set_blas_path(GetParam() ? path : "");
  }
  void TearDown() override { native::set_blas_path(""); }
};

TEST_P(Matmul, TakesAllShapes) {
  const std::vector<std::pair<Dims, Dims>> shapes = {
      {{2, 3}, {3, 4}},    {{1, 1}, {1, 1}},          {{1, 3}, {3, 1}},    {{3, 1}, {1, 3}},       {{17, 33}, {33, 19}},
      {{2, 0}, {0, 3}},    {{0, 3}, {3, 2}},          {{2, 3}, {3, 0}},    {{0, 0}, {0, 0}},       {{5, 2, 3}, {3, 2}},
      {{2, 3}, {5, 3, 2}}, {{4, 1, 2, 3}, {5, 3, 2}}, {{0, 2, 3}, {3, 2}}, {{1, 2, 3}, {6, 3, 1}}, {{3, 2, 0}, {0, 2}},
  };
  for (const auto& spec : test::kDevices) {
    for (const auto& [a_shape, b_shape] : shapes) {
      for (Dtype dtype : kDtypes) {
        const Array a = some(test::device(spec), a_shape, dtype), b = some(test::device(spec), b_shape, dtype);
        Dims shape;
        const Values want = product(a, b, shape);
        const Array out = matmul(a, b);
        EXPECT_EQ(out.shape(), shape);
        EXPECT_EQ(out.dtype(), dtype);
        EXPECT_EQ(&out.device(), &a.device());
        ASSERT_EQ(test::numbers(out), want) << name(dtype) << to_string(a_shape) << to_string(b_shape);
      }
    }
  }
}

TEST_P(Matmul, TakesAllLayouts) {
  // How a matrix of the extents named may lie in memory: (row stride, column stride) in elements, and an offset.
  struct Layout {
    std::int64_t row, column, offset;
  };
  const auto layouts = [](std::int64_t rows, std::int64_t columns) {
    return std::vector<Layout>{{columns, 1, 0},     {1, rows, 0},     {2 * columns, 2, 1}, {-columns, 1, 100},
                               {columns, -1, 100},  {0, 1, 0},        {1, 0, 0},           {0, 0, 3},
                               {columns + 5, 1, 0}, {1, rows + 3, 2}, {1, 1, 0},           {-1, -1, 100}};
  };
  Device& native = test::device("native:0");
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::int32}) {
    const Array base = some(native, {200}, dtype);
    const auto view = [&](std::int64_t rows, std::int64_t columns, const Layout& l) {
      const std::int64_t size = base.itemsize();
      return base.view({rows, columns}, {l.row * size, l.column * size}, l.offset * size);
    };
    for (std::int64_t m : {1, 2, 5}) {
      for (std::int64_t k : {1, 4}) {
        for (std::int64_t n : {1, 3}) {
          for (const Layout& x : layouts(m, k)) {
            for (const Layout& y : layouts(k, n)) {
              const Array a = view(m, k, x), b = view(k, n, y);
              Dims shape;
              ASSERT_EQ(test::numbers(matmul(a, b)), product(a, b, shape))
                  << name(dtype) << to_string(a.shape()) << to_string(a.strides()) << to_string(b.shape())
                  << to_string(b.strides());
            }
          }
        }
      }
    }
  }
}

TEST_P(Matmul, TakesStridesThatAreNoMultiplesOfTheElements) {
  Device& native = test::device("native:0");
  std::vector<std::byte> memory(200);
  auto buffer = Buffer::borrow(native, memory.data(), memory.size(), {});
  const Array odd(buffer, memory.data(), Dtype::float32, {3, 4}, {26, 6}, false);
  const Array b = some(native, {4, 2}, Dtype::float32);
  Dims shape;
  EXPECT_EQ(test::numbers(matmul(odd, b)), product(odd, b, shape));
}

TEST_P(Matmul, TakesBroadcastStacks) {
  Device& native = test::device("native:0");
  for (Dtype dtype : {Dtype::float32, Dtype::int64}) {
    const Array a = some(native, {2, 3}, dtype), b = some(native, {4, 3, 2}, dtype);
    const Array stacked = a.broadcast_to({4, 2, 3}), turned = permute_dims(some(native, {3, 2, 4}, dtype), {2, 1, 0});
    Dims shape;
    EXPECT_EQ(test::numbers(matmul(stacked, b)), product(stacked, b, shape));
    EXPECT_EQ(test::numbers(matmul(turned, b)), product(turned, b, shape));
    EXPECT_EQ(test::numbers(matmul(a.broadcast_to({7, 4, 2, 3}), b)), product(a.broadcast_to({7, 4, 2, 3}), b, shape));
    Dims most(kMaxNdim, 1);
    most[62] = 2;
    most[63] = 3;
    EXPECT_EQ(test::numbers(matmul(reshape(a, most), some(native, {3, 1}, dtype))),
              product(a, some(native, {3, 1}, dtype), shape));
  }
}

TEST_P(Matmul, TakesVectors) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const Array v = test::count<double>(device, {3}), m = test::count<double>(device, {3, 2});
    EXPECT_EQ(matmul(v, v).shape(), Dims{});
    EXPECT_EQ(test::numbers(matmul(v, v)), Values{5});
    EXPECT_EQ(test::numbers(matmul(v, m)), (Values{10, 13}));
    EXPECT_EQ(test::numbers(matmul(transpose(m), v)), (Values{10, 13}));
    EXPECT_EQ(matmul(test::count<double>(device, {5, 2, 3}), v).shape(), (Dims{5, 2}));
    EXPECT_EQ(matmul(v, test::count<double>(device, {5, 3, 2})).shape(), (Dims{5, 2}));
    EXPECT_EQ(test::numbers(matmul(flip(v, {}), v)), Values{1});
    const Array none = test::count<double>(device, {0});
    EXPECT_EQ(test::numbers(matmul(none, none)), Values{0});
  }
}

TEST_P(Matmul, Promotes) {
  Device& native = test::device("native:0");
  const Array a = some(native, {2, 3}, Dtype::float32), b = some(native, {3, 2}, Dtype::float64);
  EXPECT_EQ(matmul(a, b).dtype(), Dtype::float64);
  EXPECT_EQ(matmul(some(native, {2, 3}, Dtype::int8), some(native, {3, 2}, Dtype::uint8)).dtype(), Dtype::int16);
  EXPECT_THROW(matmul(a, some(native, {3, 2}, Dtype::int8)), DtypeError);
  EXPECT_THROW(matmul(some(native, {2, 3}, Dtype::bool_), some(native, {3, 2}, Dtype::bool_)), DtypeError);
  EXPECT_THROW(matmul(some(native, {2, 3}, Dtype::float8_e5m2), some(native, {3, 2}, Dtype::float8_e5m2)), DtypeError);
}

TEST_P(Matmul, SaysWhichShapesDoNotFit) {
  const auto on = [](const char* spec, const Dims& shape) { return some(test::device(spec), shape, Dtype::float32); };
  for (const auto& [a, b] : {std::pair<Dims, Dims>{{2, 3}, {2, 3}},
                             {{3}, {2}},
                             {{}, {3}},
                             {{3}, {}},
                             {{2, 3}, {2}},
                             {{2, 2, 3}, {3, 3, 2}},
                             {{0, 3}, {4, 0}}}) {
    const std::string text =
        test::thrown<DimensionError>([&, a = a, b = b] { matmul(on("native:0", a), on("native:0", b)); });
    EXPECT_EQ(text.find("matmul: shapes " + to_string(a) + " and " + to_string(b)), 0u) << text;
  }
  EXPECT_THROW(matmul(on("native:0", {2, 2}), on("sim:0", {2, 2})), MixedDevicesError);
}

TEST_P(Matmul, OfLargeMatrices) {
  for (const auto& spec : test::kDevices) {
    for (Dtype dtype : {Dtype::float32, Dtype::int32}) {
      const Array a = some(test::device(spec), {150, 130}, dtype), b = some(test::device(spec), {170, 130}, dtype);
      Dims shape;
      EXPECT_EQ(test::numbers(matmul(a, transpose(b))), product(a, transpose(b), shape));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OwnAndBlas, Matmul, testing::Bool(),
                         [](const auto& test) { return test.param ? "Blas" : "Own"; });

}  // namespace
}  // namespace crossdock
