"""`Device.send` by short cut: the very result, or the very error, of the general path that it spares."""

import copy
import gc
import inspect
import pickle
import subprocess
import sys
import threading
import tracemalloc
import weakref
from functools import partial
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.devices import Device
from crossdock.errors import UnknownArrayError

from ..accelerator import FIRST, KIND

sys.path.insert(0, str(Path(__file__).parent))
from same_way import HERE, check_same, outcome, planned, torch

DTYPES = [
    *('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32'),
    *('float64', 'complex64', 'complex128', 'longdouble', '>f4', 'q', 'Q', 'M8[s]', 'U3', 'O', 'i4,f8'),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.int4),
]


@st.composite
def arrays(draw):
    """NumPy arrays of any layout, data type, class and flags."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4)))
    base = np.zeros(shape, dtype)
    if dtype.kind in 'biufc' and dtype.isnative:
        base.flat = np.arange(base.size) % 5
    if dtype.kind == 'b' and draw(st.booleans()):
        base.view(np.uint8)[...] = 3
    step = st.sampled_from([1, 2, -1, -2])
    view = base[(..., *(slice(None, None, draw(step)) for _ in shape))].transpose(
        draw(st.permutations(range(base.ndim)))
    )
    make = draw(st.sampled_from(['plain', 'plain', 'plain', 'broadcast', 'odd strides', 'unit axis', 'subclass']))
    if make == 'broadcast':
        view = np.broadcast_to(view, (2, *view.shape))
    elif make == 'odd strides' and dtype.kind in 'iufc':
        view = np.zeros(3, np.dtype([('a', 'u1'), ('b', dtype)]))['b']
    elif make == 'unit axis' and dtype.kind in 'iufc':
        view = np.ndarray((1, 3), dtype, buffer=bytearray(200), strides=(7, dtype.itemsize))
    elif make == 'subclass':
        view = view.view(type('Sub', (np.ndarray,), {}))
    if draw(st.booleans()):
        view.flags.writeable = False
    return view


@settings(deadline=None, max_examples=300)
@given(arrays(), st.lists(st.sampled_from(HERE), min_size=1, max_size=3))
def test_is_the_plan(array, way):
    for spec in way:
        array = check_same(spec, array)
        if isinstance(array, tuple):
            break


def test_each_takes_what_comes():
    native, x = xd.get_device('native'), np.ones(3)
    native.send(x)
    made = Device.send.each(native, [x, 'text', x, 1.5, None])
    assert [type(array) for array in made] == [xd.core.Array, type(None), xd.core.Array, type(None), type(None)]
    assert Device.send.each(native, []) == []
    for arguments in ((native, (x,)), (native,)):
        with pytest.raises(TypeError):
            Device.send.each(*arguments)


def test_a_refused_leaf_is_named_among_those_that_only_change_hands():
    x = np.ones(3)
    with pytest.raises(UnknownArrayError, match=r"at \['b'\]\[1\]: "):
        xd.get_device('native').send({'a': x, 'b': [x, object()]})
    sent = xd.get_device('native').send({'a': x, 'b': [x, 2.0]}, copy=True)
    assert sent['a'].data_ptr != x.ctypes.data
    shared = xd.get_device('native').send({'a': x, 'b': [x, 2.0]})
    assert shared['a'].data_ptr == x.ctypes.data and shared['b'][0] is shared['a']


@pytest.mark.parametrize('spec', [*HERE, FIRST])
def test_what_is_no_array_goes_the_general_way(spec):
    device = xd.get_device(spec)
    for thing in (None, [], {'a': None}, 'text', object(), np.float32, type, 2.5, np.ma.masked_array([1.0], [True])):
        check = outcome(device.send, thing), outcome(partial(planned, device), thing)
        assert type(check[0]) is type(check[1])
        if isinstance(check[0], tuple):
            assert check[0] == check[1]


def test_keywords_go_the_general_way():
    native, x = xd.get_device('native'), np.arange(3.0)
    assert native.send(x).data_ptr == x.ctypes.data
    assert native.send(x, copy=True).data_ptr != x.ctypes.data
    assert native.send(x, dtype='float32').dtype == 'float32'
    assert native.send(tree=x).data_ptr == x.ctypes.data
    with pytest.raises(TypeError, match='missing'):
        native.send()
    with pytest.raises(TypeError, match='positional'):
        native.send(x, True)


def test_reads_like_the_method_it_is():
    native = xd.get_device('native')
    assert list(inspect.signature(Device.send).parameters)[:2] == ['self', 'tree']
    assert list(inspect.signature(native.send).parameters) == ['tree', 'copy', 'dtype', 'blocking', 'progress']
    assert inspect.isroutine(Device.send)
    assert inspect.getdoc(native.send).startswith('Bring arrays here.')
    assert (Device.send.__name__, Device.send.__qualname__) == ('send', 'Device.send')
    assert 'Device.send' in repr(Device.send)
    assert pickle.loads(pickle.dumps(Device.send)) is copy.deepcopy(Device.send) is Device.send
    assert pickle.loads(pickle.dumps(native.send)) == native.send
    assert weakref.ref(Device.send)() is Device.send
    x = np.zeros(3)
    assert Device.send(native, x).data_ptr == x.ctypes.data
    with pytest.raises(AttributeError):
        native.send = None


def test_views_hold_the_memory():
    for way in (['native:0'], ['native:0', '@numpy'], *([['native:0', '@torch:cpu']] if torch else [])):
        x = np.full(1000, 7.0)
        gone = weakref.ref(x)
        for spec in way:
            x = xd.get_device(spec).send(x)
        gc.collect()
        assert gone() is not None
        assert float(x[999]) == 7
        del x
        gc.collect()
        assert gone() is None


def test_nothing_leaks():
    x, native, numpy = np.arange(6.0), xd.get_device('native'), xd.get_device('@numpy')
    there = native.send(x)
    sends = [partial(native.send, x), partial(numpy.send, there), partial(native.send, there), partial(numpy.send, x)]
    if torch is not None:
        host, tensor = xd.get_device('@torch:cpu'), torch.ones(3)
        sends += [partial(native.send, tensor), partial(host.send, there), partial(host.send, x)]
        sends += [partial(host.send, tensor), partial(native.send, tensor.clone().requires_grad_())]
    for send in sends:
        thing = send.args[0]
        tracemalloc.start()
        repeat(send, 1000)
        before, first = sys.getrefcount(thing), tracemalloc.get_traced_memory()[0]
        repeat(send, 10_000 if getattr(thing, 'requires_grad', False) is not True else 1000)
        grown = tracemalloc.get_traced_memory()[0] - first
        tracemalloc.stop()
        assert sys.getrefcount(thing) == before
        assert grown < 5000


def repeat(send, times):
    for _ in range(times):
        outcome(send)
    gc.collect()


def test_many_threads():
    native, numpy = xd.get_device('native'), xd.get_device('@numpy')
    arrays = [np.full(8, float(i)) for i in range(8)]
    wrong, handed = [], []

    def work(number):
        for i in range(3000):
            array = arrays[(number + i) % 8]
            back = numpy.send(native.send(array))
            if back[0] != array[0] or back.ctypes.data != array.ctypes.data:
                wrong.append(number)
            handed.append(back)  # freed by whichever thread comes next
            if len(handed) > 100:
                handed.pop()
            if i % 500 == 0:
                Device.send.forget()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    handed.clear()
    del thread
    gc.collect()
    assert all(sys.getrefcount(array) <= 4 for array in arrays)


def test_views_alive_at_the_end_of_the_interpreter():
    code = """
import numpy as np, crossdock as xd, sys, atexit
native, numpy = xd.get_device('native'), xd.get_device('@numpy')
kept = [numpy.send(native.send(np.arange(3.0))) for _ in range(10)]
sys.kept = kept + [native.send(np.arange(3.0))]
class Late:
    def __del__(self, send=native.send, array=np.arange(3.0)):
        send(array)
sys.late = Late()
atexit.register(lambda: native.send(np.arange(3.0)))
"""
    subprocess.run([sys.executable, '-X', 'dev', '-c', code], check=True)


def test_read_only_stays_so():
    x = np.arange(3.0)
    x.flags.writeable = False
    back = xd.get_device('@numpy').send(xd.get_device('native').send(x))
    with pytest.raises(ValueError, match='WRITEABLE'):
        back.flags.writeable = True
    warns = np.broadcast_arrays(np.arange(3.0), np.zeros((2, 3)))[0]  # writable with a warning
    check_same('native:0', warns)


def test_another_back_end_of_the_kind_is_asked_anew():
    from crossdock.devices import _registry

    native = xd.get_device('native')
    x = np.zeros(3)
    native.send(x)
    for forget in _registry._on_replaced:
        forget('none of that kind')
    assert native.send(x).data_ptr == x.ctypes.data


def test_graphs_are_left_to_the_plan():
    x = xd.core.zeros(3)
    if not hasattr(x, 'requires_grad_'):
        pytest.skip('the core has no differentiation yet')
    x.requires_grad_()
    for spec in HERE:
        check_same(spec, x)


def test_transfers_are_still_seen():
    x = np.zeros(3, 'float32')
    with xd.trace_transfers() as log:
        xd.get_device('native').send(x)
        assert not log
        xd.get_device(KIND).send(x)
        assert len(log) == 1


def test_unknown_arrays_stay_unknown():
    class Nothing:
        pass

    with pytest.raises(UnknownArrayError):
        xd.get_device('native').send(Nothing())
