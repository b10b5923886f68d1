"""Work that threads do while more of it is made, with results in order and little of it in memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

__all__ = ['ordered']

T = TypeVar('T')
R = TypeVar('R')

THREADS = 4


def ordered(act: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """What `act` makes of each item, in their order; a few are in the making at a time.

    Examples
    --------
    >>> list(ordered(len, ['a', 'bc', '']))
    [1, 2, 0]
    """
    source = iter(items)
    first = list(islice(source, 2))
    if len(first) < 2:
        yield from map(act, first)
        return
    items = chain(first, source)
    workers = min(THREADS, len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(workers, thread_name_prefix='crossdock-pack') as pool:
        running: deque[Future[R]] = deque()
        try:
            for item in items:
                running.append(pool.submit(act, item))
                if len(running) > workers + 1:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for job in running:
                job.cancel()
