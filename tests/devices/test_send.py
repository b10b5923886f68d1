"""`send`: views where the memory is the same, copies elsewhere, and nothing at all when one leaf is refused."""

import enum

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.errors import CopyRequiredError, DtypeError, UnknownArrayError

from ..accelerator import FIRST, SECOND, simulated

SPECS = ['@numpy', 'native:0', FIRST]


@st.composite
def views(draw):
    """Any slice and permutation of a small array."""
    dtype = draw(st.sampled_from(['bool', 'int8', 'uint16', 'int64', 'float16', 'float32', 'complex128']))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    base = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    step = st.sampled_from([1, 2, -1, -2])
    index = tuple(
        slice(draw(st.none() | st.integers(-4, 4)), draw(st.none() | st.integers(-4, 4)), draw(step)) for _ in shape
    )
    view = np.asarray(base[index]).transpose(draw(st.permutations(range(len(shape)))))
    view.flags.writeable = draw(st.booleans())
    return view


@settings(deadline=None)
@given(
    views(),
    st.lists(st.sampled_from([*SPECS, 'native:1', SECOND]), min_size=1, max_size=4),
    st.sampled_from([None, True]),
)
def test_any_layout_on_any_way(view, way, copy):
    # apache/arrow#51122, IntelPython/dpctl#1241, jax-ml/jax#4196: strides ignored or refused, data permuted
    there = view
    for spec in way:
        there = xd.get_device(spec).send(there, copy=copy)
    back = xd.to_numpy(there)
    assert back.dtype == view.dtype
    np.testing.assert_array_equal(back, view)
    if copy is None and all(xd.get_device(spec).physical == 'host' for spec in way):
        assert back.flags.writeable == view.flags.writeable
        assert not view.size or np.shares_memory(back, view)
    elif copy:
        assert not np.shares_memory(back, view)


def test_zero_size_and_unit_axes():
    # NVIDIA/cudf#11449, mitsuba-renderer/drjit#122, numpy/numpy#20336: refused for strides that mean nothing
    for shape in ((0,), (1, 8, 0, 128), (0, 5), (1, 10)):
        x = np.ndarray(shape, 'f8', strides=(8,) * len(shape), buffer=bytes(80))
        for spec in SPECS:
            assert xd.to_numpy(xd.get_device(spec).send(x)).shape == shape


def test_numpy_gets_exactly_ndarray():
    # data-apis/array-api-compat#106: asked for NumPy, got something else
    class Sub(np.ndarray):
        pass

    x = np.zeros(3)
    sent = xd.get_device('@numpy').send(x.view(Sub))
    assert type(sent) is np.ndarray
    assert np.shares_memory(sent, x)


def test_copy_true_on_the_own_device():
    # pytorch/pytorch#108408: asarray(copy=True) was ignored when a device was given
    for spec in SPECS:
        device = xd.get_device(spec)
        x = device.send(np.zeros(3), copy=True)
        y = device.send(x, copy=True)
        assert y is not x
        xd.copyto(x, 1)
        assert not xd.to_numpy(y).any()


def test_own_device_is_identity(device):
    # keras-team/keras#23274: needless copies
    x = device.send(np.zeros(3), copy=True)
    assert device.send(x) is x
    assert device.send(x, copy=False) is x
    assert device.send(x, dtype=np.float64) is x


def test_copy_false_says_why():
    with pytest.raises(CopyRequiredError, match=rf"at \['a'\].*{FIRST} cannot reach the memory 'host'") as caught:
        xd.get_device(FIRST).send({'a': np.zeros(3)}, copy=False)
    assert caught.value.plan.nbytes_moved == 24
    with pytest.raises(CopyRequiredError, match='float64 becomes float32'):
        xd.get_device('native:0').send(np.zeros(3), copy=False, dtype='float32')


def test_conversion(device):
    x = np.array([1.7, -2.2])
    for dtype in ('int32', np.int32, np.dtype('int32'), xd.core.asarray(np.zeros(1, 'i4'), device='native:0').dtype):
        sent = device.send(x, dtype=dtype)
        assert xd.to_numpy(sent).tolist() == [1, -2]
    assert xd.to_numpy(device.send(x, dtype='bfloat16')).dtype.name == 'bfloat16'
    for bad in ('floaty', 'O', 'U3', '>f4', 'M8[s]', object()):
        with pytest.raises(DtypeError):
            device.send(x, dtype=bad)
    with pytest.raises(DtypeError, match='imaginary'):
        device.send(x + 1j, dtype='float64')


@pytest.mark.parametrize('name', ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'])
def test_extended_dtypes_keep_their_bits(device, name):
    # jax-ml/ml_dtypes#81, cupy/cupy#8801: bfloat16 could not pass, or crashed
    x = np.arange(4).astype(getattr(ml_dtypes, name))
    back = xd.to_numpy(device.send(x))
    assert back.dtype == x.dtype
    assert back.tobytes() == x.tobytes()
    assert np.shares_memory(back, x) == (device.physical == 'host')
    assert xd.to_numpy(device.send([1.0, 3], dtype=name))[1].dtype == x.dtype


def test_extended_dtypes_that_the_core_lacks(device):
    x = np.arange(4).astype(ml_dtypes.float8_e3m4)
    if device.kind == 'numpy':
        assert device.send(x) is x
    else:
        with pytest.raises(DtypeError, match='has no data type float8_e3m4'):
            device.send(x)


# -- leaves --------------------------------------------------------------------------------------------------------


def test_numbers(device):
    class Level(enum.IntEnum):
        HIGH = 3

    numbers = [True, 3, 2.5, 1j, Level.HIGH, np.float32(1), np.bool_(False), np.int8(-1), np.float64(0.5)]
    sent = xd.to_numpy(device.send(numbers))
    dtypes = ['bool', 'int64', 'float64', 'complex128', 'int64', 'float32', 'bool', 'int8', 'float64']
    assert [x.dtype.name for x in sent] == dtypes
    assert [x.item() for x in sent] == [True, 3, 2.5, 1j, 3, 1, False, -1, 0.5]
    assert all(x.shape == () for x in sent)


def test_a_number_that_is_too_large_is_named(device):
    with pytest.raises(OverflowError, match=r"at \['n'\]: 1180591620717411303424 does not fit into int64"):
        device.send({'n': 2**70})


@pytest.mark.parametrize(
    ('bad', 'error', 'advice'),
    [
        (np.array(['a']), DtypeError, 'strings'),
        (np.array([b'a']), DtypeError, 'byte strings'),
        (np.array([object()]), DtypeError, 'object arrays'),
        (np.array([(1, 2)], 'i4,i4'), DtypeError, 'one by one'),
        (np.array(['2020'], 'M8[Y]'), DtypeError, "view('int64')"),
        (np.array([1], 'm8[s]'), DtypeError, "view('int64')"),
        (np.arange(3, dtype='>f4'), DtypeError, 'byte-swap'),
        (np.arange(3, dtype='>c16'), DtypeError, 'byte-swap'),
        (np.longdouble(1), DtypeError, 'NumPy alone'),
        (np.array([1], np.clongdouble), DtypeError, 'NumPy alone'),
        (np.ma.array([1, 2], mask=[0, 1]), DtypeError, 'filled'),
        (np.str_('a'), DtypeError, 'strings'),
        (np.datetime64('2020'), DtypeError, "view('int64')"),
        ('text', UnknownArrayError, "'text' is no array: no device holds text"),
        (
            b'text',
            UnknownArrayError,
            'bytes may be text, which no device holds; if they are numbers, send np.frombuffer',
        ),
        ({1, 2}, UnknownArrayError, 'a set is no array'),
        (object(), UnknownArrayError, 'object is no array'),
        (np.ndarray, UnknownArrayError, 'no array'),
        (iter([1]), UnknownArrayError, 'no array'),
        (len, UnknownArrayError, 'no array'),
    ],
)
def test_what_cannot_travel(device, bad, error, advice):
    # dmlc/dlpack#97, cupy/cupy#9015: big-endian bytes were taken for little-endian ones
    for tree, path in (({'layer1': [0.0, bad]}, "['layer1'][1]"), (bad, '')):
        with pytest.raises(error) as caught:
            device.send(tree)
        assert isinstance(caught.value, TypeError)
        assert caught.value.path == path
        assert path in str(caught.value)
        assert advice in str(caught.value)


def test_a_masked_array_without_masked_elements_travels(device):
    x = np.ma.array([1, 2])
    assert xd.to_numpy(device.send(x)).tolist() == [1, 2]
    assert type(xd.to_numpy(x)) is np.ndarray


# -- around it -----------------------------------------------------------------------------------------------------


def test_progress_is_called_for_each_leaf():
    calls = []
    xd.get_device(FIRST).send([np.zeros(1), np.zeros(3)], progress=lambda done, total: calls.append((done, total)))
    assert calls == [(8, 32), (32, 32)]


def test_progress_true_is_silent_off_a_terminal(capfd):
    xd.get_device(FIRST).send([np.zeros(1)], progress=True)
    xd.get_device(FIRST).send(np.zeros(1), progress=True)
    assert capfd.readouterr() == ('', '')


def test_nothing_has_moved_when_a_leaf_is_refused():
    with xd.trace_transfers() as log, pytest.raises(TypeError):
        xd.get_device(FIRST).send([*(np.zeros(3) for _ in range(730)), object()])
    assert list(log) == []


def test_not_blocking_holds_the_source():
    # cupy/cupy#7820, pytorch/pytorch#130785: an asynchronous copy reads a source that is freed already
    device = xd.get_device(FIRST)
    sent = [device.send(np.full(50_000, i), blocking=False) for i in range(8)]
    device.synchronize()
    assert [int(xd.to_numpy(x)[-1]) for x in sent] == list(range(8))


# -- a device that fails -------------------------------------------------------------------------------------------


@pytest.fixture
def faults():
    yield xd.core.sim.inject
    xd.core.sim.clear_faults()


@simulated
def test_nothing_stays_allocated_when_memory_runs_out(faults):
    device = xd.get_device(FIRST)
    before = device.memory_info().used
    faults('oom', index=0, after=5)
    with pytest.raises(MemoryError, match=r"at \['w'\]\[5\].*800000 bytes") as caught:
        device.send({'w': [np.ones(100_000) for _ in range(9)]})
    # The error is still held here, with its traceback and all frames in it.
    assert caught.value.requested == 800_000
    assert device.memory_info().used == before


@simulated
def test_a_copy_that_fails_leaves_everything_as_it_was(faults):
    # cupy/cupy#5913, chainer/chainer#2141: another device was current after an exception
    device = xd.get_device(FIRST)
    x = device.send(np.zeros(3))
    faults('copy_error', index=0)
    with xd.using_device('native:1') as current:
        with pytest.raises(xd.errors.DeviceError, match=FIRST):
            xd.copyto(x, np.ones(3))
        with pytest.raises(xd.errors.DeviceError, match=FIRST):
            device.send(np.ones(3))
        assert xd.current_device() is current
    xd.core.sim.clear_faults()
    assert not xd.to_numpy(x).any()


@pytest.mark.parametrize('name', ['int4', 'uint4'])
def test_small_integers_turn_into_each_other_everywhere(device, name):
    other = {'int4': 'uint4', 'uint4': 'int4'}[name]
    x = np.array([0, 5, 7], 'int8').astype(getattr(ml_dtypes, name))
    sent = xd.to_numpy(device.send(x, dtype=other))
    assert sent.dtype == np.dtype(getattr(ml_dtypes, other))
    assert sent.astype('int8').tolist() == [0, 5, 7]


@pytest.mark.parametrize('never', [False, 0, np.False_])
def test_every_false_forbids_a_copy(never):
    x = np.ones(2)
    with pytest.raises(CopyRequiredError):
        xd.get_device(FIRST).send(x, copy=never)
    with pytest.raises(CopyRequiredError):
        xd.plan({'x': x}, FIRST, copy=never)


def test_copy_is_a_bool_or_none(device):
    with pytest.raises(ValueError, match="copy='never'"):
        device.send(np.ones(2), copy='never')


def test_numpy_scalars_are_values(device):
    one = np.float32(1)
    first, second = device.send([one, one])
    assert first is not second


@pytest.mark.parametrize('shape', [(4,), (2, 2), (1,)])
def test_bools_are_0_or_1_once_they_have_left_the_host(shape):
    odd = np.frombuffer(b'\x02\x00\xff\x01', bool)[: np.prod(shape)].reshape(shape)
    for spec in ('native:0', FIRST):
        for x in (odd, odd[::-1], odd.T):
            there = xd.to_numpy(xd.get_device(spec).send(x, copy=True))
            assert there.tolist() == x.tolist()
            assert there.view('uint8').max() <= 1


@pytest.mark.parametrize('wrong', ['no', 1, None])
def test_blocking_is_a_bool(wrong):
    for tree in (np.ones(2), {'x': np.ones(2)}):
        with pytest.raises(TypeError, match=f'^blocking={wrong!r}: it is True or False$'):
            xd.get_device('sim:0').send(tree, blocking=wrong)
