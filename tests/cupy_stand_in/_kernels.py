"""Kernels that remember how they were made; `fuse`."""

from __future__ import annotations

import functools

__all__ = ['ElementwiseKernel', 'RawKernel', 'ReductionKernel', 'fuse']


class ElementwiseKernel:
    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name='kernel',
        reduce_dims=True,
        preamble='',
        no_return=False,
        return_tuple=False,
        **kwargs,
    ):
        self.name, self.operation, self.options = name, operation, kwargs.get('options', ())


class ReductionKernel:
    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name='reduce_kernel',
        reduce_type=None,
        reduce_dims=True,
        preamble='',
        options=(),
    ):
        self.name, self.identity, self.options = name, identity, options


class RawKernel:
    def __init__(
        self,
        code,
        name,
        options=(),
        backend='nvrtc',
        translate_cucomplex=False,
        *,
        enable_cooperative_groups=False,
        jitify=None,
    ):
        if not isinstance(options, tuple):
            raise TypeError("Argument 'options' has incorrect type")
        self.name, self.options, self.backend = name, options, backend


def fuse(*args, **kwargs):
    def decorate(function, kernel_name=None):
        @functools.wraps(function)
        def fused(*arguments):
            return 'fused', kernel_name, function(*arguments)

        return fused

    return lambda function: decorate(function, *args, **kwargs)
