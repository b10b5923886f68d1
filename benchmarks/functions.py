"""What functions of the core cost on one thread of a CPU, beside NumPy's and, where it is there, PyTorch's."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from _measure import Row, main, race

import crossdock.core as cx

torch: Any = None
with contextlib.suppress(ModuleNotFoundError):
    torch = importlib.import_module('torch')

SIZE = 10_000  # too few for a second thread, and they fit in the nearest caches
UNARY = {
    'sin': 'sin',
    'tan': 'tan',
    'atan': 'arctan',
    'exp': 'exp',
    'tanh': 'tanh',
    'sinh': 'sinh',
    'log': 'log',
    'log1p': 'log1p',
    'log10': 'log10',
}
FLOATS = {
    'pow(x, y)': ('power(x, y)', 'pow(x, y)'),
    'atan2(x, y)': ('arctan2(x, y)', 'atan2(x, y)'),
    'hypot(x, y)': ('hypot(x, y)', 'hypot(x, y)'),
    'logaddexp(x, y)': ('logaddexp(x, y)', 'logaddexp(x, y)'),
}
METHODS = {
    'float32': ['x ** 3', 'x ** 0.5', 'x // y', 'x % 7'],
    'float64': ['x ** 3', 'x // y', 'x[0]', 'x[1:-1]', 'x[few]', 'x.__setitem__(0, 1)'],
    'int32': ['x // 7', 'x % 7', 'x // y'],
    'int64': ['x // 7', 'x % 7', 'x // y'],
}
SEQUENCES = {
    'sort(x)': ('sort(x)', 'sort(x)'),
    'argsort(x)': ('argsort(x)', 'argsort(x)'),
    'unique_values(x)': ('unique(x)', 'unique(x)'),
    'max(x)': ('max(x)', 'amax(x)'),
    'argmax(x)': ('argmax(x)', 'argmax(x)'),
    'cumulative_sum(x)': ('cumsum(x)', 'cumsum(x, 0)'),
}


def names_of(dtype: str) -> dict[str, Any]:
    """Arrays of each library under the names that the statements have, with the library's first letter."""
    rng = np.random.default_rng(0)
    if dtype.startswith('int'):
        x, y = (rng.integers(1, 1000, SIZE).astype(dtype) for _ in range(2))
    else:
        x, y = (np.abs(rng.standard_normal(SIZE)).astype(dtype) for _ in range(2))
    names: dict[str, Any] = {'c': cx, 'n': np, 't': torch}
    for name, array in (('x', x), ('y', y), ('few', np.array([3, 1, 2]))):
        names[f'c{name}'] = cx.asarray(array, device='native:0', copy=True)
        names[f'n{name}'] = array.copy()
        if torch is not None:
            names[f't{name}'] = torch.from_numpy(array.copy())
    return names


def statement(text: str, letter: str) -> str:
    """`text` with the arrays of one library."""
    return re.sub(r'\b(x|y|few)\b', rf'{letter}\1', text)


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table."""
    if torch is not None:
        torch.set_num_threads(1)
    for dtype, operators in METHODS.items():
        calls = {text: (text, text) for text in operators}
        functions = SEQUENCES
        if dtype.startswith('float'):
            functions = {f'{ours}(x)': (f'{theirs}(x)', f'{ours}(x)') for ours, theirs in UNARY.items()}
            functions = {**functions, **FLOATS, **SEQUENCES}
        names = names_of(dtype)
        for ours, theirs in [*functions.items(), *calls.items()]:
            prefix = {letter: f'{letter}.' if ours in functions else '' for letter in 'cnt'}
            for letter, library, text in zip('nt', ('NumPy', 'PyTorch'), theirs, strict=True):
                if library == 'PyTorch' and torch is None:
                    continue
                left, right = (prefix[key] + statement(call, key) for key, call in (('c', ours), (letter, text)))
                yield replace(race(left, right, names, smoke=smoke), case=f'{ours}, {dtype}', peer=library)


if __name__ == '__main__':
    main(cases)
