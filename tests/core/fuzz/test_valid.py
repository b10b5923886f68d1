"""Each function of the core, rightly called, against array-api-strict.

Compared are values, shape, dtype and layout; and the arguments must be what they were.
"""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

import array_api_strict as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock.core as cx
from crossdock.core import exchange

from ...accelerator import FIRST
from .draws import Draw, operands_of, replaced
from .names import FUNCTIONS, ROWS
from .table import OURS, Row

EXAMPLES = 10 if settings.get_current_profile_name() != 'fuzz' else 2000
RTOL = {'float32': 2e-5, 'complex64': 2e-5, 'float64': 1e-12, 'complex128': 1e-12}
DTYPES = {name: getattr(oracle, name) for kind in cx.__array_namespace_info__().dtypes() for name in [kind]}


def test_every_public_function_has_a_row() -> None:
    assert not FUNCTIONS.keys() - ROWS.keys() - OURS.keys(), 'add a row to tests/core/fuzz/table.py'


def host(x: cx.Array) -> np.ndarray[Any, Any]:
    return exchange.as_numpy(x.to_device('native:0'))


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def compare(got: Any, want: Any, row: Row) -> None:
    if not isinstance(want, oracle._array_object.Array):
        if isinstance(got, cx.dtype):
            assert got == want._np_dtype
        elif isinstance(got, bool):
            assert got == want
        return
    values, expected = host(got), np.asarray(want._array)
    assert (values.shape, values.dtype) == (expected.shape, expected.dtype)
    assert row.view or got.c_contiguous, f'strides {got.strides} of a fresh result'
    if row.compare is None:
        rtol = row.loose * RTOL.get(values.dtype.name, 0)
        np.testing.assert_allclose(values, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize('name', sorted(ROWS.keys() & FUNCTIONS.keys()))
@given(data=st.data())
@settings(deadline=None, max_examples=EXAMPLES, derandomize=EXAMPLES == 10)
def test_function(name: str, data: st.DataObject) -> None:
    row = ROWS[name]
    args, kwargs = row.arguments(Draw(data))
    operands = operands_of([args, kwargs])

    def see(thing: Any) -> Any:
        seen = replaced(thing, lambda operand: oracle.asarray(operand.numpy().copy()))
        return _with_dtypes(seen)

    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        want = attrgetter(name)(oracle)(*see(args), **see(kwargs))
    for device in ('native:0', FIRST):
        arrays = [(operand, operand.core(device)) for operand in operands]
        got = _call(name, args, kwargs, arrays, device)
        assert len(flat(got)) == len(flat(want))
        for one, other in zip(flat(got), flat(want)):
            compare(one, other, row)
        if row.compare is not None:
            row.compare([host(x) for x in flat(got)], [operand.numpy() for operand in operands])
        for operand, array in arrays:
            np.testing.assert_array_equal(host(array), operand.numpy())


def _call(name: str, args: Any, kwargs: Any, arrays: list[tuple[Any, cx.Array]], device: str) -> Any:
    made = {id(operand): array for operand, array in arrays}
    core_args, core_kwargs = replaced((args, kwargs), lambda operand: made[id(operand)])
    if ROWS[name].creates:
        core_kwargs['device'] = device
    return FUNCTIONS[name](*core_args, **core_kwargs)


def _with_dtypes(thing: Any) -> Any:
    """The oracle takes no dtypes by name."""
    if isinstance(thing, str):
        return DTYPES.get(thing, thing)
    if isinstance(thing, (list, tuple)):
        return type(thing)(_with_dtypes(item) for item in thing)
    if isinstance(thing, dict):
        return {key: _with_dtypes(item) for key, item in thing.items()}
    return thing
