"""`devices.cuda` where CuPy or a GPU is not here: every name is there, and says why it does not work."""

import copy
import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import _cuda_library, cuda
from crossdock.devices.backends import _cupy
from crossdock.errors import DeviceUnavailableError

USES = {
    'check_cuda_available': lambda: cuda.check_cuda_available(),
    'cupy': lambda: cuda.cupy.zeros(3),
    'ndarray': lambda: cuda.ndarray((3,)),
    'Device': lambda: cuda.Device(0),
    'Event': lambda: cuda.Event(),
    'Stream': lambda: cuda.Stream(non_blocking=True),
    'Stream.null': lambda: cuda.Stream.null.synchronize(),
    'Stream.null in a with statement': lambda: cuda.Stream.null.__enter__(),
    'a method of the class': lambda: cuda.Event.record(),
    'a call with a stream': lambda: cuda.to_gpu(np.ones(1), stream=cuda.Stream.null),
    'get_device_from_id': lambda: cuda.get_device_from_id(0),
    'to_gpu': lambda: cuda.to_gpu(np.ones(1)),
    'to_cpu on a stream': lambda: cuda.to_cpu(np.ones(1), stream=object()),
    'copy': lambda: cuda.copy(np.ones(1)),
    'copy into': lambda: cuda.copy(np.ones(1), out=np.ones(1)),
    'elementwise': lambda: cuda.elementwise('T x', 'T y', 'y = x', 'k'),
    'reduce': lambda: cuda.reduce('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'k'),
    'raw': lambda: cuda.raw('', 'k'),
    'memory_pool': lambda: cuda.memory_pool.free_all_blocks(),
    'pinned_memory_pool': lambda: cuda.pinned_memory_pool.malloc(8),
    'share_pool': lambda: cuda.share_pool('cupy'),
}


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(_cupy.CupyBackend, 'unavailable', lambda self: 'the reason of this test')
    monkeypatch.setattr(_cuda_library, '_is_installed', lambda: False)


@pytest.mark.parametrize('name', USES)
def test_each_use_raises_the_reason(name):
    with pytest.raises(DeviceUnavailableError) as caught:
        USES[name]()
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.reason == 'the reason of this test' and 'the reason of this test' in str(caught.value)


def test_every_name_is_there():
    for name in cuda.__all__:
        assert getattr(cuda, name) is not None or name == 'available', name
    assert cuda.available is False
    assert set(dir(cuda)) == set(cuda.__all__)
    with pytest.raises(AttributeError, match='cudnn'):
        cuda.cudnn


def test_importing_it_imports_nothing():
    code = (
        'import sys; from crossdock.devices import cuda, intel64; '
        "sys.exit(any(name in sys.modules for name in ('cupy', 'torch', 'jax', 'ideep4py')))"
    )
    assert subprocess.run([sys.executable, '-c', code]).returncode == 0


def test_classes_are_good_for_isinstance():
    assert not isinstance(np.ones(1), cuda.ndarray)
    assert not isinstance(cuda.DummyDevice, cuda.Device)
    assert cuda.ndarray is cuda.ndarray and cuda.cupy is cuda.cupy
    assert np is not cuda.cupy


def test_attributes_of_classes_can_be_named_without_a_gpu():
    def synchronise(stream=cuda.Stream.null):  # a default is made when the module is imported
        with stream:
            pass

    assert repr(cuda.Stream.null) == '<crossdock.devices.cuda.Stream.null, which is not here>'
    with pytest.raises(DeviceUnavailableError, match='the reason of this test'):
        synchronise()
    for use in (iter, int, operator.index, lambda stream: stream[0], lambda stream: stream()):
        with pytest.raises(DeviceUnavailableError, match='the reason of this test'):
            use(cuda.Stream.null)
    with pytest.raises(AttributeError, match='_private'):
        cuda.Stream._private


def test_the_dummy_device():
    dummy = cuda.DummyDevice
    for nothing in (None, -1, np.int64(-1)):
        assert cuda.get_device_from_id(nothing) is dummy
    assert cuda.get_device_from_array(np.ones(1), [2, xd.core.ones(2)], None) is dummy
    assert int(dummy) == dummy.id == -1
    with dummy as inside:
        assert inside is dummy
    dummy.use()
    dummy.synchronize()
    assert dummy == cuda.DummyDeviceType() and hash(dummy) == hash(cuda.DummyDeviceType()) and dummy != -1
    assert pickle.loads(pickle.dumps(dummy)) is copy.deepcopy(dummy) is dummy
    assert repr(dummy) == '<DummyDevice>'


@pytest.mark.parametrize('wrong', [True, 1.0, '0', [0]])
def test_numbers_of_gpus_are_ints(wrong):
    with pytest.raises(TypeError, match='number of a GPU'):
        cuda.get_device_from_id(wrong)


def test_get_device_is_deprecated():
    with pytest.warns(DeprecationWarning, match='get_device_from_id'):
        assert cuda.get_device(np.ones(1), None, True) is cuda.DummyDevice


def test_what_needs_no_gpu_works():
    x = np.arange(3)
    assert cuda.to_cpu({'x': x})['x'] is x
    assert cuda.get_array_module(x) is cuda.get_array_module(1) is np
    assert cuda.get_array_module(x, xd.core.ones(1)) is xd.core  # NumPy gives way, as it always did here
    assert cuda.pinned_memory_pool.statistics().used == 0


@pytest.mark.parametrize('decorate', [cuda.fuse, cuda.fuse(), cuda.fuse(kernel_name='k')])
def test_fuse_calls_the_function_as_it_is(decorate):
    @decorate
    def add(x, y=1):
        """Doc."""
        return x + y

    assert add(1) == 2 and add(1, y=5) == 6
    assert (add.__name__, add.__doc__) == ('add', 'Doc.')


def test_the_workspace_size_is_remembered(monkeypatch):
    before = cuda.get_max_workspace_size()
    cuda.set_max_workspace_size(np.int64(1 << 20))
    assert cuda.get_max_workspace_size() == 1 << 20
    for wrong, error in ((-1, ValueError), (1.5, TypeError)):
        with pytest.raises(error):
            cuda.set_max_workspace_size(wrong)
    assert cuda.get_max_workspace_size() == 1 << 20
    cuda.set_max_workspace_size(before)


def test_share_pool_knows_its_words():
    with pytest.raises(ValueError, match="'cupy', 'core' or None"):
        cuda.share_pool('cuda')
