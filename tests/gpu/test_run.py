"""The run on a GPU survives parts that fail, crash and hang, and tells of each; no GPU is needed for that."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
MODULES = ('install', 'outcome', 'parts', 'processes', 'run', 'table')

TROUBLE = """
import os, signal, time
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2, 'they differ'
@pytest.mark.skip(reason='for no reason')
def test_skipped(): pass
def test_crashes(): os.kill(os.getpid(), signal.SIGSEGV)
def test_after_the_crash(): pass
"""
HANGS = """
import time
def test_passes(): pass
def test_hangs(): time.sleep(600)
"""
SKIPPED = """
import pytest
pytestmark = pytest.mark.skip(reason='CuPy is not installed')
def test_one(): pass
"""


BREAKS = """
import os
def test_before(): pass
def test_breaks():
    os.environ['BROKEN'] = '1'
    raise RuntimeError('copy failed on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS')
def test_after(): assert 'BROKEN' not in os.environ
def test_last(): assert 'BROKEN' not in os.environ
"""


@pytest.fixture
def gpu(monkeypatch):
    """The modules of the run, which are scripts and no package; gone from `sys.modules` afterwards."""
    monkeypatch.syspath_prepend(str(HERE))
    found = ModuleType('gpu')
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in MODULES:
        setattr(found, name, importlib.import_module(name))
    yield found
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def a_run(gpu, tmp_path, monkeypatch):
    (tmp_path / 'setup.cfg').write_text('[tool:pytest]')
    monkeypatch.delenv('PYTEST_ADDOPTS', raising=False)
    for module in (gpu.parts, gpu.run):
        monkeypatch.setattr(module, 'ROOT', tmp_path)
    results, scratch = tmp_path / 'results', tmp_path / 'scratch'
    results.mkdir()
    scratch.mkdir()
    return gpu.run.Run(results, scratch, 60)


@pytest.fixture
def tests_of(gpu, tmp_path):
    def make(source, limit_s=30, **options):
        file = tmp_path / 'test_given.py'
        file.write_text(source)
        return gpu.parts.pytest_part('given', limit_s, file, **options)

    return make


def test_a_crash_costs_one_test(a_run, tests_of):
    one = a_run.do(tests_of(TROUBLE))
    assert (one.passed, one.failed, one.skipped) == (2, 2, 1) and not one.good
    told = {failure['test'].split('::')[1]: failure['message'] for failure in one.failures}
    assert 'they differ' in told['test_fails'] and set(told) == {'test_fails', 'test_crashes'}
    assert one.skip_reasons == {'for no reason': 1}
    saved = json.loads((a_run.results / 'results.json').read_text())
    assert saved['ok'] is False and saved['parts'][0]['failed'] == 2
    assert 'they differ' in (a_run.results / 'table.txt').read_text()


@pytest.mark.skipif(importlib.util.find_spec('xdist') is None, reason='pytest-xdist is not installed')
def test_a_broken_context_is_left_behind(a_run, tests_of):
    one = a_run.do(tests_of(BREAKS))
    assert (one.passed, one.failed) == (3, 1)
    assert 'test_breaks' in one.failures[0]['test']


@pytest.mark.skipif(importlib.util.find_spec('pytest_timeout') is None, reason='pytest-timeout is not installed')
@pytest.mark.skipif(importlib.util.find_spec('xdist') is None, reason='pytest-xdist is not installed')
def test_a_test_that_hangs_costs_its_worker(a_run, gpu, tests_of, monkeypatch):
    monkeypatch.setattr(gpu.parts, 'TEST_LIMIT_S', 2)
    one = a_run.do(tests_of(HANGS + '\ndef test_last(): pass\n'))
    assert (one.state, one.passed, one.failed) == ('failed', 2, 1)
    assert 'test_hangs' in one.failures[0]['test']


def test_a_part_that_hangs_is_ended_and_what_it_did_is_kept(a_run, tests_of):
    for limit_s in (3, 12, 48):  # on a busy machine pytest may need longer to reach the test that hangs
        began = time.monotonic()
        one = a_run.do(tests_of(HANGS, limit_s=limit_s))
        assert time.monotonic() - began < limit_s + 9
        if one.passed:
            break
    assert (one.state, one.passed, one.failed) == ('out of time', 1, 1)
    assert 'test_hangs' in one.failures[0]['test']


@pytest.mark.parametrize(('required', 'state'), [(True, 'failed'), (False, 'skipped')])
def test_a_part_of_which_nothing_ran(a_run, tests_of, required, state):
    one = a_run.do(tests_of(SKIPPED, required=required))
    assert (one.state, one.note) == (state, 'CuPy is not installed')


def test_commands(gpu, a_run):
    states = [
        a_run.do(gpu.parts.Part(code, (sys.executable, '-c', code), 5)).state
        for code in ('pass', 'raise SystemExit(3)', 'import os; os.abort()')
    ]
    assert states == ['passed', 'failed', 'crashed']


def test_the_doctors_problems_are_told(gpu, a_run):
    code = 'echo "ok       package  numpy   2.5"; echo "problem  check    two of x  both -> remove one"; exit 1'
    one = a_run.do(gpu.parts.Part('doctor', ('sh', '-c', code), 5))
    assert one.failures == [{'test': 'check two', 'message': 'of x  both -> remove one'}]


def test_a_run_that_is_ended_tells_what_it_did(tmp_path):
    """By a signal, as where a machine's time is over, in the midst of a part."""
    code = """
import run, parts, sys
def everything(one, **options):
    one.do(parts.Part('short', ('true',), 5))
    one.do(parts.Part('long', ('sleep', '600'), 600))
run.everything = everything
sys.exit(run.main())
"""
    results = tmp_path / 'results'
    environment = {**os.environ, 'PYTHONPATH': str(HERE)}
    with subprocess.Popen([sys.executable, '-c', code, str(results)], env=environment, stdout=subprocess.PIPE) as one:
        assert one.stdout.readline().startswith(b'short: passed')
        while len(json.loads((results / 'results.json').read_text())['parts']) < 2:
            time.sleep(0.05)
        one.terminate()
        told = one.stdout.read().decode()
        assert one.wait(10) == 143
    assert told.splitlines()[-1].startswith('FAILED: long; ')
    saved = json.loads((results / 'results.json').read_text())
    assert [part['state'] for part in saved['parts']] == ['passed', 'out of time']
    assert (saved['finished'], saved['ok']) == (False, False)


def lives(process):
    """Also dead processes are listed, until their parent asks for them."""
    try:
        return Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def test_children_end_with_a_part(gpu, a_run, tmp_path):
    child = tmp_path / 'child'
    code = f'sleep 600 & echo $! > {child}; wait'
    assert a_run.do(gpu.parts.Part('parent', ('sh', '-c', code), 2)).state == 'out of time'
    deadline = time.monotonic() + 10
    while lives(int(child.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_when_the_time_for_all_is_over_the_rest_is_not_run(gpu, a_run):
    a_run.total_s = 0
    one = a_run.do(gpu.parts.Part('late', ('false',), 5))
    assert (one.state, one.good) == ('not run', False)


def test_kernels_that_do_not_compile_are_named(gpu):
    one = gpu.outcome.Outcome('kernels', state='failed')
    failure = {'header': 'x.cuh', 'expression': 'f<int>', 'log': 'error: no'}
    counts = {'kernels': 3, 'nbytes': 2_000_000, 'seconds': 1.5, 'from_cache': 1}
    gpu.outcome.of_kernels(one, 'noise\n' + json.dumps([{**counts, 'failures': [failure]}]))
    assert (one.passed, one.failed) == (2, 1)
    assert one.failures == [{'test': 'x.cuh: f<int>', 'message': 'error: no'}]


def test_the_newest_wheel_of_each_package(gpu, tmp_path):
    for age, name in enumerate(['a-2-py3-none-any.whl', 'a-1-py3-none-any.whl', 'b-1-py3-none-any.whl']):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    assert sorted(wheel.name[:3] for wheel in gpu.install.newest(tmp_path)) == ['a-2', 'b-1']


ROW = {'case': 'x + y', 'verdict': 'ok', 'note': ''}
TOLD = {'peer': 'CuPy', 'ours': '1 ms', 'theirs': '2 ms', 'rate': '3.2 TB/s', 'value': '2.00 x', 'goal': '>= 1 x'}


def test_results_become_a_page(gpu, a_run, tests_of):
    docs = HERE.parents[1] / 'docs'
    spec = importlib.util.spec_from_file_location('crossdock_docs_gpu_results', docs / '_gpu_results.py')
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    now = script.PAGE.read_text()
    assert script.page(now, script.kept()) == now
    card = {'name': 'A100', 'architecture': 'sm_80', 'memory_nbytes': 40 << 30, 'driver': '580', 'cuda': '13.0'}
    a_run.facts = {'card': card, 'processor': 'a CPU', 'versions': {'crossdock': '1'}}
    a_run.rows = [{**ROW, 'told': {'case': 'x + y', **TOLD}}]
    a_run.do(tests_of(TROUBLE))
    page = script.page(now, json.loads((a_run.results / 'results.json').read_text()))
    assert 'A100 (sm_80, 40 GiB), driver 580, CUDA 13.0; a CPU.' in page and 'Nothing yet' not in page
    assert '| given | failed | 2 | 2 | 1 |' in page and 'they differ' in page
    assert '| x + y | CuPy | 1 ms | 2 ms | 3.2 TB/s | 2.00 x | >= 1 x | ok |' in page


def test_without_a_gpu_the_script_says_so(tmp_path):
    """All that comes before a GPU is needed, by the script itself."""
    environment = {**os.environ, 'PYTHON': sys.executable, 'CUDA_VISIBLE_DEVICES': ''}
    command = ['bash', str(HERE / 'run.sh'), str(tmp_path / 'results'), '--installed']
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'no GPU: ' in done.stdout and done.stdout.splitlines()[-1].startswith('FAILED: card; ')
    results = json.loads((tmp_path / 'results/results.json').read_text())
    assert results['card']['name'] is None and [part['name'] for part in results['parts']] == ['card']
    assert sorted(path.name for path in (tmp_path / 'results').iterdir()) == ['log.txt', 'results.json', 'table.txt']
