import asyncio
import contextvars
import threading

import numpy as np
import pytest

import crossdock as xd
from crossdock.transfer import _hook

from ..accelerator import FIRST, simulated


@pytest.fixture(autouse=True)
def nobody_listens():
    assert not _hook.listening()
    yield
    assert not _hook.listening()


@pytest.fixture
def sim():
    return xd.get_device(FIRST)


def test_a_row_has_the_facts(sim, rng):
    x = rng.standard_normal((4, 4)).astype('float32')
    with xd.trace_transfers() as log:
        y = sim.send({'w': [x, x[:2]], 'n': 3}, dtype='float64')
        back = xd.to_numpy(y['w'][0])
    assert back.dtype == np.float64
    rows = list(log)
    assert [(r.nbytes, r.source, r.target, r.path) for r in rows] == [
        (64, '@numpy', FIRST, "['w'][0]"),
        (32, '@numpy', FIRST, "['w'][1]"),
        (8, '@numpy', FIRST, "['n']"),
        (128, FIRST, '@numpy', ''),
    ]
    assert all(r.filename == __file__ and not r.implicit and not r.host for r in rows)
    assert rows[0].batch == rows[1].batch == rows[2].batch != rows[3].batch
    assert rows[0].lineno + 1 == rows[3].lineno
    assert log.nbytes_moved == 232
    assert len(log) == 4
    assert log[-1] == rows[-1]


def test_the_plan_knew(sim, rng):
    x = rng.standard_normal((4, 4))
    for options in ({}, {'dtype': 'float32'}, {'dtype': 'complex128'}):
        with xd.trace_transfers() as log:
            sim.send(x, **options)
        assert log.nbytes_moved == xd.plan(x, sim, **options).nbytes_moved


def test_aliases_are_no_rows(rng):
    x = rng.standard_normal(4)
    with xd.trace_transfers() as log:
        y = xd.get_device('native:0').send([x, 1.0])
        xd.get_device('native:1').send(y, copy=True)
        xd.to_numpy(y, copy=True)
        xd.copyto(y[0], x)
    assert list(log) == []
    assert log.nbytes_moved == 0


def test_a_scalar_pull_is_implicit(sim):
    x = sim.send(np.ones(1))
    with xd.trace_transfers() as log:
        float(x)
        float(xd.to_core(np.ones(1)))
    rows = [(r.nbytes, r.source, r.target, r.implicit, r.host) for r in log]
    assert rows == [(8, FIRST, '@numpy', True, False), (0, 'native:0', '@numpy', True, True)]


def test_copyto_is_a_row(sim):
    x = sim.send(np.zeros((3, 2)))
    with xd.trace_transfers() as log:
        xd.copyto(x, np.ones(2, 'float32'))
    assert [(r.nbytes, r.source, r.target) for r in log] == [(8, '@numpy', FIRST)]


def test_nests(sim):
    with xd.trace_transfers() as outer:
        sim.send(np.zeros(1))
        with xd.trace_transfers() as inner:
            sim.send(np.zeros(2))
        sim.send(np.zeros(3))
    sim.send(np.zeros(4))
    assert [r.nbytes for r in outer] == [8, 16, 24]
    assert [r.nbytes for r in inner] == [16]


def test_survives_an_exception(sim):
    with pytest.raises(TypeError), xd.trace_transfers() as log:
        sim.send([np.zeros(1), 'text'])
    assert list(log) == []


def test_cannot_be_entered_twice():
    trace = xd.trace_transfers()
    with trace, pytest.raises(RuntimeError, match='new one'), trace:
        pass


def test_belongs_to_its_thread(sim):
    seen = []

    def other():
        with xd.trace_transfers() as theirs:
            sim.send(np.zeros(5))
        seen.append([r.nbytes for r in theirs])

    with xd.trace_transfers() as mine:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        sim.send(np.zeros(1))
    assert seen == [[40]]
    assert [r.nbytes for r in mine] == [8]


def test_reaches_the_tasks_that_start_inside(sim):
    async def task(n):
        await asyncio.sleep(0)
        sim.send(np.zeros(n))

    async def main():
        with xd.trace_transfers() as log:
            await asyncio.gather(task(1), task(2))
            late = asyncio.create_task(task(3))
        with xd.trace_transfers() as other:
            await late
        return log, other

    log, other = asyncio.run(main())
    assert sorted(r.nbytes for r in log) == [8, 16]
    assert list(other) == []


def test_a_generator_closed_in_another_context():
    def generate():
        with xd.trace_transfers():
            yield

    generator = generate()
    contextvars.Context().run(next, generator)
    generator.close()


def test_summary(sim):
    with xd.trace_transfers() as log:
        for _ in range(3):
            y = sim.send(np.zeros(1000))
        float(y[0])
    text = log.summary()
    assert FIRST in text
    assert 'implicit' in text
    assert '24,000' in text
    assert '24,008' in text
    assert 'trace.py:' in text
    assert repr(log) == '<TransferLog: 4 transfers, 24008 bytes>'
    with xd.trace_transfers() as empty:
        pass
    assert 'bytes' in empty.summary()


def test_a_listener_that_raises_stops_the_copy(sim):
    def refuse(event):
        raise PermissionError(event.target)

    x = sim.send(np.zeros(3))
    _hook.listen(refuse)
    try:
        with pytest.raises(PermissionError, match=FIRST):
            xd.copyto(x, np.ones(3))
        with pytest.raises(PermissionError):
            sim.send(np.ones(3))
    finally:
        _hook.unlisten(refuse)
    assert not xd.to_numpy(x).any()


def test_observers_are_told_when_listening_begins_and_ends():
    told = []
    _hook.register_observer(told.append)
    try:
        with xd.trace_transfers() as log, xd.trace_transfers():
            told[-1]('get', 12, '@foreign:0', '@numpy', True, False)
        assert told == [_hook.announce_foreign, None]
        assert [(r.op, r.nbytes, r.source, r.implicit) for r in log] == [('get', 12, '@foreign:0', True)]
    finally:
        _hook._observers.remove(told.append)


@simulated
def test_the_counters_of_the_device_agree(sim, rng):
    """The device counts what its memory really sees; plan and trace must tell the same."""
    counters = xd.core.sim.counters
    x = {'w': [rng.standard_normal((7, 5))[:, ::2], rng.standard_normal(3)], 'n': 1}
    before = counters(0)
    with xd.trace_transfers() as log:
        there = sim.send(x, dtype='float32')
        xd.to_numpy(there)
        xd.copyto(there['w'][1], np.ones(1))
        float(there['w'][1][0])
    after = counters(0)
    up = sum(row.nbytes for row in log if row.target == FIRST)
    down = sum(row.nbytes for row in log if row.source == FIRST)
    assert up == after.host_to_device_nbytes - before.host_to_device_nbytes
    assert down == after.device_to_host_nbytes - before.device_to_host_nbytes
    assert xd.plan(x, sim, dtype='float32').nbytes_moved == up - 4


def test_a_trace_that_was_not_entered_says_how_to():
    with pytest.raises(RuntimeError, match=r'with trace_transfers\(\) as log'):
        xd.trace_transfers().__exit__(None, None, None)


def test_a_log_is_indexed_as_a_list_is(sim):
    with xd.trace_transfers() as log:
        for n in (1, 2, 3):
            sim.send(np.zeros(n))
    assert [row.nbytes for row in log[1:]] == [16, 24]
    assert log[-1].nbytes == log[np.int64(2)].nbytes == 24
    assert log[5:] == []
    with pytest.raises(TypeError):
        log.summary('wide')


@pytest.mark.parametrize('value', ['yes', 1, None])
def test_ground_truth_is_a_bool(value):
    with pytest.raises(TypeError, match='ground_truth is True or False, not'):
        xd.trace_transfers(ground_truth=value)
