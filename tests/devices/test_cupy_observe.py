"""A trace and a guard see the copies that CuPy makes by itself; nothing is replaced while nobody looks."""

import contextlib
import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices.backends import _cupy
from crossdock.transfer import _hook

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    yield from cupy_stand_in.lend(monkeypatch)


@contextlib.contextmanager
def forbidding_implicit():
    def forbid(event):
        if event.implicit:
            raise xd.errors.TransferForbiddenError('not this one')

    _hook.listen(forbid)
    try:
        yield
    finally:
        _hook.unlisten(forbid)


PULLS = {
    'float': float,
    'int': int,
    'bool': bool,
    'complex': complex,
    'format': lambda x: f'{x}',
    'item': lambda x: x.item(),
    'tolist': lambda x: x.tolist(),
}


@pytest.mark.parametrize('op', PULLS)
def test_pulls_are_implicit(cupy, op):
    x = xd.get_device('@cupy:1').send(np.float32(2.0))
    with xd.trace_transfers() as log:
        PULLS[op](x)
    (row,) = log
    assert (row.op, row.nbytes, row.source, row.target, row.implicit) == (op, 4, '@cupy:1', '@numpy', True)
    with forbidding_implicit(), pytest.raises(xd.errors.TransferForbiddenError):
        PULLS[op](x)
    assert PULLS[op](x) is not None


def test_what_is_asked_for_is_explicit(cupy):
    with xd.trace_transfers() as log:
        x = cupy.asarray(np.ones(3))
        cupy.array(np.ones(2))
        x.set(np.zeros(3))
        x.get()
        cupy.asnumpy(x)
        cupy.asarray(x)  # it is there already
    assert [(row.op, row.nbytes, row.target, row.implicit) for row in log] == [
        ('asarray', 24, '@cupy:0', False),
        ('array', 16, '@cupy:0', False),
        ('set', 24, '@cupy:0', False),
        ('get', 24, '@numpy', False),
        ('get', 24, '@numpy', False),
    ]


def test_what_is_shown_is_no_error_under_a_guard(cupy):
    x = xd.get_device('@cupy:0').send(np.ones((2, 3)))
    with forbidding_implicit():
        for text in (repr(x), str(x)):
            assert '(2, 3)' in text and 'float64' in text and '@cupy:0' in text and '1.' not in text
    assert '1.' in repr(x)


def test_nothing_is_left_replaced(cupy):
    before = dict(vars(cupy.ndarray)), dict(vars(cupy))
    with xd.trace_transfers():
        assert dict(vars(cupy.ndarray)) != before[0]
        with xd.trace_transfers():
            pass
        assert dict(vars(cupy.ndarray)) != before[0]
    assert (dict(vars(cupy.ndarray)), dict(vars(cupy))) == before


def test_our_own_copies_are_told_once(cupy):
    with xd.trace_transfers() as log:
        there = xd.get_device('@cupy:0').send(np.ones(3))
        xd.to_numpy(there)
    assert [row.op for row in log] == ['copy', 'copy']


def test_a_cupy_that_is_imported_while_somebody_listens(monkeypatch):
    module = sys.modules['cupy']
    monkeypatch.setattr(_cupy.CupyBackend, 'unavailable', lambda self: '')
    monkeypatch.delitem(sys.modules, 'cupy')
    with xd.trace_transfers() as log:
        monkeypatch.setattr('importlib.import_module', lambda name: sys.modules.setdefault(name, module))
        x = xd.get_device('@cupy:0').send(np.float64(1))
        float(x)
    assert [row.op for row in log] == ['copy', 'float']
