"""Pickles and copies: the values of the view alone, out of band, on the device they belong to."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange, fft, linalg

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def values_of(x: cx.Array) -> np.ndarray[Any, Any]:
    return exchange.as_numpy(x.to_device('native:0'))


def framed(x: Any) -> tuple[bytes, list[memoryview]]:
    """As schedulers send: a small header, and the data in frames of their own."""
    frames: list[pickle.PickleBuffer] = []
    header = pickle.dumps(x, 5, buffer_callback=frames.append)
    return header, [frame.raw() for frame in frames]


WAYS: dict[str, Callable[[str], cx.Array]] = {
    'asarray of a list': lambda d: cx.asarray([[1, 2], [3, 4]], device=d),
    'asarray of NumPy': lambda d: cx.asarray(np.arange(6.0).reshape(2, 3), device=d),
    'asarray of NumPy turned': lambda d: cx.asarray(np.arange(6.0).reshape(2, 3).T, device=d),
    'asarray of a buffer': lambda d: cx.asarray(bytearray(b'abc'), device=d),
    'asarray of a locked buffer': lambda d: cx.asarray(b'abc', device=d),
    'from_dlpack': lambda d: cx.from_dlpack(np.arange(3)).to_device(d),
    'zeros': lambda d: cx.zeros((2, 3), device=d),
    'empty of nothing': lambda d: cx.empty((0, 3), device=d),
    'full 0-d': lambda d: cx.full((), 2.5, device=d),
    'arange': lambda d: cx.arange(5, device=d),
    'linspace': lambda d: cx.linspace(0, 1, 5, device=d),
    'eye': lambda d: cx.eye(3, device=d),
    'meshgrid': lambda d: cx.meshgrid(cx.arange(3, device=d), cx.arange(2, device=d))[0],
    'broadcast_to': lambda d: cx.broadcast_to(cx.arange(3, device=d), (4, 3)),
    'slice': lambda d: cx.arange(20, device=d)[3:15:3],
    'reversed': lambda d: cx.arange(20, device=d)[::-2],
    'transposed': lambda d: cx.reshape(cx.arange(6, device=d), (2, 3)).T,
    'element': lambda d: cx.arange(6, device=d)[4],
    'mask': lambda d: (lambda x: x[x > 2])(cx.arange(6, device=d)),
    'sum': lambda d: cx.sum(cx.ones((2, 3), device=d), axis=0),
    'product': lambda d: cx.ones((2, 3), device=d) @ cx.ones((3, 2), device=d),
    'sort': lambda d: cx.sort(cx.asarray([3.0, 1.0], device=d)),
    'fft': lambda d: fft.fft(cx.ones(4, dtype=cx.complex64, device=d)),
    'solution': lambda d: linalg.solve(cx.eye(2, device=d), cx.ones(2, device=d)),
    'comparison': lambda d: cx.arange(3, device=d) > 1,
    'bfloat16': lambda d: cx.ones(3, dtype=cx.bfloat16, device=d),
    'copy': lambda d: copy.copy(cx.arange(3, device=d)),
    'unpickled': lambda d: pickle.loads(pickle.dumps(cx.arange(3, device=d))),
}


@pytest.mark.parametrize('way', WAYS)
def test_however_it_was_made(device: str, way: str) -> None:
    # chainer/chainer#7974: an array could be pickled only when it had been made in a certain way.
    x = WAYS[way](device)
    want = values_of(x)
    for protocol in PROTOCOLS:
        y = pickle.loads(pickle.dumps(x, protocol))
        assert type(y) is cx.Array and y.device == x.device and y.dtype == x.dtype and y.readonly == x.readonly
        np.testing.assert_array_equal(values_of(y), want, strict=True)
    for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
        assert y.device == x.device and y.dtype == x.dtype
        np.testing.assert_array_equal(values_of(y), want, strict=True)


@pytest.mark.parametrize('name', ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'])
def test_types_that_numpy_lacks(device: str, name: str) -> None:
    host = np.arange(6).astype(getattr(ml_dtypes, name))
    x = cx.asarray(host, device=device)
    for y in (pickle.loads(pickle.dumps(x, 5)), pickle.loads(*framed(x)[:1], buffers=framed(x)[1]), copy.deepcopy(x)):
        assert y.dtype == x.dtype and values_of(y).tobytes() == host.tobytes()


@pytest.mark.parametrize('view', [np.s_[:3], np.s_[::400_000], np.s_[::-300_000], np.s_[5:5]])
def test_a_view_pickles_its_own_bytes_only(device: str, view: slice) -> None:
    # pytorch/pytorch#65604, #40157: a slice dragged its whole storage along.
    x = cx.zeros(10**6, device=device)[view]
    assert len(pickle.dumps(x, 5)) < 1000
    _, frames = framed(x)
    assert sum(frame.nbytes for frame in frames) == x.size * 8


def test_host_memory_goes_out_of_band_as_it_is() -> None:
    x = cx.arange(1000.0, device='native:0')
    header, (frame,) = framed(x)
    assert len(header) < 500
    x[0] = 77
    assert np.frombuffer(frame)[0] == 77
    y = pickle.loads(header, buffers=[frame])
    y[1] = 78
    assert float(x[1]) == 78


@pytest.mark.parametrize('kind', [bytes, bytearray, memoryview, lambda raw: memoryview(bytes(raw))])
def test_header_and_frames(device: str, kind: Callable[[Any], Any]) -> None:
    # dask/distributed#6111, #8001, rapidsai/ucx-py#421: a round trip failed, lost the device, or gave what was locked.
    tree = {'a': cx.arange(1000, device=device), 'b': [cx.ones((3, 4), device=device).T, None], 'n': 3}
    header, frames = framed(tree)
    assert len(header) < 2000 and len(frames) == 2
    got = pickle.loads(header, buffers=[kind(frame) for frame in frames])
    for x, y in ((tree['a'], got['a']), (tree['b'][0], got['b'][0])):
        assert str(y.device) == device and not y.readonly
        np.testing.assert_array_equal(values_of(y), values_of(x), strict=True)
        y[...] = 7
    assert int(tree['a'][5]) == 5 or kind is memoryview


@pytest.mark.parametrize('view', [np.s_[:], np.s_[::2], np.s_[::-1]])
def test_what_is_read_only_stays_so(device: str, view: slice) -> None:
    x = cx.arange(10.0, device=device)[view]._as_readonly()
    header, frames = framed(x)
    for y in (pickle.loads(pickle.dumps(x, 5)), pickle.loads(header, buffers=[bytearray(f) for f in frames])):
        assert y.readonly and y.tolist() == x.tolist() and str(y.device) == device
        with pytest.raises(ValueError):
            y[0] = 1


def test_a_pickle_of_before_read_only_was_kept() -> None:
    from crossdock.core import _pickle

    assert not _pickle.rebuild_array(np.ones(2), 'native:0').readonly


ELSEWHERE = """
import pickle, sys, warnings
import crossdock.core as cx
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    x, d = pickle.load(sys.stdin.buffer)
print(x.device, d, x.tolist())
print(*[w.message for w in seen], sep='\\n')
"""


def test_a_device_that_is_absent_where_it_is_loaded() -> None:
    # pytorch/pytorch#16797, #43369, #25925, apache/mxnet#699
    make = "import crossdock.core as cx, pickle, sys; x = cx.arange(3, device='sim:3');"
    make += 'sys.stdout.buffer.write(pickle.dumps((x, x.device)))'
    many = {**os.environ, 'CROSSDOCK_SIM_DEVICES': '4', 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    data = subprocess.run([sys.executable, '-c', make], env=many, check=True, capture_output=True).stdout
    few = {**many, 'CROSSDOCK_SIM_DEVICES': '2'}
    done = subprocess.run([sys.executable, '-c', ELSEWHERE], env=few, check=True, capture_output=True, input=data)
    first, *messages = done.stdout.decode().splitlines()
    assert first == 'native:0 native:0 [0, 1, 2]'
    assert len(messages) == 2 and all("'sim:3'" in message for message in messages)


def test_a_device_of_a_kind_that_nobody_knows() -> None:
    from crossdock.core import _pickle

    with pytest.warns(UserWarning, match="'abacus:1'"):
        assert str(_pickle.rebuild_array(np.ones(2), 'abacus:1').device) == 'native:0'
    with pytest.warns(UserWarning, match="'abacus:1'"):
        assert _pickle.rebuild_device('abacus:1') == cx.zeros(1, device='native:0').device


def test_a_device_is_what_it_was(device: str) -> None:
    here = cx.zeros(1, device=device).device
    for protocol in PROTOCOLS:
        assert pickle.loads(pickle.dumps(here, protocol)) == here
    assert copy.copy(here) == copy.deepcopy(here) == here


def test_deep_copies_share_what_was_shared(device: str) -> None:
    x = cx.arange(3, device=device)
    a, b = copy.deepcopy([x, x])
    assert a is b and a is not x
    first, second = pickle.loads(pickle.dumps([x, x], 5))
    assert first is second
