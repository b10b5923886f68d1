"""The pictures of the HTML report: bytes from one device to another, and when it happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from crossdock.cli._complaint import printable
from crossdock.transfer import Transfer

__all__ = ['KINDS', 'amount', 'duration', 'kind_of', 'matrix', 'timeline']

#: In the order in which they are drawn over each other.
KINDS = ('explicit', 'implicit', 'failed')
_ARROW = '\N{RIGHTWARDS ARROW}'
_STEPS = 1000  # of the timeline; what is closer together is drawn as one
_THINNEST = 4
_CELL_WIDTH, _CELL_HEIGHT, _CHARACTER = 104, 34, 7.6
_SHADES = 0.12, 0.5  # opacity of the least and of the most bytes, under text
_UNITS = (('GB', 1e9), ('MB', 1e6), ('kB', 1e3))


def text_of(value: str) -> str:
    """Text for HTML, whatever it holds; for attributes too."""
    return escape(printable(value))


def amount(nbytes: int) -> str:
    """Bytes for people."""
    for unit, size in _UNITS:
        if nbytes >= size:
            return f'{nbytes / size:.3g} {unit}' if nbytes < 1000 * size else f'{nbytes / size:,.0f} {unit}'
    return f'{nbytes} bytes'


def duration(seconds: float) -> str:
    """Seconds for people."""
    if seconds >= 1:
        return f'{seconds:,.2f} s'
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} us'


def kind_of(row: Transfer) -> str:
    """Which of `KINDS`."""
    return 'failed' if row.failed else 'implicit' if row.implicit else 'explicit'


def matrix(rows: Iterable[Transfer]) -> str:
    """An SVG element: a line for each device that gave, a column for each that took."""
    moved: dict[tuple[str, str], int] = {}
    for row in rows:
        pair = row.source, row.target
        moved[pair] = moved.get(pair, 0) + row.nbytes_moved
    sources = list(dict.fromkeys(source for source, _ in moved))
    targets = list(dict.fromkeys(target for _, target in moved))
    most = max(moved.values(), default=0)
    left = 16 + _CHARACTER * max(len(name) for name in ['from / to', *sources])
    column = max(_CELL_WIDTH, 16 + _CHARACTER * max(map(len, targets), default=0))
    width, height = left + column * len(targets), _CELL_HEIGHT * (len(sources) + 1)
    parts = [_text(0, 0, 'from / to', 'faint')]
    parts += [_text(left + column * (x + 0.5), 0, name, middle=True) for x, name in enumerate(targets)]
    for y, source in enumerate(sources):
        top = _CELL_HEIGHT * (y + 1)
        parts.append(_text(0, top, source))
        for x, target in enumerate(targets):
            nbytes = moved.get((source, target))
            shade = _SHADES[0] + (_SHADES[1] - _SHADES[0]) * (nbytes or 0) / most if nbytes else 0
            parts.append(
                f'<rect class="cell" x="{left + column * x + 1:.0f}" y="{top + 1}" width="{column - 2:.0f}"'
                f' height="{_CELL_HEIGHT - 2}" fill-opacity="{shade:.2f}"/>'
            )
            if nbytes is not None:
                parts.append(_text(left + column * (x + 0.5), top, amount(nbytes), middle=True))
    label = 'bytes from one device to another'
    return (
        f'<svg role="img" aria-label="{label}" width="{width:.0f}" height="{height}"'
        f' viewBox="0 0 {width:.0f} {height}">{"".join(parts)}</svg>'
    )


def _text(x: float, top: float, text: str, name: str = '', *, middle: bool = False) -> str:
    attributes = ' text-anchor="middle"' * middle + f' class="{name}"' * bool(name)
    return f'<text x="{x:.0f}" y="{top + _CELL_HEIGHT / 2 + 4:.0f}"{attributes}>{text_of(text)}</text>'


def timeline(rows: Sequence[Transfer], seconds: float) -> str:
    """A list with an SVG element for each pair of devices, and the axis below."""
    end = max([seconds, *(row.began + (row.seconds or 0.0) for row in rows)]) or 1e-6
    pairs: dict[tuple[str, str], list[Transfer]] = {}
    for row in rows:
        pairs.setdefault((row.source, row.target), []).append(row)
    lanes = ''.join(
        f'<dt>{text_of(source)} {_ARROW} {text_of(target)}</dt><dd>{_lane(members, end)}</dd>'
        for (source, target), members in pairs.items()
    )
    ticks = ''.join(f'<span>{duration(end * part / 4) if part else "0"}</span>' for part in range(5))
    return f'<dl class="lanes">{lanes}<dt></dt><dd class="axis">{ticks}</dd></dl>'


def _lane(rows: Sequence[Transfer], end: float) -> str:
    bars = ''.join(_bar(kind, *span) for kind in KINDS for span in _spans(kind, rows, end))
    return f'<svg viewBox="0 0 {_STEPS} 10" preserveAspectRatio="none" role="img">{bars}</svg>'


def _spans(kind: str, rows: Iterable[Transfer], end: float) -> list[tuple[int, int, list[Transfer]]]:
    """From which step to which there was something, and what."""
    spans: list[tuple[int, int, list[Transfer]]] = []
    for row in sorted((row for row in rows if kind_of(row) == kind), key=lambda row: row.began):
        start = min(int(row.began / end * _STEPS), _STEPS - _THINNEST)
        stop = max(min(int((row.began + (row.seconds or 0.0)) / end * _STEPS) + 1, _STEPS), start + _THINNEST)
        if spans and start <= spans[-1][1]:
            first, last, members = spans[-1]
            members.append(row)
            spans[-1] = first, max(last, stop), members
        else:
            spans.append((start, stop, [row]))
    return spans


def _bar(kind: str, start: int, stop: int, rows: Sequence[Transfer]) -> str:
    first = rows[0]
    nbytes = amount(sum(row.nbytes for row in rows))
    said = f'{len(rows)} transfers, {nbytes}, from {duration(first.began)} on'
    if len(rows) == 1:
        said = f'{first.op}, {nbytes}, at {duration(first.began)}'
    where = f'{first.filename}:{first.lineno}' if first.filename else ''
    return (
        f'<rect class="bar {kind}" x="{start}" y="0" width="{stop - start}" height="10">'
        f'<title>{text_of(f"{kind}: {said} {where}")}</title></rect>'
    )
