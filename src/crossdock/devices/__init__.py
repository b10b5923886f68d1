"""Names of places where arrays can live, and all that brings arrays from one to another."""

from crossdock.core import exchange as _exchange
from crossdock.devices._arrivals import observe_arrivals as _observe_arrivals
from crossdock.devices._available import DeviceRow, available_devices, choose_device, describe_devices
from crossdock.devices._backend import CONTRACT_VERSION, Backend, MemoryInfo, parse_index
from crossdock.devices._context import core_default as _core_default
from crossdock.devices._context import current_device, using_device
from crossdock.devices._convert import from_core, to_core, to_cpu, to_gpu, to_numpy
from crossdock.devices._copyto import copyto
from crossdock.devices._device import Device
from crossdock.devices._driver import watch_cuda_driver as _watch_cuda_driver
from crossdock.devices._lookup import get_device
from crossdock.devices._modules import get_array_module, get_device_from_array
from crossdock.devices._plan import TreePlan, plan
from crossdock.devices._registry import register_backend
from crossdock.devices._resident import DeviceResident, Visitor
from crossdock.devices._shorthands import CoreDevice, CpuDevice, GpuDevice, Intel64Device
from crossdock.transfer import find_memories_by as _find_memories_by
from crossdock.transfer import register_observer as _register_observer
from crossdock.transfer import watch_driver_by as _watch_driver_by

__all__ = [
    'get_device',
    'Device',
    'CpuDevice',
    'GpuDevice',
    'Intel64Device',
    'CoreDevice',
    'MemoryInfo',
    'available_devices',
    'describe_devices',
    'DeviceRow',
    'choose_device',
    'current_device',
    'using_device',
    'get_array_module',
    'get_device_from_array',
    'copyto',
    'plan',
    'TreePlan',
    'to_numpy',
    'to_cpu',
    'to_gpu',
    'to_core',
    'from_core',
    'DeviceResident',
    'Visitor',
    'Backend',
    'CONTRACT_VERSION',
    'parse_index',
    'register_backend',
]

_exchange.set_default_device(_core_default)
_find_memories_by(lambda spec: get_device(spec).physical)
_register_observer(_observe_arrivals)
_watch_driver_by(_watch_cuda_driver)
