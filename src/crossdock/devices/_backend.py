"""The contract of a back-end: all that crossdock wants to know of an array library.

To add a library, write one file with a subclass of `Backend`, make one instance of it, and name that instance in the
entry-point group ``crossdock.backends``. Nothing else changes. `crossdock.devices.testing.BackendContract` tests it.

A back-end's file is imported to answer questions, so it must not import its library at the top: `xp` and the methods
that receive arrays may, everything else must answer without.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.core import MemoryInfo
from crossdock.core.exchange import Reader, Writer
from crossdock.devices._dtype import cast_into
from crossdock.errors import DeviceError, GraphError
from crossdock.transfer import ArrayFacts, PlaceFacts

if TYPE_CHECKING:
    from crossdock.devices._device import Device

__all__ = ['CONTRACT_VERSION', 'Backend', 'MemoryInfo', 'parse_index']

CONTRACT_VERSION = 1

_INDEX = re.compile(r'0|[1-9][0-9]{0,4}', re.ASCII)
_DEFAULT_DTYPES = {bool: 'bool', int: 'int64', float: 'float64', complex: 'complex128'}


def parse_index(text: str) -> str:
    """Check that `text` is an index (ASCII, no sign, no leading zero, at most five digits) and return it."""
    if not _INDEX.fullmatch(text):
        raise ValueError(f'{text[:20]!r} is not an index')
    return text


class Backend:
    """One array library, or one kind of device of it. Subclasses answer for theirs.

    A *suffix* is what stands after the colon of a spec, in canonical form; it is '' for a kind that takes none.

    Attributes
    ----------
    contract_version : int
        The version of this contract that the back-end was written for.
    kind : str
        The kind's name, a lower-case ASCII identifier. The spec is ``@kind`` or ``@kind:suffix``.
    prefix : str
        '@' for the devices of an array library, '' for those of the bundled core.
    library : str
        Kinds with the same library have the same array type.
    module_name : str
        The library's top-level module. While it is not in `sys.modules`, no object can be an array of it.
    inner_modules : tuple of str
        Other top-level modules whose code is the library's own. A trace looks for the user's line outside of both.
    grammar : str
        The suffix's grammar for error messages, such as ``:N``.
    example : str
        A suffix that stands for the usual device, used in suggestions.
    reports_transfers : bool
        Whether the library announces its own copies through `observe`, those that `copy_in` and `copy_out` make
        included.
    device_class : type or None
        The class of its devices; None for plain `Device`.
    """

    contract_version: int = CONTRACT_VERSION
    kind: str
    prefix: str = '@'
    library: str
    module_name: str
    inner_modules: tuple[str, ...] = ()
    grammar: str = ''
    example: str = ''
    reports_transfers: bool = False
    device_class: type[Device] | None = None

    # -- names ---------------------------------------------------------------------------------------------------

    def parse_suffix(self, suffix: str | None) -> str:
        """The canonical form of what stands after the colon; None means that there is no colon.

        Raises
        ------
        ValueError
            Not in the grammar; the message says why.
        """
        if suffix is not None:
            raise ValueError(f'{self.prefix}{self.kind} takes nothing after its name')
        return ''

    def index_of(self, suffix: str) -> int | None:
        """The device's number, None for a kind that has only one device."""
        return int(suffix) if suffix.isdecimal() else None

    def spec(self, suffix: str) -> str:
        """The spec of a device."""
        return f'{self.prefix}{self.kind}:{suffix}' if suffix else f'{self.prefix}{self.kind}'

    def from_native_device(self, device: Any) -> str | None:
        """The suffix of one of the library's own device objects; None for any other object."""
        return None

    # -- what is here; must not initialise a GPU runtime ---------------------------------------------------------

    def unavailable(self) -> str:
        """Why no device of the kind works here; '' if one does."""
        return ''

    def suffixes(self) -> Sequence[str]:
        """The devices that work here, in order. Asked only where `unavailable` says ''."""
        return ('',)

    def has(self, suffix: str) -> bool:
        """Whether that device works here. Asked only where `unavailable` says ''."""
        return suffix in self.suffixes()

    def missing(self) -> Mapping[str, str]:
        """Devices that one would look for here in vain, by suffix, and why. Asked only where `unavailable` says ''.

        For a library of several places, such as the host and GPUs: one device for each place that has none.
        """
        return {}

    def canonical(self, suffix: str) -> str:
        """The suffix that a device prints, for one that is another name of it. Asked only for devices that work."""
        return suffix

    def fallback_spec(self, suffix: str) -> str:
        """Spec of the device that runs what this one has no function for."""
        raise DeviceError(f'{self.spec(suffix)} has no device to fall back to', device=self.spec(suffix))

    #: Where a pickled device of the kind is restored to if it is absent then.
    host_spec: str = '@numpy'

    # -- devices -------------------------------------------------------------------------------------------------

    @property
    def xp(self) -> ModuleType:
        """The namespace of array functions. Imports the library."""
        raise NotImplementedError

    def place(self, suffix: str) -> PlaceFacts:
        """Facts about a device, for plans."""
        raise NotImplementedError

    def native_device(self, suffix: str) -> Any:
        """The library's own device object; None if it has none."""
        return None

    def memory_info(self, suffix: str) -> MemoryInfo:
        """The device's memory."""
        return MemoryInfo(None, None, None, None)

    def synchronise(self, suffix: str) -> None:
        """Wait until all work queued on the device is done."""

    def default_dtype(self, scalar_type: type) -> np.dtype[Any]:
        """The data type that a Python bool, int, float or complex becomes."""
        return np.dtype(_DEFAULT_DTYPES[scalar_type])

    # -- arrays --------------------------------------------------------------------------------------------------

    def array_types(self) -> tuple[type, ...]:
        """The library's array types. Asked only when `module_name` has been imported by somebody."""
        raise NotImplementedError

    def owns(self, array_type: type) -> bool:
        """Whether arrays of that type belong to the library; imports nothing."""
        return self.module_name in sys.modules and issubclass(array_type, self.array_types())

    def device_of(self, array: Any) -> str:
        """The spec of the device where an array lives.

        Raises
        ------
        CrossdockError
            It lives nowhere, or in several places.
        """
        raise NotImplementedError

    def facts(self, array: Any) -> ArrayFacts:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def adopt(self, producer: Any) -> Any:
        """An array of this library over the memory of an unknown object.

        The object has ``__dlpack__`` and ``__dlpack_device__``, or ``__cuda_array_interface__``.

        Returns
        -------
        array or None
            None if the library does not reach that memory.
        """
        return None

    def alias_out(self, array: Any) -> Any:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def create(self, source: Any, dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        """See `crossdock.transfer.Port`. Asked only where the place is immutable, and then `allocate` is not."""
        raise NotImplementedError

    def permute(self, array: Any, axes: tuple[int, ...]) -> Any:
        """See `crossdock.transfer.Port`."""
        return self.xp.permute_dims(array, axes)

    def is_pinned(self, view: np.ndarray[Any, Any], place: PlaceFacts) -> bool:
        """Whether a host view is contiguous and lies in memory that copies to `place` need not wait for."""
        return False

    def pack(self, blocks: list[list[tuple[np.ndarray[Any, Any], np.dtype[Any]]]], place: PlaceFacts) -> list[Any]:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def plain_arrays(self, leaves: list[Any], place: PlaceFacts, below_nbytes: int) -> list[Any] | None:
        """See `crossdock.transfer.Port`."""
        return None

    def unpack(self, blocks: list[list[tuple[np.ndarray[Any, Any], Any]]], place: PlaceFacts) -> None:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def copy(self, dst: Any, src: Any) -> None:
        """See `crossdock.transfer.Port`."""
        raise NotImplementedError

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        """See `crossdock.transfer.Port`. This one does for libraries whose memory is the host's."""
        cast_into(self.alias_out(dst), view)

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        """See `crossdock.transfer.Port`. This one does for libraries whose memory is the host's."""
        cast_into(view, self.alias_out(src))

    def copy_where(self, dst: Any, src: Any, where: Any) -> None:
        """Write `src` into `dst` where the boolean array `where`, all three of this library, is true."""
        wanted = self.facts(dst)
        if wanted.place.physical == 'host':
            cast_into(self.alias_out(dst), self.alias_out(src), where=self.alias_out(where))
            return
        have = self.facts(src)
        if have.dtype != wanted.dtype:
            # The namespace's own `where` would promote, or refuse to.
            converted = self.allocate(have.shape, wanted.dtype, wanted.place)
            self.copy(converted, src)
            src = converted
        self.copy(dst, self.xp.where(where, src, dst))

    def reader(self, array_type: type) -> Reader | None:
        """The compiled way to read arrays of exactly that type where a plan would only alias them; None: none.

        See `crossdock.core.exchange`.
        """
        return None

    def writer(self, suffix: str) -> Writer | None:
        """The compiled way to make arrays for a device where a plan would only alias, or copy unseen; None: none."""
        return None

    def detach(self, array: Any) -> Any:
        """The same memory without the differentiable graph."""
        raise GraphError(f'{self.library} arrays have no detach()')

    # -- transfers that the library makes by itself --------------------------------------------------------------

    def observe(self, hook: Callable[..., Any] | None) -> None:
        """Call `hook` before each of the library's own transfers from now on; stop, if it is None.

        The hook is called as ``hook(op, nbytes, source, target, implicit, host, route)``, with specs for `source` and
        `target`; the last three may be omitted. If it raises, nothing must be copied. It may return an
        `Event`, whose `seconds` is to be set when the transfer is over, if the library tells.
        """
