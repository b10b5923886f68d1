// Fourier transforms (array API standard, "Fourier transform Functions"). All give fresh arrays in C order, but
// shift_zero_frequency, which gives a copy of any dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "crossdock/array/array.h"

namespace crossdock {

// The functions of the namespace that transform.
enum class Fourier : std::uint8_t { fft, ifft, rfft, irfft, hfft, ihfft, fftn, ifftn, rfftn, irfftn };
enum class FourierNorm : std::uint8_t { backward, ortho, forward };

const char* name(Fourier function) noexcept;
// ValueError naming function and word.
Fourier fourier_of(std::string_view word);
FourierNorm fourier_norm_of(std::string_view word, const char* op);

// Along one axis, padded with zeros or trimmed to `n` elements (irfft, hfft: n of the output). ValueError for n < 1,
// IndexError for the axis, DtypeError for integers and for complex numbers where real ones are transformed.
Array fourier(Fourier function, const Array& x, std::optional<std::int64_t> n, std::int64_t axis, FourierNorm norm);
// Along several axes, all when absent; -1 in `s`: as many elements as there are. ValueError for `s` without `axes`.
Array fourier(Fourier function, const Array& x, const std::optional<Dims>& s, const std::optional<Dims>& axes,
              FourierNorm norm);

// 0, 1, ..., -2, -1 or, for real transforms, 0 ... n / 2, each divided by n * spacing. ValueError for n < 1 or spacing
// 0.
Array fourier_frequencies(std::int64_t n, double spacing, bool real, Dtype dtype, Device& device);

// Half of each axis moved to the other side, so that element 0 comes to element n / 2; `inverse`: back.
Array shift_zero_frequency(const Array& x, const std::optional<Dims>& axes, bool inverse);

}  // namespace crossdock
