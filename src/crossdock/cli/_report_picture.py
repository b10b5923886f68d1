"""The pictures of the HTML report: bytes from one device to another, and when it happened."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from crossdock.cli._complaint import printable
from crossdock.transfer import Columns, Span

__all__ = ['KINDS', 'amount', 'duration', 'matrix', 'text_of', 'timeline']

#: In the order in which they are drawn over each other.
KINDS = ('explicit', 'implicit', 'failed')
_ARROW = '\N{RIGHTWARDS ARROW}'
_STEPS = 1000  # of the timeline; what is closer together is drawn as one
_THINNEST = 4
_LINES = 3  # named by a bar
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
    return f'{nbytes} byte' + 's' * (nbytes != 1)


def duration(seconds: float) -> str:
    """Seconds for people."""
    if seconds >= 1:
        return f'{seconds:,.2f} s'
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} \N{MICRO SIGN}s'


def matrix(moved: Mapping[tuple[str, str], int]) -> str:
    """An SVG element: a line and a column for each device, in the same order: what it gave, and what it took."""
    devices = list(dict.fromkeys(device for pair in moved for device in pair))
    most = max(moved.values(), default=0)
    left = 16 + _CHARACTER * max(len(name) for name in ['from / to', *devices])
    column = max(_CELL_WIDTH, 16 + _CHARACTER * max(map(len, devices), default=0))
    width, height = left + column * len(devices), _CELL_HEIGHT * (len(devices) + 1)
    parts = [_text(0, 0, 'from / to', 'faint')]
    parts += [_text(left + column * (x + 0.5), 0, name, middle=True) for x, name in enumerate(devices)]
    for y, source in enumerate(devices):
        top = _CELL_HEIGHT * (y + 1)
        parts.append(_text(0, top, source))
        for x, target in enumerate(devices):
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


def timeline(rows: Columns) -> str:
    """A list with an SVG element for each pair of devices, and the axis below."""
    began, ended = rows.extent()
    span = max(ended - began, 1e-6)
    lanes = ''.join(
        f'<dt>{text_of(source)} {_ARROW} {text_of(target)}</dt><dd>{_lane(rows, (source, target), began, span)}</dd>'
        for source, target in rows.pairs()
    )
    ticks = ''.join(f'<span>{duration(span * part / 4) if part else "0"}</span>' for part in range(5))
    return f'<dl class="lanes">{lanes}<dt></dt><dd class="axis">{ticks}</dd></dl>'


def _lane(rows: Columns, pair: tuple[str, str], began: float, length: float) -> str:
    bars = ''
    for name in KINDS:
        chosen = rows.chosen([(kind.source, kind.target) == pair and kind.way == name for kind in rows.kinds])
        spans = chosen.spans(length / _STEPS, length * _THINNEST / _STEPS)
        bars += ''.join(_bar(name, span, began, length) for span in spans)
    return f'<svg viewBox="0 0 {_STEPS} 10" preserveAspectRatio="none" role="img">{bars}</svg>'


def _bar(name: str, span: Span, began: float, length: float) -> str:
    start = min(int((span.began - began) / length * _STEPS), _STEPS - _THINNEST)
    stop = max(min(int((span.ended - began) / length * _STEPS) + 1, _STEPS), start + _THINNEST)
    nbytes, when = amount(span.nbytes), duration(span.began - began)
    said = f'{span.count:,} transfers, {nbytes}, from {when} on'
    if span.count == 1:
        said = f'{span.kinds[0].op}, {nbytes}, at {when}'
    places = list(dict.fromkeys(f'{kind.filename}:{kind.lineno}' for kind in span.kinds if kind.filename))
    more = [f'and {len(places) - _LINES:,} lines more'] if len(places) > _LINES else []
    title = '\n'.join(map(text_of, [f'{name}: {said}', *places[:_LINES], *more]))
    return (
        f'<rect class="bar {name}" x="{start}" y="0" width="{stop - start}" height="10"><title>{title}</title></rect>'
    )
