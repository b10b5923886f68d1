"""A trace and a guard see what JAX moves by itself; nothing is replaced while nobody looks.

There need not be a GPU: the device of the host is taken for one.
"""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices.backends import _jax_observe
from crossdock.transfer._hook import telling

jax = pytest.importorskip('jax', reason='JAX is not installed')
jnp = jax.numpy


def rows(log):
    return [(row.op, row.nbytes, row.target, row.implicit, row.host) for row in log]


PULLS = {
    'float': float,
    'int': int,
    'bool': bool,
    'complex': complex,
    'item': lambda x: x.item(),
    'index': lambda x: range(9)[x.astype('int32')],
}


@pytest.mark.parametrize('op', PULLS)
def test_scalars_of_the_host(op):
    x = jax.numpy.asarray(2.0)
    with xd.trace_transfers() as log, xd.transfer_guard('disallow'):
        PULLS[op](x)
    assert rows(log) == [(op, 0, '@numpy', True, True)]
    assert log[0].filename == __file__
    assert log[0].source.startswith('@jax:cpu:')
    assert log.nbytes_moved == 0


def test_what_stays_in_host_memory_is_no_row():
    x = jax.numpy.arange(4.0)
    with xd.trace_transfers() as log:
        assert x[1:].shape == (3,)
        assert (x + 1).sum().shape == ()
        assert len(x) == 4
        assert jax.device_get(x).sum() == 6
        assert xd.to_numpy(x).sum() == 6
        assert xd.get_device('@jax:0').send(np.ones(3, 'float32')).shape == (3,)
    assert log.nbytes_moved == 0
    assert all(row.host or row.nbytes == 0 for row in log)


def test_all_is_as_before_afterwards():
    array = type(jax.numpy.ones(1))
    before = {name: value for name, value in vars(array).items() if name != '__abstractmethods__'}
    get, put = jax.device_get, jax.device_put
    with xd.trace_transfers():
        assert vars(array)['__float__'] is not before['__float__']
    after = vars(array)
    assert all(after[name] is value for name, value in before.items())
    assert jax.device_get is get
    assert jax.device_put is put


def test_values_are_the_same_under_a_trace():
    x = jax.numpy.asarray([[1.5, 2.0]])
    with xd.trace_transfers():
        assert float(x[0, 1]) == 2.0
        assert x.tolist() == [[1.5, 2.0]]
        assert np.asarray(x).tolist() == [[1.5, 2.0]]
        assert jax.jit(lambda y: y * 2)(x).tolist() == [[3.0, 4.0]]
        assert float(jax.grad(lambda y: (y * y).sum())(x)[0, 0]) == 3.0


@pytest.fixture
def far(monkeypatch):
    """An array that is taken to be on an accelerator."""
    x = jnp.arange(4.0)
    monkeypatch.setattr(_jax_observe, '_on_host', lambda device: False)
    return x


MOVES = {
    'float': (lambda x: float(x[1]), [('float', 4, True)]),
    'item': (lambda x: x[1].item(), [('item', 4, True)]),
    'tolist': (lambda x: x.tolist(), [('tolist', 16, True)]),
    '__array__': (lambda x: x.__array__(), [('asarray', 16, True)]),
    'repr': (repr, [('repr', 16, True)]),
    'format': (lambda x: f'{x[0]:.1f}', [('format', 4, True)]),
    'in': (lambda x: 1.0 in x, [('in', 1, True)]),
    'pickle': (pickle.dumps, [('pickle', 16, True)]),
    'device_get': (lambda x: jax.device_get({'a': x, 'b': [x, 3]}), [('device_get', 16, False)] * 2),
}


@pytest.mark.parametrize('name', MOVES)
def test_what_a_gpu_would_move(far, name):
    move, expected = MOVES[name]
    with xd.trace_transfers() as log:
        move(far)
    assert rows(log) == [(op, nbytes, '@numpy', implicit, False) for op, nbytes, implicit in expected]
    guard = xd.transfer_guard('disallow', explicit='disallow')
    if name == 'repr':
        with guard:
            assert '<guarded>, shape=(4,)' in repr(far)
            assert '<guarded>' in str(far)
        return
    with guard, pytest.raises(xd.errors.TransferForbiddenError, match=expected[0][0]):
        move(far)


PUTS = {
    'device_put': lambda x: jax.device_put(x),
    'device_put, imported from where it is': lambda x: jax._src.api.device_put(x),
    'asarray': lambda x: jnp.asarray(x),
    'array': lambda x: jnp.array(x, dtype='float32'),
}


@pytest.mark.parametrize('name', PUTS)
def test_what_is_brought_to_a_gpu(far, name):
    x = np.ones(3)  # as float32, which JAX makes of it
    spec = str(xd.get_device('@jax:0'))
    with xd.trace_transfers() as log:
        PUTS[name](x)
        PUTS[name](x)
    op = name.partition(',')[0]
    assert rows(log) == [(op, 12, spec, False, False)] * 2
    with xd.transfer_guard('disallow'):
        PUTS[name](x)
    with xd.transfer_guard(explicit='disallow'), pytest.raises(xd.errors.TransferForbiddenError, match='12 bytes'):
        PUTS[name](x)


STAYS = [
    lambda x: x + 1,
    lambda x: x[1:],
    lambda x: x[0],
    lambda x: x.sum(),
    list,
    len,
    lambda x: x.copy(),
    jnp.asarray,
    jax.device_put,
    jax.jit(lambda x: jnp.asarray(np.ones(4)) * x),
    jax.grad(lambda x: (x * x).sum()),
    jax.vmap(jnp.sin),
]


@pytest.mark.parametrize('operation', STAYS)
def test_what_stays_on_a_gpu(far, operation):
    with xd.trace_transfers() as log:
        operation(far)
    assert rows(log) == []


def test_our_own_copies_are_told_once(far):
    with xd.trace_transfers() as log:
        with telling('copy', 16, '@numpy', '@jax:cpu:0'):
            jax.device_put(np.ones(4)).tolist()
        far.tolist()
    assert [row.op for row in log] == ['copy', 'tolist']


def test_wrong_use_is_refused_by_jax_itself(far):
    with xd.trace_transfers() as log:
        with pytest.raises(TypeError):
            float(far)
        gone = far + 1
        gone.delete()
        with pytest.raises(RuntimeError, match='deleted'):
            gone.tolist()
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.jit(float)(1.0)
    assert rows(log) == []


def test_a_jax_that_is_imported_while_somebody_listens():
    program = """
import sys, crossdock as xd
before = list(sys.meta_path)
with xd.trace_transfers() as log:
    import jax
    jax.numpy.ones(1).item()
assert [row.op for row in log] == ['item'] and log[0].source == '@jax:cpu:0', list(log)
assert sys.meta_path == before
"""
    subprocess.run([sys.executable, '-c', program], check=True)
