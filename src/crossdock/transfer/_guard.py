"""Forbid transfers, or hear of them: `transfer_guard`."""

from __future__ import annotations

import functools
import logging
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Literal, ParamSpec, Self, TypeVar, cast, get_args

from crossdock.errors import TransferForbiddenError
from crossdock.transfer._hook import Event, listen, unlisten
from crossdock.transfer._memories import direction
from crossdock.transfer._row import Transfer, bytes_of, row_of
from crossdock.transfer._where import current_path, located, user_frame, user_line

__all__ = ['TransferWarning', 'foresee', 'guarded', 'transfer_guard']

Level = Literal['allow', 'log', 'warn', 'disallow']
#: From lenient to strict.
LEVELS: tuple[str, ...] = get_args(Level)
ALLOW, LOG, WARN, DISALLOW = range(len(LEVELS))

_log = logging.getLogger('crossdock.transfer')
P = ParamSpec('P')
R = TypeVar('R')


class TransferWarning(UserWarning):
    """What a transfer guard on the level 'warn' says about a transfer."""


class transfer_guard:
    """Say what becomes of the transfers that happen inside a ``with`` block, or in each call of a function.

    Each argument is a level: ``'allow'``, ``'log'`` (a record of the logger 'crossdock.transfer'), ``'warn'`` (a
    `TransferWarning` at the user's line) or ``'disallow'``. None leaves the setting as it is outside; outside of
    all guards everything is allowed.

    Parameters
    ----------
    implicit : level, optional
        Transfers that nobody asked for by name, such as ``float(x)``, ``x.tolist()``, ``1 in x`` and ``x[mask]`` on an
        accelerator.
    explicit : level, optional
        Those that were asked for: `Device.send`, `to_numpy`, `copyto`, loading and saving.
    host_to_device, device_to_host, device_to_device : level, optional
        All transfers of a direction. A copy between accelerators that meet in host memory is one to the host and one
        from it.

    Raises
    ------
    ValueError
        For another level.
    TransferForbiddenError
        From whatever wants to transfer inside, on the level ``'disallow'``. Nothing has moved then, and the error's
        attribute `transfer` has the facts.

    Notes
    -----
    Of each setting the innermost guard that has it counts, and of those that apply to a transfer (one of the first
    two, one of the others) the strictest.

    A guard belongs to the context: to this thread, and to the async tasks that are started inside, until its block
    ends. Other threads are not guarded, and cannot disarm it. A generator that yields inside the block leaves the guard
    in force for whoever runs meanwhile, as `contextlib.contextmanager` wants it.

    Above a function, also an ``async`` one, it is a decorator: each call has a guard of its own. Generators are refused
    there, for the guard would be in force between their values too; write ``with`` inside of them.

    Where values are forbidden, ``repr`` and formatting show an array without them. Scalars of arrays in host memory
    leave no memory, and are always allowed.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> x = xd.get_device('sim:0').send(np.arange(3.0))
    >>> with xd.transfer_guard('disallow'):
    ...     y = x * 2 + x[0]  # stays on the device
    ...     host = xd.to_numpy(y)  # asked for
    ...     print(y)
    array(<guarded>, shape=(3,), dtype=float64, device='sim:0')
    >>> with xd.transfer_guard('disallow'):
    ...     float(x[0])
    Traceback (most recent call last):
        ...
    crossdock.errors.TransferForbiddenError: float moves 8 bytes from sim:0 to @numpy, which nobody asked for...
    """

    __slots__ = ('_entered', '_levels', '_open')

    def __init__(
        self,
        implicit: Level | None = None,
        *,
        explicit: Level | None = None,
        host_to_device: Level | None = None,
        device_to_host: Level | None = None,
        device_to_device: Level | None = None,
    ) -> None:
        settings: dict[str, Level | None] = {
            'implicit': implicit,
            'explicit': explicit,
            'host_to_device': host_to_device,
            'device_to_host': device_to_host,
            'device_to_device': device_to_device,
        }
        self._levels = {name: _rank(name, level) for name, level in settings.items() if level is not None}
        self._entered = self._open = False

    def __repr__(self) -> str:
        return f'transfer_guard({", ".join(f"{name}={LEVELS[level]!r}" for name, level in self._levels.items())})'

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        import inspect

        if isinstance(function, type) or not callable(function):
            raise TypeError(f'transfer_guard: decorates functions, not {function!r}; guard the methods, or use with')
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f'transfer_guard: {function.__qualname__} is a generator, and between its values the guard would hold '
                "for whoever runs then; write 'with transfer_guard(...)' inside of it"
            )
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*arguments: P.args, **named: P.kwargs) -> Any:
                with self._anew():
                    return await function(*arguments, **named)

            return cast('Callable[P, R]', awaited)

        @functools.wraps(function)
        def called(*arguments: P.args, **named: P.kwargs) -> R:
            with self._anew():
                return function(*arguments, **named)

        return called

    def _anew(self) -> transfer_guard:
        guard = transfer_guard()
        guard._levels = self._levels
        return guard

    def __enter__(self) -> Self:
        if self._entered:
            raise RuntimeError('this guard was entered before; make a new one for each block')
        listen(_check, guard=True)
        self._entered = self._open = True
        _guards.set((*_guards.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open = False
        # Not ContextVar.reset: a generator may be closed in another context than it was started in.
        _guards.set(tuple(guard for guard in _guards.get() if guard is not self))
        unlisten(_check)


_guards: ContextVar[tuple[transfer_guard, ...]] = ContextVar('crossdock_guards', default=())
_get_guards = _guards.get


def guarded() -> bool:
    """Whether a guard is in force here."""
    return bool(_get_guards())


def foresee(legs: list[tuple[int, str, str]], op: str = 'copy') -> None:
    """Refuse now what explicit transfers would be refused for, before the first of them moves anything.

    Parameters
    ----------
    legs : list of (nbytes, source, target)
        The transfers to come.
    """
    if guarded():
        for nbytes, source, target in legs:
            event = Event(op, nbytes, source, target)
            level, name = _strictest(event)
            if level == DISALLOW:
                raise _forbidden(event, name)


def _rank(name: str, level: object) -> int:
    if not isinstance(level, str) or level not in LEVELS:
        allowed = ', '.join(map(repr, LEVELS))
        raise ValueError(f'transfer_guard: {name}={level!r} is no level; there are {allowed}, and None for no change')
    return LEVELS.index(level)


def _check(event: Event) -> None:
    if event.host or not _get_guards():
        return
    level, name = _strictest(event)
    if level == DISALLOW:
        raise _forbidden(event, name)
    if level == WARN:
        _warn(f'{_said(event)} ({name})')
    elif level == LOG:
        filename, lineno = user_line()
        _log.warning('%s:%d: %s (%s)', filename, lineno, _said(event), name)


def _strictest(event: Event) -> tuple[int, str]:
    guards = _get_guards()
    names = 'implicit' if event.implicit else 'explicit', direction(event.source, event.target)
    return max((_innermost(guards, name), name) for name in names)


def _innermost(guards: tuple[transfer_guard, ...], name: str) -> int:
    for guard in reversed(guards):
        # A task that was started inside outlives the guard with a copy of its context.
        if guard._open and name in guard._levels:
            return guard._levels[name]
    return ALLOW


def _forbidden(event: Event, name: str) -> TransferForbiddenError:
    transfer: Transfer = row_of(located(event), event.began)
    advice = f"allow it with crossdock.transfer_guard({'' if name == 'implicit' else name + '='}'allow')"
    if event.implicit and name == 'implicit':
        advice = f'{_instead(event)}, or {advice}'
    return TransferForbiddenError(
        f"{_said(event)}: transfer_guard({name}='disallow') forbids it; {advice}",
        transfer=transfer,
        devices=(event.source, event.target),
    )


def _instead(event: Event) -> str:
    """How to have by name what nobody asked for."""
    if direction(event.source, event.target) == 'host_to_device':
        sent = 'numpy.asarray(index)' if event.op == 'index' else '...'  # a list would be a tree of scalars
        return f"send it by name first, with crossdock.get_device('{event.target}').send({sent})"
    if event.op.startswith(_SIZED):
        return 'the size of its result depends on the values: do it on the host, with crossdock.to_numpy(x)'
    if event.op == 'pickle':
        return 'pickle crossdock.to_numpy(x)'
    return 'pull it by name with crossdock.to_numpy(x)'


#: Operations whose results are as large as the values say; of a mask the number of True is 'nonzero'.
_SIZED = ('nonzero', 'repeat', 'unique')


def _said(event: Event) -> str:
    path = current_path()
    what = f'{event.op} of {path}' if path else event.op
    moves = f'{what} moves {bytes_of(event.nbytes)} from {event.source} to {event.target}'
    return moves + (', which nobody asked for by name' if event.implicit else '')


def _warn(message: str) -> None:
    frame = user_frame()
    if frame is None:
        warnings.warn(message, TransferWarning, stacklevel=2)
        return
    warnings.warn_explicit(
        message,
        TransferWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get('__name__'),
        registry=frame.f_globals.setdefault('__warningregistry__', {}),
    )
