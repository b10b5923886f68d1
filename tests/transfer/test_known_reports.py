"""Hidden transfers and guards, as reported to other projects: each report's case, and what is right."""

import warnings

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import TransferForbiddenError


@pytest.fixture
def sim():
    return xd.get_device('sim:0')


@pytest.fixture
def x(sim):
    return sim.send(np.arange(1.0, 4.0))


def test_arithmetic_and_slices_are_no_transfers(x):
    """jax-ml/jax#16602, #18436, #16002, #26425: a guard that fires on x + 0 and slices, and lets values leave."""
    with xd.transfer_guard('disallow'), xd.trace_transfers() as log:
        x + 1, x + 0, x[1:2], x[0]
    assert list(log) == []


@pytest.mark.parametrize(
    'act',
    [
        lambda x: float(x[0]),
        lambda x: bool(x[0]),
        lambda x: int(x[0]),
        lambda x: range(3)[xd.core.astype(x[0], xd.core.int64)],
        lambda x: x[0].item(),
        lambda x: x.tolist(),
        lambda x: 1.0 in x,
        lambda x: 1 if x[0] > 0 else 2,
    ],
    ids=['float', 'bool', 'int', 'index', 'item', 'tolist', 'in', 'if'],
)
def test_values_that_leave_are_transfers(x, act):
    """jax-ml/jax#16002 and others: leaving the device is what a guard is for."""
    with xd.transfer_guard('disallow'), pytest.raises(TransferForbiddenError):
        act(x)
    act(x)


def test_shown_without_values(x):
    """jax-ml/jax#26425: debuggers call repr."""
    with xd.transfer_guard('disallow'):
        assert f'{x}' == f'{x!r}' == str(x) == "array(<guarded>, shape=(3,), dtype=float64, device='sim:0')"


def test_a_send_is_allowed_cold_and_warm(sim):
    """jax-ml/jax#40285: refused the first time and allowed the second."""
    with xd.transfer_guard('disallow'):
        first, second = sim.send(np.ones(7)), sim.send(np.ones(7))
        assert xd.to_numpy(first).tolist() == xd.to_numpy(second).tolist()


def test_a_bad_mode_is_a_value_error():
    """pytorch/pytorch#70490: SystemError for an unknown mode."""
    with pytest.raises(ValueError, match="'allow', 'log', 'warn', 'disallow'"):
        xd.transfer_guard('loud')


def test_staging_is_told(sim):
    """vllm-project/vllm#53491: copies that go through a hidden pinned buffer."""
    with xd.trace_transfers() as log:
        sim.send(np.zeros((2000, 1000)))
        sim.send(np.zeros((30, 10))[::2])
    assert [(row.route, row.nbytes) for row in log] == [('staged', 16_000_000), ('staged', 1200)]


@pytest.mark.parametrize(
    'act',
    [np.asarray, np.linalg.inv, lambda x: np.array([x, x]), lambda x: np.ones(3) + np.asarray(x), np.sum],
    ids=['asarray', 'inv', 'array of a list', 'add', 'sum'],
)
def test_numpy_does_not_copy_silently(x, act):
    """pytorch/pytorch#9934, #20395, cupy/cupy#589: one policy, refused unless asked for."""
    with xd.trace_transfers() as log, pytest.raises(TypeError):
        act(x)
    assert list(log) == []


def test_a_list_of_arrays_takes_a_transfer_for_each_array(sim):
    """tensorflow/tensorflow#27692, pytorch/pytorch#120614: element by element."""
    there = [sim.send(np.zeros(50)) for _ in range(100)]
    for act in (
        lambda: xd.to_numpy(there),
        lambda: xd.get_device('sim:1').send(there),
        lambda: sim.send([np.zeros(50) for _ in range(100)]),
    ):
        with xd.trace_transfers() as log:
            act()
        assert [row.nbytes for row in log] == [400] * 100
    with xd.trace_transfers() as log, pytest.raises(TypeError):
        np.array([there[0]] * 100)
    assert len(log) == 0
    with xd.trace_transfers() as log:
        assert xd.core.stack(there).shape == (100, 50)
    assert len(log) == 0


def test_reductions_stay_on_the_device(x):
    """pytorch/pytorch#1989, PyLops/pylops#428: host scalars."""
    with warnings.catch_warnings(), xd.trace_transfers() as log:
        for result in (x.sum(), xd.core.max(x), xd.core.mean(x), xd.core.any(x), xd.core.vecdot(x, x), x[0]):
            assert isinstance(result, xd.core.Array)
            assert str(result.device) == 'sim:0'
            assert result.shape == ()
    assert list(log) == []
