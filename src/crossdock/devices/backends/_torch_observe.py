"""Hear of the copies that PyTorch makes by itself, as ``float(x)``, ``x.cpu()`` and ``x[mask]`` do.

Methods of `torch.Tensor` are replaced while somebody listens. PyTorch's dispatch mode would see copies that are made
below them too, but it holds for one thread, has to be left in the order of other modes, takes 12 us of every operation,
hears neither ``tolist`` nor ``print``, and keeps `torch.compile` from compiling. `torch.compile` traces methods by
their names, so that it does not notice the replaced ones. Functions of the module `torch` are compared by identity in
many places of PyTorch, and are left alone.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from crossdock.devices._replaced import Facts, Hook, Replaced, called, calling, told
from crossdock.errors import TransferForbiddenError
from crossdock.transfer import quiet, user_frame

__all__ = ['listen_to', 'stop_listening']

Method = Callable[..., Any]

#: What pulls one value, and what a trace calls it.
_SCALARS = {
    '__float__': 'float',
    '__int__': 'int',
    '__bool__': 'bool',
    '__complex__': 'complex',
    '__index__': 'index',
    'item': 'item',
    'is_nonzero': 'bool',
}
#: What makes its way by the methods above.
_CALLERS = {'__contains__': 'in', '__format__': 'format'}
#: The number of elements of these depends on values, which the host waits for.
_COUNTED = ('nonzero', 'argwhere', 'masked_select', 'unique', 'unique_consecutive')
_COUNT_NBYTES = 8
_MOVERS = ('to', 'cpu', 'cuda')

_replaced = Replaced()


def listen_to(torch: Any, hook: Hook) -> None:
    """Call `hook`, which `Backend.observe` describes, before each of PyTorch's own copies from now on."""
    _replaced.put_back()
    tensor = torch.Tensor
    new = {name: _pulling(getattr(tensor, name), op, hook) for name, op in _SCALARS.items()}
    new |= {name: _calling(getattr(tensor, name), op) for name, op in _CALLERS.items()}
    new |= {name: _counting(getattr(tensor, name), name, hook) for name in _COUNTED if hasattr(tensor, name)}
    new |= {name: _moving(torch, getattr(tensor, name), name, hook) for name in _MOVERS}
    new['tolist'] = _listing(tensor.tolist, hook)
    new['numpy'] = _forcing(tensor.numpy, hook)
    new['copy_'] = _copying(torch, tensor.copy_, hook)
    new['__getitem__'] = _masking(torch, tensor.__getitem__, hook)
    new['__repr__'] = _showing(tensor.__repr__)
    for function in new.values():
        _keep_from_compiling(torch, function)
    _replaced.replace(tensor, new)


def stop_listening() -> None:
    """Have PyTorch as it was."""
    _replaced.put_back()


def _pulling(original: Method, op: str, hook: Hook) -> Method:
    @functools.wraps(original)
    def pull(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if not _has_values(tensor) or tensor.numel() != 1:
            return original(tensor, *args, **kwargs)
        host = _on_host(tensor)
        facts = (called(op), 0 if host else tensor.element_size(), _spec(tensor.device), '@numpy', True, host)
        call = _as_the_user(original) if tensor.requires_grad else original  # where PyTorch has a warning
        with told(hook, facts):
            return call(tensor, *args, **kwargs)

    return pull


def _as_the_user(method: Method) -> Method:
    """The method, called from the user's line as warnings see it: they name the innermost frame of Python's."""
    frame = user_frame()
    if frame is None:
        return method
    code = _call.__code__.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno)
    return functools.partial(FunctionType(code, frame.f_globals), method)


# On one line, so that its first line is the one of the call.
_call = lambda method, *args, **kwargs: method(*args, **kwargs)  # noqa: E731


def _calling(original: Method, op: str) -> Method:
    @functools.wraps(original)
    def call(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        with calling(op):
            return original(tensor, *args, **kwargs)

    return call


def _showing(original: Method) -> Method:
    @functools.wraps(original)
    def show(tensor: Any, **kwargs: Any) -> str:
        if not _has_values(tensor) or _on_host(tensor):
            with quiet():  # how it looks at the values is of no interest
                return original(tensor, **kwargs)  # type: ignore[no-any-return]
        try:
            with calling('repr'):
                return original(tensor, **kwargs)  # type: ignore[no-any-return]
        except TransferForbiddenError:  # debuggers call it, which a guard must not stop
            shape = tuple(tensor.shape)
            return f'tensor(<guarded>, shape={shape}, dtype={tensor.dtype}, device={str(tensor.device)!r})'

    return show


def _counting(original: Method, op: str, hook: Hook) -> Method:
    @functools.wraps(original)
    def count(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if not _has_values(tensor) or _on_host(tensor):
            return original(tensor, *args, **kwargs)
        with told(hook, (called(op), _COUNT_NBYTES, _spec(tensor.device), '@numpy', True, False)):
            return original(tensor, *args, **kwargs)

    return count


def _masking(torch: Any, original: Method, hook: Hook) -> Method:
    masks = torch.bool, torch.uint8

    def is_mask(index: Any) -> bool:
        return isinstance(index, torch.Tensor) and index.dtype in masks and _has_values(index) and not _on_host(index)

    @functools.wraps(original)
    def getitem(tensor: Any, index: Any) -> Any:
        one = isinstance(index, torch.Tensor)
        if not any(map(is_mask, (index,) if one or not isinstance(index, tuple) else index)):
            return original(tensor, index)
        with told(hook, ('getitem', _COUNT_NBYTES, _spec(tensor.device), '@numpy', True, False)):
            return original(tensor, index)

    return getitem


def _listing(original: Method, hook: Hook) -> Method:
    @functools.wraps(original)
    def tolist(tensor: Any) -> Any:
        if not _has_values(tensor) or _on_host(tensor):
            return original(tensor)
        with told(hook, _move('tolist', tensor, 'cpu', tensor.element_size(), implicit=True)):
            return original(tensor)

    return tolist


def _forcing(original: Method, hook: Hook) -> Method:
    @functools.wraps(original)
    def numpy(tensor: Any, *, force: bool = False) -> Any:
        if not force or not _has_values(tensor) or _on_host(tensor):
            return original(tensor, force=force)
        with told(hook, _move('numpy', tensor, 'cpu', tensor.element_size())):
            return original(tensor, force=force)

    return numpy


def _moving(torch: Any, original: Method, op: str, hook: Hook) -> Method:
    @functools.wraps(original)
    def move(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        device, dtype = _wanted(torch, op, tensor, args, kwargs)
        if device is None or not _crosses(tensor, device):
            return original(tensor, *args, **kwargs)
        # PyTorch converts on the way from the host before, and on the way to it afterwards.
        itemsize = tensor.element_size() if device.type == 'cpu' else (dtype or tensor.dtype).itemsize
        with told(hook, _move(op, tensor, device, itemsize)):
            return original(tensor, *args, **kwargs)

    return move


def _copying(torch: Any, original: Method, hook: Hook) -> Method:
    @functools.wraps(original)
    def copy_(tensor: Any, src: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(src, torch.Tensor) or not _has_values(tensor) or not _crosses(src, tensor.device):
            return original(tensor, src, *args, **kwargs)
        itemsize = src.element_size() if tensor.device.type == 'cpu' else tensor.element_size()
        nbytes = tensor.numel() * itemsize
        with told(hook, ('copy_', nbytes, _spec(src.device), _spec(tensor.device), False, False)):
            return original(tensor, src, *args, **kwargs)

    return copy_


def _wanted(torch: Any, op: str, tensor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The device that ``to``, ``cpu`` or ``cuda`` is asked for, and the data type; None for what stays."""
    if op == 'cpu':
        return torch.device('cpu'), None
    dtype = kwargs.get('dtype') or next((value for value in args if isinstance(value, torch.dtype)), None)
    where = args[0] if args else kwargs.get('device', kwargs.get('other'))
    if isinstance(where, torch.Tensor):
        return where.device, where.dtype
    if isinstance(where, torch.dtype) or (where is None and op == 'to'):
        return None, dtype
    try:
        device = torch.device('cuda' if where is None else where)
        if device.type == 'cuda' and device.index is None:
            device = torch.device('cuda', torch.cuda.current_device())
    except (RuntimeError, TypeError, AssertionError):  # the method itself says what is wrong
        return None, dtype
    return device, dtype


def _move(op: str, tensor: Any, device: Any, itemsize: int, *, implicit: bool = False) -> Facts:
    nbytes = math.prod(tensor.shape) * itemsize
    return called(op), nbytes, _spec(tensor.device), _spec(device), implicit, False


def _crosses(tensor: Any, device: Any) -> bool:
    return device.type != 'meta' and tensor.device != device and tensor.numel() > 0 and _has_values(tensor)


def _has_values(tensor: Any) -> bool:
    """Whether it is memory: no meta tensor, no fake one, none that stands for others."""
    tensor_type: Any = sys.modules['torch'].Tensor
    return type(tensor).__torch_dispatch__ is tensor_type.__torch_dispatch__ and tensor.device.type != 'meta'


def _on_host(tensor: Any) -> bool:
    return tensor.device.type == 'cpu'  # type: ignore[no-any-return]


def _spec(device: Any) -> str:
    return f'@torch:{device}'


def _keep_from_compiling(torch: Any, function: Any) -> None:
    """Have `torch.compile` run a function, and what it calls, as it is."""
    frames = getattr(getattr(torch._C, '_dynamo', None), 'eval_frame', None)
    strategy, action = getattr(frames, '_FrameExecStrategy', None), getattr(frames, '_FrameAction', None)
    if frames is not None and strategy is not None and action is not None:
        frames.set_code_exec_strategy(function.__code__, strategy(action.SKIP, action.SKIP))
