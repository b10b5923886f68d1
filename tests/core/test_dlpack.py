"""DLPack both ways: flags, lifetimes, odd producers, arguments."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange

from ..accelerator import FIRST, KIND, SECOND

sys.path.insert(0, str(Path(__file__).parents[1]))
from producers import OldProducer, Producer

DOUBLES = (ctypes.c_double * 6)(0, 1, 2, 3, 4, 5)


def test_numpy_sees_our_memory_and_we_see_its(host) -> None:
    x = cx.asarray(np.arange(6.0).reshape(2, 3), device='native:0', copy=True)
    a = np.from_dlpack(x)
    a[0, 0] = 7
    assert float(x[0, 0]) == 7
    y = cx.from_dlpack(a)
    y[0, 1] = 8
    assert a[0, 1] == 8 and y.data_ptr == x.data_ptr


def test_read_only_survives_both_ways() -> None:
    # numpy/numpy#28599 and wjakob/nanobind#1122: the flag was invented, or lost.
    a = np.arange(3.0)
    assert not cx.from_dlpack(a).readonly and np.from_dlpack(cx.from_dlpack(a)).flags.writeable
    a.flags.writeable = False
    x = exchange.from_numpy(a)
    assert x.readonly and not np.from_dlpack(x).flags.writeable and cx.from_dlpack(x).readonly
    with pytest.raises(BufferError):
        x.__dlpack__()  # the legacy capsule cannot say it


@pytest.mark.parametrize(
    ('version', 'flags', 'readonly'), [(None, 0, True), ((1, 0), 0, False), ((1, 0), 1, True), ((1, 7), 0, False)]
)
def test_writable_only_when_the_producer_can_say_so(version, flags: int, readonly: bool) -> None:
    producer = Producer(DOUBLES, (6,), strides=(1,), version=version, flags=flags)
    x = cx.from_dlpack(producer)
    assert x.readonly is readonly and x.tolist() == list(DOUBLES) and producer.deleted == 0
    view = x[1:]
    del x
    assert producer.deleted == 0
    del view
    assert producer.deleted == 1


def test_a_producer_without_keywords() -> None:
    assert cx.from_dlpack(OldProducer(DOUBLES, (2, 3), version=None)).shape == (2, 3)


@pytest.mark.parametrize(
    ('keywords', 'want'),
    [
        ({'shape': (2, 3)}, [[0, 1, 2], [3, 4, 5]]),  # null strides (dmlc/dlpack#178)
        ({'shape': (2, 3), 'strides': (3, 1)}, [[0, 1, 2], [3, 4, 5]]),
        ({'shape': (3, 2), 'strides': (1, 3)}, [[0, 3], [1, 4], [2, 5]]),
        ({'shape': (2,), 'strides': (1,), 'byte_offset': 16}, [2, 3]),
        ({'shape': (6,), 'strides': (-1,), 'byte_offset': 40}, [5, 4, 3, 2, 1, 0]),
        ({'shape': (3, 1), 'strides': (2, 99)}, [[0], [2], [4]]),  # mitsuba-renderer/drjit#122
        ({'shape': (1, 3), 'strides': (-7, 1)}, [[0, 1, 2]]),
        ({'shape': (4, 2), 'strides': (0, 1)}, [[0, 1]] * 4),
        ({'shape': ()}, 0),
        ({'shape': (2,), 'strides': (2,), 'dtype': (5, 128, 1)}, [0 + 1j, 4 + 5j]),
    ],
)
def test_layouts_in(keywords, want) -> None:
    assert cx.from_dlpack(Producer(DOUBLES, **keywords)).tolist() == want


@pytest.mark.parametrize('shape', [(0,), (1, 8, 0, 128), (0, 5)])
@pytest.mark.parametrize('values', [None, DOUBLES])
def test_zero_size(shape: tuple[int, ...], values) -> None:
    # microsoft/onnxruntime#27450: refused, or odd strides; null data is allowed where there are no elements.
    producer = Producer(values, shape, strides=tuple(range(5, 5 + len(shape))))
    x = cx.from_dlpack(producer)
    assert x.shape == shape and x.size == 0 and x.sum().item() == 0
    assert np.from_dlpack(x).shape == shape and cx.from_dlpack(x).shape == shape
    del x
    gc.collect()
    assert producer.deleted == 1  # pytorch/pytorch#117058


@pytest.mark.parametrize(
    ('keywords', 'word'),
    [
        ({'values': DOUBLES, 'shape': (6,), 'dtype': (2, 64, 2)}, 'lanes'),
        ({'values': DOUBLES, 'shape': (6,), 'dtype': (3, 64, 1)}, 'dtype'),
        ({'values': DOUBLES, 'shape': (6,), 'dtype': (0, 4, 1)}, 'byte'),
        ({'values': DOUBLES, 'shape': (6,), 'dtype': (200, 7, 9)}, 'dtype'),
        ({'values': DOUBLES, 'shape': (6,), 'version': (2, 0)}, '2.0'),
        ({'values': DOUBLES, 'shape': (6,), 'version': (0, 8)}, '0.8'),
        ({'values': DOUBLES, 'shape': (6,), 'device': (2, 0)}, '(type 2' if FIRST != 'cuda:0' else '(2, 0)'),
        ({'values': DOUBLES, 'shape': (6,), 'device': (2, 77)}, '(type 2'),
        ({'values': DOUBLES, 'shape': (6,), 'device': (12, 0)}, '(type 12'),
        ({'values': DOUBLES, 'shape': (6,), 'device': (99, 3)}, '(type 99'),
        ({'values': None, 'shape': (6,)}, 'null'),
        ({'values': DOUBLES, 'shape': (6,), 'ndim': -1}, '-1'),
        ({'values': DOUBLES, 'shape': (6,), 'ndim': 10**9}, str(10**9)),
        ({'values': DOUBLES, 'shape': (-6,)}, '-6'),
        ({'values': DOUBLES, 'shape': (2**62, 8)}, str(2**62)),
        ({'values': DOUBLES, 'shape': (2, 2), 'strides': (2**62, 1)}, '64'),
    ],
)
@pytest.mark.parametrize('legacy', [False, True])
def test_what_cannot_be_read_is_refused_and_freed(keywords, word: str, legacy: bool) -> None:
    # numpy/numpy#30937: an unsupported device gave various errors; iree-org/iree#20849: a failed import leaked.
    if legacy and keywords.get('version'):
        return
    producer = Producer(**({'version': None} | keywords if legacy else keywords))
    with pytest.raises((BufferError, ValueError)) as caught:
        cx.from_dlpack(producer)
    assert word in str(caught.value) and producer.deleted == 1


def test_every_type_triple_is_read_or_refused() -> None:
    # cupy/cupy#8801: an unknown type took the process down.
    code = f"""
import ctypes, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from producers import Producer
import crossdock.core as cx
values = (ctypes.c_uint8 * 512)()
read = set()
for code in range(24):
    for bits in (0, 1, 4, 6, 7, 8, 16, 24, 32, 64, 128, 255):
        for lanes in (0, 1, 2, 4, 65535):
            producer = Producer(values, (4,), dtype=(code, bits, lanes))
            try:
                read.add(str(cx.from_dlpack(producer).dtype))
            except BufferError:
                pass
            assert producer.deleted == 1
print(len(read))
"""
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert int(out.stdout) == 17  # all but the two 4-bit ones, which share bytes unless a flag says otherwise


def test_padded_four_bit_numbers() -> None:
    values = (ctypes.c_uint8 * 3)(1, 7, 15)
    assert cx.from_dlpack(Producer(values, (3,), dtype=(1, 4, 1), flags=4)).tolist() == [1, 7, 15]
    x = cx.asarray([1, 2], dtype='int4', device='native:0')
    assert cx.from_dlpack(x).tolist() == [1, 2]


def test_dropped_capsules_free_what_they_hold() -> None:
    # Genesis-Embodied-AI/quadrants#598: unconsumed capsules leaked.
    a = np.ones(4)
    before = sys.getrefcount(a)
    x = exchange.from_numpy(a)
    capsules = [x.__dlpack__(max_version=(1, 0)) for _ in range(5)] + [x.__dlpack__() for _ in range(5)]
    del x
    assert sys.getrefcount(a) == before + 1
    del capsules
    assert sys.getrefcount(a) == before


def test_a_capsule_is_consumed_once() -> None:
    x = cx.ones(3, device='native:0')
    capsule = x.__dlpack__(max_version=(1, 0))

    class Again:
        def __dlpack__(self, **_):
            return capsule

    assert cx.from_dlpack(Again()).data_ptr == x.data_ptr
    with pytest.raises(BufferError) as caught:
        cx.from_dlpack(Again())
    assert 'Again' in str(caught.value)


@pytest.mark.parametrize('bad', [object(), [1, 2], None, 3])
def test_what_is_no_producer(bad) -> None:
    # explosion/thinc#741: the message named another cause.
    with pytest.raises(TypeError) as caught:
        cx.from_dlpack(bad)
    assert '__dlpack__' in str(caught.value)


def test_the_producers_own_error_is_not_hidden() -> None:
    class Broken:
        def __dlpack__(self, **_):
            raise RuntimeError('mine')

    with pytest.raises(RuntimeError, match='mine'):
        cx.from_dlpack(Broken())


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_strides_round_trip(data: st.DataObject) -> None:
    # jax-ml/jax#4196, jax-ml/jax#24680: strides ignored, layout changed.
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5))
    a = np.arange(np.prod(shape), dtype='uint16').reshape(shape)
    view = np.asarray(a[data.draw(hnp.basic_indices(shape, allow_newaxis=False))])
    back = np.from_dlpack(cx.from_dlpack(view))
    np.testing.assert_array_equal(back, view)
    steps = [(s, t) for s, t, n in zip(back.strides, view.strides, view.shape) if n > 1]
    assert view.size == 0 or all(s == t for s, t in steps)


def test_steps_of_part_elements_are_copied_or_refused() -> None:
    records = np.zeros(4, dtype=[('a', 'u1'), ('b', 'f8')])
    records['b'] = [1, 2, 3, 4]
    x = exchange.from_numpy(records['b'])
    assert x.strides == (9,) and x.tolist() == [1, 2, 3, 4] and (x + x).tolist() == [2, 4, 6, 8]
    assert np.from_dlpack(x).tolist() == [1, 2, 3, 4]
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)


# dmlc/dlpack#176: what a stream argument means.
@pytest.mark.parametrize('device', ['native:0', FIRST])
@pytest.mark.parametrize('stream', [0, 1, 2, -2, 1.5, 'x', True])
def test_streams_that_mean_nothing_here(device: str, stream) -> None:
    if device == 'cuda:0' and stream in (1, 2):
        pytest.skip('the two default streams of CUDA')
    with pytest.raises(BufferError):
        cx.ones(2, device=device).__dlpack__(stream=stream)


@pytest.mark.parametrize('device', ['native:0', FIRST])
@pytest.mark.parametrize('stream', [None, -1])
def test_streams_that_can_be_asked_for(device: str, stream) -> None:
    assert cx.ones(2, device=device).__dlpack__(stream=stream) is not None


def test_copy_and_device_arguments(transfers) -> None:
    # cupy/cupy#9842: copy=True on the own device failed; pytorch/pytorch#194267: no BufferError across devices.
    x = cx.ones(3, device=FIRST)
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False, dl_device=(1, 0))
    assert not transfers

    class OnHost:
        def __dlpack__(self, **_):
            return x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))

    assert cx.from_dlpack(OnHost()).tolist() == [1, 1, 1]
    assert [(row[1], row[2], row[3], row[4]) for row in transfers] == [(24, FIRST, '@numpy', False)]
    y = cx.ones(3, device='native:0')
    z = cx.from_dlpack(y, copy=True)
    z[0] = 5
    assert float(y[0]) == 1
    assert y.__dlpack__(copy=False, dl_device=(1, 0)) is not None
    for bad in ({'dl_device': (2, 0)}, {'dl_device': (1, 3)}, {'dl_device': 'cpu'}, {'copy': 1}, {'max_version': 1}):
        with pytest.raises(BufferError):
            y.__dlpack__(**bad)


def test_devices_say_their_own_index() -> None:
    # pytorch/pytorch#195721: a capsule labelled with the wrong device.
    assert cx.ones(1, device='native:1').__dlpack_device__() == (1, 0)
    kind = {'sim': 12, 'cuda': 2}[KIND]
    for i, device in enumerate((FIRST, SECOND)):
        assert cx.ones(1, device=device).__dlpack_device__() == (kind, i)
    x = cx.ones(3, device=SECOND)
    assert cx.from_dlpack(x).device == x.device and cx.from_dlpack(x).data_ptr == x.data_ptr


def test_from_dlpack_moves_when_asked(transfers) -> None:
    a = np.arange(3.0)
    assert cx.from_dlpack(a, device=FIRST).tolist() == [0, 1, 2]
    with pytest.raises(BufferError):
        cx.from_dlpack(a, device=FIRST, copy=False)


def test_a_view_that_is_yet_to_be_negated():
    class Negated(Producer):
        def is_neg(self):
            return True

    with pytest.raises(BufferError, match='resolve_neg'):
        cx.from_dlpack(Negated(DOUBLES, (6,)))
