"""What is wrong with the arguments of a compiled function, in words; the extension calls it by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from . import _core

__all__ = ['explain']

_OTHER_NAMES = {'dim': 'axis', 'dims': 'axis', 'axes': 'axis', 'ddof': 'correction'}
_WORDS = {
    'Array': 'an array of crossdock.core',
    'Device': 'a device of crossdock.core',
    'Sequence[int]': 'a sequence of ints',
    'bool': 'True or False',
    'complex': 'a number',
    'float': 'a real number',
    'int': 'an int',
    'list[Array]': 'a list of arrays',
    'str': 'a string',
    'tuple[Array, ...]': 'a tuple of them',
    'tuple[int, ...]': 'a tuple of ints',
}
_OWNERS = {'Array': 'x', 'PinnedMemoryPool': 'pool'}
_NUMBER = (int, float, np.integer, np.floating)


def explain(function: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """The message of the error for a call that the function's signature does not take.

    Parameters
    ----------
    function : compiled function or method
        What was called.
    arguments : tuple
        The positional arguments; the array itself is the first of a method's.
    named : mapping of str to object
        The others.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.argmax(cx.ones(3), axis='rows')
    Traceback (most recent call last):
        ...
    TypeError: argmax: axis is 'rows', and takes an int or None; write argmax(x, /, axis=None, *, keepdims=False)
    >>> cx.ones(3).mean(dim=0)
    Traceback (most recent call last):
        ...
    TypeError: mean: there is no argument 'dim'; did you mean 'axis'? Write x.mean(axis=None, *, keepdims=False)
    """
    name = _public(function.__name__)
    signature = _Signature(*function.__nb_signature__[0])
    fault = next(signature.faults(arguments, named), 'it takes no such arguments')
    owner = _OWNERS.get(type(arguments[0]).__name__, type(arguments[0]).__name__.lower()) if arguments else 'x'
    call = f'{owner}.{name}' if signature.is_method else name
    text = f'{name}: {fault}'
    if name != function.__name__:  # what a function in Python calls has other arguments than that
        return text
    text += f'{" Write" if fault.endswith("?") else "; write"} {call}({signature.shown})'
    if 'out' in named and name in dir(np):
        text += (
            f'. numpy.{name} passes arguments that arrays of crossdock.core do not take: call crossdock.core.{name}, '
            'or give it crossdock.to_numpy(x)'
        )
    return text


def _public(name: str) -> str:
    return name if name.startswith('__') else re.sub(r'^_((sim|linalg|fft)_)?', '', name)


class _Parameter(NamedTuple):
    name: str
    annotation: ast.expr | None
    required: bool


class _Signature:
    """A signature as nanobind writes it: ``def f(x: Array, /, axis: int = 0) -> Array``."""

    def __init__(self, text: str, doc: str | None = None, defaults: tuple[Any, ...] | None = None) -> None:
        for i, default in enumerate(defaults or ()):
            text = re.sub(rf'\\{i}\b', repr(default).replace('\\', r'\\'), text)
        function = ast.parse(f'{text}: ...').body[0]
        assert isinstance(function, ast.FunctionDef)
        found = function.args
        plain = [*found.posonlyargs, *found.args]
        self.is_method = bool(plain) and plain[0].arg == 'self'
        missing = len(plain) - len(found.defaults)
        self.plain = [_Parameter(one.arg, one.annotation, i < missing) for i, one in enumerate(plain)]
        self.nameless = {one.arg for one in found.posonlyargs} | ({'self'} if self.is_method else set())
        self.keyword_only = [
            _Parameter(one.arg, one.annotation, default is None)
            for one, default in zip(found.kwonlyargs, found.kw_defaults, strict=True)
        ]
        self.rest = found.vararg
        self.shown = _shown(found, self.is_method)

    def faults(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Iterator[str]:
        """What is wrong, the plainest first."""
        most = len(self.plain)
        if len(arguments) > most and self.rest is None:
            most -= self.is_method
            takes = f'{most or "no"} positional argument{"" if most == 1 else "s"}'
            yield f'it takes {takes}, and was given {len(arguments) - self.is_method}'
        known = {one.name: one for one in (*self.plain, *self.keyword_only)}
        for name in named:
            if name not in known:
                near = _OTHER_NAMES.get(name) or next(iter(get_close_matches(name, known, 1)), '')
                yield f'there is no argument {name!r}' + (f'; did you mean {near!r}?' if near in known else '')
        given = dict(zip((one.name for one in self.plain), arguments)) | dict(named)
        yield from (f'{one.name} is missing' for one in known.values() if one.required and one.name not in given)
        beside = next((value for value in given.values() if isinstance(value, _core.Array)), None)
        for name, value in given.items():
            if name in known and not _fits(known[name].annotation, value):
                yield _misfit(name, known[name].annotation, value, beside)
        for i, value in enumerate(arguments[most:]):
            if self.rest is not None and not _fits(self.rest.annotation, value):
                yield _misfit(f'argument {i} of {self.rest.arg}', self.rest.annotation, value, beside)
        yield from (f'{name} is given by its place, without its name' for name in named if name in self.nameless)


def _shown(parameters: ast.arguments, is_method: bool) -> str:
    """What stands between the parentheses of a call, without annotations."""
    for one in ast.walk(parameters):
        if isinstance(one, ast.arg):
            one.annotation = None
    text = ast.unparse(parameters)
    if is_method:
        text = re.sub(r'^self(, /)?(, )?', '', text)
    return text.removesuffix(', /')


def _fits(annotation: ast.expr | None, value: Any) -> bool:
    """Whether a value is such as the annotation says; one that is not known fits."""
    if annotation is None:
        return True
    if isinstance(annotation, ast.BinOp):
        return _fits(annotation.left, value) or _fits(annotation.right, value)
    test = _TESTS.get(ast.unparse(annotation).partition('[')[0].rpartition('.')[2])
    return test is None or test(value)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and -(2**63) <= int(value) < 2**63


_TESTS: dict[str, Callable[[Any], bool]] = {
    'Array': lambda value: isinstance(value, _core.Array),
    'Device': lambda value: isinstance(value, _core.Device),
    'None': lambda value: value is None,
    'bool': lambda value: value is True or value is False,
    'int': _is_int,
    'float': lambda value: isinstance(value, _NUMBER),
    'complex': lambda value: isinstance(value, (*_NUMBER, complex, np.complexfloating)),
    'str': lambda value: isinstance(value, str),
    'Sequence': _is_sequence,
    'list': lambda value: isinstance(value, list),
    'tuple': lambda value: isinstance(value, tuple),
    'dict': lambda value: isinstance(value, dict),
    'type': lambda value: isinstance(value, type),
    'Iterable': lambda value: hasattr(type(value), '__iter__'),
    'Callable': callable,
}


def _misfit(name: str, annotation: ast.expr | None, value: Any, beside: _core.Array | None) -> str:
    assert annotation is not None
    wanted = re.sub(r'\b(\w+\.)+', '', ast.unparse(annotation))
    told = f'{name} is {_described(value)}, and takes {" or ".join(_WORDS.get(w, w) for w in wanted.split(" | "))}'
    if isinstance(value, int) and not isinstance(value, bool):
        told = told.replace('an int', 'an int of 64 bits')
    return f'{told}; {_advice(value, beside)}' if 'Array' in wanted.split(' | ') else told


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return 'a NumPy array'
    if isinstance(value, _core.Array):
        return 'an array of crossdock.core'
    if isinstance(value, bool | int | float | complex | str | bytes | np.generic | None):
        text = repr(value) if not isinstance(value, int) or value.bit_length() < 128 else 'a huge int'
        return text if len(text) <= 40 else f'{text[:36]}...'
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'
    return f'{"an" if name[0] in "aeiouAEIOU" else "a"} {name}'


def _advice(value: Any, beside: _core.Array | None) -> str:
    device = 'native:0' if beside is None else str(beside.device)
    if hasattr(type(value), '__dlpack__') or hasattr(type(value), '__array__'):
        return f"move it first, with crossdock.get_device('{device}').send(x)"
    if isinstance(value, bool | int | float | complex | list | tuple):
        where = '' if device == 'native:0' else f", device='{device}'"
        return f'crossdock.core.asarray{f"(x{where})" if where else ""} makes one of it'
    return "crossdock.get_device(...).send and crossdock.core.asarray make one of other libraries' arrays"
