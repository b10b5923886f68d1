"""What is killed, interrupted and starved: ``python child.py VERB PATH ...`` saves trees that are all of one value."""

from __future__ import annotations

import os
import signal
import sys
import tempfile

import numpy as np

import crossdock as xd

SIZES = {'a': 200_000, 'deep/b': 300_001, 'deep/c': 3, 'z': 100_000}


def tree(value: float) -> dict[str, object]:
    """Arrays of one value, one of them on an accelerator, a None and a text."""
    arrays = {key: np.full(size, value, 'float32') for key, size in SIZES.items()}
    there = xd.get_device('sim:0').send(arrays['z'])
    return {**arrays, 'z': there, 'none': None, 'text': str(value)}


def value_of(path: str) -> float:
    """The value of a file that is whole; an error for one that is a mixture."""
    loaded = xd.load(path, flat=True)
    assert loaded.keys() == {*SIZES, 'none', 'text'}, sorted(loaded)
    values = {float(loaded['text'].item())}
    for key, size in SIZES.items():
        assert loaded[key].shape == (size,), key
        values |= set(np.unique(loaded[key]).tolist())
    assert len(values) == 1, f'a mixture of {values}'
    return values.pop()


def say(*words: object) -> None:
    print(*words, flush=True)


def warm_up(path: str) -> None:
    """Import what a first save imports, so that signals hit saves."""
    with tempfile.TemporaryDirectory() as folder:
        xd.save(os.path.join(folder, os.path.basename(path)), tree(0))
    say('go')


def keep_saving(path: str, first: int, step: int, count: int) -> None:
    """Save one value after the other, and say each when it has been saved."""
    warm_up(path)
    for value in range(first, first + step * count, step):
        xd.save(path, tree(value))
        say(value)


def until_interrupted(path: str) -> None:
    """Save until Ctrl-C, then say what the file is and what lies beside it, and save once more."""
    value = 0
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warm_up(path)
    try:
        while True:
            value += 1
            xd.save(path, tree(value))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    say(value, value_of(path), len(os.listdir(os.path.dirname(path))))
    xd.save(path, tree(-1))
    say(value_of(path))


def with_little_room(path: str, limit: int) -> None:
    """Save more than a file may have, and say what came of it."""
    import resource

    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        xd.save(path, tree(2))
    except OSError as error:
        say('OSError', error.errno, error.filename)
    else:
        say('saved')
    say(value_of(path), *sorted(os.listdir(os.path.dirname(path))))


if __name__ == '__main__':
    verb, where, *numbers = sys.argv[1:]
    globals()[verb](where, *map(int, numbers))
