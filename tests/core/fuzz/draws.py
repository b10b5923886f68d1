"""What the functions of the core are called with: small arrays in all layouts, as two libraries see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import crossdock.core as cx

KINDS = {
    'bool': ['bool'],
    'int': ['int8', 'int16', 'int32', 'int64'],
    'uint': ['uint8', 'uint16', 'uint32', 'uint64'],
    'real': ['float32', 'float64'],
    'complex': ['complex64', 'complex128'],
}
INTEGER = ('int', 'uint')
FLOATING = ('real', 'complex')
REAL = ('int', 'uint', 'real')
NUMERIC = ('int', 'uint', 'real', 'complex')
ALL = ('bool', *NUMERIC)

LAYOUTS: dict[str, Callable[[Any, int], Any]] = {
    # How a view of the shape wanted is made from a base array: by the same steps in every library.
    'plain': lambda base, ndim: base,
    'reversed': lambda base, ndim: base[(slice(None, None, -1),) * ndim],
    'sliced': lambda base, ndim: base[(slice(None, None, 2),) * ndim],
    'transposed': lambda base, ndim: base.T if ndim == 2 else base,
    'repeated': lambda base, ndim: base,
    'readonly': lambda base, ndim: base,
}


@dataclass(frozen=True)
class Operand:
    """One array argument."""

    base: np.ndarray[Any, Any]
    shape: tuple[int, ...]
    layout: str

    def numpy(self) -> np.ndarray[Any, Any]:
        return np.broadcast_to(LAYOUTS[self.layout](self.base, len(self.shape)), self.shape)

    def core(self, device: str) -> cx.Array:
        view = LAYOUTS[self.layout](cx.asarray(self.base, device=device, copy=True), len(self.shape))
        if self.layout == 'repeated':
            return cx.broadcast_to(view, self.shape)
        return view._as_readonly() if self.layout == 'readonly' else view


def base_shape(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    if layout == 'sliced':
        return tuple(2 * extent for extent in shape)
    if layout == 'transposed' and len(shape) == 2:
        return shape[::-1]
    return (1, *shape[1:]) if layout == 'repeated' and shape and shape[0] else shape


def values(dtype: str, shape: tuple[int, ...], style: str, seed: int) -> np.ndarray[Any, Any]:
    """Numbers that are exact in every dtype; `style` bounds them."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    low, high = {'index': (0, 2), 'positive': (1, 9), 'unit': (-1, 2)}.get(style, (-9, 10))
    if kind == 'b':
        return rng.integers(0, 2, shape).astype('bool')
    whole = rng.integers(max(low, 0) if kind == 'u' else low, high, shape)
    if kind in 'iu':
        return whole.astype(dtype)
    numbers = whole + (rng.integers(0, 4, shape) / 4 if style != 'unit' else 0.0)
    if kind == 'c':
        return (numbers + 1j * rng.integers(-9, 10, shape) / 2).astype(dtype)
    if style == 'special':
        numbers = np.where(rng.random(shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf, -0.0, 1e30], shape), numbers)
    return numbers.astype(dtype)


class Draw:
    """Draws arguments, one after the other."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def of(self, choices: Sequence[Any]) -> Any:
        return self.data.draw(st.sampled_from(choices))

    def int(self, low: int, high: int) -> int:
        return self.data.draw(st.integers(low, high))

    def bool(self) -> bool:
        return self.data.draw(st.booleans())

    def shape(self, least: int = 0, most: int = 3, side: int = 4, smallest: int = 0) -> tuple[int, ...]:
        return tuple(self.int(smallest, side) for _ in range(self.int(least, most)))

    def dtype(self, kinds: Sequence[str] = ALL) -> str:
        return self.of(KINDS[self.of(kinds)])

    def array(
        self,
        kinds: Sequence[str] = ALL,
        shape: tuple[int, ...] | None = None,
        style: str = 'small',
        dtype: str | None = None,
        **bounds: int,
    ) -> Operand:
        shape = self.shape(**bounds) if shape is None else shape
        layout = self.of(list(LAYOUTS))
        dtype = dtype or self.dtype(kinds)
        return Operand(values(dtype, base_shape(shape, layout), style, self.int(0, 2**16)), shape, layout)

    def narrower(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to this one."""
        start = self.int(0, len(shape))
        return tuple(self.of([extent, 1]) for extent in shape[start:])

    def axis(self, shape: tuple[int, ...]) -> int:
        return self.int(-len(shape), len(shape) - 1)

    def axes(self, shape: tuple[int, ...]) -> Any:
        """None, an axis, or several different ones."""
        how = self.int(0, 2)
        if how == 0 or not shape:
            return None
        if how == 1:
            return self.axis(shape)
        several = self.data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1))
        return tuple(axis - len(shape) if self.bool() else axis for axis in several)

    def order(self, count: int) -> tuple[int, ...]:
        return tuple(self.data.draw(st.permutations(range(count))))


def replaced(thing: Any, see: Callable[[Operand], Any]) -> Any:
    """The same arguments with each Operand as a library sees it."""
    if isinstance(thing, Operand):
        return see(thing)
    if isinstance(thing, (list, tuple)):
        return type(thing)(replaced(item, see) for item in thing)
    if isinstance(thing, dict):
        return {key: replaced(item, see) for key, item in thing.items()}
    return thing


def operands_of(thing: Any) -> list[Operand]:
    found: list[Operand] = []
    replaced(thing, lambda operand: found.append(operand))
    return found
