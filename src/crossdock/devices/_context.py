"""The current device: of this context (`using_device`), else of the process (`Device.use`, CROSSDOCK_DEVICE)."""

from __future__ import annotations

import os
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from crossdock.devices._device import Device
from crossdock.devices._lookup import get_device
from crossdock.errors import CrossdockError

__all__ = ['core_default', 'current_device', 'set_default', 'using_device']

VARIABLE = 'CROSSDOCK_DEVICE'

_blocks: ContextVar[tuple[using_device, ...]] = ContextVar('crossdock_device', default=())
_get_blocks = _blocks.get
_default: Device | None = None


def current_device() -> Device:
    """The device in force here.

    Returns
    -------
    Device
        The innermost `using_device` of this context; else the last `Device.use` in the process; else what the
        environment variable CROSSDOCK_DEVICE names; else ``@numpy``.

    Raises
    ------
    SpecError, DeviceUnavailableError
        CROSSDOCK_DEVICE names no device, or one that is not here.

    Examples
    --------
    >>> from crossdock import current_device, using_device
    >>> with using_device('sim:1'):
    ...     current_device()
    <CoreDevice sim:1>
    """
    blocks = _get_blocks()
    return blocks[-1]._device if blocks else _default or _from_environment()


class using_device:
    """Make a device the current one inside a ``with`` block.

    In force for this thread and for async tasks started inside; nests, and is undone when the block is left in
    whatever way.

    Parameters
    ----------
    spec : str, int, Device or a library's device object
        As for `get_device`, and with its errors, which come before the block is entered.

    Returns
    -------
    Device
        From the ``with`` statement, whatever its kind.

    Examples
    --------
    >>> from crossdock import using_device
    >>> with using_device('native:1') as device:
    ...     device
    <CoreDevice native:1>
    """

    __slots__ = ('_device',)

    def __init__(self, spec: Any) -> None:
        self._device = get_device(spec)

    def __enter__(self) -> Device:
        _blocks.set((*_get_blocks(), self))
        return self._device

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Not ContextVar.reset: a generator may be closed in another context than it was started in, or within a block
        # that was entered after its own and stays in force.
        blocks = _get_blocks()
        for i in reversed(range(len(blocks))):
            if blocks[i] is self:
                _blocks.set(blocks[:i] + blocks[i + 1 :])
                break


def set_default(device: Device) -> None:
    """Make a device the default of the process."""
    global _default
    _default = device


def core_default() -> Any:
    """The core's own object for the current device; None if that is no device of the core's."""
    return getattr(current_device(), 'core_device', None)


def _from_environment() -> Device:
    global _default
    spec = os.environ.get(VARIABLE) or '@numpy'
    try:
        device = get_device(spec)
    except CrossdockError as error:
        error.args = (f'{VARIABLE}={spec}: {error}',)
        raise
    # Another thread may have chosen a default in the meantime, and a choice counts more than the environment.
    _default = _default or device
    return _default
