"""Array: facts, scalars out, printing, host access, copies and pickles."""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import weakref

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.errors import CopyRequiredError, DeviceUnavailableError, DimensionError, DtypeError, SpecError

from ..accelerator import FIRST, SECOND


def test_facts(device: str) -> None:
    x = cx.zeros((2, 3, 4), dtype='int16', device=device)[:, ::-1, ::2]
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes) == ((2, 3, 2), 3, 12, 2, 24)
    assert x.strides == (24, -8, 4) and not x.c_contiguous and not x.readonly
    assert x.dtype == 'int16' and x.dtype == np.int16(0).dtype and str(x.device) == device
    assert x.mT.shape == (2, 2, 3) and x[0].T.shape == (2, 3)
    with pytest.raises(DimensionError):
        x.T


@pytest.mark.parametrize(
    ('values', 'text'),
    [
        (np.arange(3, dtype='float32'), "array([0., 1., 2.], shape=(3,), dtype=float32, device='{}')"),
        (np.array(7), "array(7, shape=(), dtype=int64, device='{}')"),
        (np.zeros((0, 2)), "array([], shape=(0, 2), dtype=float64, device='{}')"),
        (
            np.eye(2, dtype=bool),
            "array([[ True, False],\n       [False,  True]], shape=(2, 2), dtype=bool, device='{}')",
        ),
    ],
)
def test_repr(values: np.ndarray, text: str, device: str) -> None:
    x = cx.asarray(values, device=device)
    assert repr(x) == str(x) == text.format(device)
    assert f'{x}' == (repr(x) if x.ndim else str(values))


def test_a_scalar_formats_as_its_number(device: str) -> None:
    for values in (np.float32(0.1), np.int64(-3), np.bool_(True), np.complex64(1 + 2j)):
        x = cx.asarray(np.array(values), device=device)
        assert f'{x}' == format(x) == str(values)
    assert f'{cx.ones((), dtype=cx.bfloat16, device=device) / 2}' == '0.5'


def test_scalars_out(device: str, transfers) -> None:
    one = cx.asarray(np.array([[2.5]]), device=device)
    assert float(one) == 2.5 and int(one) == 2 and bool(one) is True and complex(one) == 2.5 and one.item() == 2.5
    assert one.tolist() == [[2.5]] and f'{one[0, 0]:.2f}' == '2.50'
    assert type(cx.asarray(np.uint64(2**64 - 1), device=device).item()) is int
    assert (
        cx.asarray(2**63, device=device).item() == 2**63
        and int(cx.asarray(np.array(2**64 - 1, 'uint64'), device=device)) == 2**64 - 1
    )
    assert cx.asarray(1 + 2j, device=device).item() == 1 + 2j
    assert operator.index(cx.asarray(7, device=device)) == 7 and range(10)[cx.asarray(3, device=device)] == 3
    pulls = [row for row in transfers if row[0] != 'copy']
    assert pulls and all(row[4] for row in pulls)


def test_scalars_out_refuse(device: str) -> None:
    many = cx.arange(3, device=device)
    for pull in (float, int, bool, complex, operator.index, lambda x: x.item()):
        with pytest.raises(TypeError):
            pull(many)
    with pytest.raises(TypeError):
        operator.index(cx.asarray(7.0, device=device))
    with pytest.raises(TypeError):
        operator.index(cx.asarray([7], device=device))
    with pytest.raises(TypeError):
        float(cx.asarray(1j, device=device))
    for bad, kind in ((np.inf, OverflowError), (np.nan, ValueError)):
        with pytest.raises(kind):
            int(cx.asarray(bad, device=device))


def test_membership(device: str) -> None:
    x = cx.arange(5, device=device)
    assert 3 in x and 9 not in x


def test_pulls_count_as_implicit_transfers(device: str, transfers) -> None:
    x = cx.ones(3, dtype='float32', device=device)
    float(x[0])
    x.tolist()
    repr(x)
    host = device.startswith('native')
    assert [(row[0], row[1]) for row in transfers] == (
        [('float', 0)] if host else [('float', 4), ('tolist', 12), ('repr', 12)]
    )
    assert all(row[2] == device and row[3] == '@numpy' and row[4] for row in transfers)
    assert all(row[5] == host for row in transfers)


def test_reductions_and_slices_stay_on_the_device(device: str, transfers) -> None:
    # pytorch/pytorch#1989, jax-ml/jax#16602: neither a reduction nor x + 0 nor a slice is a transfer.
    x = cx.ones((3, 4), device=device)
    transfers.clear()
    for y in (x.sum(), x + 0, x[1:], x.mean(), x.max(), cx.argmax(x), x * 2.5, x.T, x.reshape(4, 3), x.astype('int8')):
        assert type(y) is cx.Array and str(y.device) == device
    assert not transfers


def test_unhashable_and_weakly_referable() -> None:
    x = cx.ones(2)
    with pytest.raises(TypeError):
        hash(x)
    ref = weakref.ref(x)
    del x
    gc.collect()
    assert ref() is None


def test_host_access() -> None:
    x = cx.asarray(np.arange(6.0).reshape(2, 3), device='native:0', copy=True)[:, ::-1]
    a = np.asarray(x)
    a[0, 0] = 9
    assert float(x[0, 0]) == 9 and a.strides == x.strides
    assert np.array(x, copy=True).base is not a.base
    assert memoryview(x).shape == (2, 3) and memoryview(x).format == 'd' and not memoryview(x).readonly
    assert x.__array_interface__['shape'] == (2, 3)
    assert np.asarray(x, dtype='float32').dtype == 'float32'
    with pytest.raises(ValueError):
        np.asarray(x, dtype='float32', copy=False)


def test_an_accelerator_refuses_the_host() -> None:
    # pytorch/pytorch#20395: one policy for every way in.
    x = cx.ones((2, 2), device=FIRST)
    for refused in (
        np.asarray,
        memoryview,
        bytes,
        np.linalg.inv,
        lambda a: np.array([a, a]),
        lambda a: np.add(a, 1),
        lambda a: a.__array__(),
    ):
        with pytest.raises((TypeError, BufferError)):
            refused(x)
    assert not hasattr(x, '__array_interface__')
    with pytest.raises((RuntimeError, BufferError)):
        np.from_dlpack(x)


@pytest.mark.parametrize('name', ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'])
def test_ml_dtypes_pass_through(name: str, device: str, host) -> None:
    import ml_dtypes

    a = np.array([0, 1, 2, 3, 7], dtype=getattr(ml_dtypes, name))
    x = cx.asarray(a, device=device)
    assert x.dtype == name and x.dtype.numpy_dtype == a.dtype and x.dtype == a.dtype
    assert host(x).dtype == a.dtype and host(x).tobytes() == a.tobytes()
    assert x.tolist() == [0, 1, 2, 3, 7]
    if device.startswith('native'):
        assert np.asarray(x).dtype == a.dtype
        with pytest.raises(BufferError):
            memoryview(x)


@pytest.mark.parametrize('spec', ['native:1', SECOND])
def test_copies_and_pickles_keep_the_device(spec: str) -> None:
    # jax-ml/jax#2632, explosion/thinc#812: a deep copy changed type or place.
    x = cx.asarray(np.arange(1000.0), device=spec)[::2]
    for y in (pickle.loads(pickle.dumps(x, 5)), copy.deepcopy(x), copy.copy(x)):
        assert type(y) is cx.Array and str(y.device) == spec and y.tolist() == x.tolist()
        y[0] = -1
        assert float(x[0]) == 0


def test_a_slice_pickles_its_own_bytes_only() -> None:
    # pytorch/pytorch#65604: a slice dragged its whole storage along.
    assert len(pickle.dumps(cx.zeros(10**6)[:3], 5)) < 1000


def test_pickle_out_of_band() -> None:
    buffers: list[pickle.PickleBuffer] = []
    x = cx.ones(1000, device=FIRST)
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 1000
    y = pickle.loads(data, buffers=buffers)
    y[0] = 2
    assert float(y.sum()) == 1001 and str(y.device) == FIRST


def test_pickle_where_the_device_is_absent() -> None:
    # pytorch/pytorch#16797: the saved device was not there on load.
    from crossdock.core import _pickle

    with pytest.warns(UserWarning, match='sim:3'):
        x = _pickle.rebuild_array(np.ones(2), 'sim:3')
    assert str(x.device) == 'native:0'


def test_namespace() -> None:
    x = cx.ones(1)
    assert x.__array_namespace__() is cx and x.__array_namespace__(api_version='2024.12') is cx
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version='1999')
    info = cx.__array_namespace_info__()
    assert {'native:0', FIRST} <= {str(d) for d in info.devices()} and info.default_dtypes()['integral'] == 'int64'
    assert set(info.dtypes(kind='real floating')) == {'float32', 'float64'}
    assert set(cx.__all__) <= set(dir(cx))


def test_dtype_objects() -> None:
    assert cx.float32 == 'float32' == cx.float32 and cx.float32 == np.dtype('float32') and cx.float32 != np.dtype('>f4')
    assert (
        cx.float32 == np.float32
        and cx.float32 != np.float64
        and cx.float32 not in (np.floating, np.generic, float, int)
    )
    assert np.dtype(cx.float32) == np.float32 and np.zeros(1, dtype=cx.bfloat16.numpy_dtype).dtype == cx.bfloat16
    assert cx.float32 != 'float64' and cx.float32 != None and cx.float32 != 3  # noqa: E711
    assert hash(cx.float32) == hash('float32') and len({cx.float32, 'float32'}) == 1
    assert (
        pickle.loads(pickle.dumps(cx.int4)) == cx.int4
        and cx.finfo('bfloat16').bits == 16
        and cx.iinfo(cx.int8).min == -128
    )
    assert cx.zeros(1, dtype=float).dtype == 'float64' and cx.zeros(1, dtype=np.int8).dtype == 'int8'
    assert (
        cx.result_type(cx.int8, cx.uint8) == 'int16' and cx.result_type(cx.ones(1, dtype='float32'), 2.5) == 'float32'
    )
    assert cx.can_cast(cx.int8, cx.int16) and not cx.can_cast(cx.float64, cx.float32)
    assert cx.isdtype(cx.uint8, 'integral') and not cx.isdtype(cx.uint8, ('bool', cx.int8))
    for bad in ('float31', 'f4', 'O', 'object', object, np.dtype('>f4'), np.dtype('M8[s]'), np.longdouble, 3):
        with pytest.raises(DtypeError):
            cx.zeros(1, dtype=bad)


def test_arrays_come_from_functions_only() -> None:
    for make in (cx.Array, lambda: cx.Array.__new__(cx.Array), lambda: object.__new__(cx.Array)):
        with pytest.raises(TypeError):
            make()


def test_a_bad_spec_carries_its_facts() -> None:
    with pytest.raises(SpecError) as caught:
        cx.device('nativ:1')
    assert caught.value.spec == 'nativ:1' and {'native', 'sim'} <= set(caught.value.known)
    assert caught.value.nearest == 'native:1'
    for other, nearest in (
        ('cpu', 'native:0'),
        ('@numpy', 'native:0'),
        ('sin:1', 'sim:1'),
        ('cud:0', 'cuda:0'),
        ('mps', None),
    ):
        with pytest.raises(SpecError) as caught:
            cx.device(other)
        assert caught.value.nearest == nearest
    for bad in (
        '',
        'native:',
        'native:00',
        'native:+1',
        'native:\u0663',
        'sim:123456',
        ' sim',
        'sim:0\x00',
        '@numpy',
    ):
        with pytest.raises(SpecError) as caught:
            cx.device(bad)
        assert caught.value.spec == bad
    with pytest.raises(DeviceUnavailableError) as absent:
        cx.device('sim:99')
    assert absent.value.count == 2 and absent.value.reason and absent.value.device == 'sim:99'
    for wrong in (3, 1.0, b'sim', object()):
        with pytest.raises(TypeError):
            cx.device(wrong)


def test_devices() -> None:
    d = cx.device('native')
    assert (
        d is cx.device('native:0')
        and str(d) == 'native:0'
        and (d.kind, d.index, d.physical, d.is_host) == ('native', 0, 'host', True)
    )
    assert (
        pickle.loads(pickle.dumps(d)) is d
        and copy.deepcopy(d) is d
        and d != 'native:0'
        and len({d, cx.device('native:0')}) == 1
    )
    assert cx.device_counts()['sim'] == len([s for s in cx.devices() if s.kind == 'sim'])
    before = d.memory_info().used
    x = cx.zeros(1000, device=d)
    assert d.memory_info().used == before + x.nbytes
    del x
    assert d.memory_info().used == before
    assert cx.zeros(3, device='native:0').to_device('native:1').data_ptr != 0
    y = cx.zeros(3, device='native:0')
    assert y.to_device('native:1').data_ptr == y.data_ptr and y.to_device('native:0') is not None


@pytest.mark.parametrize('values', [1j, [1j], np.array([1j]), np.complex64(1)])
def test_asarray_does_not_drop_imaginary_parts(values: object, device: str) -> None:
    for source in (values, cx.asarray(values, device=device)):
        for dtype in ('float32', 'int64', 'bool'):
            with pytest.raises(DtypeError, match='imaginary'):
                cx.asarray(source, dtype=dtype, device=device)
        assert cx.asarray(source, dtype='complex64', device=device).dtype == 'complex64'


@pytest.mark.parametrize('never', [False, 0, np.False_])
def test_every_false_forbids_asarray_to_copy(never: object) -> None:
    x = np.ones(2)
    assert cx.asarray(x, copy=never, device='native:0').data_ptr == x.ctypes.data
    for more in ({'device': FIRST}, {'dtype': 'float32'}):
        with pytest.raises(CopyRequiredError):
            cx.asarray(x, copy=never, **more)
    with pytest.raises(CopyRequiredError):
        cx.asarray([1.0], copy=never)
