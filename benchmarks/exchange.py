"""What it costs to hand one array from a library to another without a copy, beside what the libraries do by themselves.

``--plot`` also draws the times into ``docs/_static/exchange-times.svg``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Row, main, race

import crossdock as xd

PLOT = Path(__file__).parents[1] / 'docs' / '_static' / 'exchange-times.svg'
PEERS = ('torch', 'tvm_ffi', 'jax')

#: Ours, the peer's, and the highest ratio that is good enough.
RACES: tuple[tuple[str, str, float | None], ...] = (
    ('native.send(numpy_array)', 'tvm_ffi.from_dlpack(numpy_array)', 1.0),
    ('native.send(numpy_array)', 'torch.from_numpy(numpy_array)', None),
    ('native.send(tensor)', 'tvm_ffi.from_dlpack(tensor)', 1.2),
    ('native.send(tensor)', 'tensor.numpy()', None),
    ('native.send(tensor)', 'torch.from_dlpack(tensor)', None),
    ('native.send(fresh())', 'fresh().numpy()', None),
    ('numpy.send(native_array)', 'tensor.numpy()', 0.5),
    ('numpy.send(tensor)', 'tensor.numpy()', None),
    ('torch_cpu.send(native_array)', 'torch.from_numpy(numpy_array)', 0.9),
    ('torch_cpu.send(numpy_array)', 'torch.from_numpy(numpy_array)', None),
    ('jax_cpu.send(numpy_array)', 'jax.device_put(numpy_array)', None),
    ('numpy.send(jax_array)', 'np.asarray(jax_array)', None),
    ('tvm_ffi.from_dlpack(native_array)', 'tvm_ffi.from_dlpack(tensor)', None),
    ('native.send(native_array)', 'itself(native_array)', 2),
    ('numpy.send(numpy_array)', 'itself(numpy_array)', 2),
    ('sim.send(numpy_array)', 'copy_and_plan(numpy_array)', None),
    ('native.send(ten_numpy_arrays)', 'ten_by_asarray(ten_numpy_arrays)', None),
)


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table; those whose library is missing say so."""
    names, missing = subjects()
    for ours, theirs, goal in RACES:
        lacks = [name for name, parts in missing.items() if any(part in ours + theirs for part in parts)]
        if lacks:
            yield Row(ours, theirs, None, None, None, 'x', goal, f'{lacks[0]} is not installed')
        else:
            yield race(ours, theirs, names, goal=goal, smoke=smoke)


def subjects() -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """What the statements are about, and by missing library the words that it takes away."""
    numpy_array = np.ones((16, 16), 'float32')
    native = xd.get_device('native')
    names: dict[str, Any] = {
        'np': np,
        'native': native,
        'numpy': xd.get_device('@numpy'),
        'sim': xd.get_device('sim'),
        'numpy_array': numpy_array,
        'native_array': native.send(numpy_array.copy()),
        'ten_numpy_arrays': [numpy_array.copy() for _ in range(10)],
        'itself': lambda array: array,
        'copy_and_plan': lambda array: (xd.plan(array, 'sim'), array.copy()),
        'ten_by_asarray': lambda arrays: [xd.core.asarray(array, copy=False) for array in arrays],
    }
    words = {'torch': ('torch', 'tensor', 'fresh'), 'tvm_ffi': ('tvm_ffi',), 'jax': ('jax',)}
    for peer in PEERS:
        try:
            names[peer] = importlib.import_module(peer)
        except ModuleNotFoundError:
            continue
        del words[peer]
    if 'torch' in names:
        torch = names['torch']
        names |= {
            'torch_cpu': xd.get_device('@torch:cpu'),
            'tensor': torch.ones(16, 16),
            'fresh': lambda: torch.empty(256),
        }
    if 'jax' in names:
        names |= {'jax_cpu': xd.get_device('@jax:cpu:0'), 'jax_array': names['jax'].numpy.ones((16, 16), 'float32')}
    return names, words


def plot(rows: Sequence[Row]) -> None:
    """Draw the times of each race, one above the other."""
    import matplotlib

    matplotlib.use('svg')
    matplotlib.rcParams |= {'svg.fonttype': 'none', 'svg.hashsalt': 'crossdock'}  # text as text, the same every time
    from matplotlib import pyplot

    measured = [row for row in reversed(rows) if row.ours is not None and row.theirs is not None]
    places = np.arange(len(measured))
    figure, axes = pyplot.subplots(figsize=(8, 0.5 * len(measured) + 1), layout='constrained')
    axes.barh(places + 0.2, [1e9 * (row.ours or 0) for row in measured], 0.38, label='crossdock', color='#0b6e99')
    axes.barh(places - 0.2, [1e9 * (row.theirs or 0) for row in measured], 0.38, label='beside it', color='#b8b8b8')
    axes.set_yticks(places, [f'{row.case}\n{row.peer}' for row in measured], fontsize=7, family='monospace')
    axes.set_xscale('log')
    axes.set_xlim(left=10)
    axes.set_xlabel('nanoseconds for one call')
    axes.legend(loc='upper right', frameon=False)
    axes.spines[['top', 'right']].set_visible(False)
    figure.savefig(PLOT, metadata={'Date': None})


if __name__ == '__main__':
    main(cases, plot)
