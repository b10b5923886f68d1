"""How every public function of the core is called rightly: a row each, `NAME: (arguments, options)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .draws import ALL, FLOATING, INTEGER, KINDS, NUMERIC, REAL, Draw, Operand

Call = tuple[list[Any], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """One function."""

    arguments: Callable[[Draw], Call]
    creates: bool = False  # takes device=
    view: bool = False  # the result may be one of an argument
    loose: float = 1  # times the usual tolerance
    compare: Callable[[list[Any], list[np.ndarray[Any, Any]]], None] | None = None  # (results, operands as NumPy's)


def unary(kinds: tuple[str, ...], style: str = 'small') -> Row:
    return Row(lambda d: ([d.array(kinds, style=style)], {}))


def binary(kinds: tuple[str, ...], style: str = 'small', second: str | None = None, scalars: bool = True) -> Row:
    def arguments(d: Draw) -> Call:
        kind = (d.of(kinds),)
        shape = d.shape()
        shapes = [shape, d.narrower(shape)]
        one, two = d.array(kind, shapes[0], style), d.array(kind, shapes[1], second or style)
        if scalars and d.int(0, 4) == 0:
            return [one, 1 if kind != ('bool',) else True], {}
        return [one, two] if second or d.bool() else [two, one], {}

    return Row(arguments)


def reduction(kinds: tuple[str, ...], dtype: bool = False, smallest: int = 0, **extra: Any) -> Row:
    def arguments(d: Draw) -> Call:
        x = d.array(kinds, smallest=smallest)
        options = {'axis': d.axes(x.shape), 'keepdims': d.bool()}
        if dtype and d.bool():
            options['dtype'] = wider(d, x)
        options |= {name: d.of(choices) for name, choices in extra.items()}
        return [x], {name: value for name, value in options.items() if d.bool()}

    return Row(arguments)


def wider(d: Draw, x: Operand) -> str:
    of_kind = next(names for names in KINDS.values() if x.base.dtype.name in names)
    return d.of(of_kind[of_kind.index(x.base.dtype.name) :])


def along_an_axis(
    kinds: tuple[str, ...], *, smallest: int = 0, least: int = 1, none: bool = False, **extra: Any
) -> Row:
    def arguments(d: Draw) -> Call:
        x = d.array(kinds, least=least, smallest=smallest)
        options = {name: d.of(choices) for name, choices in extra.items()}
        return [x], {'axis': None if none and d.bool() else d.axis(x.shape)} | options

    return Row(arguments)


def of_shape(d: Draw) -> Any:
    return d.of([d.shape(), d.int(0, 5), list(d.shape())])


def repeats(d: Draw) -> Call:
    x = d.array(ALL, least=1)
    axis = d.of([None, d.axis(x.shape)])
    count = int(np.prod(x.shape)) if axis is None else x.shape[axis]
    each: Any = d.int(0, 3) if d.bool() else d.array((), (count,), 'index', dtype='int64')
    return [x, each], {} if axis is None else {'axis': axis}


def reshaped(d: Draw) -> Call:
    shape = d.shape(smallest=1)
    new = list(d.order(len(shape)))
    extents = [shape[i] for i in new] + [1] * d.int(0, 2)
    if extents and d.bool():
        extents[d.int(0, len(extents) - 1)] = -1
    return [d.array(ALL, shape), tuple(extents)], {}


def squeezed(d: Draw) -> Call:
    shape = d.shape()
    at = d.int(0, len(shape))
    return [d.array(ALL, (*shape[:at], 1, *shape[at:])), d.of([at, (at - len(shape) - 1,)])], {}


def alike(d: Draw, kinds: tuple[str, ...] = ALL, shape: tuple[int, ...] | None = None) -> list[Operand]:
    shape = d.shape(least=1) if shape is None else shape
    kind = d.of(kinds)
    return [d.array((kind,), shape) for _ in range(d.int(1, 3))]


def joined(d: Draw) -> Call:
    arrays = alike(d)
    axis = d.axis(arrays[0].shape)
    return [arrays], d.of([{}, {'axis': axis}, {'axis': None}])


def broadcast(d: Draw) -> Call:
    shape = d.shape()
    return [d.array(ALL, d.narrower(shape)), shape], {}


def taken(d: Draw) -> Call:
    x = d.array(ALL, least=1, smallest=2)
    axis = d.axis(x.shape)
    indices = d.array((), (d.int(0, 4),), 'index', dtype=d.of(['int64', 'int32', 'uint8']))
    return [x, indices], {'axis': axis}


def taken_along(d: Draw) -> Call:
    x = d.array(ALL, least=1, smallest=2)
    axis = d.axis(x.shape)
    shape = [d.of([extent, extent]) for extent in x.shape]
    shape[axis] = d.int(0, 3)
    return [x, d.array((), tuple(shape), 'index', dtype='int64')], {'axis': axis}


def rolled(d: Draw) -> Call:
    x = d.array(ALL, least=1)
    axes = d.axes(x.shape)
    shift = d.int(-5, 5) if not isinstance(axes, tuple) else d.of([d.int(-5, 5), tuple(d.int(-5, 5) for _ in axes)])
    return [x, shift], {} if axes is None else {'axis': axes}


def searched(d: Draw) -> Call:
    kind = d.of(REAL)
    dtype = d.dtype((kind,))
    sorted_values = np.sort(d.array((kind,), (d.int(0, 6),), dtype=dtype).numpy())
    return [Operand(sorted_values, sorted_values.shape, 'plain'), d.array((kind,), dtype=dtype)], {
        'side': d.of(['left', 'right'])
    }


def chosen(d: Draw) -> Call:
    shape = d.shape()
    kind = (d.of(ALL),)
    return [d.array(('bool',), d.narrower(shape)), d.array(kind, shape), d.array(kind, d.narrower(shape))], {}


def clipped(d: Draw) -> Call:
    x = d.array(REAL)
    low, high = (Operand(np.full(x.shape, n, x.base.dtype), x.shape, 'plain') for n in (2, 5))
    return [x], {name: d.of([bound, number]) for name, bound, number in [('min', low, 2), ('max', high, 5)] if d.bool()}


def differences(d: Draw) -> Call:
    x = d.array(NUMERIC, least=1, smallest=1)
    axis = d.axis(x.shape)
    options: dict[str, Any] = {'axis': axis, 'n': d.int(1, x.shape[axis])}
    for end in ('prepend', 'append'):
        if d.bool():
            shape = list(x.shape)
            shape[axis] = d.int(0, 2)
            options[end] = d.array((), tuple(shape), dtype=x.base.dtype.name)
    return [x], options


def product(d: Draw) -> Call:
    kind = (d.of(NUMERIC),)
    batch, (m, k, n) = d.shape(most=1), (d.int(0, 4) for _ in range(3))
    left, right = d.of([((*batch, m, k), (k, n)), ((k,), (*batch, k, n)), ((*batch, m, k), (k,)), ((k,), (k,))])
    return [d.array(kind, left), d.array(kind, right)], {}


def tensor_product(d: Draw) -> Call:
    kind = (d.of(NUMERIC),)
    x = d.array(kind, most=3)
    axes = d.int(0, len(x.shape))
    shape = x.shape[len(x.shape) - axes :] + d.shape(most=1)
    if axes and d.bool():
        return [x, d.array(kind, shape)], {'axes': (list(range(len(x.shape) - axes, len(x.shape))), list(range(axes)))}
    return [x, d.array(kind, shape)], {'axes': axes}


def dotted(d: Draw) -> Call:
    kind = (d.of(NUMERIC),)
    shape = d.shape(least=1)
    return [d.array(kind, shape), d.array(kind, shape)], {'axis': d.int(-len(shape), -1)}


def ranged(d: Draw) -> Call:
    if d.bool():
        return [d.int(-9, 9), d.int(-9, 9), d.of([-3, -1, 1, 2])], d.of([{}, {'dtype': 'int32'}, {'dtype': 'float32'}])
    return [d.int(-8, 8) / 4, d.int(-9, 30) / 4, d.of([-0.75, 0.25, 1.5])], d.of([{}, {'dtype': 'float32'}])


def spaced(d: Draw) -> Call:
    return [float(d.int(-9, 9)), float(d.int(-9, 9)), d.int(0, 9)], {
        'endpoint': d.bool(),
        'dtype': d.of(['float64', 'float32']),
    }


def identity(d: Draw) -> Call:
    return [d.int(0, 5), d.of([None, d.int(0, 5)])], {'k': d.int(-6, 6), 'dtype': d.dtype(ALL)}


def fresh(d: Draw) -> Call:
    return [of_shape(d)], {'dtype': d.dtype(ALL)} if d.bool() else {}


def filled(d: Draw) -> Call:
    return d.of(
        [([of_shape(d), value], {}) for value in (True, 3, 2.5, 1j)] + [([of_shape(d), 3], {'dtype': d.dtype(NUMERIC)})]
    )


def like(d: Draw) -> Call:
    return [d.array(ALL)], {'dtype': d.dtype(ALL)} if d.bool() else {}


def converted(d: Draw) -> Call:
    x = d.array(('bool', *REAL), style='positive')
    return [x, d.dtype(('bool', 'int', 'real', 'complex'))], {'copy': d.bool()}


def moved(d: Draw) -> Call:
    x = d.array(ALL)
    count = d.int(0, len(x.shape))
    return [x, d.order(len(x.shape))[:count], d.order(len(x.shape))[:count]], {}


def same_shapes(results: list[Any], operands: list[np.ndarray[Any, Any]]) -> None:
    """The values are undefined."""


def distinct(results: list[Any], operands: list[np.ndarray[Any, Any]]) -> None:
    """The order of the values is not the standard's to say, but that each is there once."""
    (x,) = operands
    assert sorted(results[0].tolist()) == np.unique(x).tolist() if x.dtype.kind != 'c' else True


EXPONENTIAL = ('exp', 'expm1', 'log', 'log10', 'log1p', 'log2', 'sqrt')
EXPONENTIAL += tuple(f'{arc}{word}{h}' for arc in ('', 'a') for word in ('cos', 'sin', 'tan') for h in ('', 'h'))

TABLE: dict[str, Row] = {
    # Creation functions
    'arange': Row(ranged, creates=True),
    'asarray': Row(
        lambda d: ([d.of([d.array(ALL), 3, 2.5, True, 1j, [1, 2], [[1.5], [2]], [], [[], []]])], {}),
        creates=True,
        view=True,
    ),
    'empty': Row(fresh, creates=True, compare=same_shapes),
    'empty_like': Row(like, compare=same_shapes),
    'eye': Row(identity, creates=True),
    'from_dlpack': Row(lambda d: ([d.array(ALL)], {}), view=True),
    'full': Row(filled, creates=True),
    'full_like': Row(lambda d: ([d.array(NUMERIC), 3], {})),
    'linspace': Row(spaced, creates=True),
    'meshgrid': Row(
        lambda d: (
            [d.array(REAL, (d.int(0, 3),), dtype='int32') for _ in range(d.int(1, 3))],
            {'indexing': d.of(['xy', 'ij'])},
        ),
        view=True,
    ),
    'ones': Row(fresh, creates=True),
    'ones_like': Row(like),
    'tril': Row(lambda d: ([d.array(ALL, least=2)], {'k': d.int(-5, 5)})),
    'triu': Row(lambda d: ([d.array(ALL, least=2)], {'k': d.int(-5, 5)})),
    'zeros': Row(fresh, creates=True),
    'zeros_like': Row(like),
    # Elementwise functions
    **{name: unary(FLOATING) for name in EXPONENTIAL},
    'reciprocal': unary(FLOATING, 'positive'),
    **{name: unary(REAL) for name in ('ceil', 'floor', 'trunc')},
    **{name: unary(NUMERIC, 'special') for name in ('isfinite', 'isinf', 'isnan')},
    **{name: unary(NUMERIC) for name in ('abs', 'negative', 'positive', 'round', 'sign', 'square')},
    'conj': unary(('complex',)),
    'imag': unary(('complex',)),
    'real': unary(('complex',)),
    'signbit': unary(('real',), 'special'),
    'logical_not': unary(('bool',)),
    'bitwise_invert': unary(('bool', *INTEGER)),
    **{name: binary(NUMERIC) for name in ('add', 'subtract', 'multiply')},
    'divide': binary(FLOATING, 'positive'),
    **{name: binary(REAL, second='positive') for name in ('floor_divide', 'remainder')},
    'pow': binary(NUMERIC, 'positive', second='index'),
    **{name: binary(('real',), 'special') for name in ('atan2', 'copysign', 'hypot', 'logaddexp', 'nextafter')},
    **{name: binary(('real',), 'special') for name in ('maximum', 'minimum')},
    **{name: binary(ALL) for name in ('equal', 'not_equal')},
    **{name: binary(REAL) for name in ('less', 'less_equal', 'greater', 'greater_equal')},
    **{name: binary(('bool', *INTEGER)) for name in ('bitwise_and', 'bitwise_or', 'bitwise_xor')},
    **{name: binary(INTEGER, second='index') for name in ('bitwise_left_shift', 'bitwise_right_shift')},
    **{name: binary(('bool',)) for name in ('logical_and', 'logical_or', 'logical_xor')},
    'clip': Row(clipped),
    'where': Row(chosen),
    # Manipulation functions
    'astype': Row(converted, view=True),
    'broadcast_arrays': Row(lambda d: ([d.array(ALL, d.narrower((2, 3))) for _ in range(d.int(1, 3))], {}), view=True),
    'broadcast_to': Row(broadcast, view=True),
    'concat': Row(joined),
    'expand_dims': Row(lambda d: ([d.array(ALL, (2, 3))], {'axis': d.int(-3, 2)}), view=True),
    'flip': Row(lambda d: (x := d.array(ALL)) and ([x], {'axis': d.axes(x.shape)}), view=True),
    'matrix_transpose': Row(lambda d: ([d.array(ALL, least=2)], {}), view=True),
    'moveaxis': Row(moved, view=True),
    'permute_dims': Row(lambda d: (x := d.array(ALL)) and ([x, d.order(len(x.shape))], {}), view=True),
    'repeat': Row(repeats),
    'reshape': Row(reshaped, view=True),
    'roll': Row(rolled),
    'squeeze': Row(squeezed, view=True),
    'stack': Row(lambda d: (xs := alike(d)) and ([xs], {'axis': d.int(-len(xs[0].shape) - 1, len(xs[0].shape))})),
    'tile': Row(lambda d: ([d.array(ALL), tuple(d.int(0, 3) for _ in range(d.int(0, 4)))], {})),
    'unstack': Row(lambda d: (x := d.array(ALL, least=1)) and ([x], {'axis': d.axis(x.shape)}), view=True),
    # Indexing, searching, sorting, sets
    'take': Row(taken),
    'take_along_axis': Row(taken_along),
    'argmax': along_an_axis(REAL, smallest=1, none=True, keepdims=[False, True]),
    'argmin': along_an_axis(REAL, smallest=1, none=True, keepdims=[False, True]),
    'count_nonzero': reduction(ALL),
    'nonzero': Row(lambda d: ([d.array(ALL, least=1)], {})),
    'searchsorted': Row(searched),
    'argsort': along_an_axis(REAL, descending=[False, True]),
    'sort': along_an_axis(REAL, descending=[False, True]),
    **{f'unique_{what}': Row(lambda d: ([d.array(('bool', *REAL))], {})) for what in ('all', 'counts', 'inverse')},
    'unique_values': Row(lambda d: ([d.array(('bool', *REAL))], {}), compare=distinct),
    # Statistics, utility
    'cumulative_sum': along_an_axis(NUMERIC, include_initial=[False, True]),
    'cumulative_prod': along_an_axis(NUMERIC, include_initial=[False, True]),
    'max': reduction(REAL, smallest=1),
    'min': reduction(REAL, smallest=1),
    'mean': reduction(FLOATING, smallest=1),
    'prod': reduction(NUMERIC, dtype=True),
    'std': reduction(('real',), smallest=2, correction=[0.0, 1.0, 0.5]),
    'sum': reduction(NUMERIC, dtype=True),
    'var': reduction(('real',), smallest=2, correction=[0.0, 1.0, 0.5]),
    'all': reduction(ALL),
    'any': reduction(ALL),
    'diff': Row(differences),
    # Linear algebra
    'matmul': Row(product),
    'tensordot': Row(tensor_product),
    'vecdot': Row(dotted),
    # Data types
    'can_cast': Row(lambda d: ([d.dtype(), d.dtype()], {})),
    'finfo': Row(lambda d: ([d.dtype(FLOATING)], {})),
    'iinfo': Row(lambda d: ([d.dtype(INTEGER)], {})),
    'isdtype': Row(lambda d: ([d.dtype(), d.of(['bool', 'integral', 'numeric', ('real floating', 'bool')])], {})),
    'result_type': Row(lambda d: (kind := (d.of(ALL),)) and ([d.dtype(kind), d.array(kind)], {})),
}

# Public, and with nothing of the standard to compare.
OURS: dict[str, str] = {
    'Array': 'a class',
    'Device': 'a class',
    'MemoryInfo': 'a class',
    'PinnedMemoryPool': 'a class',
    'PinnedStatistics': 'a class',
    'pinned_memory_pool': 'gives a pool of memory',
    'dtype': 'a class',
    'device': 'takes a spec; tests/core/test_array.py',
    'device_counts': 'takes nothing',
    'devices': 'takes nothing',
    'get_num_threads': 'takes nothing',
    'set_num_threads': 'a setting of the process',
    '__array_namespace_info__': 'takes nothing',
}
