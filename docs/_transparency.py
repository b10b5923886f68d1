"""Makes the table of transparency.md by running each operation: ``python docs/_transparency.py`` rewrites it.

Columns of libraries that are not installed stay as they are.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import crossdock as xd

PAGE = Path(__file__).resolve().parent / 'transparency.md'
PART = re.compile(r'(?<=<!-- made by docs/_transparency.py -->\n).*?(?=<!-- end -->)', re.DOTALL)

#: Each library's device, and the module that has to be installed.
SPECS = {'@numpy': 'numpy', 'native:0': 'numpy', 'sim:0': 'numpy', '@torch:cpu': 'torch', '@jax:0': 'jax'}

#: Four float32 are 16 bytes; `s` is one of them.
VALUES = np.arange(4, dtype=np.float32)
INDEX = np.array([0, 1])
OPERATIONS: dict[str, Callable[[Any], object]] = {
    'float(s)': lambda x: float(x[1]),
    'int(s)': lambda x: int(x[1]),
    'bool(s)': lambda x: bool(x[1]),
    'complex(s)': lambda x: complex(x[1]),
    's.item()': lambda x: x[1].item(),
    'if s == t:': lambda x: 1 if x[1] == x[2] else 0,
    'x.tolist()': lambda x: x.tolist(),
    'print(x)': str,
    'repr(x)': repr,
    "f'{s}'": lambda x: f'{x[1]}',
    '1.0 in x': lambda x: 1.0 in x,
    'x[x > 1]': lambda x: x[x > 1],
    'xp.nonzero(x)': lambda x: xd.get_array_module(x).nonzero(x),
    'np.asarray(x)': np.asarray,
    'pickle.dumps(x)': pickle.dumps,
    'x[numpy_index]': lambda x: x[INDEX],
    'x[[0, 1]]': lambda x: x[[0, 1]],
    'x + numpy_array': lambda x: x + VALUES,
    'xp.asarray([1, 2], device=x.device)': lambda x: xd.get_array_module(x).asarray([1, 2], device=x.device),
    'for row in x:': list,
    'len(x)': len,
    'x[1:3]': lambda x: x[1:3],
    'x[1]': lambda x: x[1],
    'x + 1': lambda x: x + 1,
    'x == y': lambda x: x == x,
    'x.sum()': lambda x: x.sum(),
    'copy.deepcopy(x)': copy.deepcopy,
    'xd.to_numpy(x)': xd.to_numpy,
    'device.send(array)': lambda x: xd.get_device_from_array(x).send(VALUES),
}

#: By which an error is known for a refusal, the last one for JAX's.
REFUSALS = ('to_numpy', 'move it first', 'non-tuple sequence')


def specs() -> list[str]:
    """The devices of the libraries that are installed."""
    return [spec for spec, module in SPECS.items() if importlib.util.find_spec(module) is not None]


def measure(spec: str, operation: Callable[[Any], object]) -> str:
    """What an operation moves, in a few words."""
    x = xd.get_device(spec).send(VALUES)
    if spec.startswith('sim'):
        xd.get_device(spec).synchronize()
    with xd.trace_transfers() as log:
        try:
            with warnings.catch_warnings(action='ignore', category=DeprecationWarning):  # PyTorch's, of NumPy
                operation(x)
        except TypeError as error:
            if not any(words in str(error) for words in REFUSALS):
                raise
            return 'refused'
    moved = [row for row in log if not row.host]
    waiting = ['waits'] if spec.startswith('sim') and waits(spec, operation) else []
    if not moved:
        return ', '.join(['host' if len(log) else 'nothing', *waiting])
    kinds = {'implicit' if row.implicit else 'explicit' for row in moved}
    nbytes = sum(row.nbytes for row in moved)
    words = [f'{nbytes} byte' + 's' * (nbytes > 1), *sorted(kinds)]
    if len(moved) > 1:
        words[0] += f' in {len(moved)}'
    return ', '.join([*words, *waiting])


def waits(spec: str, operation: Callable[[Any], object]) -> bool:
    """Whether an operation waits for earlier work on the simulated device.

    That work fails, which is only told to whoever waits for it.
    """
    device, sim = xd.get_device(spec), xd.core.sim
    x, elsewhere = device.send(VALUES), xd.get_device('sim:1').send(VALUES)
    device.synchronize()
    sim.inject('copy_error', index=device.index)
    device.send(elsewhere)
    sim.clear_faults()
    try:
        operation(x)
    except xd.errors.AsyncDeviceError:
        return True
    try:
        device.synchronize()
    except xd.errors.AsyncDeviceError:
        return False
    raise RuntimeError('the device has forgotten what failed on it')


def cells(text: str) -> dict[tuple[str, str], str]:
    """The cells of a page's table."""
    found = PART.search(text)
    lines = [line[2:-2].split(' | ') for line in found[0].split('\n') if line.startswith('|')] if found else []
    return {
        (row[0].strip('`'), spec.strip('`')): cell for row in lines[2:] for spec, cell in zip(lines[0][1:], row[1:])
    }


def page(text: str) -> str:
    """The page with its table made anew."""
    found = cells(text)
    found |= {(name, spec): measure(spec, operation) for spec in specs() for name, operation in OPERATIONS.items()}
    lines = [['operation', *(f'`{spec}`' for spec in SPECS)], ['---'] * (len(SPECS) + 1)]
    lines += [[f'`{name}`', *(found.get((name, spec), '?') for spec in SPECS)] for name in OPERATIONS]
    table = ''.join('| ' + ' | '.join(line) + ' |\n' for line in lines)
    return PART.sub(lambda part: f'\n{table}\n', text)


def main() -> None:
    os.environ.setdefault('JAX_PLATFORMS', 'cpu')
    PAGE.write_text(page(PAGE.read_text()))


if __name__ == '__main__':
    main()
