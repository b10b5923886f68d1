import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import DeviceError, DeviceUnavailableError, SpecError, SpecTypeError

from ..accelerator import FIRST, SECOND

SPECS = ['@numpy', 'native:0', 'native:1', FIRST, SECOND]


@pytest.mark.parametrize('spec', SPECS)
def test_a_device_is_one_value(spec):
    device = xd.get_device(spec)
    assert {device: 1}[xd.get_device(str(device))] == 1
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(device, protocol)) is device
    assert copy.copy(device) is copy.deepcopy(device) is device


def test_equal_to_nothing_else():
    # scikit-learn/scikit-learn#29107, #30454: comparing with a string or a foreign object raises or surprises
    class Hostile:
        def __eq__(self, other):
            return NotImplemented

    device = xd.get_device('native:0')
    for other in ('native:0', 0, None, object(), Hostile(), xd.get_device('native:1'), device.native):
        assert device != other
        assert other != device


def test_cannot_be_changed():
    device = xd.get_device('@numpy')
    for attempt in (
        lambda: setattr(device, 'name', 'x'),
        lambda: setattr(device, 'other', 1),
        lambda: delattr(device, 'name'),
    ):
        with pytest.raises(AttributeError):
            attempt()
    assert device.name == '@numpy'


def test_an_absent_device_is_unpickled_as_the_host_with_a_warning():
    # pytorch/pytorch#16797, ray-project/ray#50134: a pickle that was made elsewhere cannot be opened at all
    saved = pickle.dumps(xd.get_device('sim:1')).replace(b'sim:1', b'sim:7')
    with pytest.warns(UserWarning, match='sim:7'):
        assert pickle.loads(saved) is xd.get_device('native:0')


def test_a_device_of_a_kind_that_is_not_installed_is_unpickled_with_a_warning():
    saved = pickle.dumps(xd.get_device('sim:1')).replace(b'sim:1', b'sin:1')
    with pytest.warns(UserWarning, match='sin:1'):
        assert pickle.loads(saved) is xd.get_device('native:0')


def test_classes_are_another_way_to_ask():
    assert xd.CpuDevice() is xd.get_device('@numpy')
    assert xd.CoreDevice(SECOND) is xd.get_device(SECOND)
    assert xd.Device('native') is xd.get_device('native:0')
    with pytest.raises(TypeError, match='no CpuDevice'):
        xd.CpuDevice('native:0')


def test_gpu_device_from_device_id():
    for bad, error in ((-1, SpecError), (True, SpecTypeError), (1.0, SpecTypeError), (None, SpecTypeError)):
        with pytest.raises(error):
            xd.GpuDevice.from_device_id(bad)
    with pytest.raises(DeviceUnavailableError, match='@cupy:99'):
        xd.GpuDevice.from_device_id(np.int32(99))


def test_from_array():
    x = np.zeros(3)
    assert xd.CpuDevice.from_array(x) is xd.get_device('@numpy')
    assert xd.CoreDevice.from_array(x) is xd.Intel64Device.from_array(x) is xd.GpuDevice.from_array(x) is None
    there = xd.get_device(SECOND).send(x)
    assert xd.CoreDevice.from_array(there) is xd.Device.from_array(there) is xd.get_device(SECOND)
    for other in (None, 1.0, [x], 'native:0', object()):
        assert xd.Device.from_array(other) is None


def test_native_devices_are_accepted():
    # scikit-learn/scikit-learn#30454: a library's own device objects are not understood
    for spec in SPECS[1:]:
        assert xd.get_device(xd.get_device(spec).native) is xd.get_device(spec)
        assert xd.get_device(spec).core_device is not None
    assert xd.get_device('@numpy').native is None


def test_supported_arrays():
    numpy, native, sim = map(xd.get_device, ('@numpy', 'native:0', FIRST))
    x = np.zeros(3)
    assert numpy.supported_array_types == (np.ndarray,)
    assert numpy.is_array_supported(x)
    assert not native.is_array_supported(x)
    assert not numpy.is_array_supported(1.0)
    assert sim.is_array_supported(sim.send(x))
    assert not native.is_array_supported(sim.send(x))
    assert sim.xp is native.xp is xd.core
    assert numpy.xp is np


def test_fallback_device():
    assert xd.get_device('native:1').fallback_device is xd.get_device('@numpy')
    assert xd.get_device('@numpy').fallback_device is xd.get_device('@numpy')
    with pytest.raises(DeviceError, match='simulated memory'):
        _ = xd.get_device('sim:0').fallback_device


def test_physical_memory():
    assert {xd.get_device(spec).physical for spec in ('@numpy', 'native:0', 'native:1')} == {'host'}
    assert xd.get_device(FIRST).physical != xd.get_device(SECOND).physical


def test_memory_info():
    info = xd.get_device('@numpy').memory_info()
    assert 0 < info.free <= info.total
    assert info.used is None


def test_with_device_points_to_using_device():
    with pytest.raises(TypeError, match=r"using_device\('native:0'\)"), xd.get_device('native:0'):
        pass


def test_listing_imports_no_library():
    libraries = {'torch', 'jax', 'cupy', 'rich', 'optree'}
    code = f'import crossdock, sys; crossdock.describe_devices(); print({libraries} & set(sys.modules))'
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == 'set()'


def test_describe_devices():
    rows = xd.describe_devices()
    kinds = {row['kind'] for row in rows}
    assert {'numpy', 'native', 'sim', 'cuda', 'cupy', 'intel64'} <= kinds
    assert not any('@' in kind for kind in kinds)
    assert all(bool(row['reason']) != row['available'] for row in rows)
    assert [row['spec'] for row in rows if row['available']] == [str(device) for device in xd.available_devices()]
    for row in rows:
        if not row['available'] and row['spec'] not in ('@broken',):
            with pytest.raises((DeviceUnavailableError, SpecError)):
                xd.get_device(row['spec'])


def test_choose_device():
    device, reason = xd.choose_device()
    assert device.kind in ('cupy', 'native')
    assert reason
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert xd.choose_device()[0] is device
