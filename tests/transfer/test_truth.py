"""A trace compared with a driver's copies: made up programs, of which it is known what was hidden."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.errors import DeviceUnavailableError
from crossdock.transfer import DriverAccount, DriverCopy, Transfer, _driver, _reconcile, trace_everywhere, truth_of
from crossdock.transfer._log import TransferLog
from crossdock.transfer._truth import compare

START = 1000.0  # of the trace, by the clock
OWN, OTHER = 11, 12
PAIRS = {('@numpy', 'cuda:0'): ('host', 'cuda:0'), ('cuda:0', '@numpy'): ('cuda:0', 'host')}
PAIRS |= {('cuda:0', 'cuda:1'): ('cuda:0', 'cuda:1'), ('native:0', 'cuda:1'): ('host', 'cuda:1')}


def row(nbytes, pair=('@numpy', 'cuda:0'), began=0.0, **facts):
    given = {'seconds': 1e-3, 'route': 'copy', 'batch': None, 'filename': 'a.py', 'lineno': round(began) + 1} | facts
    return Transfer(nbytes, *pair, op='copy', implicit=False, host=False, path='', began=began, **given)


def copy(nbytes, pair=('host', 'cuda:0'), called=0.0, thread=OWN, **facts):
    """One whose call is `called` seconds after the trace began; nothing is known of the call if that is None."""
    known = {'called': None if called is None else START + called, 'thread': thread}
    return DriverCopy(nbytes, *pair, began=None, **known, **facts)


def truth(rows, copies, threads=None, own=frozenset({OWN}), problems=()):
    return compare(rows, threads or [OWN] * len(rows), DriverAccount(list(copies), problems), START, own)


@dataclass
class Program:
    """What was moved one thing after the other, a second each, and what the driver was hidden to have moved."""

    rows: list[Transfer] = field(default_factory=list)
    copies: list[DriverCopy] = field(default_factory=list)
    hidden: list[DriverCopy] = field(default_factory=list)
    batches: itertools.count = field(default_factory=itertools.count)
    now: float = 0.0

    def copied(self, nbytes, pair, offset=1e-4):
        self.copies.append(copy(nbytes, PAIRS[pair], self.now + offset))
        return self.copies[-1]

    def one(self, pair, sizes):
        """A row, and its copy."""
        self.rows.append(row(sizes[0], pair, self.now))
        self.copied(sizes[0], pair)

    def pieces(self, pair, sizes):
        """A row that is made of several copies."""
        self.rows.append(row(sum(sizes), pair, self.now, route='staged'))
        for i, nbytes in enumerate(sizes):
            self.copied(nbytes, pair, i * 1e-5)

    def packed(self, pair, sizes):
        """Several rows that are one copy, with gaps."""
        batch, step = next(self.batches), 1e-3 / len(sizes)
        for i, nbytes in enumerate(sizes):
            self.rows.append(row(nbytes, pair, self.now + i * step, route='packed', batch=batch, seconds=step))
        gaps = sum(-nbytes % 256 for nbytes in sizes[:-1])
        self.copied(sum(sizes) + gaps, pair)

    def endless(self, pair, sizes):
        """A row whose library does not say when it is over."""
        self.rows.append(row(sizes[0], pair, self.now, seconds=None))
        self.copied(sizes[0], pair, 0.5)

    def failed(self, pair, sizes):
        """A row that failed, of which some may have been copied."""
        self.rows.append(row(sum(sizes), pair, self.now, failed=True))
        if sizes[1:]:
            self.copied(sizes[0], pair)

    def beside(self, pair, sizes):
        """A row of memory that is not the driver's."""
        self.rows.append(row(sizes[0], ('@numpy', 'sim:0'), self.now))

    def unseen(self, pair, sizes):
        """A copy without a row."""
        for i, nbytes in enumerate(sizes):
            self.hidden.append(self.copied(nbytes, pair, i * 1e-5))


ACTS = ('one', 'pieces', 'packed', 'endless', 'failed', 'beside', 'unseen')
steps = st.lists(
    st.tuples(st.sampled_from(ACTS), st.sampled_from(list(PAIRS)), st.lists(st.integers(1, 9), min_size=1, max_size=4)),
    max_size=25,
)


def made(steps, scale=1):
    program = Program()
    for act, pair, sizes in steps:
        getattr(program, act)(pair, [size * scale for size in sizes])
        program.now += 1
    return program


def ids(copies):
    return sorted((one.called, one.nbytes, one.source, one.target) for one in copies)


@given(steps, st.randoms())
def test_with_times_exactly_what_was_hidden_is_unseen(steps, random):
    program = made(steps)
    random.shuffle(program.copies)
    found = truth(program.rows, program.copies)
    assert ids(found.unseen) == ids(one.since(START) for one in program.hidden)
    assert found.elsewhere == found.unmade == found.problems == ()


@given(steps, st.randoms())
def test_without_times_of_calls_the_bytes_of_what_was_hidden_are_right(steps, random):
    powers = itertools.count()  # no sum of some sizes is another's
    program = Program()
    for act, pair, sizes in steps:
        getattr(program, act)(pair, [2 ** next(powers) for _ in sizes])
        program.now += 1
    nothing = [replace(one, began=one.called, called=None, thread=None) for one in program.copies]
    hidden = sum(one.nbytes for one in program.hidden)
    partly = sum(sizes[1:] != [] for act, _, sizes in steps if act == 'failed')
    random.shuffle(nothing)
    found = truth(program.rows, nothing)
    assert found.unmade == ()
    if not partly and not any(act == 'packed' for act, _, _ in steps):
        assert found.unseen_nbytes == hidden


@given(steps, st.booleans(), st.data())
def test_sums_are_exact_and_each_copy_is_counted_once_whatever_is_lost(steps, timed, data):
    program = made(steps, scale=100)
    rows = [one for one in program.rows if data.draw(st.booleans())]
    copies = [one for one in program.copies if data.draw(st.booleans())]
    if not timed:
        copies = [replace(one, called=None, thread=None) for one in copies]
    found = truth(rows, copies)
    for pair in found.pairs:
        there = [one for one in copies if (one.source, one.target) == (pair.source, pair.target)]
        assert (pair.copies, pair.copied_nbytes) == (len(there), sum(one.nbytes for one in there))
        told = [r for r in rows if not r.failed and PAIRS.get((r.source, r.target)) == (pair.source, pair.target)]
        assert (pair.rows, pair.row_nbytes) == (len(told), sum(r.nbytes for r in told))
    # What belongs together has the same bytes, but for gaps and failures.
    matched = sum(one.nbytes for one in copies) - found.unseen_nbytes
    due = [r for r in rows if r.target != 'sim:0' and r not in found.unmade]
    assert sum(r.nbytes for r in due if not r.failed) <= matched
    assert matched <= sum(r.nbytes + (255 if r.route == 'packed' else 0) for r in due)


@given(steps, st.integers(0, 30))
def test_a_dropped_row_is_unseen_with_its_bytes(steps, which):
    program = made([step for step in steps if step[0] in ('one', 'pieces', 'endless')])
    if not program.rows:
        return
    dropped = program.rows.pop(which % len(program.rows))
    found = truth(program.rows, program.copies)
    assert found.unseen_nbytes == dropped.nbytes
    assert all(int(one.called) == int(dropped.began) for one in found.unseen)


@given(steps, st.integers(0, 30))
def test_a_row_that_no_copy_made_is_said(steps, which):
    program = made([step for step in steps if step[0] != 'unseen'])
    program.rows.append(row(1000, began=program.now))
    found = truth(program.rows, program.copies)
    assert found.unmade == (program.rows[-1],) and found.unseen == ()


@settings(max_examples=30)
@given(steps, st.floats(-1.5e-5, 1.5e-5))
def test_clocks_that_differ_by_microseconds_do_no_harm(steps, ahead):
    program = made([step for step in steps if step[0] != 'unseen'])
    late = [replace(one, called=one.called + ahead) for one in program.copies]
    assert truth(program.rows, late).unseen == ()


def test_two_threads_at_the_same_time():
    rows = [row(100, began=0.0, seconds=1.0), row(100, began=0.0, seconds=1.0), row(7, began=2)]
    copies = [copy(50, called=0.1), copy(100, called=0.2, thread=OTHER), copy(50, called=0.3), copy(7, called=2)]
    assert truth(rows, copies, [OWN, OTHER, OWN], None).unseen == ()
    assert truth([rows[0]], copies[:3]).elsewhere == (copies[1].since(START),)


def test_a_row_may_be_copied_by_a_thread_of_its_library():
    assert truth([row(64)], [copy(64, called=0.01, thread=OTHER)]).elsewhere == ()
    late = truth([row(64, began=5)], [copy(64, called=0.01, thread=OTHER)])
    assert late.elsewhere and late.unmade, 'a copy is not made before its row begins'


def test_what_other_threads_copied_is_apart():
    found = truth([row(8)], [copy(8), copy(5, called=3, thread=OTHER), copy(6, called=4, thread=None)])
    assert [one.nbytes for one in found.elsewhere] == [5] and [one.nbytes for one in found.unseen] == [6]
    assert [(p.copies, p.copied_nbytes) for p in found.pairs] == [(2, 14)]
    assert 'other threads: 1 copy, 5 bytes' in found.summary()
    everywhere = truth([row(8)], [copy(8), copy(5, called=3, thread=OTHER)], own=None)
    assert [one.nbytes for one in everywhere.unseen] == [5]


def test_the_text_and_the_dictionary():
    rows = [row(1 << 20), row(30, ('cuda:0', '@numpy'), 4.0), row(9, began=6.0)]
    copies = [copy(1 << 20), copy(30, ('cuda:0', 'host'), 4.0), copy(2000, called=5.0), copy(2000, called=5.5)]
    found = truth(rows, copies, problems=('the moon is full',))
    text = found.summary()
    for part in ('host     cuda:0        3   1,052,576       2   1,048,585   +3,991', 'unseen: 2 copies, 4,000 bytes'):
        assert part in text, text
    assert 'a.py:5   host   cuda:0        2        2,000' in text
    assert 'rows without a copy: 1, 9 bytes' in text and 'note: the moon is full' in text
    assert repr(found) == '<TransferTruth: 4 copies by the driver, 2 of 4000 bytes unseen>'
    told = json.loads(json.dumps(found.to_dict()))
    assert told.keys() == {'pairs', 'unseen', 'unseen_nbytes', 'elsewhere', 'unmade', 'problems'}
    assert told['unseen'][0] | {'filename': 'a.py', 'lineno': 5, 'nbytes': 2000, 'called': 5.0} == told['unseen'][0]
    back = truth_of(told)
    assert back.to_dict() == told and back.summary() == text


def test_nothing_to_compare():
    found = truth([row(5, ('@numpy', 'sim:0'))], [])
    assert 'neither the driver nor the trace' in found.summary() and found.pairs == ()


def test_many_of_the_same_size_take_little_time():
    n = 20_000
    rows = [row(8, began=i * 1e-5, seconds=None) for i in range(n)]
    lost = [copy(8, called=None, thread=None) for _ in range(n + 5)]
    began = time.perf_counter()
    assert truth(rows, lost).unseen_nbytes == 40
    assert len(truth(rows, []).unmade) == n
    assert len(truth([row(9, began=i * 1e-5) for i in range(2000)], lost).unmade) == 2000
    assert time.perf_counter() - began < 20


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(0, 60), st.integers(0, 5))
def test_one_row_of_several_copies_is_found_alike_among_few_and_many(sizes, least, room):
    sums = [0, *itertools.accumulate(sizes)]
    assert _reconcile._run_of_many(sums, least, least + room) == _reconcile._run_of_few(sums, least, least + room)


class Fake:
    """A driver that copied something else than the rows tell, by the wall of the test."""

    def __init__(self):
        self.began = time.perf_counter()
        self.ended = 0

    def end(self):
        self.ended += 1
        return DriverAccount([DriverCopy(77, 'host', 'cuda:0', called=time.perf_counter())], ())


@pytest.fixture
def driver(monkeypatch):
    watches = []
    monkeypatch.setattr(_driver, '_watch', lambda: watches.append(Fake()) or watches[-1])
    return watches


def test_a_trace_compares_at_its_end(driver):
    with xd.trace_transfers(ground_truth=True) as log:
        xd.get_device('sim:0').send(np.ones(4))
        assert log.ground_truth is None
    assert log.ground_truth.unseen_nbytes == 77 and [one.ended for one in driver] == [1]
    assert log.summary().endswith('unseen: 1 copy by the driver, 77 bytes; see ground_truth.summary()')
    assert log.nbytes_moved == 32 and len(json.loads(log.to_json())) == 1, 'the rows stay what they are'
    assert log.ground_truth.unseen[0].at >= log[0].began
    assert log.ground_truth.line_before(log.ground_truth.unseen[0]) == (log[0].filename, log[0].lineno)


def test_other_traces_ask_nobody(driver):
    with xd.trace_transfers() as log, trace_everywhere() as everywhere:
        xd.get_device('sim:0').send(np.ones(4))
    assert log.ground_truth is everywhere.ground_truth is None and not driver and type(log) is TransferLog


def test_an_error_in_the_block_goes_on_and_the_driver_is_let_go(driver):
    with pytest.raises(ZeroDivisionError), xd.trace_transfers(ground_truth=True) as log:
        1 / 0
    assert log.ground_truth.unseen_nbytes == 77 and driver[0].ended == 1


def test_of_all_threads(driver):
    with trace_everywhere(ground_truth=True) as log:
        pass
    assert log.ground_truth.unseen_nbytes == 77


def test_where_nobody_can_be_asked_the_block_does_not_begin(monkeypatch):
    monkeypatch.setattr(_driver, '_watch', None)
    with (
        pytest.raises(DeviceUnavailableError, match='ground_truth=True asks a driver'),
        xd.trace_transfers(ground_truth=True),
    ):
        pytest.fail('it began')
    with pytest.raises(DeviceUnavailableError), trace_everywhere(ground_truth=True):
        pytest.fail('it began')
    with xd.trace_transfers() as log:
        xd.get_device('sim:0').send(np.ones(4))
    assert len(log) == 1
