"""CuPy beside another library on the same GPUs: views by DLPack, copies within a memory and between two, by no host.

The other library is CuPy's back-end once more, over arrays of another type, with other limits.
"""

import dataclasses
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import _lookup, _registry
from crossdock.devices.backends import _cupy
from crossdock.devices.backends._cupy import CupyBackend

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in
from cupy_stand_in._array import _Ndarray


class TwinArray(_Ndarray):
    """What the other library's functions give, as views of the stand-in's."""


def twin_of(array):
    made = TwinArray.__new__(TwinArray)
    made.data, made._values = array.data, array._values
    return made


class TwinBackend(CupyBackend):
    kind = library = 'twin'
    device_class = None
    reports_transfers = False

    def unavailable(self):
        return ''

    def place(self, suffix):
        return dataclasses.replace(
            _cupy._place(suffix),
            device=f'@twin:{suffix}',
            home=f'@twin:{suffix}',
            library='twin',
            negative_strides=False,
            dtypes=_cupy._place(suffix).dtypes | {'bfloat16'},
        )

    def owns(self, array_type):
        return array_type is TwinArray

    def array_types(self):
        return (TwinArray,)

    def facts(self, array):
        return super().facts(array)._replace(place=self.place(str(array.device.id)))

    def adopt(self, producer):
        return None

    def alias_in(self, view, place):
        # It refuses what the real ones do.
        array = super().alias_in(view, place)
        assert all(step >= 0 for step in array.strides) and array.dtype.kind in 'biufcV'
        return twin_of(array)

    def allocate(self, shape, dtype, place):
        return twin_of(super().allocate(shape, dtype, place))

    def permute(self, array, axes):
        return twin_of(array.transpose(axes))

    def pack(self, blocks, place):
        return [twin_of(array) for array in super().pack(blocks, place)]


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    saved = dict(_registry._entries), dict(_registry._heads)
    _registry.register_backend(TwinBackend())
    yield from cupy_stand_in.lend(monkeypatch)
    _lookup._forget('twin')
    _registry._owners.clear()
    for table, before in zip((_registry._entries, _registry._heads), saved):
        table.clear()
        table.update(before)


def never_by_the_host(monkeypatch):
    for name in ('copy_in', 'copy_out'):
        monkeypatch.setattr(CupyBackend, name, None)


@pytest.mark.parametrize('ends', [('cupy', 'twin'), ('twin', 'cupy')])
@pytest.mark.parametrize('number', [0, 1])
def test_one_memory_is_shared(ends, number, monkeypatch):
    here, there = (xd.get_device(f'@{kind}:{number}') for kind in ends)
    x = here.send(np.arange(6.0).reshape(2, 3))
    never_by_the_host(monkeypatch)
    with xd.trace_transfers() as log:
        y = there.send(x, copy=False)
        z = here.send(y)
    assert not list(log)
    assert type(y) is not type(x) and type(z) is type(x)
    assert x.data.ptr == y.data.ptr == z.data.ptr
    assert there.send(x, copy=True).data.ptr != x.data.ptr


@pytest.mark.parametrize('ends', [('cupy', 'twin'), ('twin', 'cupy')])
@pytest.mark.parametrize('numbers', [(0, 0), (0, 1), (1, 0)])
@pytest.mark.parametrize('dtype', [None, 'float32', 'int16'])
@pytest.mark.parametrize('layout', [np.s_[:, :], np.s_[::-1, ::2], np.s_[1:, 1]])
def test_copies_stay_on_the_gpus(ends, numbers, dtype, layout, monkeypatch):
    here, there = (xd.get_device(f'@{kind}:{number}') for kind, number in zip(ends, numbers))
    host = np.arange(12.0).reshape(3, 4)
    x = here.send(host, copy=True)
    x = x[layout] if ends[0] == 'cupy' else twin_of(x[layout])
    if ends[0] == 'twin' and any(step < 0 for step in x.strides):
        pytest.skip('that library has no negative strides')
    near = numbers[0] == numbers[1]
    assert xd.plan(x, there, copy=True, dtype=dtype).route == ('device copy' if near else 'peer copy')
    with monkeypatch.context() as patched, xd.trace_transfers() as log:
        never_by_the_host(patched)
        y = there.send(x, copy=True, dtype=dtype)
    rows = [(row.nbytes, row.source, row.target) for row in log]
    itemsize = min(8, np.dtype(dtype or 'float64').itemsize)
    assert rows == ([] if near else [(y.size * itemsize, here.name, there.name)])
    assert xd.get_device_from_array(y) is there
    np.testing.assert_array_equal(xd.to_numpy(y), host[layout].astype(dtype or 'float64'))
    target = there.send(np.zeros((2, *y.shape)), copy=True)
    with monkeypatch.context() as patched:
        never_by_the_host(patched)
        xd.copyto(target, x)
    np.testing.assert_array_equal(xd.to_numpy(target)[1], host[layout])


def test_a_data_type_that_the_reader_lacks_is_converted_first(monkeypatch):
    asked = []
    real = TwinBackend.facts

    def facts(self, array):
        found = real(self, array)
        return found._replace(dtype=np.dtype(ml_dtypes.bfloat16)) if array is x else found

    def copy(self, dst, src):
        asked.append((dst.dtype.name, src is x))
        CupyBackend.copy(self, dst, src)

    x = xd.get_device('@twin:0').send(np.arange(3.0))
    monkeypatch.setattr(TwinBackend, 'facts', facts)
    monkeypatch.setattr(TwinBackend, 'copy', copy)
    y = xd.get_device('@cupy:1').send(x, dtype='float32')
    assert asked == [('float32', True)]
    assert xd.to_numpy(y).tolist() == [0, 1, 2]
    with pytest.raises(xd.errors.DtypeError):
        xd.get_device('@cupy:1').send(x)


def test_views_are_handed_over_in_the_order_of_the_readers_stream(cupy):
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True).use()
    x = xd.get_device('@cupy:1').send(np.arange(3.0))
    xd.get_device('@twin:1').send(x)
    assert cupy_stand_in._array.from_dlpack_streams == [(1, stream.ptr)]
    with cupy.cuda.Device(1):
        cupy.cuda.Stream.null.use()
