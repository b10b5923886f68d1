"""Forked and spawned children compute as their parents do."""

from __future__ import annotations

import pytest

from .process import run

FRAME = """
import os, sys, threading, traceback, warnings
import numpy as np
import crossdock.core as cx

warnings.simplefilter('ignore', DeprecationWarning)  # of forks where there are threads: that is the subject
places = ('native:0', 'sim:0', 'sim:1')
xs = [cx.ones(300_000, device=place) for place in places]

def work(xs=xs):
    totals = []
    def one(x):
        totals.append(float((x * 2 + x).sum()))
        a = cx.ones((200, 200), device=x.device)
        totals.append(float((a @ a).sum() / 40_000 * 4_500))
    threads = [threading.Thread(target=one, args=(x,)) for x in xs]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    for x in xs: one(x)
    for x in xs: one(x.to_device('native:0').to_device('sim:1'))
    return totals == [900_000] * len(totals) and len(totals) == 6 * len(xs)

def forked(act):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            assert act()
        except Exception:
            traceback.print_exc()
            os._exit(1)
        sys.exit(0)  # as a process ends: exit functions and all
    return pid

def ended(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


def check(code: str, timeout_s: float = 60, **environment: str) -> None:
    assert run(f'{FRAME}\n{code}\nprint("end")', timeout_s=timeout_s, **environment).endswith('end\n')


def test_after_work_on_all_devices() -> None:
    check("""
assert work()
children = [forked(work) for _ in range(4)]
assert work()
assert all(map(ended, children)) and work()
""")


def test_a_child_of_a_child() -> None:
    check("""
assert work()
assert ended(forked(lambda: work() and ended(forked(work)) and work())) and work()
""")


def test_with_a_busy_queue() -> None:
    check(
        """
y = cx.ones(1000, device='sim:0')
for _ in range(100): y = y + 1
def child(): return float(y[0]) == 101 and y.tolist() == [101] * 1000 and work()
children = [forked(child), forked(child)]
assert child() and all(map(ended, children))
""",
        CROSSDOCK_SIM_LATENCY_US='500',
    )


def test_while_other_threads_work() -> None:
    check("""
assert work()
stop = threading.Event()
def busy(x):
    while not stop.is_set():
        float((x * 2 + x).sum()); x.to_device('native:1'); cx.asarray(np.ones(100), device=x.device)
threads = [threading.Thread(target=busy, args=(x,)) for x in xs]
for thread in threads: thread.start()
for _ in range(10): assert ended(forked(work))
stop.set()
for thread in threads: thread.join()
assert work()
""")


def test_a_child_leaves_its_parents_memory_alone() -> None:
    check("""
def child():
    for x in xs: x[:] = 7
    return all(float(x.max()) == 7 for x in xs)
assert ended(forked(child)) and work() and all(float(x.max()) == 1 for x in xs)
""")


@pytest.mark.parametrize('method', ['fork', 'spawn', 'forkserver'])
def test_multiprocessing(method: str, tmp_path) -> None:
    # A file, since spawn imports it.
    script = tmp_path / 'script.py'
    script.write_text(f"""
import multiprocessing, sys, warnings
import numpy as np
import crossdock.core as cx

warnings.simplefilter('ignore', DeprecationWarning)

def total(x):
    return float((x + cx.ones(x.shape, device=x.device)).sum())

if __name__ == '__main__':
    xs = [cx.ones(100_000 + i, device=place) for i in range(4) for place in ('native:0', 'sim:0')]
    want = [total(x) for x in xs]
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        assert pool.map(total, xs) == want == [total(x) for x in xs]
    print('end')
""")
    code = f"""
import subprocess, sys
out = subprocess.run([sys.executable, {str(script)!r}], capture_output=True, text=True, timeout=50)
assert (out.returncode, out.stdout, out.stderr) == (0, 'end\\n', ''), out
"""
    run(code)
