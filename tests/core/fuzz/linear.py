"""How the extensions are called rightly: linear algebra and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .draws import FLOATING, NUMERIC, Draw, Operand
from .table import Call, Row, dotted, product, tensor_product


def matrix(d: Draw, shape: tuple[int, ...], dtype: str, definite: bool = False) -> Operand:
    """A well-conditioned matrix, or a stack of them; Hermitian and positive definite on demand."""
    layout = d.of(['plain', 'readonly'])
    base = d.array((), shape, dtype=dtype).numpy().copy()
    rows, columns = shape[-2:]
    if definite:
        base = (base @ np.conj(np.swapaxes(base, -1, -2))).astype(dtype)
    return Operand((base + 40 * np.eye(rows, columns)).astype(dtype), shape, layout)


def of_matrix(square: bool = True, definite: bool = False, kinds: tuple[str, ...] = FLOATING, least: int = 1) -> Any:
    def arguments(d: Draw) -> Call:
        rows, columns = d.int(least, 4), d.int(least, 4)
        shape = (*d.shape(most=1, smallest=1), rows, rows if square else columns)
        return [matrix(d, shape, d.dtype(kinds), definite)], {}

    return arguments


def with_options(arguments: Any, **options: Any) -> Any:
    def drawn(d: Draw) -> Call:
        args, kwargs = arguments(d)
        return args, kwargs | {name: d.of(choices) for name, choices in options.items() if d.bool()}

    return drawn


def crossed(d: Draw) -> Call:
    kind = (d.of(NUMERIC),)
    shape = (*d.shape(most=2), 3)
    return [d.array(kind, shape), d.array(kind, shape)], {}


def outer(d: Draw) -> Call:
    kind = (d.of(NUMERIC),)
    return [d.array(kind, (d.int(0, 4),)), d.array(kind, (d.int(0, 4),))], {}


def equations(d: Draw) -> Call:
    (a,), _ = of_matrix()(d)
    dtype, rows = a.base.dtype.name, a.shape[-1]
    shape = d.of([(rows,), (*a.shape[:-1], d.int(1, 3))])
    return [a, d.array((), shape, dtype=dtype)], {}


def normed(d: Draw) -> Call:
    x = d.array(FLOATING, smallest=1)
    return [x], {'axis': d.axes(x.shape), 'keepdims': d.bool(), 'ord': d.of([1, 2, 3.5, float('inf'), -1, 0])}


def transformed(*, kinds: tuple[str, ...] = ('complex',), smallest: int = 1) -> Any:
    def arguments(d: Draw) -> Call:
        x = d.array(kinds, least=1, smallest=smallest, side=6)
        options = {'n': d.int(2, 8), 'axis': d.axis(x.shape), 'norm': d.of(['backward', 'ortho', 'forward'])}
        return [x], {name: value for name, value in options.items() if d.bool()}

    return arguments


def transformed_in_all(*, kinds: tuple[str, ...] = ('complex',), smallest: int = 1) -> Any:
    def arguments(d: Draw) -> Call:
        x = d.array(kinds, least=1, smallest=smallest)
        options: dict[str, Any] = {'norm': d.of(['backward', 'ortho', 'forward'])} if d.bool() else {}
        if d.bool():
            options['axes'] = d.order(len(x.shape))[: d.int(1, len(x.shape))]
        return [x], options

    return arguments


def shifted(d: Draw) -> Call:
    x = d.array(FLOATING, least=1)
    return [x], {'axes': d.axes(x.shape)}


def frequencies(d: Draw) -> Call:
    return [d.int(1, 9)], d.of([{}, {'d': 0.25}, {'dtype': 'float32'}])


def close(got: Any, want: Any) -> None:
    tolerance = 1e-3 if want.dtype.name in ('float32', 'complex64') else 1e-9
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 100)


def rebuilds_qr(results: list[Any], operands: list[Any]) -> None:
    q, r = results
    close(q @ r, operands[0])
    close(np.triu(r), r)


def rebuilds_svd(results: list[Any], operands: list[Any]) -> None:
    u, s, vh = results
    count = s.shape[-1]
    close((u[..., :count] * s[..., None, :]) @ vh[..., :count, :], operands[0])
    assert (s[..., 1:] <= s[..., :-1]).all()


def rebuilds_eigh(results: list[Any], operands: list[Any]) -> None:
    w, v = results
    close((v * w[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2)), operands[0])
    assert (w[..., 1:] >= w[..., :-1]).all()


LINEAR: dict[str, Row] = {
    'linalg.cholesky': Row(with_options(of_matrix(definite=True), upper=[False, True]), loose=100),
    'linalg.cross': Row(crossed, loose=100),
    'linalg.det': Row(of_matrix(), loose=100),
    'linalg.diagonal': Row(with_options(of_matrix(False, kinds=NUMERIC), offset=[-2, 0, 1]), view=True),
    'linalg.eigh': Row(of_matrix(definite=True), compare=rebuilds_eigh),
    'linalg.eigvalsh': Row(of_matrix(definite=True), loose=100),
    'linalg.inv': Row(of_matrix(), loose=100),
    'linalg.matmul': Row(product),
    'linalg.matrix_norm': Row(with_options(of_matrix(False), ord=['fro', 'nuc', 1, 2, -1], keepdims=[True]), loose=100),
    'linalg.matrix_power': Row(lambda d: (of_matrix()(d)[0] + [d.int(-2, 3)], {}), loose=1000),
    'linalg.matrix_rank': Row(of_matrix(False)),
    'linalg.matrix_transpose': Row(of_matrix(False, kinds=NUMERIC), view=True),
    'linalg.outer': Row(outer),
    'linalg.pinv': Row(of_matrix(False), loose=100),
    'linalg.qr': Row(with_options(of_matrix(False), mode=['reduced', 'complete']), compare=rebuilds_qr),
    'linalg.slogdet': Row(of_matrix(), loose=100),
    'linalg.solve': Row(equations, loose=100),
    'linalg.svd': Row(with_options(of_matrix(False), full_matrices=[True, False]), compare=rebuilds_svd),
    'linalg.svdvals': Row(of_matrix(False), loose=100),
    'linalg.tensordot': Row(tensor_product),
    'linalg.trace': Row(with_options(of_matrix(False, kinds=NUMERIC), offset=[-2, 0, 1])),
    'linalg.vecdot': Row(dotted),
    'linalg.vector_norm': Row(normed, loose=10),
    **{f'fft.{name}': Row(transformed(), loose=100) for name in ('fft', 'ifft')},
    **{f'fft.{name}': Row(transformed(smallest=2), loose=100) for name in ('irfft', 'hfft')},
    **{f'fft.{name}': Row(transformed(kinds=('real',)), loose=100) for name in ('rfft', 'ihfft')},
    **{f'fft.{name}': Row(transformed_in_all(), loose=100) for name in ('fftn', 'ifftn')},
    'fft.irfftn': Row(transformed_in_all(smallest=2), loose=100),
    'fft.rfftn': Row(transformed_in_all(kinds=('real',)), loose=100),
    **{f'fft.{name}': Row(shifted) for name in ('fftshift', 'ifftshift')},
    **{f'fft.{name}': Row(frequencies, creates=True) for name in ('fftfreq', 'rfftfreq')},
}
