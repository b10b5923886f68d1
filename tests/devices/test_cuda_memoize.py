"""`cuda.memoize` works without a GPU, from many threads, and holds nothing for longer than its function."""

import gc
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

from crossdock.devices import cuda

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in


class Thing:
    """What can be watched."""


def test_gives_the_same_object_for_the_same_arguments():
    @cuda.memoize()
    def make(x, y=0):
        """Doc."""
        return Thing()

    assert make(1) is make(1) is not make(2)
    assert make(1, y=1) is make(1, y=1) is not make(1)
    assert make.__name__ == 'make' and make.__doc__ == 'Doc.'


def test_tells_equal_values_of_different_types_apart():
    @cuda.memoize()
    def kind(x):
        return type(x)

    assert (kind(1), kind(1.0), kind(True)) == (int, float, bool)


def test_names_of_arguments_are_not_values():
    @cuda.memoize()
    def show(*args, **kwargs):
        return args, kwargs

    assert show(('a', 1)) != show(a=1)
    assert show(a=1, b=2) is show(b=2, a=1)


def test_unhashable_arguments_are_named():
    @cuda.memoize()
    def make(x):
        return x

    with pytest.raises(TypeError, match=r'make is memoized.*list.*tuples'):
        make([1])


def test_is_called_before_it_decorates():
    with pytest.raises(TypeError, match=r'@memoize\(\)'):
        cuda.memoize(lambda: 1)


def test_threads_wait_for_the_one_that_makes_it():
    made, results = [], []
    start = threading.Barrier(8)

    @cuda.memoize()
    def slow(x):
        made.append(x)
        time.sleep(0.05)
        return Thing()

    def ask():
        start.wait()
        results.append(slow(1))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1] and len(results) == 8 and len(set(map(id, results))) == 1


def test_other_arguments_do_not_wait():
    inside, go = threading.Event(), threading.Event()

    @cuda.memoize()
    def make(x):
        if x == 'slow':
            inside.set()
            assert go.wait(10)
        return Thing()

    thread = threading.Thread(target=make, args=('slow',))
    thread.start()
    assert inside.wait(10)
    assert make('fast') is make('fast')
    go.set()
    thread.join()


def test_an_error_is_not_kept():
    calls = []

    @cuda.memoize()
    def make(x):
        calls.append(x)
        if len(calls) == 1:
            raise OSError('once')
        return Thing()

    with pytest.raises(OSError, match='once'):
        make(1)
    assert make(1) is make(1) and calls == [1, 1]


def test_may_call_itself():
    @cuda.memoize()
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    assert fibonacci(80) == 23416728348467685


def test_clear_memo_forgets_all_of_all_functions():
    @cuda.memoize()
    def one(x):
        return Thing()

    @cuda.memoize()
    def two(x):
        return Thing()

    watched = [weakref.ref(one(1)), weakref.ref(two(1))]
    cuda.clear_memo()
    gc.collect()
    assert [watch() for watch in watched] == [None, None]
    assert one(1) is one(1)


def test_what_is_being_made_while_all_is_cleared_is_not_kept():
    inside, go, given = threading.Event(), threading.Event(), []

    @cuda.memoize()
    def make(x):
        inside.set()
        assert go.wait(10)
        return Thing()

    thread = threading.Thread(target=lambda: given.append(make(1)))
    thread.start()
    assert inside.wait(10)
    cuda.clear_memo()
    go.set()
    thread.join()
    assert make(1) is not given[0]


def test_a_function_goes_with_its_results():
    def outer():
        @cuda.memoize()
        def inner(x):
            return Thing()

        return inner, weakref.ref(inner(1))

    inner, watch = outer()
    assert watch() is not None
    del inner
    gc.collect()
    assert watch() is None


def test_for_each_device(monkeypatch):
    @cuda.memoize(for_each_device=True)
    def make(x):
        return Thing()

    without = make(1)
    assert make(1) is without
    for cupy in cupy_stand_in.lend(monkeypatch):
        first = make(1)
        with cupy.cuda.Device(1):
            second = make(1)
        assert len({id(without), id(first), id(second)}) == 3
        assert make(1) is first
