"""The rows of a trace as a picture: when they happened, and how many bytes went from where to where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossdock.transfer._columns import Columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ['plot']

#: Explicit, implicit, failed: told apart by those who see few colours too, on white and on black.
_COLOURS = {'explicit': '#2a8fd0', 'implicit': '#f08c1e', 'failed': '#c4407c'}
_ARROW = '\N{RIGHTWARDS ARROW}'
_ROW_INCHES = 0.42
_THINNEST = 0.003  # of the width, so that a short transfer is seen beside a long one
_GAP = 0.001  # what is closer together is drawn as one
_UNITS = (('GB', 1e9), ('MB', 1e6), ('kB', 1e3))


def plot(columns: Columns) -> Figure:
    """See `TransferLog.plot`."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("TransferLog.plot() draws with Matplotlib; pip install 'crossdock[plot]'") from error
    rows = columns.crossing()
    moved = columns.pairs()
    pairs = list(moved)
    devices = list(dict.fromkeys(device for pair in pairs for device in pair))
    heights = 1.3 + _ROW_INCHES * max(len(pairs), 1), 1.6 + _ROW_INCHES * max(len(devices), 1)
    figure, (above, below) = pyplot.subplots(
        2, 1, figsize=(8, sum(heights)), height_ratios=heights, layout='constrained'
    )
    _draw_timeline(above, rows, pairs)
    _draw_matrix(below, moved, devices)
    return figure


def _draw_timeline(axes: Any, rows: Columns, pairs: Sequence[tuple[str, str]]) -> None:
    from matplotlib.patches import Patch

    start, end = rows.extent()
    span = max(end - start, 1e-6)
    scale, unit = (1e3, 'ms') if span < 1 else (1.0, 's')
    drawn = set()
    for y, pair in enumerate(pairs):
        for name, colour in _COLOURS.items():
            chosen = [(kind.source, kind.target) == pair and kind.way == name for kind in rows.kinds]
            bars = [
                ((bar.began - start) * scale, max(bar.ended - bar.began, span * _THINNEST) * scale)
                for bar in rows.chosen(chosen).spans(span * _GAP, span * _THINNEST)
            ]
            axes.broken_barh(bars, (y - 0.32, 0.64), facecolors=colour)
            if bars:
                drawn.add(name)
    axes.set_yticks(range(len(pairs)), [f'{source} {_ARROW} {target}' for source, target in pairs])
    axes.set_ylim(max(len(pairs), 1) - 0.5, -0.5)
    axes.set_xlim(0, span * 1.01 * scale)
    axes.set_xlabel(f'{unit} from the first transfer')
    counted = '1 transfer' if len(rows) == 1 else f'{len(rows):,} transfers'
    axes.set_title(f'{counted}, {_amount(sum(rows.pairs().values()))}', loc='left')
    axes.spines[['top', 'right', 'left']].set_visible(False)
    axes.tick_params(axis='y', length=0)
    kinds = [name for name in _COLOURS if name in drawn]
    if kinds:
        handles = [Patch(color=_COLOURS[kind], label=kind) for kind in kinds]
        axes.legend(
            handles=handles, loc='lower right', bbox_to_anchor=(1, 1), ncols=3, frameon=False, borderaxespad=0.2
        )


def _draw_matrix(axes: Any, pairs: Mapping[tuple[str, str], int], devices: Sequence[str]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    moved = [[0] * len(devices) for _ in devices]
    for (source, target), nbytes in pairs.items():
        moved[devices.index(source)][devices.index(target)] = nbytes
    most = max((max(line) for line in moved), default=0)
    colours = LinearSegmentedColormap.from_list('moved', [axes.get_facecolor(), _COLOURS['explicit']])
    if devices:
        shades = [[0.85 * nbytes / most if most else 0 for nbytes in line] for line in moved]
        axes.imshow(shades, cmap=colours, vmin=0, vmax=1, aspect='auto')
    for y, line in enumerate(moved):
        for x, nbytes in enumerate(line):
            if nbytes:
                axes.text(x, y, _amount(nbytes), ha='center', va='center')
    axes.set_xticks(range(len(devices)), devices)
    axes.set_yticks(range(len(devices)), devices)
    axes.set_xlabel('to')
    axes.set_ylabel('from')
    axes.set_title('bytes from one to another', loc='left')
    axes.tick_params(length=0)


def _amount(nbytes: int) -> str:
    for unit, size in _UNITS:
        if nbytes >= size:
            return f'{nbytes / size:.3g} {unit}'
    return f'{nbytes} byte' + 's' * (nbytes != 1)
