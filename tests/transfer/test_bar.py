"""The bar of `progress=True`, as a terminal gets it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest

import crossdock as xd
from crossdock.transfer import _bar, tracking

CONTROL = re.compile(r'\x1b\[[?0-9;]*[A-Za-z]')
WORK = """
import sys, time
from crossdock.transfer import tracking

def work(what='save', stop=None, seconds=0.3, each=lambda i: None):
    with tracking(True, 3_000_000, what) as track:
        for i in range(30):
            time.sleep(seconds / 30)
            track.advance(100_000)
            each(i)
            if i == stop:
                raise KeyError('stopped')
"""


def on_terminal(code, *arguments, piped=False, **environment):
    """Run code with standard error, and unless it is piped standard output, on a terminal; what both got."""
    ours, theirs = pty.openpty()
    env = {**os.environ, 'TERM': 'xterm-256color', 'COLUMNS': '100', **environment}
    env.pop('NO_COLOR', None)
    env.update(environment)
    command = [sys.executable, '-c', WORK + code, *arguments]
    child = subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE if piped else theirs, stderr=theirs, env=env, close_fds=True
    )
    os.close(theirs)
    got = bytearray()
    ends = time.monotonic() + 60
    while time.monotonic() < ends and select.select([ours], [], [], 60)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # nobody holds the other end any more
            break
        if not data:
            break
        got += data
    os.close(ours)
    out = child.communicate(timeout=60)[0]
    return got.decode(), out.decode() if piped else '', child.returncode


def lines(text):
    """What was drawn, each version of a line by itself."""
    return [line.strip() for line in re.split(r'[\r\n]+', CONTROL.sub('', text)) if line.strip()]


def test_it_says_what_how_much_how_fast_and_how_long():
    text, _, code = on_terminal('work(seconds=1)')
    assert code == 0
    drawn = lines(text)
    bar = re.compile(r'save [━╺╸ ]+ (\d\.\d)/3\.0 MB +[\d.]+ (?:bytes|kB|MB)/s +(-:--:--|\d:\d\d:\d\d)')
    assert all(bar.fullmatch(line) for line in drawn), drawn
    done = [float(bar.fullmatch(line)[1]) for line in drawn]
    assert done == sorted(done)
    assert len(set(done)) > 4
    assert done[-1] == 3.0
    assert text.rstrip().endswith('\x1b[?25h'), 'the cursor is back'


@pytest.mark.parametrize('stop', ['KeyError', 'KeyboardInterrupt'])
def test_it_stops_where_the_work_stops(stop):
    code = f"""
def each(i):
    if i == 19:
        raise {stop}('stopped')
work('load', each=each)
"""
    text, _, code = on_terminal(code)
    assert code != 0
    before = lines(text.partition('Traceback')[0])
    assert ' 2.0/3.0 MB ' in before[-1]
    assert f'{stop}' in text
    assert '\x1b[?25h' in text
    assert ' 3.0/3.0 MB ' not in text


@pytest.mark.parametrize('step', ['start', 'add_task', 'stop_task'])
def test_ctrl_c_while_it_is_begun_or_ended_gives_the_cursor_back(step):
    code = f"""
from rich.progress import Progress

act = Progress.{step}
def act_and_interrupt(*arguments, **options):
    act(*arguments, **options)
    raise KeyboardInterrupt
Progress.{step} = act_and_interrupt

before = sys.stdout
try:
    work()
except KeyboardInterrupt:
    print('interrupted', sys.stdout is before)
"""
    text, _, code = on_terminal(code)
    assert code == 0
    assert text.rfind('\x1b[?25h') > text.rfind('\x1b[?25l') >= 0
    assert 'interrupted True' in text


def test_short_work_shows_nothing():
    assert on_terminal('work(seconds=0)')[:1] == ('',)


def test_long_work_shows_it_at_once(monkeypatch, capfd):
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True)
    monkeypatch.setenv('TERM', 'xterm')
    with tracking(True, _bar.LONG_NBYTES, 'send'):
        assert '0.0/2.1 GB' in capfd.readouterr().err


def test_without_colour():
    text = on_terminal('work()', NO_COLOR='1')[0]
    assert lines(text)[-1].startswith('save ━')
    assert not re.search(r'\x1b\[[0-9;]*3[0-9]', text)


@pytest.mark.parametrize('term', ['dumb', 'unknown', 'DUMB'])
def test_a_dumb_terminal_gets_nothing(term):
    assert on_terminal('work()', TERM=term)[0] == ''


def test_what_is_printed_goes_above_it_and_a_pipe_keeps_its_own():
    code = "work(each=lambda i: print('line', i) if i % 10 == 9 else None)"
    text, _, _ = on_terminal(code)
    assert [line for line in lines(text) if line.startswith('line')] == ['line 9', 'line 19', 'line 29']
    text, out, _ = on_terminal(code, piped=True)
    assert out.splitlines() == ['line 9', 'line 19', 'line 29']
    assert 'line' not in text
    assert lines(text)[-1].startswith('save')


def test_one_inside_another():
    text, _, code = on_terminal("""
work('outer', each=lambda i: work(f'inner{i}') if i in (5, 20) else None)
""")
    assert code == 0, text
    drawn = lines(text)
    assert any(re.match(r'inner5 .* 3.0/3.0 MB', line) for line in drawn)
    assert any(re.match(r'inner20 .* 3.0/3.0 MB', line) for line in drawn)
    assert re.match(r'outer .* 3.0/3.0 MB', drawn[-1])


def test_inside_a_bar_of_the_users():
    text, _, code = on_terminal("""
from rich.progress import track
for i in track(range(2), 'mine'):
    work(f'ours{i}')
""")
    assert code == 0, text
    assert re.search(r'ours1 .* 3.0/3.0 MB', CONTROL.sub('', text))


def test_in_threads():
    text, _, code = on_terminal("""
from threading import Thread
threads = [Thread(target=work, args=(f'thread{i}',), kwargs={'seconds': 0.3 + 0.1 * i}) for i in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")
    assert code == 0, text
    for i in range(3):
        assert re.search(rf'thread{i} +[━╺╸]+ 3.0/3.0 MB', CONTROL.sub('', text))
    assert 'Traceback' not in text


def test_in_a_forked_process():
    text, _, code = on_terminal("""
import os
def each(i):
    if i == 20:
        child = os.fork()
        if not child:
            work('child')
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
work('parent', each=each)
""")
    assert code == 0, text
    assert re.search(r'child .* 3.0/3.0 MB', CONTROL.sub('', text))
    assert re.search(r'parent .* 3.0/3.0 MB', CONTROL.sub('', text))


@pytest.mark.parametrize('gone', ['sys.stderr = None', 'sys.stderr.close()', 'import os; os.close(2)'])
def test_without_standard_error(gone):
    _, out, code = on_terminal(f"{gone}\nwork()\nprint('done')", piped=True)
    assert (out, code) == ('done\n', 0)


def test_a_terminal_that_is_gone_fails_no_work(monkeypatch):
    class Gone:
        encoding = 'utf-8'

        def isatty(self):
            return True

        def write(self, text):
            raise OSError(5, 'Input/output error')

        flush = fileno = write

    monkeypatch.setenv('TERM', 'xterm')
    monkeypatch.setattr(_bar, 'DELAY_S', 0)
    monkeypatch.setattr(_bar, 'PERIOD_S', 0)
    monkeypatch.setattr(sys, 'stderr', Gone())
    with tracking(True, 100, 'save') as track:
        for _ in range(10):
            track.advance(10)
    assert isinstance(sys.stderr, Gone)


@pytest.mark.parametrize('words', ['convert x.npz y.npz --compression deflate', 'inspect x.npz --check'])
def test_of_the_command_ends_complete(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    xd.save('x.npz', {'a': np.random.default_rng(0).standard_normal(4_000_000), 'b': np.ones(3)})
    code = """
from crossdock import cli
from crossdock.transfer import _bar
_bar.DELAY_S = 0
sys.exit(cli.main(sys.argv[1].split()))
"""
    text, _, status = on_terminal(code, words)
    assert status == 0, text
    label = {'convert': 'convert', 'inspect': 'check'}[words.split()[0]]
    drawn = [line for line in lines(text) if line.startswith(f'{label} ')]
    assert ' 32.0/32.0 MB ' in drawn[-1]


@pytest.mark.parametrize('columns', [26, 40, 50, 58, 100])
def test_it_is_one_line_on_a_narrow_terminal(columns):
    shown, _, code = on_terminal('work()', COLUMNS=str(columns))
    lines = [line for line in re.split(r'[\r\n]+', CONTROL.sub('', shown)) if line.strip()]
    assert code == 0 and lines
    for line in lines:
        assert len(line) <= columns
        assert line.startswith('save ') and '/3.0 MB' in line
    assert ('MB/s' in lines[-1]) == (columns >= 58)
