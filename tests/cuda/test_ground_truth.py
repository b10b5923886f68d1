"""Traces compared with the driver, on fake GPUs: their driver tells a fake CUPTI of the copies that it made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .frame import framed

HERE = Path(__file__).parent
FAKE = str(HERE / 'fake_cupti')
Run = Callable[..., str]

#: A copy that only the driver knows of.
HIDE = """
send(np.ones(2))  # starts the driver
context, address = get('cuDevicePrimaryCtxRetain', 0), ctypes.c_uint64()
def hide(nbytes):
    assert driver.cuCtxPushCurrent_v2(ctypes.c_void_p(context)) == 0
    if not address.value:
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4096)) == 0
    assert driver.cuMemcpyHtoD_v2(address, (ctypes.c_char * nbytes)(), ctypes.c_size_t(nbytes)) == 0
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 0
def sizes(copies): return [copy.nbytes for copy in copies]
"""


def python_path() -> str:
    return os.pathsep.join([FAKE, *filter(None, [os.environ.get('PYTHONPATH')])])


@pytest.fixture
def with_cupti(on_fake_gpu: Run) -> Run:
    """As on_fake_gpu, with the fake CUPTI; `orders` are its FAKE_CUPTI."""

    def run(code: str, orders: str = '', **environment: str) -> str:
        environment = {'FAKE_CUDA_DEVICES': '2', 'FAKE_CUPTI': orders, 'PYTHONPATH': python_path()} | environment
        return on_fake_gpu(code, timeout_s=180, **environment)

    return run


@pytest.mark.parametrize(
    ('orders', 'seed', 'environment'),
    [
        ('', 0, {}),
        ('ahead', 1, {}),
        ('no calls', 2, {}),
        ('no threads', 3, {}),
        ('', 4, {'FAKE_CUDA_PEER': '0', 'FAKE_CUDA_DELAY_US': '200'}),
    ],
)
def test_random_programs_agree_with_the_driver(
    with_cupti: Run, orders: str, seed: int, environment: dict[str, str]
) -> None:
    code = f"""
import sys, runpy
sys.argv[1:] = ['{seed}', '60']
runpy.run_path({str(HERE / 'truth_agrees.py')!r}, run_name='__main__')
"""
    assert with_cupti(code, orders, **environment).startswith('60 programs agree')


def test_what_is_copied_behind_our_back_is_unseen(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
with xd.trace_transfers(ground_truth=True) as log:
    x = send(np.arange(1000.0))
    hide(777)
    same(x, np.arange(1000.0))
truth = log.ground_truth
(copy,) = truth.unseen
assert (copy.nbytes, copy.source, copy.target, copy.host_memory) == (777, 'host', 'cuda:0', 'pageable')
assert copy.thread == threading.get_native_id() and not copy.asynchronous and copy.seconds >= 0
assert log[0].began < copy.called < log[1].began and copy.called <= copy.began < log[1].began
assert [(p.source, p.target, p.copied_nbytes - p.row_nbytes) for p in truth.pairs] == [
    ('cuda:0', 'host', 0), ('host', 'cuda:0', 777)]
assert truth.problems == () and truth.unmade == () and 'unseen: 1 copy by the driver, 777 bytes' in log.summary()
hide(5)
with xd.trace_transfers(ground_truth=True) as log:
    pass
assert log.ground_truth.pairs == (), 'what was before is not of this block'
""")
    assert with_cupti(code) == 'sane\n'


def test_the_end_waits_for_what_is_queued(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
delay_us(30_000)
a = xd.core.pinned_memory_pool('cuda:0').empty((1000,), dtype=cx.float64)
with xd.trace_transfers(ground_truth=True) as log:
    x = xd.get_device('cuda:0').send(a, blocking=False)
    y = x.to_device('cuda:1') + 1
assert not log.ground_truth.unseen and not log.ground_truth.unmade
assert {{(p.source, p.target): p.copied_nbytes for p in log.ground_truth.pairs}} == {{
    ('host', 'cuda:0'): 8000, ('cuda:0', 'cuda:1'): 8000}}
""")
    assert with_cupti(code) == 'sane\n'


def test_nested_and_at_the_same_time(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
with xd.trace_transfers(ground_truth=True) as outer:
    hide(100)
    with xd.trace_transfers(ground_truth=True) as inner, xd.trace_transfers() as plain:
        hide(200)
    hide(300)
assert sizes(inner.ground_truth.unseen) == [200] and sizes(outer.ground_truth.unseen) == [100, 200, 300]
assert plain.ground_truth is None

logs, together = {{}}, threading.Barrier(3)
def work(number):
    with xd.trace_transfers(ground_truth=True) as logs[number]:
        together.wait()
        for _ in range(20):
            same(send(np.ones(50 + number)), np.ones(50 + number))
        hide(1000 + number)
        together.wait()
threads = [threading.Thread(target=work, args=[number]) for number in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for number, log in logs.items():
    truth = log.ground_truth
    assert sizes(truth.unseen) == [1000 + number] and not truth.unmade, truth.summary()
    assert sorted(sizes(truth.elsewhere))[-2:] == [1000 + other for other in range(3) if other != number]
    assert len(truth.elsewhere) == 82, 'what other threads told of is theirs'
assert all(calls(name) for name in ['cuCtxSynchronize'])
""")
    assert with_cupti(code) == 'sane\n'


def test_of_all_threads(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
from crossdock.transfer import trace_everywhere
def work():
    send(np.ones(9))
    hide(99)
with trace_everywhere(ground_truth=True) as log:
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
assert sizes(log.ground_truth.unseen) == [99] * 4 and not log.ground_truth.elsewhere and len(log) == 4
""")
    assert with_cupti(code) == 'sane\n'


def test_cupti_is_left_as_it_was(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
for _ in range(3):
    with xd.trace_transfers(ground_truth=True) as log:
        hide(8)
    assert sizes(log.ground_truth.unseen) == [8]
from cupti import cupti
cupti.subscribe(None, None)
assert cupti.get_thread_id_type() == 0 and not cupti._enabled and not cupti._calls
try:
    with xd.trace_transfers(ground_truth=True): raise AssertionError('it began')
except xd.errors.DeviceUnavailableError as error:
    assert 'torch.profiler' in error.reason and 'another tool uses CUPTI' in str(error)
cupti.unsubscribe(1)
with xd.trace_transfers(ground_truth=True) as log:
    hide(8)
assert sizes(log.ground_truth.unseen) == [8]
""")
    assert with_cupti(code) == 'sane\n'


@pytest.mark.parametrize(
    ('orders', 'reason'),
    [
        ('taken', 'another tool uses CUPTI, which serves one at a time'),
        (
            'old',
            'CUPTI does not fit the driver: ERROR_NOT_INITIALIZED (15); it must not be newer',
        ),
    ],
)
def test_a_cupti_that_refuses(with_cupti: Run, orders: str, reason: str) -> None:
    code = framed(f"""{HIDE}
for again in range(2):
    try:
        with xd.trace_transfers(ground_truth=True): raise AssertionError('it began')
    except xd.errors.DeviceUnavailableError as error:
        assert error.reason.startswith({reason!r}), error
        assert str(error).startswith('ground_truth=True asks the NVIDIA driver what it copied')
with xd.trace_transfers() as log:
    send(np.ones(4))
assert len(log) == 1
""")
    assert with_cupti(code, orders) == 'sane\n'


def test_records_that_were_lost_are_said(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
with xd.trace_transfers(ground_truth=True) as log:
    send(np.ones(4))
assert log.ground_truth.problems == ('CUPTI had no room for 3 records',), log.ground_truth.problems
""")
    assert with_cupti(code, 'drops') == 'sane\n'


def test_a_gpu_that_failed_in_the_block(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
with xd.trace_transfers(ground_truth=True) as log:
    send(np.ones(4))
    driver.fake_cuda_lose_device(0, 719)
(problem,) = log.ground_truth.problems
assert problem.startswith('a GPU has failed, or could not be waited for: CUDA_ERROR_LAUNCH_FAILED (719)'), problem
assert [p.copied_nbytes for p in log.ground_truth.pairs] == [32]
heal()
""")
    assert with_cupti(code) == 'sane\n'


def test_python_ends_inside(with_cupti: Run) -> None:
    code = framed(f"""{HIDE}
from cupti import cupti
import atexit
def check():
    assert not cupti._enabled and not cupti._calls and not cupti._subscribers
    print('closed')
atexit.register(check)
open_ = xd.trace_transfers(ground_truth=True)
open_.__enter__()
hide(8)
""")
    assert with_cupti(code) == 'sane\nclosed\n'


def test_a_fork_inside(with_cupti: Run) -> None:
    code = framed("""
import warnings
warnings.simplefilter('ignore')
send(np.ones(3))
with xd.trace_transfers(ground_truth=True) as log:
    child = os.fork()
if not child:
    os._exit(log.ground_truth.problems != ('this process was forked inside the trace, and CUPTI stays with the other',))
assert os.waitpid(child, 0)[1] == 0 and not log.ground_truth.problems
""")
    assert with_cupti(code) == 'sane\n'


def run(code: str, **environment: str) -> str:
    """In a process without GPUs, or with those that the environment gives it."""
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


REASON = """
import crossdock as xd
try:
    with xd.trace_transfers(ground_truth=True): print('it began')
except xd.errors.DeviceUnavailableError as error:
    print(error.reason)
"""


def test_without_a_gpu(fake_gpu: dict[str, str]) -> None:
    reason = run(REASON, **fake_gpu, FAKE_CUDA_DEVICES='0', PYTHONPATH=python_path())
    assert 'GPU' in reason and 'it began' not in reason, reason


def test_without_cupti(fake_gpu: dict[str, str], tmp_path: Path) -> None:
    # Whatever is installed: nothing is found by that name.
    hidden = 'import importlib.util as u; f = u.find_spec; u.find_spec = lambda n: None if n == "cupti" else f(n)'
    assert "pip install 'crossdock[cupti]'" in run(hidden + REASON, **fake_gpu)
    broken = tmp_path / 'cupti'
    broken.mkdir()
    (broken / '__init__.py').write_text('')
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get('PYTHONPATH')])])
    (broken / 'cupti.py').write_text('raise ImportError("libcupti.so.13: no such file")')
    assert 'CUPTI cannot be imported: ImportError: libcupti.so.13' in run(REASON, **fake_gpu, PYTHONPATH=path)
    (broken / 'cupti.py').write_text('')
    assert 'is not that of the package cupti-python' in run(REASON, **fake_gpu, PYTHONPATH=path)


SCRIPT = """
import atexit, ctypes
import numpy as np
import crossdock as xd
x = xd.get_device('cuda:0').send(np.arange(1000.0))
driver = ctypes.CDLL('libcuda.so.1')
context, address = ctypes.c_void_p(), ctypes.c_uint64()
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 == driver.cuCtxPushCurrent_v2(context)
assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4096)) == 0
assert driver.cuMemcpyHtoD_v2(address, (ctypes.c_char * 777)(), ctypes.c_size_t(777)) == 0
atexit.register(lambda: float(x.sum()))
"""


def command(folder: Path, environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    (folder / 'job.py').write_text(SCRIPT)
    words = [sys.executable, '-m', 'crossdock', 'trace', *options, 'job.py']
    environment = {**os.environ, **environment, 'PYTHONPATH': python_path()}
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment, cwd=folder)


def test_the_command(fake_gpu: dict[str, str], tmp_path: Path) -> None:
    files = ['--json', 'rows.json', '--html', 'report.html']
    done = command(tmp_path, fake_gpu, '--ground-truth', *files)
    assert done.returncode == 0, done.stderr
    assert 'unseen: 1 copy, 777 bytes that no row of the trace tells of' in done.stderr
    assert 'job.py:5   host   cuda:0        1          777' in done.stderr
    assert done.stderr.splitlines()[-1] == (
        'crossdock: 2 transfers, 8,008 bytes; 1 transfer that nobody asked for; 777 bytes that only the driver saw'
    )
    found = json.loads((tmp_path / 'rows.json').read_text())
    assert found.keys() == {'rows', 'ground_truth'} and [row['nbytes'] for row in found['rows']] == [8000, 8]
    assert [(one['nbytes'], one['lineno']) for one in found['ground_truth']['unseen']] == [(777, 5)]
    page = (tmp_path / 'report.html').read_text()
    assert 'Compared with the driver' in page and '777' in page
    assert command(tmp_path, fake_gpu, '--ground-truth', '--fail-on', 'unseen').returncode == 3


def test_the_command_where_the_driver_cannot_be_asked(fake_gpu: dict[str, str], tmp_path: Path) -> None:
    done = command(tmp_path, {**fake_gpu, 'FAKE_CUPTI': 'taken'}, '--ground-truth')
    assert done.returncode == 2 and done.stderr.count('\n') == 1
    assert done.stderr.startswith('crossdock: trace --ground-truth: another tool uses CUPTI'), done.stderr
    done = command(tmp_path, fake_gpu, '--fail-on', 'unseen')
    assert done.returncode == 2 and '--fail-on unseen needs --ground-truth' in done.stderr
