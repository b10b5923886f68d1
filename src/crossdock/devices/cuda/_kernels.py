"""Kernels of one's own, through CuPy: made once for each definition."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from crossdock.devices._cuda_library import is_available, library
from crossdock.devices.cuda._memoize import memoize

__all__ = ['elementwise', 'fuse', 'raw', 'reduce']


def elementwise(in_params: str, out_params: str, operation: str, name: str, **kwargs: Any) -> Any:
    """A kernel that computes each element by itself.

    Parameters
    ----------
    in_params, out_params : str
        The arguments, as in ``'T x, float32 y'`` and ``'T z'``.
    operation : str
        What is done with one element, in CUDA C++, as in ``'z = x * y'``.
    name : str
        The kernel's name, which profilers show.
    **kwargs
        Further arguments of `cupy.ElementwiseKernel`, such as ``preamble`` and ``options``.

    Returns
    -------
    cupy.ElementwiseKernel
        The same object for the same definition. Call it with CuPy arrays; it is compiled for the device where they
        live, at its first call there.

    Raises
    ------
    DeviceUnavailableError
        CuPy or a GPU is not here.
    """
    return _elementwise(in_params, out_params, operation, name, **_frozen(kwargs))


def reduce(
    in_params: str,
    out_params: str,
    map_expr: str,
    reduce_expr: str,
    post_map_expr: str,
    identity: Any,
    name: str,
    **kwargs: Any,
) -> Any:
    """A kernel that reduces along axes.

    Parameters
    ----------
    in_params, out_params : str
        The arguments, as for `elementwise`.
    map_expr : str
        What is reduced, for one element of the input, as in ``'x * x'``.
    reduce_expr : str
        How two of these become one, which it calls ``a`` and ``b``.
    post_map_expr : str
        What the output is, as in ``'y = sqrt(a)'``.
    identity : object
        What the reduction begins with.
    name : str
        The kernel's name.
    **kwargs
        Further arguments of `cupy.ReductionKernel`, such as ``reduce_type`` and ``preamble``.

    Returns
    -------
    cupy.ReductionKernel
        The same object for the same definition. Call it with CuPy arrays, ``axis=`` and ``keepdims=``.

    Raises
    ------
    DeviceUnavailableError
        CuPy or a GPU is not here.
    """
    return _reduce(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **_frozen(kwargs))


def raw(code: str, name: str, *args: Any, **kwargs: Any) -> Any:
    """A kernel written out in CUDA C++.

    Parameters
    ----------
    code : str
        The source, in which the kernel is ``extern "C"``.
    name : str
        The kernel's name in it.
    *args, **kwargs
        Further arguments of `cupy.RawKernel`, such as ``options`` and ``backend``.

    Returns
    -------
    cupy.RawKernel
        The same object for the same definition. Call it as ``kernel(grid, block, arguments)``.

    Raises
    ------
    DeviceUnavailableError
        CuPy or a GPU is not here.
    """
    return _raw(code, name, *map(_freeze, args), **_frozen(kwargs))


def fuse(*args: Any, **kwargs: Any) -> Any:
    """A decorator that makes one kernel of the elementwise operations in a function.

    Parameters
    ----------
    *args, **kwargs
        The function, or the arguments of `cupy.fuse`: ``@fuse``, ``@fuse()`` and ``@fuse(kernel_name='k')`` all do.

    Returns
    -------
    callable
        Where CuPy and a GPU are here it is fused, at its first call; elsewhere, and for NumPy arrays, the function is
        called as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.devices import cuda
    >>> @cuda.fuse()
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(np.arange(3), 1)
    array([1, 0, 1])
    """
    if len(args) == 1 and not kwargs and callable(args[0]):
        return _fuse(args[0])
    return lambda function: _fuse(function, *args, **kwargs)


def _fuse(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    # The first call decides, for the module that the function stands in should not import CuPy.
    made: list[Callable[..., Any]] = []

    @functools.wraps(function)
    def fused(*arguments: Any, **named: Any) -> Any:
        if not made:
            made.append(library().fuse(*args, **kwargs)(function) if is_available() else function)
        return made[0](*arguments, **named)

    return fused


@memoize()
def _elementwise(*args: Any, **kwargs: Any) -> Any:
    return library().ElementwiseKernel(*args, **kwargs)


@memoize()
def _reduce(*args: Any, **kwargs: Any) -> Any:
    return library().ReductionKernel(*args, **kwargs)


@memoize()
def _raw(*args: Any, **kwargs: Any) -> Any:
    return library().RawKernel(*args, **kwargs)


def _frozen(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: _freeze(value) for name, value in kwargs.items()}


def _freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
