"""An array library that nobody has heard of, and its back-end: all that a third party has to write."""

import sys

import numpy as np

from crossdock.devices import Backend, parse_index
from crossdock.transfer import ArrayFacts, PlaceFacts


class ToyArray:
    """C-contiguous elements in a bytearray; knows nothing of NumPy."""

    def __init__(self, data, shape, code, index):
        self.data, self.shape, self.code, self.index = data, shape, code, index


class ToyBackend(Backend):
    """Two devices with memories of their own: nothing can be aliased, everything is copied."""

    kind = 'toy'
    library = 'toy'
    module_name = __name__
    grammar = ':N'
    example = '0'

    def parse_suffix(self, suffix):
        if suffix is None:
            raise ValueError('@toy needs a number')
        return parse_index(suffix)

    def suffixes(self):
        return '0', '1'

    @property
    def xp(self):
        return sys.modules[__name__]

    def place(self, suffix):
        return PlaceFacts(f'@toy:{suffix}', suffix, 'toy', f'toy:{suffix}', keeps_readonly=False)

    def array_types(self):
        return (ToyArray,)

    def device_of(self, array):
        return f'@toy:{array.index}'

    def facts(self, array):
        view = self._view(array)
        return ArrayFacts(self.place(array.index), view.shape, view.dtype, view.strides)

    def alias_out(self, array):
        return array

    def allocate(self, shape, dtype, place):
        return ToyArray(bytearray(max(1, int(np.prod(shape)) * dtype.itemsize)), shape, dtype, place.suffix)

    def copy(self, dst, src):
        np.copyto(self._view(dst), self._view(src), casting='unsafe')

    def copy_in(self, dst, view, *, source, blocking=True):
        np.copyto(self._view(dst), view, casting='unsafe')

    def copy_out(self, view, src, *, target):
        np.copyto(view, self._view(src), casting='unsafe')

    def copy_where(self, dst, src, where):
        np.copyto(self._view(dst), self._view(src), casting='unsafe', where=self._view(where))

    def _view(self, array):
        return np.ndarray(array.shape, array.code, array.data)


class SharedArray:
    """A window onto host memory."""

    def __init__(self, window):
        self.window = window


class SharedBackend(Backend):
    """One device on host memory, where sending makes views; it has no read-only arrays and no negative strides."""

    kind = 'shared'
    library = 'shared'
    module_name = __name__

    @property
    def xp(self):
        return sys.modules[__name__]

    def place(self, suffix):
        return PlaceFacts('@shared', '', 'shared', 'host', keeps_readonly=False, negative_strides=False)

    def array_types(self):
        return (SharedArray,)

    def device_of(self, array):
        return '@shared'

    def facts(self, array):
        window = array.window
        return ArrayFacts(self.place(''), window.shape, window.dtype, window.strides)

    def alias_out(self, array):
        return array.window

    def alias_in(self, view, place):
        return SharedArray(view)

    def allocate(self, shape, dtype, place):
        return SharedArray(np.empty(shape, dtype))

    def copy(self, dst, src):
        np.copyto(dst.window, src.window, casting='unsafe')
