import asyncio
import contextvars
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import crossdock as xd

from ..accelerator import FIRST, SECOND


@pytest.fixture(autouse=True)
def same_device_afterwards():
    before = xd.current_device()
    yield
    before.use()


def in_thread(function):
    out = []
    thread = threading.Thread(target=lambda: out.append(function()))
    thread.start()
    thread.join()
    return out[0]


def test_nests_and_restores_on_error():
    before = xd.current_device()
    with xd.using_device('native:0') as outer:
        with pytest.raises(ZeroDivisionError), xd.using_device(SECOND) as inner:
            1 / (xd.current_device() is not inner)
        assert xd.current_device() is outer
    assert xd.current_device() is before


def test_a_bad_spec_is_refused_before_entering():
    with pytest.raises(xd.errors.SpecError):
        xd.using_device('nonsense')


def test_one_object_may_be_entered_again():
    context = xd.using_device(FIRST)
    with context, xd.using_device('native:0'), context:
        assert str(xd.current_device()) == FIRST
    assert str(xd.current_device()) == '@numpy'


def test_threads_start_from_the_process_default():
    # pytorch/pytorch#131328, #115917: a default set in one thread is lost, or leaks, in another
    with xd.using_device(SECOND):
        assert in_thread(xd.current_device) is xd.get_device('@numpy')
        xd.get_device('native:1').use()
        assert in_thread(xd.current_device) is xd.get_device('native:1')
        assert str(xd.current_device()) == SECOND
    assert str(xd.current_device()) == 'native:1'


def test_a_bare_context_sees_the_process_default():
    # explosion/spaCy#6990: what one notebook cell sets in a context variable, the next does not see
    xd.get_device('native:1').use()
    assert contextvars.Context().run(xd.current_device) is xd.get_device('native:1')


def test_tasks_see_the_context_they_start_in_and_keep_theirs():
    async def task(spec):
        seen = [str(xd.current_device())]
        with xd.using_device(spec):
            await asyncio.sleep(0.01)
            seen.append(str(xd.current_device()))
        return seen

    async def main():
        with xd.using_device('native:0'):
            tasks = [asyncio.create_task(task(spec)) for spec in (FIRST, SECOND)]
        assert str(xd.current_device()) == '@numpy'
        return await asyncio.gather(*tasks)

    assert asyncio.run(main()) == [['native:0', FIRST], ['native:0', SECOND]]


def test_a_generator_closed_in_another_context():
    def generate():
        with xd.using_device(FIRST):
            yield

    generator = generate()
    contextvars.Context().run(next, generator)
    generator.close()


def test_creation_follows_the_current_device():
    # data-apis/array-api-compat#337: eye(device=1) was ignored
    with xd.using_device(SECOND):
        x = xd.core.zeros((2,))
        assert xd.get_device_from_array(x) is xd.get_device(SECOND)
    with xd.using_device('@numpy'):
        assert xd.get_device_from_array(xd.core.zeros((2,))) is xd.get_device('native:0')


def test_sending_does_not_change_it():
    # cupy/cupy#6569, chainer/chainer#4144: another device is current after a copy, or after one that failed
    with xd.using_device('native:1') as device:
        xd.get_device(FIRST).send(np.ones(3))
        with pytest.raises(TypeError):
            xd.get_device(FIRST).send([np.ones(3), 'text'])
        assert xd.current_device() is device


@pytest.mark.parametrize(
    ('value', 'said'), [('native:1', 'native:1'), ('-1', '@numpy'), ('cud:0', 'CROSSDOCK_DEVICE=cud:0')]
)
def test_the_environment_sets_the_default(value, said):
    code = 'import crossdock as xd; print(xd.current_device())'
    environment = {**os.environ, 'CROSSDOCK_DEVICE': value}
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env=environment)
    assert said in out.stdout + out.stderr


def test_a_generator_closed_inside_another_block_leaves_that_in_force():
    def steps():
        with xd.using_device(FIRST):
            yield

    begun = steps()
    next(begun)
    with xd.using_device('native:1') as device:
        begun.close()
        assert xd.current_device() is device
    assert xd.current_device() is xd.get_device('@numpy')


def test_one_block_object_serves_threads_that_were_elsewhere():
    block = xd.using_device(SECOND)
    wrong = []

    def work(spec):
        with xd.using_device(spec) as outer:
            for _ in range(300):
                with block as inner:
                    wrong.extend([] if xd.current_device() is inner else [spec])
                wrong.extend([] if xd.current_device() is outer else [spec])

    threads = [threading.Thread(target=work, args=(spec,)) for spec in ('native:0', 'native:1', FIRST, '@numpy')]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
