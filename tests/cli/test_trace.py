"""``crossdock trace`` runs a script as Python itself does, and says what it moved."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from crossdock.cli import main
from crossdock.cli._trace import verdict
from crossdock.cli._traced import Traced
from crossdock.transfer import TransferTruth, columns_of

MOVES = """
import numpy as np, crossdock as xd
x = xd.get_device('sim:0').send(np.ones(1000))
for _ in range(3):
    float(x.sum())
"""


def python(*arguments, folder, **options):
    options = {'capture_output': True, 'text': True, **options}
    return subprocess.run([sys.executable, *arguments], cwd=folder, **options)


def trace(*arguments, folder, **options):
    return python('-m', 'crossdock', 'trace', *arguments, folder=folder, **options)


@pytest.fixture
def script(tmp_path):
    def write(text, name='job.py'):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(textwrap.dedent(text))
        return name

    return write


def test_rows_and_table(script, tmp_path):
    done = trace('--json', 'rows.json', script(MOVES), folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, '')
    assert 'job.py:5' in done.stderr
    assert done.stderr.endswith('crossdock: 4 transfers, 8,024 bytes; 3 transfers that nobody asked for\n')
    sent, read = json.loads((tmp_path / 'rows.json').read_text())
    assert sent['filename'] == read['filename'] == str(tmp_path / 'job.py')
    names = ('lineno', 'source', 'target', 'implicit', 'count', 'nbytes')
    assert [sent[name] for name in names] == [3, '@numpy', 'sim:0', False, 1, 8000]
    assert [read[name] for name in names] == [5, 'sim:0', '@numpy', True, 3, 24]
    assert 0 < read['seconds'] < 60


@pytest.mark.parametrize(
    ('option', 'word'), [('--json', '"count": 3'), ('--chrome', 'traceEvents'), ('--html', '</html>')]
)
def test_to_stdout(script, tmp_path, option, word):
    done = trace(option, '-', script(MOVES + 'print("mine")\n'), folder=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith('mine\n') and word in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ['job.py']
    if option != '--html':
        json.loads(done.stdout.removeprefix('mine\n'))


def test_only_one_to_stdout(script, tmp_path):
    done = trace('--json', '-', '--html', '-', script(MOVES), folder=tmp_path)
    assert done.returncode == 2 and 'only one of --json, --chrome and --html' in done.stderr


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='no /dev/full here')
def test_a_stdout_that_is_full(script, tmp_path):
    with open('/dev/full', 'w') as full:
        done = trace(
            '--json', '-', script(MOVES), folder=tmp_path, capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1 and 'crossdock: ' in done.stderr and 'Traceback' not in done.stderr


def test_reads_of_host_memory_are_no_moves(script, tmp_path):
    done = trace(script(READS_ON_THE_HOST), folder=tmp_path)
    assert done.stderr.endswith('\ncrossdock: nothing moved; 1 value read from host memory\n')
    done = trace(script(SENDS + '; float(xd.core.ones(()))' * 2), folder=tmp_path)
    said = 'crossdock: 1 transfer, 24 bytes; all asked for; 2 values read from host memory\n'
    assert done.stderr.endswith(said)


def test_chrome(script, tmp_path):
    assert trace('--chrome', 'out.trace', script(MOVES), folder=tmp_path).returncode == 0
    events = json.loads((tmp_path / 'out.trace').read_text())['traceEvents']
    assert sum(event['ph'] == 'X' for event in events) == 4


AS_EVER = {
    'main': "import sys, os; print(__name__, __file__, sys.argv, sys.path, sys.flags, os.environ.get('PYTHONPATH'))",
    'globals': 'print(sorted(globals()), __spec__, __package__, type(__loader__).__name__)',
    'sitecustomize': "import sys; print('sitecustomize' in sys.modules)",
    'stdin': 'print(input() + input())',
    'traceback': 'def f():\n    1 / 0\nf()',
    'cause': "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
    'syntax': 'this is no Python',
    'stack': 'import traceback; traceback.print_stack()',
    'warning': "import warnings; warnings.warn('hear', stacklevel=2)",
    'hook': "import sys; sys.excepthook = lambda *e: print('hook', e[:2]); 1 / 0",
    'exit': 'import sys; sys.exit()',
    'exit 7': 'import sys; sys.exit(7)',
    'exit -1': 'import sys; sys.exit(-1)',
    'exit words': "import sys; sys.exit('a reason')",
    'exit True': 'raise SystemExit(True)',
    'interrupt': 'raise KeyboardInterrupt',
    'click': "import click; raise click.ClickException('mine')",
    'os._exit': "import os; print('out', flush=True); os._exit(5)",
    'kill': 'import os; os.kill(os.getpid(), 9)',
    'terminate': 'import os; os.kill(os.getpid(), 15)',
    'thread': "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start()",
    'atexit': "import atexit; atexit.register(print, 'bye')",
    'fork': "import os; pid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('parent' if pid else 'child')",
    'spawn': 'import multiprocessing as m\n'
    'if __name__ == "__main__":\n    with m.get_context("spawn").Pool(1) as p: print(p.map(abs, [-1]))',
}


@pytest.mark.parametrize('text', AS_EVER.values(), ids=AS_EVER)
def test_as_without_us(text, script, tmp_path):
    words = [script(text), '--json', 'x', '-m', '--', '']
    plain = python(*words, folder=tmp_path, input='a\nb\n')
    ours = trace(*words, folder=tmp_path, input='a\nb\n')
    assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout)
    last = ours.stderr.splitlines()[-1]
    assert last.startswith('crossdock: ')
    assert ours.stderr == f'{plain.stderr}{last}\n'


def test_modules_and_folders_and_options(script, tmp_path):
    script('from . import part\nprint(__name__, __package__, __spec__.name)\n1 / 0', 'package/__main__.py')
    script("import sys; print(sys.argv, sys.path[0])\nprint('asserts', __debug__)", 'package/part.py')
    script('', 'package/__init__.py')
    script('import sys; print(sys.argv, sys.path[0], __name__)', 'folder/__main__.py')
    for words in (['-m', 'package', '-x', 'y'], ['folder', 'z'], ['-m', 'nothing.there']):
        plain, ours = (
            python('-O', *words, folder=tmp_path),
            python('-O', '-m', 'crossdock', 'trace', *words, folder=tmp_path),
        )
        assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout)
        assert ours.stderr == plain.stderr + 'crossdock: nothing moved\n'


def test_a_sitecustomize_of_others_still_runs(script, tmp_path):
    script("import os; os.environ['SEEN'] = 'yes'", 'site/sitecustomize.py')
    script("import os, sitecustomize; print(os.environ['SEEN'], sitecustomize.__file__)")
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path / 'site'), *sys.path])}
    done = trace('job.py', folder=tmp_path, env=environment)
    assert done.stdout == f'yes {tmp_path / "site" / "sitecustomize.py"}\n', done.stderr


@pytest.mark.parametrize('name', ['spawn', 'thread'])
def test_processes_that_are_not_seen_are_mentioned(name, script, tmp_path):
    done = trace(script(AS_EVER[name]), folder=tmp_path)
    more = '; processes that it started are not traced' if name == 'spawn' else ''
    assert done.stderr == f'crossdock: nothing moved{more}\n'


def test_threads_tasks_and_exit_handlers_are_seen(script, tmp_path):
    name = script("""
        import asyncio, atexit, threading, time
        import numpy as np, crossdock as xd
        x = xd.get_device('sim:0').send(np.ones(()))
        def late():
            time.sleep(0.2)
            float(x)
        threading.Thread(target=late).start()
        async def task():
            int(x)
        asyncio.run(task())
        atexit.register(lambda: x.tolist())
    """)
    assert trace('--json', 'rows.json', name, folder=tmp_path).returncode == 0
    rows = json.loads((tmp_path / 'rows.json').read_text())
    assert sorted(row['op'] for row in rows) == ['copy', 'float', 'int', 'tolist']


def test_the_script_may_change_folder(script, tmp_path):
    (tmp_path / 'elsewhere').mkdir()
    name = script("import os; os.chdir('elsewhere')" + MOVES)
    assert trace('--json', 'rows.json', name, folder=tmp_path).returncode == 0
    assert len(json.loads((tmp_path / 'rows.json').read_text())) == 2


READS_ON_THE_HOST = "import crossdock as xd; float(xd.core.asarray(3.0, device='native:0'))"
SENDS = "import numpy as np, crossdock as xd; xd.get_device('sim:0').send(np.ones(3))"
REFUSED = """
import crossdock as xd
with xd.transfer_guard('disallow'):
    try: float(xd.core.ones((), device='sim:0'))
    except xd.errors.TransferForbiddenError: pass
"""


@pytest.mark.parametrize(
    ('text', 'kinds', 'code'),
    [
        pytest.param(MOVES, ['implicit'], 3, id='implicit'),
        pytest.param(MOVES, [], 0, id='nothing'),
        pytest.param(SENDS, ['implicit'], 0, id='explicit is not implicit'),
        pytest.param(SENDS, ['explicit'], 3, id='explicit'),
        pytest.param(SENDS, ['implicit', 'explicit'], 3, id='both'),
        pytest.param(READS_ON_THE_HOST, ['implicit', 'explicit'], 0, id='host'),
        pytest.param(REFUSED, ['implicit'], 0, id='refused'),
        pytest.param(MOVES + 'raise SystemExit(9)', ['implicit'], 9, id='exit 9'),
        pytest.param(MOVES + '1 / 0', ['implicit'], 1, id='error'),
        pytest.param('import os; os._exit(0)', ['implicit'], 3, id='unknown'),
    ],
)
def test_fail_on(text, kinds, code, script, tmp_path):
    options = [word for kind in kinds for word in ('--fail-on', kind)]
    assert trace(*options, script(text), folder=tmp_path).returncode == code


@pytest.mark.parametrize('fail_on', [[], ['--fail-on', 'implicit']], ids=['files alone', 'and --fail-on'])
def test_no_report_says_that_nothing_moved_where_that_is_not_known(script, tmp_path, fail_on):
    for name in ('rows', 'times', 'page'):
        (tmp_path / name).write_text('of an earlier run')
    files = ['--json', 'rows', '--chrome', 'times', '--html', 'page']
    done = trace(*files, *fail_on, script('import os; os._exit(0)'), folder=tmp_path)
    assert done.returncode == (3 if fail_on else 1)
    assert 'left without a list' in done.stderr and 'not written: ' in done.stderr and 'page' in done.stderr
    assert {(tmp_path / name).read_text() for name in ('rows', 'times', 'page')} == {'of an earlier run'}


def test_what_failed_is_said(script, tmp_path):
    text = """import numpy as np, crossdock as xd
def stop(done, total):
    raise KeyError
try:
    xd.get_device('sim:0').send(np.ones(9_000_000), progress=stop)
except KeyError:
    pass
"""
    said = trace(script(text), folder=tmp_path).stderr
    assert said.endswith('1 transfer, 0 bytes; all asked for; 1 of them failed\n')


@pytest.mark.parametrize(
    ('truth', 'kinds', 'code'),
    [
        (None, ('unseen',), 3),  # the comparison was cut short
        (None, ('implicit',), 0),
        (TransferTruth((), (), (), (), ()), ('unseen',), 0),
    ],
)
def test_what_the_driver_has_not_told_is_no_success(truth, kinds, code):
    assert verdict(Traced(0, columns_of([]), 1.0, truth=truth), kinds) == code


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['--json', 'no/such/folder.json', 'job.py'], 'No such file or directory'),
        (['--html', '.', 'job.py'], 'Is a directory'),
        (['--fail-on', 'everything', 'job.py'], 'implicit'),
        (['--jsn', 'x', 'job.py'], '--jsn'),
        ([], 'SCRIPT'),
    ],
)
def test_bad_requests_are_heard_before_the_script_runs(words, said, script, tmp_path, monkeypatch, capsys):
    script("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)
    assert main(['trace', *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count('\n')) == ('', 1)
    assert said in err
    assert not (tmp_path / 'ran').exists()


@pytest.mark.parametrize('option', ['-E', '-S'])
def test_options_of_python_that_keep_us_out(option, script, tmp_path):
    code = (
        f'import sys; sys.path[:] = {sys.path!r}; from crossdock.cli import main; sys.exit(main(["trace", "job.py"]))'
    )
    script("open('ran', 'w')")
    done = python(option, '-c', code, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count('\n')) == (2, '', 1), done.stderr
    assert '-E, -I and -S' in done.stderr
    assert not (tmp_path / 'ran').exists()


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='there is no /dev/full here')
def test_a_full_disk(script, tmp_path):
    done = trace('--json', '/dev/full', script('print(1)'), folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, '1\n')
    assert done.stderr.endswith('crossdock: /dev/full: No space left on device\n')


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_script(number, script, tmp_path):
    name = script("""
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
        try:
            print('ready', flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            sys.exit(5)
    """)
    command = [sys.executable, '-m', 'crossdock', 'trace', name]
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background shells have it ignored
    ) as process:
        assert process.stdout.readline() == b'ready\n'
        process.send_signal(number)
        assert process.wait(30) == (4 if number == signal.SIGTERM else 5)
        assert process.stderr.read() == b'crossdock: nothing moved\n'
    assert time.monotonic() - began < 50


def test_ctrl_c_on_a_terminal_reaches_the_script_once(script, tmp_path):
    """There the terminal tells the script itself, and we need not."""
    name = script("""
        import os, signal, time
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        os.kill(os.getppid(), signal.SIGSTOP)  # or the two would be one
        print('ready', flush=True)
        end = time.monotonic() + 30
        while not seen and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(os.getppid(), signal.SIGCONT)
        time.sleep(0.5)
        print('seen', len(seen), flush=True)
    """)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, [sys.executable, '-m', 'crossdock', 'trace', name])
    said = b''
    try:
        while b'ready' not in said:
            said += os.read(terminal, 1000)
        os.write(terminal, b'\x03')
        while b'nothing moved' not in said:
            said += os.read(terminal, 1000)
        status = os.waitpid(pid, 0)[1]
    finally:
        os.close(terminal)
    assert b'seen 1\r\n' in said
    assert os.waitstatus_to_exitcode(status) == 0
