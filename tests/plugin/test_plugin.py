"""The plug-in for pytest, in runs of pytest of their own."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path

import pytest

pytest_plugins = ['pytester']

HEAD = """
import numpy as np, pytest, threading
import crossdock as xd
x = xd.get_device('sim:0').send(np.ones(()))
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest on the text of a test file; in a process of its own, as users have it."""
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join(path for path in sys.path if path))
    monkeypatch.delenv('PYTEST_ADDOPTS', raising=False)

    def call(text, *options):
        pytester.makepyfile(test_it=text)
        return pytester.runpytest_subprocess('-p', 'pytest_crossdock', '--strict-markers', '-v', *options)

    return call


def needs(module, package):
    there = importlib.util.find_spec(module) is not None
    return pytest.mark.skipif(not there, reason=f'{package} is not installed')


MARKED = """
pytestmark = pytest.mark.no_implicit_transfers

def helper():
    return float(x)  # line 8

def test_direct():
    float(x)  # line 11

def test_below():
    helper()

def test_swallowed():
    try:
        helper()
    except Exception:
        pass

def test_thread():
    thread = threading.Thread(target=lambda: pytest.raises(xd.errors.TransferForbiddenError, helper))
    thread.start()
    thread.join()

@pytest.fixture
def made():
    return helper()  # fixtures may

def test_fine(made, capsys):
    y = x + x
    assert xd.to_numpy(y) == 2 * made
    assert '2.0' not in repr(y) and f'{y}'
    float(xd.core.asarray(1.0, device='native:0'))  # leaves no device
    with xd.transfer_guard('allow'):
        helper()

def test_guards_of_its_own():
    with xd.transfer_guard('disallow'), pytest.raises(xd.errors.TransferForbiddenError):
        helper()

class TestClass:
    def test_method(self):
        bool(x)  # line 45

@pytest.mark.xfail(strict=True, raises=xd.errors.TransferForbiddenError)
def test_xfail():
    int(x)
"""


def test_the_mark(run):
    done = run(HEAD + MARKED)
    done.assert_outcomes(passed=2, failed=5, xfailed=1)
    done.stdout.fnmatch_lines_random(
        [
            'test_it.py:11: TransferForbiddenError',
            'test_it.py:8: TransferForbiddenError',
            'test_it.py:45: TransferForbiddenError',
            '*no_implicit_transfers: *test_it.py:8: float moves 8 bytes from sim:0 to @numpy',
            'E *float moves 8 bytes from sim:0 to @numpy, which nobody asked for by name*',
        ]
    )
    # Nothing of ours is between the reader and that line.
    done.stdout.no_fnmatch_line('*transfer/_guard.py:*')


def test_what_one_line_was_refused_is_added_up(run):
    text = '\n@pytest.mark.no_implicit_transfers\ndef test_it():\n    for _ in range(5):\n'
    text += '        try: float(x)\n        except xd.errors.TransferForbiddenError: pass\n'
    done = run(HEAD + text)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(['*test_it.py:8: float moves 8 bytes from sim:0 to @numpy (5 times)'])
    assert done.stdout.str().count('float moves 8 bytes') < 4


def test_without_the_mark_nothing_is_forbidden(run):
    text = HEAD + 'def test_it():\n    float(x)\n\n@pytest.mark.no_implicit_transfers\ndef test_other(): pass\n'
    run(text + '\ndef test_after():\n    float(x)\n').assert_outcomes(passed=3)


ASYNC = """
import asyncio

@pytest.mark.asyncio
@pytest.mark.no_implicit_transfers
async def test_it():
    await asyncio.sleep(0)
    float(x)  # line 11

@pytest.mark.asyncio
@pytest.mark.no_implicit_transfers
async def test_task():
    async def task():
        await asyncio.to_thread(float, x)
    await asyncio.gather(task(), return_exceptions=True)

@pytest.mark.asyncio
@pytest.mark.no_implicit_transfers
async def test_fine():
    await asyncio.sleep(0)
    xd.to_numpy(x)
"""

#: What plug-ins for async tests do, at its simplest.
RUNNER = """
import asyncio, contextvars, pytest

context = contextvars.copy_context()  # older than any test

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    context.run(asyncio.run, pyfuncitem.obj())
    return True

def pytest_configure(config):
    config.addinivalue_line('markers', 'asyncio: async')
"""


def shows_the_async_line(done):
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(['test_it.py:11: TransferForbiddenError'])


def test_async_tests(run, pytester):
    pytester.makeconftest(RUNNER)
    shows_the_async_line(run(HEAD + ASYNC, '-p', 'no:asyncio'))


@needs('pytest_asyncio', 'pytest-asyncio')
def test_async_tests_of_pytest_asyncio(run):
    shows_the_async_line(run(HEAD + ASYNC))


@needs('xdist', 'pytest-xdist')
def test_with_xdist(run):
    done = run(HEAD + MARKED + '\ndef test_device(device): pass\n', '-n', '2', '--crossdock-device', 'sim:0,sim:1')
    done.assert_outcomes(passed=4, failed=5, xfailed=1)
    done.stdout.fnmatch_lines(['test_it.py:11: TransferForbiddenError'])


DEVICE = """
import numpy as np

def test_it(device):
    assert device.send(np.ones(3)).device is not None
"""


def test_the_fixture(run):
    done = run(DEVICE)
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(['*test_it*native:0* PASSED*', '*test_it*sim:0* PASSED*'])


def test_devices_of_the_command_line(run):
    done = run(DEVICE, '--crossdock-device=sim:1, native:0', '--crossdock-device=sim:99', '-rs')
    done.assert_outcomes(passed=2, skipped=1)
    done.stdout.fnmatch_lines(['*test_it*sim:1* PASSED*', '*test_it*native:0* PASSED*', 'SKIPPED*sim:99*'])


def test_a_spec_that_is_none(run):
    done = run(DEVICE, '--crossdock-device=smi:0')
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["ERROR: --crossdock-device: *'smi:0'*Did you mean 'sim:0'*"])


def test_a_fixture_of_that_name_hides_ours(run, pytester):
    pytester.makeconftest("import pytest\n@pytest.fixture(params=['a'])\ndef device(request): return request.param")
    text = """
        import pytest
        def test_it(device): assert device == 'a'
        @pytest.mark.parametrize('device', ['b', 'c'])
        def test_direct(device): assert device in 'bc'
    """
    run(text).assert_outcomes(passed=3)


def test_who_does_not_use_it_pays_nothing(run, monkeypatch):
    monkeypatch.setenv('PYTEST_DISABLE_PLUGIN_AUTOLOAD', '1')  # other plug-ins import NumPy
    text = """
        import sys
        def test_it():
            assert 'pytest_crossdock' in sys.modules
            assert not {'crossdock', 'numpy'} & set(sys.modules)
    """
    run(text).assert_outcomes(passed=1)


def test_the_mark_is_documented(run):
    run('', '--markers').stdout.fnmatch_lines(['@pytest.mark.no_implicit_transfers: fail where *'])


def test_the_example_of_the_documentation(run):
    page = Path(__file__).parents[2] / 'docs' / 'transparency.md'
    text, shared = re.findall(r'<!-- not run: tests/plugin .*? -->\n```python\n(.*?)```', page.read_text(), re.DOTALL)
    run(text).assert_outcomes(passed=2)
    # It is the mark that makes it pass.
    run(text.replace('xd.to_numpy(total)', 'float(total)'), '--crossdock-device=sim:0').assert_outcomes(failed=1)
    tests = ['def test_{}(device, model):\n    assert model is model_on(device) and model["W"].sum() == 90_000\n'] * 2
    run('\n'.join([text, shared, tests[0].format('a'), tests[1].format('b')])).assert_outcomes(passed=6)
