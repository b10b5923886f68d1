"""Reports from the field that no other test holds, and some of those of `tests/devices` with every library here."""

import copy
import ctypes
import sys
import threading
import timeit
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock import errors

from ..accelerator import FIRST, SECOND

sys.path.insert(0, str(Path(__file__).parents[1]))
from producers import Producer


def _works(spec):
    try:
        xd.get_device(spec)
    except errors.DeviceUnavailableError:
        return False
    return True


HERE = [spec for spec in ('@numpy', 'native:0', 'native:1', FIRST, SECOND, '@torch:cpu', '@jax:0') if _works(spec)]
WRITABLE = [spec for spec in HERE if not spec.startswith('@jax')]
HOST = [spec for spec in HERE if xd.get_device(spec).physical == 'host']

every = pytest.mark.parametrize('spec', HERE)


# -- DLPack exchange ---------------------------------------------------------------------------------------------------


@every
def test_bools_both_ways(spec):
    # pytorch/pytorch#114673, NVIDIA/warp#1619, jax-ml/jax#19352: bool was refused.
    values = (ctypes.c_uint8 * 4)(0, 1, 1, 0)
    x = xd.get_device(spec).send(Producer(values, (4,), dtype=(6, 8, 1)))
    back = xd.to_numpy(x)
    assert back.dtype == np.bool_ and back.tolist() == [False, True, True, False]
    if spec in HOST:
        again = np.from_dlpack(x)
        assert again.dtype == np.bool_ and again.tolist() == back.tolist()


@pytest.mark.parametrize('spec', [spec for spec in HOST if spec.startswith('native')])
def test_a_view_exports_its_own_first_element(spec):
    # pytorch/pytorch#182924: the export of a view began where the whole does.
    x = xd.get_device(spec).send(np.arange(24.0).reshape(4, 6))
    for view in (x[1:, 2:], x[2], x[:, 5], x[::-1, 1::2], x[3:, 4:][0, 1]):
        want = xd.to_numpy(view)
        np.testing.assert_array_equal(np.from_dlpack(view), want)
        for target in HERE:
            dtype = 'float32' if target.startswith('@jax') else None
            np.testing.assert_array_equal(xd.to_numpy(xd.get_device(target).send(view, dtype=dtype)), want)


def test_an_export_takes_no_longer_for_odd_strides():
    # pytorch/pytorch#162113: every export paid for mending strides that few have.
    plain = xd.get_device('native:0').send(np.ones((8, 8)))
    odd = xd.get_device('native:0').send(np.ndarray((1, 64), 'f8', bytearray(1024), strides=(3, 8)))

    def best(x):
        return min(timeit.repeat(lambda: x.__dlpack__(max_version=(1, 0)), number=200, repeat=15))

    assert best(plain) < 10 * best(odd) and best(odd) < 10 * best(plain)


@every
def test_nothing_but_the_values_is_believed_of_a_type(spec):
    # dmlc/dlpack#97, cupy/cupy#9015: bytes of the other order were taken as they are.
    for bad in (np.arange(3, dtype='>f4'), np.arange(3, dtype='>i8')):
        with pytest.raises(errors.DtypeError, match='byte'):
            xd.get_device(spec).send(bad)
    with pytest.raises(errors.DtypeError):
        xd.get_device(spec).send(np.ones(2), dtype='>f4')


@every
@pytest.mark.parametrize('shape', [(0,), (1, 8, 0, 128), (0, 5), (3, 0)])
@pytest.mark.parametrize('source', HERE)
def test_zero_size_between_any_two(spec, shape, source):
    # microsoft/onnxruntime#27450, NVIDIA/cudf#11449, PaddlePaddle/Paddle#78565
    x = xd.get_device(source).send(np.zeros(shape, 'float32'))
    y = xd.get_device(spec).send(x)
    assert xd.to_numpy(y).shape == shape
    assert xd.get_device_from_array(y) is xd.get_device(spec)


@every
def test_a_list_or_nothing_is_told_by_its_own_name(spec):
    # explosion/thinc#741
    assert xd.get_device(spec).send(None) is None
    assert [float(x) for x in map(xd.to_numpy, xd.get_device(spec).send([1, 2]))] == [1, 2]
    with pytest.raises(errors.UnknownArrayError, match='object'):
        xd.get_device(spec).send(object())


def test_readers_of_other_libraries_get_what_is_there():
    # jax-ml/jax#4196 and others: strides were ignored on import.
    torch = pytest.importorskip('torch')
    x = xd.get_device('native:0').send(np.arange(12, dtype='float32').reshape(3, 4))
    for view in (x[:, :2], x.T, x[::2], x[1:, 1:3]):
        np.testing.assert_array_equal(torch.from_dlpack(view).numpy(), xd.to_numpy(view))


def test_jax_reads_what_it_can_lay_out():
    jax = pytest.importorskip('jax')
    x = xd.get_device('native:0').send(np.arange(12, dtype='float32').reshape(3, 4))
    for view in (x, x.T, x[1:]):
        np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(view)), xd.to_numpy(view))
    with pytest.raises((BufferError, RuntimeError)):
        jax.dlpack.from_dlpack(x[:, :2])


# -- aliasing, lifetime ------------------------------------------------------------------------------------------------


@every
def test_copies_of_arrays_keep_their_type_and_place(spec):
    # jax-ml/jax#2632, explosion/thinc#812, cupy/cupy#254
    x = xd.get_device(spec).send(np.arange(3, dtype='float32'))
    with xd.using_device(FIRST):
        again = copy.deepcopy(x)
    assert type(again) is type(x) and xd.get_device_from_array(again) is xd.get_device(spec)
    assert xd.to_numpy(again).tolist() == [0, 1, 2]


@every
def test_send_home_and_copies_of_it(spec):
    # pytorch/pytorch#115405, #108408
    device = xd.get_device(spec)
    x = device.send(np.ones(3, 'float32'))
    assert device.send(x) is x
    own = device.send(x, copy=True)
    assert own is not x
    if spec in HOST:
        assert not np.may_share_memory(xd.to_numpy(own), xd.to_numpy(x))


@every
def test_a_source_may_change_or_go_after_send(spec):
    # cupy/cupy#7820, pytorch/pytorch#86264, #130785
    for act in (lambda a: a.fill(9), lambda a: None):
        a = np.arange(50_000, dtype='float32')
        there = xd.get_device(spec).send(a, copy=True)
        act(a)
        del a
        np.testing.assert_array_equal(xd.to_numpy(there), np.arange(50_000, dtype='float32'))


# -- devices -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'bad',
    ['', '@', '@nope', 'native:-1', 'native:1x', 'cuda:x', '@torch:gpu', '@jax:a', None, -2, 1.0, True, b'cuda'],
)
def test_what_names_no_device_is_told_what_does(bad):
    # chainer/chainer#6394, #7401
    with pytest.raises((errors.SpecError, errors.SpecTypeError)) as caught:
        xd.get_device(bad)
    assert repr(bad) in str(caught.value) and {'@numpy', '@torch', '@jax', 'native'} <= set(caught.value.known)


@pytest.mark.parametrize('spec', ['cuda:9', '@cupy:9', '@torch:cuda:9', '@jax:99', 'native:9', 'sim:9'])
def test_an_absent_device_is_told_why(spec):
    # chainer/chainer#7145
    with pytest.raises(errors.DeviceUnavailableError) as caught:
        xd.get_device(spec)
    assert spec in str(caught.value) and caught.value.reason


@every
def test_devices_compare_with_anything(spec):
    # scikit-learn/scikit-learn#29107, #30454
    device = xd.get_device(spec)
    assert device != object() and device != spec and device not in {spec, 'cpu', None}
    native = device.native
    assert native is None or xd.get_device(native) is device
    assert (device == native) is False


@every
def test_the_current_device_is_left_alone(spec):
    # cupy/cupy#5913, #6569, chainer/chainer#4144, #2141
    with xd.using_device(SECOND):
        x = xd.get_device(spec).send(np.ones(2, 'float32'))
        xd.to_numpy(x)
        with pytest.raises(TypeError):
            xd.get_device(spec).send([x, object()])
        assert xd.current_device() is xd.get_device(SECOND)


@every
def test_contexts_nest_and_threads_begin_anew(spec):
    # pytorch/pytorch#131328, #148874, #115917
    seen = []
    with xd.using_device(FIRST), xd.using_device(spec):
        assert xd.current_device() is xd.get_device(spec)
        thread = threading.Thread(target=lambda: seen.append(xd.current_device()))
        thread.start()
        thread.join()
    assert seen == [xd.get_device('@numpy')]


# -- modules, wrappers, mixing -----------------------------------------------------------------------------------------


@every
def test_module_and_device_agree(spec):
    # cupy/cupy#554, chainer/chainer#4113, scipy/scipy#25357, data-apis/array-api-compat#164, #165, #202
    device = xd.get_device(spec)
    x = device.send(np.ones(2, 'float32'))
    for arguments in ((x,), (x, 1.0), (None, x), ([1, 2], x), (np.float32(1), x), ([x, [x, 2]],), (np.bool_(True), x)):
        assert xd.get_array_module(*arguments) is device.xp
        assert xd.get_device_from_array(*arguments) is device
    for ask in (xd.get_array_module, xd.get_device_from_array):
        with pytest.raises(errors.UnknownArrayError):
            ask(x, object())


@pytest.mark.parametrize('target', HERE)
@pytest.mark.parametrize('kind', ['series', 'buffer', 'interface'])
def test_objects_with_arrays_inside_go_everywhere(target, kind):
    # scikit-learn/scikit-learn#34046: some targets took them, others did not.
    class Series:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3, dtype='float32')

    class Interface:
        array = np.arange(3, dtype='float32')
        __array_interface__ = array.__array_interface__

    value = {'series': Series, 'buffer': lambda: memoryview(np.arange(3, dtype='float32')), 'interface': Interface}[
        kind
    ]()
    there = xd.get_device(target).send(value)
    assert xd.get_device_from_array(there) is xd.get_device(target)
    assert xd.to_numpy(there).tolist() == [0, 1, 2]


@pytest.mark.parametrize('spec', ['native:0', FIRST])
def test_arrays_of_two_libraries_do_not_mix_by_chance(spec):
    # pytorch/pytorch#46829, #59237, pydata/xarray#9952, jax-ml/jax#26764: the type depended on the order.
    x = xd.get_device(spec).send(np.ones(3, 'float32'))
    for other in HERE:
        if other.startswith(('native', 'sim', 'cuda')):
            continue
        y = xd.get_device(other).send(np.ones(3, 'float32'))
        for one, two in ((x, y), (y, x)):
            with pytest.raises(TypeError):
                one * two


def test_asarray_of_ours_takes_all_arguments():
    # numpy/numpy#25941
    x = xd.get_device('native:0').send(np.arange(3.0))
    assert np.asarray(x, copy=False).ctypes.data == xd.to_numpy(x).ctypes.data
    fresh = np.array(x, copy=True)
    fresh[0] = 9
    assert float(x[0]) == 0
    assert np.asarray(x, dtype='float32').dtype == 'float32'
    with pytest.raises(ValueError, match='copy'):
        np.asarray(x, dtype='float32', copy=False)
    for copy_ in (None, True, False):
        with pytest.raises(TypeError, match=FIRST):
            np.asarray(xd.get_device(FIRST).send(np.ones(2)), copy=copy_)


@pytest.mark.parametrize('source', HERE)
@pytest.mark.parametrize('target', WRITABLE)
def test_copyto_has_numpys_rules_for_every_pair(source, target):
    # cupy/cupy#872, #8430, chainer/chainer#7838, #8043
    def on(spec, values, dtype='float32'):
        return xd.get_device(spec).send(np.array(values, dtype), copy=True)

    src, mask = on(source, [[1, 2, 3]]), on(source, [True, False, True], bool)
    for dtype in ('float32', 'float64', 'complex64', 'float16'):
        dst = on(target, np.zeros((2, 3)), dtype)
        xd.copyto(dst, src)
        assert xd.to_numpy(dst).tolist() == [[1, 2, 3]] * 2
        xd.copyto(dst, 7, where=mask)
        assert xd.to_numpy(dst).tolist() == [[7, 2, 7]] * 2
    whole = on(target, np.zeros((2, 6)))
    xd.copyto(whole[:, ::2], src)
    assert xd.to_numpy(whole)[0].tolist() == [1, 0, 2, 0, 3, 0]
    with pytest.raises(errors.DtypeError):
        xd.copyto(on(target, np.zeros(3), 'int32'), src)
    with pytest.raises(errors.DimensionError):
        xd.copyto(on(target, np.zeros(2)), src)
    xd.copyto(on(target, np.zeros(3), 'int32'), src, casting='unsafe')
    xd.copyto(on(target, np.zeros(3), 'uint8'), True)
    with pytest.raises(errors.DtypeError):
        xd.copyto(on(target, np.zeros(3), 'uint8'), 1.5)


# -- seen in several libraries -----------------------------------------------------------------------------------------


@every
def test_lazy_negation_does_not_lose_its_sign(spec):
    torch = pytest.importorskip('torch')
    z = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex64)
    lazy = z.conj().imag
    assert lazy.is_neg() and xd.to_numpy(xd.get_device(spec).send(lazy)).tolist() == [-2, 4]
    assert xd.to_numpy(xd.get_device(spec).send({'z': z.conj()}))['z'].tolist() == [1 - 2j, 3 + 4j]
