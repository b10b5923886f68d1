"""The text table of a trace, in the width that there is."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.transfer import Transfer
from crossdock.transfer._summary import summary


def moved(nbytes, source, target, op, filename, lineno, *, implicit=False, seconds=0.001):
    return Transfer(nbytes, source, target, op, implicit, False, filename, lineno, '', None, '', 0.0, seconds)


SMALL = [
    moved(8000, '@numpy', '@jax:cpu:0', 'copy', '/home/a/job.py', 2),
    *[moved(8, '@jax:cpu:0', '@numpy', 'float', '/home/a/job.py', 4, implicit=True)] * 3,
]
LARGE = [
    moved(4 * 10**9, '@numpy', '@jax:cuda:0', 'device_put', '/a/b/training_loop_of_everything_there_is.py', 1234),
    *[moved(8, '@jax:cuda:0', '@numpy', 'item', '/a/b/__init__.py', 1402, implicit=True, seconds=0.1)] * 12345,
    moved(8, '@torch:cuda:11', '@numpy', 'asarray', '/a/c/__init__.py', 14, implicit=True, seconds=12.5),
    moved(8, 'sim:0', '@numpy', 'float', '', 0, implicit=True),
]
FIGURES = ('4,000,000,000', '98,760', '12,345', '1,234,500.000', '4,000,098,776', '12,348', '1,247,002.000')


def widest(text):
    return max(map(len, text.splitlines()))


def test_rows_with_specs_of_libraries_fit_80_columns():
    text = summary(SMALL, 80)
    assert widest(text) <= 80
    first, rule, sent, read, total = text.splitlines()
    assert first.split() == ['from', 'to', 'op', 'line', 'transfers', 'bytes', 'ms']
    assert set(rule) == {'─'} and len(rule) == len(first)
    assert sent.split() == ['@numpy', '@jax:cpu:0', 'copy', 'explicit', 'job.py:2', '1', '8,000', '1.000']
    assert read.split() == ['@jax:cpu:0', '@numpy', 'float', 'implicit', 'job.py:4', '3', '24', '3.000']
    assert total.split() == ['total', '4', '8,024', '4.000']


@pytest.mark.parametrize('width', [200, 120, 100, 80, 60, 50])
@pytest.mark.parametrize('rows', [SMALL, LARGE], ids=['small', 'large'])
def test_no_line_is_wider_and_no_number_is_cut(rows, width):
    text = summary(rows, width)
    assert widest(text) <= max(width, 55)
    words = text.split()
    for figure in FIGURES if rows is LARGE else ('8,000', '24', '8,024', '4', '4.000'):
        assert figure in words
    for row in rows[:1] + rows[-1:]:
        assert row.source in words and row.target in words and row.op in words
        assert any(word.endswith(f'{row.filename[-4:]}:{row.lineno}') for word in words) or not row.filename


def test_numbers_stay_whole_where_there_is_no_room():
    text = summary(LARGE, 10)
    assert all(figure in text.split() for figure in FIGURES)
    assert '…_is.py:1234' in text.split()


def test_paths_are_cut_from_the_left():
    rows = [*SMALL, moved(1, '@numpy', 'sim:0', 'copy', '/a/a_module_of_names.py', 77)]
    (line,) = (line for line in summary(rows, 80).splitlines() if ':77' in line)
    assert '…' in line and line.split()[4].endswith('names.py:77')
    assert 'a_module_of_names.py:77' in summary(rows, 120)


def test_files_of_one_name_are_told_apart():
    text = summary(LARGE, 200)
    assert 'b/__init__.py:1402' in text and 'c/__init__.py:14' in text
    assert 'b/training' not in text


def test_a_log_without_rows_is_a_heading():
    for width in (80, 10):
        heading, rule = summary([], width).splitlines()
        assert 'bytes' in heading and set(rule) == {'─'}


def test_names_of_wide_characters_are_aligned():
    text = summary([moved(1, '@numpy', 'sim:0', 'copy', '/a/訓練.py', 3), *SMALL], 80)
    from rich.cells import cell_len

    heading, _, *lines = text.splitlines()
    assert {cell_len(line) for line in lines} == {cell_len(heading)}


def test_columns_of_the_environment(monkeypatch):
    monkeypatch.setenv('COLUMNS', '45')
    with xd.trace_transfers() as log:
        xd.get_device('sim:0').send([1.0])
    assert widest(log.summary()) <= 45
    assert widest(log.summary(width=100)) > 45
    monkeypatch.setenv('COLUMNS', 'none')
    assert widest(log.summary()) <= 80


@pytest.mark.parametrize('columns', [50, 120])
def test_the_terminal_is_asked(columns):
    code = """if True:
        import sys; sys.path[:0] = {path}
        import crossdock as xd
        with xd.trace_transfers() as log:
            xd.get_device('sim:0').send([1.0])
        print(max(map(len, log.summary().splitlines())))
    """
    main, sub = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(sub, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != 'COLUMNS'}
    command = [sys.executable, '-c', code.format(path=sys.path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=sub, env=environment, text=True, check=True)
    os.close(main)
    os.close(sub)
    assert (int(done.stdout) <= 50) == (columns == 50)


def test_what_is_read_in_host_memory_is_no_part_of_the_total():
    x = xd.get_device('native:0').send(np.arange(3.0))
    with xd.trace_transfers() as log:
        xd.get_device('sim:0').send(x)
        float(x[0])
        float(x[1])
    assert repr(log) == '<TransferLog: 1 transfer, 24 bytes, 2 values read from host memory>'
    lines = log.summary(120).splitlines()
    assert [line.split()[3] for line in lines if 'float' in line] == ['host', 'host']
    assert next(line.split()[:3] for line in lines if line.startswith('total')) == ['total', '1', '24']
    assert lines[-1] == 'and 2 values read from host memory'
