"""Every functor, with every type it is for, compiles as device code, and without a warning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .nvrtc import ARCHITECTURES, compile_text, need_nvrtc

FUNCTORS = Path(__file__).parents[2] / 'core' / 'include' / 'crossdock' / 'functors'

SIGNED = ['std::int8_t', 'std::int16_t', 'std::int32_t', 'std::int64_t']
INTEGERS = SIGNED + ['std::uint8_t', 'std::uint16_t', 'std::uint32_t', 'std::uint64_t']
FLOATS = ['float', 'double']
COMPLEX = ['Complex<float>', 'Complex<double>']
REAL = INTEGERS + FLOATS
NUMBERS = REAL + COMPLEX
BYTE = ['std::uint8_t']

#: What kernels do with functors; one store each, so that nothing is optimised away.
KERNELS = """
using namespace crossdock::functors;
template <class F, class T> __global__ void unary(const T* in, char* out) {
  auto value = F{}(in[0]);
  *reinterpret_cast<decltype(value)*>(out) = value;
}
template <class F, class T> __global__ void binary(const T* in, char* out) {
  auto value = F{}(in[0], in[1]);
  *reinterpret_cast<decltype(value)*>(out) = value;
}
template <class T, class To> __global__ void convert(const T* in, To* out) { out[0] = cast<To>(in[0]); }
template <class T> __global__ void by_hand(const T* in, T* out) {
  out[0] = vectorized::exp(in[0]);
  out[1] = vectorized::expm1(in[1]);
  out[2] = vectorized::tanh(in[2]);
  out[3] = vectorized::log(in[3]);
}
__global__ void formats(const float* in, unsigned* out) {
  out[0] = to_float16(in[0]).bits;
  out[1] = to_float16(static_cast<double>(in[1])).bits;
  out[2] = to_bfloat16(in[2]).bits;
  out[3] = to_float8_e4m3fn(in[3]).bits;
  out[4] = to_float8_e5m2(in[4]).bits;
  out[5] = to_int4(static_cast<std::int8_t>(in[5])).bits;
  out[6] = to_uint4(static_cast<std::uint8_t>(in[6])).bits;
  const auto byte = static_cast<std::uint8_t>(in[7]);
  out[7] = to_int8(Int4{byte}) + to_uint8(UInt4{byte});
  const auto bits = static_cast<std::uint16_t>(in[8]);
  const float sum = to_float(Float16{bits}) + to_float(BFloat16{bits}) + to_float(Float8E4M3FN{byte});
  out[8] = bit_cast<unsigned>(sum + to_float(Float8E5M2{byte}));
}
"""

UNARY = {
    'Negative Sign Square Abs': NUMBERS,
    'Reciprocal Round': FLOATS + COMPLEX,
    'BitwiseInvert': INTEGERS,
    'LogicalNot': BYTE,
    'Sqrt Exp Expm1 Log Log1p Log2 Log10': FLOATS + COMPLEX,
    'Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh': FLOATS + COMPLEX,
    'Floor Ceil Trunc SignBit': FLOATS,
    'IsNan IsInf IsFinite': FLOATS + COMPLEX,
    'RealPart ImaginaryPart Conjugate': COMPLEX,
}
BINARY = {
    'Add Subtract Multiply Equal NotEqual': NUMBERS,
    'Divide': FLOATS + COMPLEX,
    'BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift': INTEGERS,
    'Less LessEqual Greater GreaterEqual Maximum Minimum FloorDivide Remainder': REAL,
    'Pow': NUMBERS,
    'LogicalAnd LogicalOr LogicalXor LogicalEqual': BYTE,
    'LogAddExp Atan2 Hypot CopySign': FLOATS,
    'NextAfter': FLOATS + ['Float16', 'BFloat16'],
}


def instances() -> Iterator[str]:
    for kernel, table in (('unary', UNARY), ('binary', BINARY)):
        for names, types in table.items():
            for name in names.split():
                yield from (f'{kernel}<{name}, {type_}>' for type_ in types)
    yield from (f'convert<{type_}, {to}>' for type_ in NUMBERS for to in NUMBERS)
    yield from (f'by_hand<{type_}>' for type_ in FLOATS)
    yield 'formats'


def source() -> str:
    headers = sorted(FUNCTORS.glob('*.h'))
    assert len(headers) > 20
    return ''.join(f'#include "crossdock/functors/{header.name}"\n' for header in headers) + KERNELS


@pytest.mark.parametrize('architecture', ARCHITECTURES)
def test_functors_are_device_code(architecture: str) -> None:
    need_nvrtc()
    names = list(instances())
    code, log = compile_text(source(), names, architecture, [str(FUNCTORS.parents[1])])
    assert (code, log) == (0, '')


def test_each_header_stands_alone() -> None:
    need_nvrtc()
    for header in sorted(FUNCTORS.glob('*.h')):
        text = f'#include "crossdock/functors/{header.name}"\n__global__ void nothing() {{}}\n'
        assert compile_text(text, ['nothing'], 'sm_90', [str(FUNCTORS.parents[1])]) == (0, ''), header.name


def test_every_functor_is_tried() -> None:
    """Those with a call operator; the others are constants, formats and helpers."""
    tried = {name for table in (UNARY, BINARY) for names in table for name in names.split()}
    for header in FUNCTORS.glob('*.h'):
        for block in header.read_text().split('\nstruct ')[1:]:
            if 'operator()' in block.split('\n};', 1)[0]:
                assert block.split()[0] in tried, header.name
