"""Holds the short cuts of `Device.send` to the plan."""

import contextlib
from functools import partial

import numpy as np

import crossdock as xd
from crossdock.devices import Device
from crossdock.errors import DeviceUnavailableError

try:
    import torch
except ImportError:
    torch = None

planned = Device.send.__wrapped__


def is_here(spec):
    with contextlib.suppress(DeviceUnavailableError):
        return bool(xd.get_device(spec))
    return False


HERE = [spec for spec in ('@numpy', 'native:0', 'native:1', '@torch:cpu', '@jax:0') if is_here(spec)]


def facts(array):
    """All that can be told about an array, strides only where they lead somewhere."""
    if torch is not None and isinstance(array, torch.Tensor):
        step = array.element_size()
        strides, where = [stride * step for stride in array.stride()], array.data_ptr()
        rest = (array.device, array.requires_grad, array.is_neg(), array.is_conj())
    elif isinstance(array, np.ndarray):
        strides, where = array.strides, array.__array_interface__['data'][0]
        rest = (array.flags.writeable, array.flags.aligned)
    elif isinstance(array, xd.core.Array):
        strides, where, rest = array.strides, array.data_ptr, (array.readonly, str(array.device))
    else:
        strides, where, rest = (), 0, str(array)
    leads = [step for step, extent in zip(strides, array.shape) if extent > 1] if 0 not in array.shape else []
    return type(array), array.dtype, tuple(array.shape), leads, where if 0 not in array.shape else 0, rest


def outcome(send, *arrays):
    """What a call returns, or the type and text of its error."""
    try:
        return send(*arrays)
    except Exception as error:
        return type(error), str(error)


def check_same(spec, array):
    """The short cut, asked twice as the first call may only learn, and the plan; alone, and in company."""
    device = xd.get_device(spec)
    wanted = outcome(partial(planned, device), array)
    for _ in range(2):
        got = outcome(device.send, array)
        check_equal(got, wanted, array, device)
    if isinstance(wanted, tuple):
        assert outcome(device.send, [array])[0] is wanted[0]
    else:
        company = device.send([np.float32(1), array, (array, None)])
        assert company[1] is company[2][0]
        check_equal(company[1], wanted, array, device)
    return got


def check_equal(got, wanted, array, device):
    """Whether the short cut came to the same end."""
    if isinstance(wanted, tuple):
        assert got == wanted
    elif wanted is array:
        assert got is array
    elif not xd.plan(array, device).zero_copy:
        assert facts(got)[:3] == facts(wanted)[:3]
        assert not facts(got)[4] or facts(got)[4] != facts(array)[4]
    else:
        assert facts(got) == facts(wanted)
