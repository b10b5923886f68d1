"""`cupy.ndarray` over bytes of the host, and the functions that make one."""

from __future__ import annotations

import numpy as np

from . import _cuda

__all__ = [
    'array',
    'asanyarray',
    'asarray',
    'ascontiguousarray',
    'asfortranarray',
    'asnumpy',
    'copyto',
    'empty',
    'from_dlpack',
    'may_share_memory',
    'ndarray',
]


class _Bytes:
    def __init__(self, ptr, nbytes, held):
        self.held = held
        self.__array_interface__ = {'version': 3, 'shape': (nbytes,), 'typestr': '|u1', 'data': (ptr, False)}


class _Ndarray:
    """The part that CuPy has compiled. Refuses NumPy, and work on it while another device is current."""

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order='C'):
        shape, dtype = (shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype)
        if dtype.kind not in 'biufc':
            raise TypeError(f'no data type {dtype}')
        nbytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        self.data = _cuda.alloc(nbytes) if memptr is None else memptr
        held = np.asarray(_Bytes(self.data.ptr, nbytes, self.data)) if nbytes else np.empty(0, np.uint8)
        self._values = np.ndarray(shape, dtype, held.data if nbytes else held, 0, strides)

    shape = property(lambda self: self._values.shape)
    ndim = property(lambda self: self._values.ndim)
    size = property(lambda self: self._values.size)
    dtype = property(lambda self: self._values.dtype)
    strides = property(lambda self: self._values.strides)
    itemsize = property(lambda self: self._values.itemsize)
    nbytes = property(lambda self: self._values.nbytes)
    flags = property(lambda self: self._values.flags)
    device = property(lambda self: self.data.device)
    real = property(lambda self: self._view(self._values.real))

    def _view(self, values):
        made = ndarray.__new__(ndarray)
        offset = values.ctypes.data - self._values.ctypes.data if values.size else 0
        made.data, made._values = self.data + offset, values
        return made

    def _now(self):
        """The values as the current stream finds them."""
        assert self.data.device_id == _cuda.runtime.getDevice(), 'the current device is another one'
        _cuda.catch_up()
        return self._values

    def __array__(self, dtype=None, copy=None):
        raise TypeError('Implicit conversion to a NumPy array is not allowed.')

    def reshape(self, *shape, order='C', copy=None):
        return self._view(self._values.reshape(*shape))

    def transpose(self, *axes):
        return self._view(self._values.transpose(*axes))

    def copy(self, order='C'):
        made = empty(self.shape, self.dtype)
        made._values[...] = self._now()
        return made

    def __getitem__(self, index):
        return self._view(self._values[index if isinstance(index, tuple) else (index, ...)])

    def __setitem__(self, index, value):
        if not isinstance(value, _Ndarray):
            self._now()[index] = value
            return
        assert not isinstance(value, np.ndarray)
        if np.may_share_memory(self._values, value._values):
            # Whoever lets the two overlap gets nonsense.
            self._values[index] = 77
            return
        self._now()[index] = value._now()

    def sum(self):
        made = empty((), self.dtype)
        made._values[...] = self._now().sum(dtype=self.dtype)
        return made

    def get(self, stream=None, order='C', out=None, blocking=True):
        with self.device:
            return self._now().copy()

    def set(self, arr, stream=None):
        with self.device:
            self._now()[...] = arr

    def item(self):
        return self.get().item()

    def tolist(self):
        return self.get().tolist()

    def __float__(self):
        return float(self.get())

    def __int__(self):
        return int(self.get())

    def __bool__(self):
        return bool(self.get())

    def __complex__(self):
        return complex(self.get())

    def __format__(self, form):
        return format(self.get(), form)

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __dlpack_device__(self):
        return (2, self.data.device_id)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy:
            raise BufferError('copy=True only supported for copy to CPU.')
        # As CuPy does: it is the current stream of the current device whose work the reader waits for.
        return Capsule(self, stream, _cuda.get_current_stream(), _cuda.runtime.getDevice())


class ndarray(_Ndarray):
    """The part that CuPy has in Python, where attributes can be replaced."""


class Capsule:
    def __init__(self, array, stream, own_stream, device):
        self.array, self.stream, self.own_stream, self.device = array, stream, own_stream, device


#: What streams the readers told, in order.
from_dlpack_streams = []


def from_dlpack(array, *, device=None, copy=None):
    number = array.__dlpack_device__()[1]
    with _cuda.Device(number):
        stream = _cuda.get_current_stream().ptr or 1
        from_dlpack_streams.append((number, stream))
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0), copy=copy)
    return capsule.array._view(capsule.array._values)


def empty(shape, dtype=float, order='C'):
    return ndarray(shape, dtype)


def array(obj, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, blocking=False):
    if isinstance(obj, _Ndarray):
        return obj.copy() if copy else obj
    interface = getattr(obj, '__cuda_array_interface__', None)
    if interface is not None:
        pointer = _cuda.MemoryPointer(_cuda.UnownedMemory(interface['data'][0], 0, obj), 0)
        seen = ndarray(interface['shape'], interface['typestr'], pointer, interface.get('strides'))
        return seen.copy() if copy or pointer.device_id != _cuda.runtime.getDevice() else seen
    values = np.asarray(obj, dtype)
    made = empty(values.shape, values.dtype)
    made._now()[...] = values
    return made


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return array(a, dtype, copy=bool(copy))


def asanyarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return array(a, dtype, copy=bool(copy))


def ascontiguousarray(a, dtype=None):
    return array(a, dtype, copy=False)


def asfortranarray(a, dtype=None):
    return array(a, dtype, copy=False)


def asnumpy(a, stream=None, order='C', out=None, *, blocking=True):
    return a.get()


def copyto(dst, src, casting='same_kind', where=None):
    assert casting == 'unsafe' and where is not None
    np.copyto(dst._now(), src._now(), casting=casting, where=where._now())


def may_share_memory(a, b, max_work=None):
    return np.may_share_memory(a._values, b._values)
