"""What the small things cost that code does for every array: name a device, find a module, read a number, import us."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from _measure import Row, main, race

import crossdock as xd

IMPORTS = 40  # subprocesses; the best counts, for everything else a machine does makes an import slower


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table."""
    by_name = {'native:0': 1, '@numpy': 2, 'sim:0': 3}
    by_type = {np.ndarray: np, xd.core.Array: xd.core}

    def look_up_name(spec: str) -> Any:
        return by_name[spec]

    def look_up_module(array: Any) -> Any:
        return by_type[type(array)]

    native = xd.get_device('native:0')
    names = {
        'get_device': xd.get_device,
        'get_array_module': xd.get_array_module,
        'look_up_name': look_up_name,
        'look_up_module': look_up_module,
        'numpy_8': np.arange(8.0),
        'native_8': native.send(np.arange(8.0), copy=True),
        'numpy_scalar': np.array(2.5),
        'native_scalar': native.send(np.array(2.5), copy=True),
    }
    yield race("get_device('native:0')", "look_up_name('native:0')", names, goal=2, smoke=smoke)
    yield race("get_device('@numpy')", "look_up_name('@numpy')", names, goal=2, smoke=smoke)
    yield race('get_array_module(native_8)', 'look_up_module(native_8)', names, goal=2, smoke=smoke)
    yield race('get_array_module(numpy_8)', 'look_up_module(numpy_8)', names, goal=2, smoke=smoke)
    yield race('float(native_scalar)', 'float(numpy_scalar)', names, goal=1.4, smoke=smoke)
    yield race('native_8 + native_8', 'numpy_8 + numpy_8', names, smoke=smoke)
    yield importing(smoke)


def importing(smoke: bool) -> Row:
    """How much longer than NumPy's a process's imports take."""
    code = (
        'import time; a = time.perf_counter(); import numpy; b = time.perf_counter(); import crossdock;'
        'print(b - a, time.perf_counter() - b)'
    )
    theirs, ours = [], []
    for _ in range(1 if smoke else IMPORTS):
        printed = subprocess.run([sys.executable, '-c', code], check=True, capture_output=True, text=True).stdout
        first, second = map(float, printed.split())
        theirs.append(first)
        ours.append(second)
    if smoke:
        return Row('import crossdock', 'import numpy, before it', None, None, None, 'ms', 60, 'ran once')
    return Row('import crossdock', 'import numpy, before it', min(ours), min(theirs), min(ours) * 1e3, 'ms', 60)


if __name__ == '__main__':
    main(cases)
