"""What functions of NumPy are called here, for those who look for them."""

from __future__ import annotations

from typing import Never

__all__ = ['refuse_name']

_HERE = {
    'absolute': 'abs',
    'allclose': 'all(abs(a - b) <= tolerance)',
    'amax': 'max',
    'amin': 'min',
    'arccos': 'acos',
    'arccosh': 'acosh',
    'arcsin': 'asin',
    'arcsinh': 'asinh',
    'arctan': 'atan',
    'arctan2': 'atan2',
    'arctanh': 'atanh',
    'argwhere': 'stack(nonzero(x), axis=-1)',
    'array': 'asarray(x, copy=True)',
    'ascontiguousarray': 'asarray(x, copy=True)',
    'bitwise_not': 'bitwise_invert',
    'concatenate': 'concat',
    'conjugate': 'conj',
    'copy': 'asarray(x, copy=True)',
    'cumprod': 'cumulative_prod',
    'cumsum': 'cumulative_sum',
    'dot': 'matmul, tensordot or vecdot',
    'dstack': 'concat(arrays, axis=2)',
    'fliplr': 'flip(x, axis=1)',
    'flipud': 'flip(x, axis=0)',
    'hstack': 'concat(arrays, axis=1)',
    'invert': 'bitwise_invert',
    'left_shift': 'bitwise_left_shift',
    'mod': 'remainder',
    'ndarray': 'Array',
    'outer': 'linalg.outer',
    'ravel': 'reshape(x, -1)',
    'right_shift': 'bitwise_right_shift',
    'swapaxes': 'permute_dims',
    'trace': 'linalg.trace',
    'transpose': 'permute_dims',
    'unique': 'unique_values',
    'vstack': 'concat(arrays, axis=0)',
}


def refuse_name(name: str) -> Never:
    """Raise the AttributeError of a name that the namespace lacks, with its name here where it has another one."""
    message = f"module 'crossdock.core' has no attribute {name!r}"
    if name in _HERE:
        message += f'; by the array API standard it is {_HERE[name]}'
    raise AttributeError(message, name=name)
