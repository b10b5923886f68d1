"""A trace and a guard see what JAX pulls from its arrays; nothing is replaced while nobody looks."""

import numpy as np
import pytest

import crossdock as xd

jax = pytest.importorskip('jax', reason='JAX is not installed')


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
