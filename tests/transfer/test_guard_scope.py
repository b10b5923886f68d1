"""Where a guard holds: blocks, calls, threads, tasks and generators."""

import asyncio
import contextlib
import contextvars
import subprocess
import sys
import threading

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import TransferForbiddenError
from crossdock.transfer import _hook


@pytest.fixture(autouse=True)
def nobody_listens():
    assert not _hook.listening()
    yield
    assert not _hook.listening()


@pytest.fixture
def x():
    return xd.get_device('sim:0').send(np.arange(3.0))


def test_innermost_of_each_setting_counts(x):
    with xd.transfer_guard('disallow', explicit='disallow'):
        with xd.transfer_guard('allow'):
            float(x[0])
            with pytest.raises(TransferForbiddenError):
                xd.to_numpy(x)
            with xd.transfer_guard(explicit='allow'), xd.transfer_guard():
                float(x[0])
                xd.to_numpy(x)
            with pytest.raises(TransferForbiddenError):
                xd.to_numpy(x)
        with pytest.raises(TransferForbiddenError):
            float(x[0])
    float(x[0])


def test_survives_exceptions(x):
    with xd.transfer_guard('disallow'):
        for _ in range(2):
            with pytest.raises(TransferForbiddenError):
                float(x[0])
    with pytest.raises(TransferForbiddenError), xd.transfer_guard('disallow'):
        float(x[0])
    float(x[0])


def test_cannot_be_entered_twice():
    guard = xd.transfer_guard('disallow')
    with guard, pytest.raises(RuntimeError, match='new one'), guard:
        pass
    with pytest.raises(RuntimeError, match='new one'), guard:
        pass


def test_belongs_to_its_thread(x):
    seen = []

    def free():
        seen.append(float(x[1]))

    def disarming():
        with xd.transfer_guard('allow', explicit='allow'):
            seen.append(x.tolist())

    with xd.transfer_guard('disallow'):
        for target in (free, disarming):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        with pytest.raises(TransferForbiddenError):
            float(x[1])
    assert seen == [1, [0, 1, 2]]


def test_many_threads_each_with_its_own(x):
    wrong = []

    def work(level):
        for _ in range(50):
            with xd.transfer_guard(level):
                try:
                    float(x[1])
                    went = True
                except TransferForbiddenError:
                    went = False
            if went != (level == 'allow'):
                wrong.append(level)

    threads = [threading.Thread(target=work, args=(level,)) for level in ('allow', 'disallow') * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_tasks(x):
    async def guarded():
        with xd.transfer_guard('disallow'):
            await asyncio.sleep(0)
            with pytest.raises(TransferForbiddenError):
                float(x[0])
            with pytest.raises(TransferForbiddenError):
                await asyncio.to_thread(float, x[0])
            await asyncio.sleep(0)

    async def free():
        for _ in range(4):
            float(x[0])
            await asyncio.sleep(0)

    async def child(armed):
        await asyncio.sleep(0)
        if armed:
            with pytest.raises(TransferForbiddenError):
                float(x[0])
        else:
            float(x[0])

    async def main():
        await asyncio.gather(guarded(), free(), guarded(), free())
        with xd.transfer_guard('disallow'):
            await asyncio.create_task(child(True))
            late = asyncio.create_task(child(False))
        await late
        with xd.transfer_guard(explicit='disallow'):  # somebody listens again
            await asyncio.create_task(child(False))

    asyncio.run(main())


def test_ends_for_the_tasks_that_outlive_it(x):
    async def main():
        with xd.transfer_guard('disallow'):
            late = asyncio.create_task(asyncio.to_thread(float, x[1]))
        with xd.trace_transfers():
            return await late

    assert asyncio.run(main()) == 1


def test_generators(x):
    def guarding(level):
        with xd.transfer_guard(level):
            yield

    first, second = guarding('disallow'), guarding('allow')
    next(first)
    with pytest.raises(TransferForbiddenError):
        float(x[0])
    next(second)
    float(x[0])
    first.close()  # not the innermost
    float(x[0])
    second.close()
    float(x[0])

    manager = contextlib.contextmanager(guarding)
    with manager('disallow'), pytest.raises(TransferForbiddenError):
        float(x[0])


def test_a_generator_closed_in_another_context(x):
    def generate():
        with xd.transfer_guard('disallow'):
            yield

    context = contextvars.Context()
    generator = generate()
    context.run(next, generator)
    with xd.trace_transfers():
        float(x[0])
        with pytest.raises(TransferForbiddenError):
            context.run(float, x[0])
        generator.close()
        context.run(float, x[0])


def test_a_decorator_guards_each_call(x):
    @xd.transfer_guard('disallow')
    def pull(x, *, times=1):
        """Pull."""
        return float((x * times).sum())

    @xd.transfer_guard('disallow')
    async def later(x):
        await asyncio.sleep(0)
        return float(x[0])

    assert (pull.__name__, pull.__doc__) == ('pull', 'Pull.')
    for _ in range(2):
        with pytest.raises(TransferForbiddenError):
            pull(x, times=2)
        with pytest.raises(TransferForbiddenError):
            asyncio.run(later(x))
        assert float(x[0]) == x.tolist()[0]
    assert xd.transfer_guard('allow')(lambda: float(x[0]))() == float(x[0])


def test_a_decorator_refuses_what_it_cannot_guard():
    def values():
        yield 1

    async def more():
        yield 1

    for function in (values, more):
        with pytest.raises(TypeError, match=r'is a generator.*write .with transfer_guard'):
            xd.transfer_guard('disallow')(function)
    for what in (int, 3):
        with pytest.raises(TypeError, match='decorates functions'):
            xd.transfer_guard('disallow')(what)


def test_a_generator_that_never_ends_is_silent_when_python_does():
    code = """
import numpy as np, crossdock as xd
def values():
    with xd.trace_transfers(), xd.transfer_guard('disallow'):
        yield xd.get_device('sim:0').send(np.ones(3))
held = values()
next(held)
"""
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
