import copy
import logging
import pickle
import warnings

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import TransferForbiddenError
from crossdock.transfer import TransferWarning, _hook

SETTINGS = 'implicit', 'explicit', 'host_to_device', 'device_to_host', 'device_to_device'


@pytest.fixture(autouse=True)
def nobody_listens():
    assert not _hook.listening()
    yield
    assert not _hook.listening()


@pytest.fixture
def sim():
    return xd.get_device('sim:0')


@pytest.fixture
def x(sim):
    return sim.send(np.arange(3.0))


@pytest.fixture
def moved():
    """A function that says how many bytes the simulated devices have moved."""

    def count():
        counters = [xd.core.sim.counters(i) for i in range(2)]
        return sum(sum(c[:3]) for c in counters)

    return count


def forbidden(act, moved):
    before = moved()
    with pytest.raises(TransferForbiddenError) as caught:
        act()
    assert moved() == before
    return caught.value


IMPLICIT = {
    'float': lambda x: float(x[1]),
    'int': lambda x: int(x[1]),
    'bool': lambda x: bool(x[1]),
    'complex': lambda x: complex(x[1]),
    'index': lambda x: [1, 2][xd.core.astype(x[1], xd.core.int64)],
    'if': lambda x: 1 if x[1] == 1 else 0,
    'item': lambda x: x[1].item(),
    'tolist': lambda x: x.tolist(),
    'in': lambda x: 1.0 in x,
    'mask': lambda x: x[x > 1],
    'host mask': lambda x: x[np.array([True, False, True])],
    'host index': lambda x: x[np.array([0, 2])],
    'nonzero': lambda x: xd.core.nonzero(x),
    'unique': lambda x: xd.core.unique_values(x),
    'pickle': lambda x: pickle.dumps(x),
}


@pytest.mark.parametrize('name', IMPLICIT)
def test_disallow_forbids_what_nobody_asked_for(x, name, moved):
    act = IMPLICIT[name]
    with xd.transfer_guard('disallow'):
        error = forbidden(lambda: act(x), moved)
        with xd.transfer_guard(device_to_host='disallow'), xd.transfer_guard('allow'):
            if not name.startswith('host'):
                forbidden(lambda: act(x), moved)
    assert error.transfer.implicit
    assert error.transfer.filename == __file__
    assert error.transfer.nbytes > 0
    assert set(error.devices) == {'sim:0', '@numpy'}
    act(x)


def test_the_same_on_the_host_is_allowed():
    x = xd.core.asarray(np.arange(3.0))
    with xd.transfer_guard('disallow', explicit='disallow', device_to_host='disallow'):
        for act in IMPLICIT.values():
            act(x)


def test_what_stays_on_the_device_is_no_transfer(x, moved):
    before = moved()
    with xd.transfer_guard('disallow', explicit='disallow'):
        y = x + 0
        y[1:2], y[0], -y, y * x, y.sum(), xd.core.max(y), abs(y), list(y), len(y), copy.copy(y)
        y[0] = 5
        assert type(y.sum()) is xd.core.Array
        assert xd.get_device_from_array(y.sum()) is xd.get_device('sim:0')
    assert moved() == before


def test_asked_for_is_allowed_warm_or_cold(sim):
    a = np.ones(1000)
    with xd.transfer_guard('disallow'):
        for _ in range(2):
            y = sim.send(a)
            sim.send({'a': a, 'b': [a, 1.0]})
            xd.copyto(y, a)
            xd.to_numpy(y)
            xd.get_device('sim:1').send(y)


def test_saving_and_loading_is_asked_for(x, tmp_path):
    with xd.transfer_guard('disallow'):
        xd.save(tmp_path / 'x.npz', {'x': x})
        assert xd.get_device_from_array(xd.load(tmp_path / 'x.npz', device='sim:0')['x']).name == 'sim:0'


def test_explicit(sim, x, moved):
    with xd.transfer_guard(explicit='disallow'):
        for act in (
            lambda: xd.to_numpy(x),
            lambda: sim.send(np.ones(3)),
            lambda: sim.send([np.ones(3), np.ones(4)]),
            lambda: sim.send(2.5),
            lambda: xd.copyto(x, np.ones(3)),
            lambda: x.to_device('native:0'),
            lambda: x.to_device('sim:1'),
            lambda: xd.core.asarray(np.ones(3), device='sim:0'),
            lambda: xd.core.asarray([1.0, 2.0], device='sim:0'),
        ):
            error = forbidden(act, moved)
            assert not error.transfer.implicit
            assert "explicit='disallow'" in str(error)
        assert float(x[1]) == 1
        xd.get_device('native:0').send(np.ones(3))


def test_a_tree_moves_as_a_whole_or_not_at_all(sim, moved):
    there = xd.get_device('sim:1').send(np.zeros(4))
    tree = {'there': there, 'here': [np.ones(3), np.zeros((500, 500))]}
    for order in (tree, dict(reversed(tree.items()))):
        with xd.transfer_guard(host_to_device='disallow'):
            error = forbidden(lambda order=order: sim.send(order), moved)
        assert error.transfer.path == "['here'][0]"
        assert "['here'][0]" in str(error)


@pytest.mark.parametrize(
    ('setting', 'act'),
    [
        ('host_to_device', lambda x: xd.get_device('sim:0').send(np.ones(3))),
        ('host_to_device', lambda x: x[np.array([0, 2])]),
        ('device_to_host', lambda x: xd.to_numpy(x)),
        ('device_to_host', lambda x: float(x[0])),
        ('device_to_device', lambda x: xd.get_device('sim:1').send(x)),
    ],
)
def test_directions(x, setting, act, moved):
    with xd.transfer_guard(**{setting: 'disallow'}):
        assert setting in str(forbidden(lambda: act(x), moved))
        # The strictest that applies counts: allowing one kind does not lift the other.
        with xd.transfer_guard('allow', explicit='allow'):
            forbidden(lambda: act(x), moved)
        with xd.transfer_guard(**{setting: 'allow'}):
            act(x)
    others = {other: 'disallow' for other in SETTINGS[2:] if other != setting}
    with xd.transfer_guard(**others):
        act(x)


@pytest.mark.parametrize('level', ['forbid', 'error', '', 'Allow', 1, True, b'allow', ['allow']])
@pytest.mark.parametrize('setting', SETTINGS)
def test_a_bad_level_names_the_good_ones(setting, level):
    with pytest.raises(ValueError, match=f'{setting}=.*allow.*log.*warn.*disallow') as caught:
        xd.transfer_guard(**{setting: level})
    assert repr(level) in str(caught.value)


def test_repr_and_formatting_show_no_values(x):
    one = x[1:2]
    shown = "array(<guarded>, shape=(3,), dtype=float64, device='sim:0')"
    for guard in (
        xd.transfer_guard('disallow'),
        xd.transfer_guard(device_to_host='disallow'),
    ):
        with guard:
            assert repr(x) == str(x) == f'{x}' == format(x) == shown
            assert f'{one:.2f}' == shown.replace('(3,)', '(1,)')
            assert f'{x[1]}' == shown.replace('(3,)', '()')
    assert 'guarded' not in repr(x)
    assert f'{one:.2f}' == '1.00'


def test_log(x, caplog):
    with caplog.at_level(logging.WARNING, 'crossdock.transfer'), xd.transfer_guard('log'):
        float(x[0])
        xd.to_numpy(x)
    (record,) = caplog.records
    assert 'float moves 8 bytes from sim:0 to @numpy' in record.getMessage()
    assert f'{__file__}:' in record.getMessage()


def test_warn_points_at_the_users_line(x):
    with xd.transfer_guard('warn'), pytest.warns(TransferWarning, match='float moves 8 bytes') as caught:
        float(x[0])
    assert caught[0].filename == __file__
    with open(__file__) as lines:
        assert lines.readlines()[caught[0].lineno - 1].strip() == 'float(x[0])'


def test_a_warning_made_an_error_moves_nothing(x, moved):
    before = moved()
    with warnings.catch_warnings():
        warnings.simplefilter('error', TransferWarning)
        with xd.transfer_guard('warn'), pytest.raises(TransferWarning):
            float(x[0])
    assert moved() == before


def test_what_is_refused_is_no_row(x):
    with xd.trace_transfers() as log, xd.transfer_guard('disallow'):
        with pytest.raises(TransferForbiddenError):
            float(x[0])
        with xd.trace_transfers() as inner, pytest.raises(TransferForbiddenError):
            x.tolist()
    assert len(log) == len(inner) == 0


def test_the_error_travels(x):
    with xd.transfer_guard('disallow'), pytest.raises(TransferForbiddenError) as caught:
        float(x[0])
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.transfer == caught.value.transfer
    assert again.transfer.op == 'float'


def test_a_staged_way_is_refused_before_its_first_part(moved):
    """To a library that knows no other way than through the host."""
    from crossdock.transfer import _run

    legs = [(8, 'sim:0', '@numpy'), (8, '@numpy', '@elsewhere:0')]
    with xd.transfer_guard(host_to_device='disallow'), pytest.raises(TransferForbiddenError, match='elsewhere'):
        _run.foresee(legs)
    with xd.transfer_guard(device_to_device='disallow'):
        _run.foresee(legs)


def test_repr_is_what_made_it():
    assert repr(xd.transfer_guard('warn', device_to_host='disallow')) == (
        "transfer_guard(implicit='warn', device_to_host='disallow')"
    )


@pytest.mark.parametrize(
    ('act', 'advice'),
    [
        (lambda x: float(x[0]), 'pull it by name with crossdock.to_numpy(x), or allow it'),
        (
            lambda x: x[np.array([0, 1])],
            "send it by name first, with crossdock.get_device('sim:0').send(numpy.asarray(index)), or",
        ),
        (lambda x: x[[0, 1]], "crossdock.get_device('sim:0').send(numpy.asarray(index)), or"),
        (lambda x: x[x > 1], 'do it on the host, with crossdock.to_numpy(x), or allow it'),
        (lambda x: xd.core.unique_values(x), 'do it on the host, with crossdock.to_numpy(x), or allow it'),
        (lambda x: pickle.dumps(x), 'pickle crossdock.to_numpy(x), or allow it'),
        (lambda x: 1.0 in x, 'in moves 1 byte from'),
    ],
)
def test_the_advice_fits(x, act, advice):
    with xd.transfer_guard('disallow'), pytest.raises(TransferForbiddenError) as caught:
        act(x)
    assert advice in str(caught.value)
    assert ('to_numpy' in advice) == ('to_numpy' in str(caught.value)) or 'byte' in advice
