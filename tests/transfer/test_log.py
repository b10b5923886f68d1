"""The forms in which the rows of a trace can be had."""

import copy
import json
import linecache
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import AsyncDeviceError
from crossdock.transfer import _where


@pytest.fixture
def sim():
    return xd.get_device('sim:0')


@pytest.fixture
def log(sim):
    with xd.trace_transfers() as log:
        x = sim.send({'big': np.zeros(1000), 'small': [np.zeros(1), np.zeros(2)]})['big']
        for _ in range(3):
            float(x[0])
        xd.get_device('sim:1').send(x)
        xd.core.sim.inject('copy_error', index=0)
        with pytest.raises(AsyncDeviceError):
            xd.to_numpy(x)
        xd.core.sim.clear_faults()
        float(xd.core.ones(1))
    return log


def source(row):
    return linecache.getline(row.filename, row.lineno).strip()


def test_rows_say_when_and_how_long(log):
    began = [row.began for row in log]
    assert began == sorted(began)
    assert began[0] >= 0
    assert all(row.seconds > 0 for row in log)
    assert max(row.began + row.seconds for row in log) < 60


def test_seconds_are_those_of_the_copy(sim):
    x = sim.send(np.zeros(10_000_000))
    sim.synchronize()
    before = time.perf_counter()
    with xd.trace_transfers() as log:
        xd.to_numpy(x)
    elapsed = time.perf_counter() - before
    assert 0.1 * elapsed < log[0].seconds < elapsed


def test_packed_rows_share_their_time(sim):
    with xd.trace_transfers() as log:
        sim.send([np.zeros(n) for n in (1, 2, 5)])
    first, second, third = log
    assert {row.route for row in log} == {'packed'}
    assert second.seconds == pytest.approx(2 * first.seconds)
    assert third.seconds == pytest.approx(5 * first.seconds)
    assert second.began == pytest.approx(first.began + first.seconds)


def test_what_failed_counts_no_bytes(log):
    assert [row.nbytes for row in log if row.failed] == [8000]
    assert log.nbytes_moved == sum(row.nbytes for row in log if not row.failed) == 8000 + 24 + 24 + 8000


def test_the_route_is_that_of_the_plan(sim, rng):
    pinned = xd.core.pinned_memory_pool('sim:0').empty(5, dtype='float64')
    arrays = [
        rng.standard_normal(5),
        rng.standard_normal((40, 50)).T,
        rng.standard_normal(100)[::2],
        np.zeros(3_000_000),
        pinned,
    ]
    for array in arrays:
        for options in ({}, {'dtype': 'float32'}):
            plan = xd.plan(array, sim, **options)
            with xd.trace_transfers() as log:
                there = sim.send(array, **options)
                back = xd.plan(there, '@numpy').route, xd.plan(there, 'sim:1').route
                xd.to_numpy(there)
                xd.get_device('sim:1').send(there)
            assert [row.route for row in log] == [plan.route, *back]
    few = [np.zeros(3), np.zeros(4), np.zeros(100_000)]
    with xd.trace_transfers() as log:
        sim.send(few)
    assert [row.route for row in log] == [plan.route for _, plan in xd.plan(few, sim)]


def test_tracing_changes_no_route(sim):
    """Small arrays are packed whether somebody looks or not: the device makes as many copies."""
    few = [np.zeros(n) for n in range(1, 100)]

    def copies():
        before = xd.core.sim.counters(0).copies
        sim.send(few)
        return xd.core.sim.counters(0).copies - before

    untraced = copies()
    with xd.trace_transfers() as log:
        assert copies() == untraced == 1
    assert len(log) == len(few)


def test_by_line(log):
    groups = log.by_line()
    assert [(g.count, g.nbytes, g.op, g.source, g.target, g.implicit) for g in groups] == [
        (3, 8024, 'copy', '@numpy', 'sim:0', False),
        (1, 8000, 'copy', 'sim:0', 'sim:1', False),
        (3, 24, 'float', 'sim:0', '@numpy', True),
        (1, 0, 'copy', 'sim:0', '@numpy', False),
        (1, 0, 'float', 'native:0', '@numpy', True),
    ]
    assert source(groups[2]) == 'float(x[0])'
    assert sum(g.seconds for g in groups) == pytest.approx(sum(row.seconds for row in log))


def test_json(log, tmp_path):
    text = log.to_json(tmp_path / 'log.json')
    assert (tmp_path / 'log.json').read_text() == text == log.to_json()
    rows = json.loads(text)
    assert [xd.Transfer(**row) for row in rows] == list(log)


def check_chrome_trace(document):
    """As the format wants it: known phases, numbers where numbers belong, and events of a track that nest."""
    tracks, names = {}, {}
    for event in document['traceEvents']:
        assert event['ph'] in ('M', 'X', 'i')
        assert isinstance(event['pid'], int) and isinstance(event['tid'], int) and isinstance(event['name'], str)
        if event['ph'] == 'M':
            if event['name'] == 'thread_name':
                names[event['tid']] = event['args']['name']
            continue
        assert event['ts'] >= 0
        tracks.setdefault(event['tid'], []).append((event['ts'], event['ts'] + event.get('dur', 0)))
        assert event['ph'] == 'X' or event['s'] == 't'
    assert set(names) == set(tracks)
    for spans in tracks.values():
        assert all(until <= begin + 0.002 for (_, until), (begin, _) in pairwise(spans))
    return names


def test_chrome_trace(log, tmp_path):
    log.to_chrome_trace(tmp_path / 'log.trace')
    document = json.loads((tmp_path / 'log.trace').read_text())
    names = check_chrome_trace(document)
    arrow = '\N{RIGHTWARDS ARROW}'
    assert sorted(names.values()) == sorted(
        f'{source} {arrow} {target}' for source, target in {(row.source, row.target) for row in log}
    )
    events = [event for event in document['traceEvents'] if event['ph'] == 'X']
    assert sum(event['args']['nbytes'] for event in events) == sum(row.nbytes for row in log)
    assert 'float test_log.py' in {event['name'].rsplit(':')[0] for event in events}
    assert {event['cat'] for event in events} == {'explicit', 'implicit'}


def test_chrome_trace_of_threads_and_of_libraries_that_do_not_say_when_it_is_over(tmp_path):
    from crossdock.transfer._chrome import chrome_trace
    from crossdock.transfer._row import Transfer

    facts = (8, 'a', 'b', 'copy', False, False, '', 0, '', None, '')
    rows = [
        Transfer(*facts, began=0.0, seconds=3.0),
        Transfer(*facts, began=1.0, seconds=1.0),
        Transfer(*facts, began=2.5, seconds=None),
        Transfer(*facts, began=4.0, seconds=1.0),
    ]
    names = check_chrome_trace(json.loads(''.join(chrome_trace(rows))))
    arrow = '\N{RIGHTWARDS ARROW}'
    assert list(names.values()) == [f'a {arrow} b', f'a {arrow} b (2)']
    assert check_chrome_trace(json.loads(''.join(chrome_trace([])))) == {}


@pytest.mark.parametrize('style', ['default', 'dark_background'])
def test_plot(log, style):
    matplotlib = pytest.importorskip('matplotlib')
    matplotlib.use('agg')
    from matplotlib import pyplot

    with pyplot.style.context(style), xd.trace_transfers() as empty:
        figure, nothing = log.plot(), empty.plot()
        figure.canvas.draw()
        nothing.canvas.draw()
        above, below = figure.axes
    arrow = '\N{RIGHTWARDS ARROW}'
    labels = [label.get_text() for label in above.get_yticklabels()]
    assert labels == [f'@numpy {arrow} sim:0', f'sim:0 {arrow} @numpy', f'sim:0 {arrow} sim:1']
    assert [text.get_text() for text in above.get_legend().get_texts()] == ['explicit', 'implicit', 'failed']
    assert {text.get_text() for text in below.texts} == {'8.02 kB', '24 bytes', '8 kB'}
    assert above.get_title('left') == '9 transfers, 16 kB'.replace('9', str(len([r for r in log if not r.host])))
    pyplot.close('all')


def test_plot_without_matplotlib_says_what_to_install(log, monkeypatch):
    monkeypatch.setitem(__import__('sys').modules, 'matplotlib', None)
    with pytest.raises(ImportError, match=r'crossdock\[plot\]'):
        log.plot()


# -- the user's line


def test_the_line_is_the_users_behind_pythons_own_modules(sim):
    x = sim.send(np.ones(3))
    with xd.trace_transfers() as log:
        copy.deepcopy({'x': sim.send(np.ones(2))})
        sorted([x[0], x[1]], key=float)
        threads = [threading.Thread(target=lambda: None)]
        [*map(float, x)]
    assert all(row.filename == __file__ for row in log)
    assert {source(row) for row in log} == {
        "copy.deepcopy({'x': sim.send(np.ones(2))})",
        'sorted([x[0], x[1]], key=float)',
        '[*map(float, x)]',
    }
    assert len(threads) == 1


def test_the_line_is_the_users_behind_a_library(sim, tmp_path, monkeypatch):
    (tmp_path / 'some_library.py').write_text('def pull(x):\n    return float(x)\n')
    monkeypatch.syspath_prepend(tmp_path)
    import some_library

    x = sim.send(np.ones(1))
    with xd.trace_transfers() as log:
        some_library.pull(x)
    assert log[0].filename.endswith('some_library.py')
    hidden = set(_where._hidden_modules)
    try:
        _where.hide_frames('some_library')
        with xd.trace_transfers() as log:
            some_library.pull(x)
        assert log[0].filename == __file__
    finally:
        _where._hidden_modules.clear()
        _where.hide_frames(*hidden)


def test_where_no_frame_is_the_users(sim):
    """A thread that does nothing else is Python's own."""
    import contextvars

    x = sim.send(np.ones(1))
    with xd.trace_transfers() as log:
        thread = threading.Thread(target=contextvars.copy_context().run, args=(float, x))
        thread.start()
        thread.join()
    assert log[0].filename == threading.__file__


def test_a_function_called_from_a_batch_is_no_part_of_it(sim):
    x = sim.send(np.ones(1))

    def progress(done, total):
        x.to_device('native:0')

    with xd.trace_transfers() as log:
        sim.send([np.ones(2), np.ones(3)], progress=progress)
    rows = [row for row in log if row.source == 'sim:0']
    assert rows
    assert {(row.batch, source(row)) for row in rows} == {(None, "x.to_device('native:0')")}
    assert {source(row) for row in log if row.target == 'sim:0'} == {
        'sim.send([np.ones(2), np.ones(3)], progress=progress)'
    }
