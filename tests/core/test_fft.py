"""The transforms of cx.fft against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError, DtypeError

NORMS = ('backward', 'ortho', 'forward')
ONE = ('fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft')
MANY = ('fftn', 'ifftn', 'rfftn', 'irfftn')
LENGTHS = [*range(1, 36), 53, 64, 67, 97, 120, 128, 143, 169, 210, 243, 256, 257, 1000, 1009, 1024, 2187, 4620, 8191]


def values(rng: np.random.Generator, shape: Any, dtype: str) -> np.ndarray:
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith('complex') else x).astype(dtype)


def close(got: cx.Array, want: np.ndarray, dtype: str, message: str = '') -> None:
    """Whether errors are a few roundings of the largest values; `want` has float64's precision."""
    have = exchange.as_numpy(got.to_device('native:0'))
    assert have.dtype == dtype and have.shape == want.shape, message
    if want.size == 0:
        return
    eps = np.finfo(have.dtype).eps
    error = float(np.linalg.norm((have - want).ravel())) / max(float(np.linalg.norm(want.ravel())), 1e-300)
    assert error <= eps * (2 + math.log2(want.size)), message


def source(name: str, precision: int) -> str:
    return f'float{precision}' if name.startswith(('rfft', 'ihfft')) else f'complex{2 * precision}'


def target(name: str, precision: int) -> str:
    return f'float{precision}' if name.startswith(('irfft', 'hfft')) else f'complex{2 * precision}'


@pytest.mark.parametrize('precision', [32, 64])
@pytest.mark.parametrize('name', ONE)
def test_lengths(name: str, precision: int, rng: np.random.Generator) -> None:
    for n in LENGTHS:
        for rows in (1, 19) if n < 300 else (1,):
            x = values(rng, (rows, n), source(name, precision))
            wide = x.astype(source(name, 64))
            for axis in (1, 0):
                given_x, given_wide = (x, wide) if axis else (x.T.copy(), wide.T)
                sizes = [2 * n - 2, 2 * n - 1] if name in ('irfft', 'hfft') else [n]
                for size in sizes:
                    if size < 1:
                        continue
                    got = getattr(cx.fft, name)(cx.asarray(given_x, device='native:0'), n=size, axis=axis)
                    want = getattr(np.fft, name)(given_wide, n=size, axis=axis)
                    close(got, want, target(name, precision), f'{name} {rows} {size} {axis}')


@pytest.mark.parametrize('precision', [32, 64])
@pytest.mark.parametrize('n', [2**17, 100_000, 3 * 2**15, 65_537])
def test_long_rows(n: int, precision: int, device: str, rng: np.random.Generator) -> None:
    z = values(rng, n, f'complex{2 * precision}')
    x = cx.asarray(z, device=device)
    wide = z.astype('complex128')
    close(cx.fft.fft(x), np.fft.fft(wide), f'complex{2 * precision}')
    close(cx.fft.ifft(x), np.fft.ifft(wide), f'complex{2 * precision}')
    close(cx.fft.rfft(cx.real(x)), np.fft.rfft(wide.real), f'complex{2 * precision}')
    close(cx.fft.irfft(x[: n // 2 + 1], n=n), np.fft.irfft(wide[: n // 2 + 1], n=n), f'float{precision}')


@pytest.mark.parametrize('norm', NORMS)
@pytest.mark.parametrize('name', ONE)
def test_norms_and_lengths(name: str, norm: str, device: str, rng: np.random.Generator) -> None:
    x = values(rng, (3, 12, 2), source(name, 64))
    for n in (None, 1, 5, 12, 17, 40):
        got = getattr(cx.fft, name)(cx.asarray(x, device=device), n=n, axis=-2, norm=norm)
        assert str(got.device) == device
        close(got, getattr(np.fft, name)(x, n=n, axis=-2, norm=norm), target(name, 64))


@pytest.mark.parametrize('norm', NORMS)
@pytest.mark.parametrize('name', MANY)
def test_several_axes(name: str, norm: str, device: str, rng: np.random.Generator) -> None:
    x = values(rng, (4, 5, 6), source(name, 32))
    for axes, s in [
        (None, None),
        ((0,), None),
        ((-1, 0), None),
        ((2, 1, 0), None),
        ((1, 2), (7, 3)),
        ((0, 1), (4, 5)),
        ((0, 2), (2, 9)),
        ([2], [6]),
    ]:
        got = getattr(cx.fft, name)(cx.asarray(x, device=device), s=s, axes=axes, norm=norm)
        want = getattr(np.fft, name)(x.astype(source(name, 64)), s=s, axes=axes, norm=norm)
        close(got, want, target(name, 32), f'{axes} {s}')
    whole = getattr(cx.fft, name)(cx.asarray(x, device=device), s=(-1, -1), axes=(1, 2))
    close(whole, getattr(np.fft, name)(x.astype(source(name, 64)), axes=(1, 2)), target(name, 32))


def test_no_axes(device: str) -> None:
    x = cx.asarray([1.0, 2.0], device=device)
    close(cx.fft.fftn(x, axes=()), np.asarray([1, 2], 'complex128'), 'complex128')
    with pytest.raises(ValueError, match='axis'):
        cx.fft.rfftn(x, axes=())


def test_the_argument_stays(device: str, host: Any, rng: np.random.Generator) -> None:
    """Several axes work in place, but not there; nor do padding and conversion."""
    for dtype in ('complex64', 'float32'):
        before = values(rng, (6, 8), dtype)
        x = cx.asarray(before, device=device)
        for name in ('fft', 'ifft', 'irfft', 'hfft'):
            for n in (None, 4, 8, 11):
                getattr(cx.fft, name)(x, n=n)
        for name in ('fftn', 'ifftn', 'irfftn'):
            getattr(cx.fft, name)(x)
            getattr(cx.fft, name)(x, s=(6, 4), axes=(0, 1))
        np.testing.assert_array_equal(host(x), before)


@pytest.mark.parametrize('rows', [7, 40])
@pytest.mark.parametrize('n', [6, 15, 60, 601])
def test_views(n: int, rows: int, device: str, rng: np.random.Generator) -> None:
    base = values(rng, (2 * rows, 2 * n), 'complex64')
    there = cx.asarray(base, device=device)
    cuts: list[Any] = [np.s_[::2, ::2], np.s_[::-1, ::-1], np.s_[1::2, : n + 1], np.s_[3, ::-2], np.s_[::-2, 5:6]]
    for cut in cuts:
        for axis in (-1, 0):
            x, want = there[cut], base[cut].astype('complex128')
            close(cx.fft.fft(x, axis=axis), np.fft.fft(want, axis=axis), 'complex64', f'{cut} {axis}')
            close(cx.fft.ifft(x, axis=axis), np.fft.ifft(want, axis=axis), 'complex64', f'{cut} {axis}')
            close(cx.fft.irfft(x, n=n, axis=axis), np.fft.irfft(want, n=n, axis=axis), 'float32', f'{cut} {axis}')
            real, want = cx.real(there)[cut], base.real[cut].astype('float64')
            close(cx.fft.rfft(real, axis=axis), np.fft.rfft(want, axis=axis), 'complex64', f'{cut} {axis}')
    repeated = cx.broadcast_to(there[0, :n], (3, n))
    close(cx.fft.fft(repeated), np.broadcast_to(np.fft.fft(base[0, :n].astype('complex128')), (3, n)), 'complex64')


def test_empty_batches(device: str) -> None:
    z = cx.zeros((0, 4), dtype='complex128', device=device)
    assert cx.fft.fft(z).shape == (0, 4) and cx.fft.irfft(z).shape == (0, 6)
    assert cx.fft.rfft(cx.zeros((0, 5), device=device)).shape == (0, 3)
    assert cx.fft.fftn(z, s=(3, 4), axes=(0, 1)).shape == (3, 4)
    close(cx.fft.fft(z, n=2, axis=0), np.zeros((2, 4), 'complex128'), 'complex128')
    with pytest.raises(ValueError, match=r'fft.*0 elements'):
        cx.fft.fft(z, axis=0)


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16', 'float32', 'float64'])
def test_real_input(dtype: str, device: str) -> None:
    x = cx.asarray([1.0, 2.0, 4.0, 0.5], dtype=dtype, device=device)
    want = np.asarray([1.0, 2.0, 4.0, 0.5])
    result = 'complex128' if dtype == 'float64' else 'complex64'
    for name in ('fft', 'ifft', 'rfft', 'ihfft'):
        close(getattr(cx.fft, name)(x), getattr(np.fft, name)(want), result)
    close(cx.fft.irfft(x), np.fft.irfft(want), 'float64' if dtype == 'float64' else 'float32')


def test_frequencies(device: str, host: Any) -> None:
    for n in (1, 2, 3, 8, 9, 100):
        for d in (1.0, 0.3, 2, -1.5):
            np.testing.assert_array_equal(host(cx.fft.fftfreq(n, d=d, device=device)), np.fft.fftfreq(n, d))
            np.testing.assert_array_equal(host(cx.fft.rfftfreq(n, d=d, device=device)), np.fft.rfftfreq(n, d))
    assert cx.fft.fftfreq(4, dtype=cx.float32, device=device).dtype == 'float32'
    assert str(cx.fft.rfftfreq(4, device=device).device) == device


@pytest.mark.parametrize('dtype', ['float64', 'int8', 'bool', 'complex64', 'bfloat16'])
def test_shifts(dtype: str, device: str, host: Any) -> None:
    for shape in [(5,), (4,), (3, 4, 5), (2, 0)]:
        values = np.arange(math.prod(shape)).reshape(shape).astype('int8')
        x = cx.astype(cx.asarray(values, device=device), dtype)
        for axes in (None, 0, (-1,), (0, -1)):
            for name in ('fftshift', 'ifftshift'):
                got = getattr(cx.fft, name)(x, axes=axes)
                want = cx.astype(cx.asarray(getattr(np.fft, name)(values, axes=axes)), dtype)
                assert got.dtype == dtype
                np.testing.assert_array_equal(host(got), host(want))


@pytest.mark.parametrize(
    ('call', 'kind', 'words'),
    [
        (lambda x: cx.fft.fft(x, n=0), ValueError, ('fft:', ' 0 elements')),
        (lambda x: cx.fft.ifft(x, n=-3), ValueError, ('ifft:', '-3')),
        (lambda x: cx.fft.irfft(x, n=0), ValueError, ('irfft:', ' 0 ')),
        (lambda x: cx.fft.irfft(x[..., :1]), ValueError, ('irfft:', 'axis 1 has 1')),
        (lambda x: cx.fft.fft(x, n=1.5), TypeError, ('fft: n', 'float')),
        (lambda x: cx.fft.fft(x, n=True), TypeError, ('fft: n', 'bool')),
        (lambda x: cx.fft.fft(x, n=2**62), DimensionError, (str(2**62),)),
        (lambda x: cx.fft.fft(x, axis=2), IndexError, ('fft', '2')),
        (lambda x: cx.fft.fft(x, axis='0'), TypeError, ('fft: axis', 'str')),
        (lambda x: cx.fft.fft(x[0, 0]), IndexError, ('fft',)),
        (lambda x: cx.fft.fft(x, norm='none'), ValueError, ('fft:', "'none'", 'ortho')),
        (lambda x: cx.fft.fftn(x, norm=None), TypeError, ('fftn:', 'None', 'ortho')),
        (lambda x: cx.fft.rfft(x), DtypeError, ('rfft:', 'complex128', 'real part')),
        (lambda x: cx.fft.ihfft(x), DtypeError, ('ihfft:', 'complex128')),
        (lambda x: cx.fft.fft(cx.astype(cx.real(x), 'int32')), DtypeError, ('fft:', 'int32', 'astype')),
        (lambda x: cx.fft.irfftn(cx.astype(cx.real(x), 'bool')), DtypeError, ('irfftn:', 'bool', 'astype')),
        (lambda x: cx.fft.fftn(x, s=(2, 2)), ValueError, ('fftn:', '(2, 2)', 'axes')),
        (lambda x: cx.fft.fftn(x, s=(2,), axes=(0, 1)), DimensionError, ('fftn:', '(2,)', '(0, 1)')),
        (lambda x: cx.fft.fftn(x, axes=(0, -2)), DimensionError, ('fftn:', '-2', 'twice')),
        (lambda x: cx.fft.fftn(x, s=(2, 0), axes=(0, 1)), ValueError, ('fftn:', ' 0 ')),
        (lambda x: cx.fft.fftn(x, axes=(0, 5)), IndexError, ('fftn', '5')),
        (lambda x: cx.fft.fftshift(x, axes=3), IndexError, ('fftshift', '3')),
        (lambda x: cx.fft.fftfreq(0), ValueError, ('fftfreq:', '0')),
        (lambda x: cx.fft.rfftfreq(-1), ValueError, ('rfftfreq:', '-1')),
        (lambda x: cx.fft.fftfreq(3, d=0), ValueError, ('fftfreq:', 'd')),
        (lambda x: cx.fft.fftfreq(3, dtype='int64'), DtypeError, ('fftfreq:', 'int64')),
        (lambda x: cx.fft.fftfreq(3, d='1'), TypeError, ('fftfreq:', "'1'")),
        (lambda x: cx.fft.fft(np.ones(3)), TypeError, ('fft',)),
    ],
)
def test_errors(call: Any, kind: type[Exception], words: tuple[str, ...], device: str) -> None:
    x = cx.asarray(np.ones((3, 4), 'complex128'), device=device)
    with pytest.raises(kind) as caught:
        call(x)
    for word in words:
        assert word in str(caught.value)


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    axes = draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    s = draw(st.none() | st.lists(st.integers(1, 24), min_size=len(axes), max_size=len(axes)))
    return {
        'name': draw(st.sampled_from(MANY)),
        'precision': draw(st.sampled_from([32, 64])),
        'shape': shape,
        'axes': tuple(a - len(shape) if draw(st.booleans()) else a for a in axes),
        's': s,
        'norm': draw(st.sampled_from(NORMS)),
        'order': draw(st.permutations(range(len(shape)))),
        'seed': draw(st.integers(0, 2**32)),
        'device': draw(st.sampled_from(['native:0', 'sim:0'])),
    }


@settings(max_examples=100, deadline=None)
@given(problem=problems())
def test_fuzz(problem: dict[str, Any]) -> None:
    name, axes, s, norm = (problem[word] for word in ('name', 'axes', 's', 'norm'))
    x = values(np.random.default_rng(problem['seed']), problem['shape'], source(name, problem['precision']))
    x = x.transpose(problem['order'])
    there = cx.permute_dims(cx.asarray(np.ascontiguousarray(x.T), device=problem['device']), tuple(range(x.ndim))[::-1])
    if name == 'irfftn' and s is None and x.shape[axes[-1]] == 1:
        with pytest.raises(ValueError, match='irfftn'):
            cx.fft.irfftn(there, axes=axes)
        return
    want = getattr(np.fft, name)(x.astype(source(name, 64)), s=s, axes=axes, norm=norm)
    close(getattr(cx.fft, name)(there, s=s, axes=axes, norm=norm), want, target(name, problem['precision']))


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 3000), rows=st.integers(1, 20), seed=st.integers(0, 2**32))
def test_round_trips_and_energy(n: int, rows: int, seed: int) -> None:
    z = values(np.random.default_rng(seed), (rows, n), 'complex128')
    x = cx.asarray(z, device='native:0')
    spectrum = cx.fft.fft(x, norm='ortho')
    close(cx.fft.ifft(spectrum, norm='ortho'), z, 'complex128')
    energy = float(cx.sum(cx.square(cx.abs(spectrum))))
    assert energy == pytest.approx(float((np.abs(z) ** 2).sum()), rel=1e-12)
    close(cx.fft.irfft(cx.fft.rfft(cx.real(x)), n=n), z.real, 'float64')
