"""`copyto` over every ordered pair of libraries: values, casting, `where`, layouts, overlap and refusals as NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.errors import DtypeError, ReadOnlyError

from ..accelerator import FIRST

pytest.importorskip('torch', reason='PyTorch is not installed')
pytest.importorskip('jax', reason='JAX is not installed')

SOURCES = ['@numpy', 'native:0', FIRST, '@torch:cpu', '@jax:0']
TARGETS = ['@numpy', 'native:0', FIRST, '@torch:cpu']
DTYPES = ['bool', 'uint8', 'int16', 'int32', 'float16', 'float32', 'complex64']
CASTINGS = ['no', 'equiv', 'safe', 'same_kind', 'unsafe']
LAYOUTS = {
    'C order': lambda a: a,
    'transposed': lambda a: a.T.copy().T,
    'a block of more': lambda a: np.zeros((8, 9), a.dtype)[1 : 1 + a.shape[0], 2 : 2 + 2 * a.shape[1] : 2],
}


def sent(array: np.ndarray, spec: str):
    return xd.get_device(spec).send(array, copy=True)


def target_of(spec: str, layout: str, dtype: str):
    """An array of zeros of shape (3, 4) in that layout, on that device."""
    whole = LAYOUTS[layout](np.zeros((3, 4), dtype))
    if layout != 'a block of more':
        return sent(whole, spec)
    return sent(np.zeros((8, 9), dtype), spec)[1:4, 2:9:2]


@pytest.mark.parametrize('target', TARGETS)
@pytest.mark.parametrize('source', SOURCES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_as_numpy_does(source, target, data):
    have, want = data.draw(st.sampled_from(DTYPES)), data.draw(st.sampled_from(DTYPES))
    shape = data.draw(st.sampled_from([(), (4,), (3, 4), (1, 4), (3, 1), (1, 3, 4)]))
    casting = data.draw(st.sampled_from(CASTINGS))
    where = data.draw(st.sampled_from([True, False, np.arange(4) % 2 == 0, np.eye(3, 4, dtype=bool)]))
    layout = data.draw(st.sampled_from(sorted(LAYOUTS)))
    if have == 'complex64' and want != 'complex64':
        casting = 'same_kind'  # 'unsafe' drops imaginary parts with a warning in NumPy
    src = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3).astype(have)
    expected = np.zeros((3, 4), want)
    dst = target_of(target, layout, want)
    mask = where if isinstance(where, bool) else sent(where, data.draw(st.sampled_from(SOURCES)))
    try:
        np.copyto(expected, src, casting=casting, where=where)
    except TypeError:
        with pytest.raises(DtypeError):
            xd.copyto(dst, sent(src, source), casting=casting, where=mask)
    else:
        xd.copyto(dst, sent(src, source), casting=casting, where=mask)
    np.testing.assert_array_equal(xd.to_numpy(dst), expected)


@pytest.mark.parametrize('target', TARGETS)
@pytest.mark.parametrize('where', [True, np.arange(9) % 2 == 0], ids=['all', 'some'])
def test_overlap(target, where):
    values = np.arange(10, dtype='float32')
    x = sent(values, target)
    xd.copyto(x[1:], x[:-1], where=where)
    expected = values.copy()
    np.copyto(expected[1:], values[:-1], where=where)
    np.testing.assert_array_equal(xd.to_numpy(x), expected)


@pytest.mark.parametrize('source', SOURCES)
def test_overlap_through_another_library(source):
    """The source is the target's own memory, seen by another library."""
    values = np.arange(10, dtype='float32')
    seen = xd.get_device(source).send(values[:-1])
    xd.copyto(values[1:], seen)
    np.testing.assert_array_equal(values, [0, *range(9)])


@pytest.mark.parametrize('source', SOURCES)
def test_nothing_is_written_into_what_cannot_be(source):
    values = np.zeros(3, 'float32')
    values.flags.writeable = False
    src = sent(np.ones(3, 'float32'), source)
    for dst in (values, xd.get_device('native:0').send(values), xd.get_device('@jax:0').send(values, copy=True)):
        with pytest.raises(ReadOnlyError):
            xd.copyto(dst, src)
        np.testing.assert_array_equal(xd.to_numpy(dst), 0)
