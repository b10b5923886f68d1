// Dims: a short list of 64-bit extents or strides, inline up to six of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace crossdock {

inline constexpr int kMaxNdim = 64;  // as NumPy; more is a DimensionError where an array is made

class Dims {
 public:
  Dims() noexcept {}  // not defaulted: Dims{} would clear the unused numbers
  explicit Dims(int size, std::int64_t fill = 0) { resize(size, fill); }
  Dims(std::initializer_list<std::int64_t> values) : Dims(values.begin(), static_cast<int>(values.size())) {}
  Dims(const std::int64_t* values, int size) {
    reserve(size);
    size_ = size;
    copy_few(values);
  }
  Dims(const Dims& other) : Dims(other.data(), other.size_) {}
  Dims(Dims&& other) noexcept { steal(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) {
      reserve(other.size_);
      size_ = other.size_;
      std::copy_n(other.data(), size_, data());
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      delete[] heap_;
      steal(other);
    }
    return *this;
  }
  ~Dims() { delete[] heap_; }

  int size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t* data() noexcept { return heap_ ? heap_ : inline_; }
  const std::int64_t* data() const noexcept { return heap_ ? heap_ : inline_; }
  std::int64_t& operator[](int i) noexcept { return data()[i]; }
  std::int64_t operator[](int i) const noexcept { return data()[i]; }
  std::int64_t& back() noexcept { return data()[size_ - 1]; }
  std::int64_t back() const noexcept { return data()[size_ - 1]; }
  std::int64_t* begin() noexcept { return data(); }
  std::int64_t* end() noexcept { return data() + size_; }
  const std::int64_t* begin() const noexcept { return data(); }
  const std::int64_t* end() const noexcept { return data() + size_; }

  void push_back(std::int64_t value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void resize(int size, std::int64_t fill = 0) {
    reserve(size);
    std::fill(data() + std::min(size_, size), data() + size, fill);
    size_ = size;
  }
  void erase(int i) noexcept {
    std::copy(data() + i + 1, data() + size_, data() + i);
    --size_;
  }
  void insert(int i, std::int64_t value) {
    push_back(value);
    std::rotate(data() + i, data() + size_ - 1, data() + size_);
  }
  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // Few as they mostly are, without a call; one by one, as they have just been written.
  void copy_few(const std::int64_t* values) noexcept {
    if (heap_) {
      std::copy_n(values, size_, heap_);
      return;
    }
#pragma GCC unroll 6
    for (int i = 0; i < kInline; ++i) {
      if (i >= size_) return;
      inline_[i] = values[i];
    }
  }
  void reserve(int capacity) {
    if (capacity <= capacity_) return;
    auto* bigger = new std::int64_t[static_cast<std::size_t>(capacity)];
    std::copy_n(data(), size_, bigger);
    delete[] heap_;
    heap_ = bigger;
    capacity_ = capacity;
  }
  void steal(Dims& other) noexcept {
    size_ = other.size_;
    capacity_ = other.capacity_;
    heap_ = other.heap_;
    if (!heap_) copy_few(other.inline_);
    other.heap_ = nullptr;
    other.size_ = 0;
    other.capacity_ = kInline;
  }

  static constexpr int kInline = 6;
  int size_ = 0;
  int capacity_ = kInline;
  std::int64_t* heap_ = nullptr;
  std::int64_t inline_[kInline];
};

// '(2, 3)', '(4,)', '()': as Python prints a tuple.
std::string to_string(const Dims& dims);

}  // namespace crossdock
