"""Name devices, move arrays between libraries without copies where the memory is the same, see every transfer."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crossdock import core, errors
from crossdock.devices import (
    CoreDevice,
    CpuDevice,
    Device,
    DeviceResident,
    GpuDevice,
    Intel64Device,
    TreePlan,
    available_devices,
    choose_device,
    copyto,
    current_device,
    describe_devices,
    from_core,
    get_array_module,
    get_device,
    get_device_from_array,
    plan,
    to_core,
    to_cpu,
    to_gpu,
    to_numpy,
    using_device,
)
from crossdock.transfer import Plan, Transfer, TransferLog, trace_transfers, transfer_guard

if TYPE_CHECKING:
    from crossdock import serializers
    from crossdock.serializers import (
        convert,
        load,
        load_hdf5,
        load_npz,
        load_safetensors,
        load_zarr,
        open_archive,
        save,
        save_hdf5,
        save_npz,
        save_safetensors,
        save_zarr,
    )

__all__ = [
    '__version__',
    'core',
    'errors',
    # places
    'get_device',
    'Device',
    'CpuDevice',
    'GpuDevice',
    'Intel64Device',
    'CoreDevice',
    'available_devices',
    'describe_devices',
    'choose_device',
    'current_device',
    'using_device',
    'get_array_module',
    'get_device_from_array',
    'DeviceResident',
    # moving
    'copyto',
    'to_numpy',
    'to_cpu',
    'to_gpu',
    'to_core',
    'from_core',
    # seeing
    'plan',
    'Plan',
    'TreePlan',
    'trace_transfers',
    'Transfer',
    'TransferLog',
    'transfer_guard',
    # files
    'serializers',
    'save',
    'load',
    'save_npz',
    'load_npz',
    'save_safetensors',
    'load_safetensors',
    'save_hdf5',
    'load_hdf5',
    'save_zarr',
    'load_zarr',
    'open_archive',
    'convert',
]

__version__ = '0.1.0'

_IN_SERIALIZERS = (
    'save',
    'load',
    'save_npz',
    'load_npz',
    'save_safetensors',
    'load_safetensors',
    'save_hdf5',
    'load_hdf5',
    'save_zarr',
    'load_zarr',
    'open_archive',
    'convert',
)


def __getattr__(name: str) -> Any:
    # Files are read and written by few programs; the others do not pay for it.
    if name == 'serializers' or name in _IN_SERIALIZERS:
        module = import_module('crossdock.serializers')
        value = globals()[name] = module if name == 'serializers' else getattr(module, name)
        return value
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    hidden = ('Any', 'TYPE_CHECKING', 'import_module')
    return sorted({*globals(), *__all__}.difference(hidden))
