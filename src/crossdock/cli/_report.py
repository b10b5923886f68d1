"""The HTML report of ``crossdock trace``: one file that needs nothing else, and asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import linecache
import os
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import crossdock
from crossdock.cli._report_picture import KINDS, amount, duration, matrix, text_of, timeline
from crossdock.transfer import Columns, Transfer, TransferGroup, TransferTruth, columns_of

__all__ = ['report']

_ARROW = '\N{RIGHTWARDS ARROW}'
#: Heading of each column, and whether it holds numbers.
_COLUMNS = {
    'place': False,
    'source line': False,
    f'from {_ARROW} to': False,
    'operation': False,
    'asked for': False,
    'count': True,
    'bytes': True,
    'ms': True,
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p><code>{command}</code></p>
<p>{ended}; crossdock {version}</p>
<dl class="totals">{totals}</dl>
{body}
</main>
<script>{script}</script>
</body>
</html>
"""


def report(
    rows: Iterable[Transfer] | Columns, command: str, seconds: float, code: int, truth: TransferTruth | None = None
) -> str:
    """The report as HTML text.

    Parameters
    ----------
    rows : iterable of Transfer, or Columns
        What was moved.
    command : str
        What was run, for people to read.
    seconds : float
        How long it ran.
    code : int
        Its exit code; -N for signal N.
    truth : TransferTruth, optional
        What the driver says.
    """
    style, script = (
        files('crossdock.cli').joinpath('report', f'report.{end}').read_text('utf-8') for end in ('css', 'js')
    )
    columns = columns_of(rows)
    ended = f'ended by signal {-code}' if code < 0 else f'exit code {code}'
    return _PAGE.format(
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'",
        style=style,
        script=script,
        title='What moved',
        command=text_of(command),
        ended=f'ran for {duration(seconds)}, {ended}',
        version=crossdock.__version__,
        totals=_totals(columns),
        body=(_body(columns) if len(columns) else '<h2>Nothing moved</h2>') + _compared(truth),
    )


def _hash(text: str) -> str:
    """What the page's policy allows: this text, and none that a name might smuggle in."""
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _compared(truth: TransferTruth | None) -> str:
    return f'<h2>Compared with the driver</h2><pre>{text_of(truth.summary())}</pre>' if truth is not None else ''


def _totals(columns: Columns) -> str:
    rows = columns.crossing()
    hidden = rows.chosen([kind.implicit and not kind.failed for kind in rows.kinds])
    reads = len(columns) - len(rows)
    totals = [
        ('', 'transfers', f'{len(rows):,}'),
        ('', 'moved', amount(sum(rows.pairs().values()))),
        ('', 'time in transfers', duration(float(rows.known_seconds.sum()))),
        ('implicit' if len(hidden) else '', 'not asked for', f'{len(hidden):,}'),
        ('', 'moved by those', amount(int(hidden.nbytes.sum()))),
        *([('', 'read from host memory', f'{reads:,} {"value" if reads == 1 else "values"}')] if reads else []),
    ]
    return ''.join(f'<div class="{name}"><dt>{what}</dt><dd>{value}</dd></div>' for name, what, value in totals)


def _body(columns: Columns) -> str:
    rows = columns.crossing()
    pictures = ''
    if len(rows):
        drawn = {kind.way for kind, count in rows.counts() if count}
        key = ''.join(f'<li class="{name}">{name}</li>' for name in KINDS if name in drawn)
        pictures = (
            f'<h2>From where to where</h2><div class="scroll" tabindex="0">{matrix(rows.pairs())}</div>'
            f'<h2>When</h2><p>from the first transfer on, {duration(rows.extent()[0])} after the start</p>'
            f'<ul class="key">{key}</ul>{timeline(rows)}'
        )
    heads = ''.join(
        f'<th scope="col"{" class=number" * number}{_SORTED * (name == "bytes")}>'
        f'<button type="button">{name}</button></th>'
        for name, number in _COLUMNS.items()
    )
    lines = '\n'.join(_line(group) for group in columns.groups())
    return f'{pictures}<h2>By line</h2><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>'


_SORTED = ' aria-sort="descending"'


def _line(group: TransferGroup) -> str:
    asked = 'implicit' if group.implicit else 'explicit'
    if group.host:
        asked = 'read on the host'
    place = f'{_short(group.filename)}:{group.lineno}' if group.filename else '(no line of yours)'
    source = linecache.getline(group.filename, group.lineno).strip() if group.filename else ''
    pair = f'{group.source} {_ARROW} {group.target}'
    cells = [
        (place, f'<code title="{text_of(group.filename)}">{text_of(place).replace("/", "/<wbr>")}</code>', 'place'),
        (source, f'<code>{text_of(source)}</code>', 'source'),
        (pair, text_of(pair), 'pair'),
        (group.op, text_of(group.op), ''),
        (asked, asked, 'asked' if group.host else f'asked {asked}'),
        (group.count, f'{group.count:,}', 'number'),
        (group.nbytes, f'{group.nbytes:,}', 'number'),
        (group.seconds, f'{group.seconds * 1e3:,.3f}', 'number'),
    ]
    return (
        '<tr>'
        + ''.join(
            f'<td data-name="{name}" data-key="{text_of(str(key))}" class="{kind}">{html}</td>'
            for name, (key, html, kind) in zip(_COLUMNS, cells)
        )
        + '</tr>'
    )


def _short(filename: str) -> str:
    """As seen from the current folder, if it is below that."""
    here = os.getcwd() + os.sep
    return filename.removeprefix(here) if filename.startswith(here) else str(Path(*Path(filename).parts[-3:]))
