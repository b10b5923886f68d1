"""The HTML report of ``crossdock trace``, in a real browser where there is one."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crossdock.cli._report import report
from crossdock.transfer import Transfer

_spec = importlib.util.spec_from_file_location('browser', Path(__file__).with_name('browser.py'))
browser = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser)

HOSTILE = '</script><img src=x onerror=alert(1)>"\'&\x1b[2J\udcff{title}.py'
LONG = 'a' * 300


@pytest.fixture(scope='module')
def chromium(tmp_path_factory):
    path = browser.find()
    if path is None:
        pytest.skip(f'no browser here; one of {", ".join(browser.NAMES)} is needed (Debian: apt-get install chromium)')
    with browser.Browser(path, tmp_path_factory.mktemp('profile')) as chromium:
        yield chromium


def row(nbytes=8, source='sim:0', target='@numpy', op='float', line=('', 0), **facts):
    facts = {'implicit': True, 'host': False, 'path': '', 'batch': None, **facts}
    return Transfer(nbytes, source, target, op, filename=line[0], lineno=line[1], **facts)


@pytest.fixture
def page(tmp_path):
    """A report with whatever a script may have: hostile names, long ones, many rows, none with a known line."""
    hostile = tmp_path / 'source.py'
    hostile.write_text(f'x = "</script><script>alert(2)</script>" + "{LONG}"\ny = 1\n')
    rows = [
        row(1000, '@numpy', 'sim:0', 'copy', (str(hostile), 1), implicit=False, began=0.1, seconds=0.5),
        row(20, line=(str(hostile), 2), began=0.7, seconds=1e-4),
        row(3, source=HOSTILE, target='@' + LONG, op='<b>op</b>', line=(HOSTILE, 7), began=0.8),
        row(7, line=('/' + LONG + '/x.py', 10), failed=True, began=0.85),
        row(0, 'native:0', host=True, began=0.9, seconds=1e-6),
        *(row(1, 'sim:1', 'sim:0', f'op{i}', began=0.9 + i / 1e4, seconds=1e-5) for i in range(200)),
    ]
    return save(tmp_path, report(rows, f"python '{HOSTILE}' {LONG}", 1.0, 1))


def save(folder, text):
    file = folder / 'report.html'
    file.write_bytes(text.encode('utf-8', 'backslashreplace'))
    return file


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('width', [360, 1200])
def test_it_fits_and_is_quiet(chromium, page, width, scheme):
    chromium.open(page, width=width, scheme=scheme)
    assert chromium.complaints() == []
    assert chromium.requests() == [page.as_uri()]
    assert chromium.run('document.documentElement.scrollWidth') == width
    # Nothing lies on the right of the page, but inside of what can be scrolled.
    outside = 'e => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 0.5'
    assert chromium.run(f'[...document.querySelectorAll("body *")].filter({outside}).map(e => e.outerHTML)') == []
    assert chromium.run('document.querySelectorAll("img, b, script").length') == 1  # its own script


def channel(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(colour):
    return sum(part * channel(int(value)) for part, value in zip((0.2126, 0.7152, 0.0722), re.findall(r'\d+', colour)))


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_text_can_be_read(chromium, page, scheme):
    """WCAG 2.2, 1.4.3: a contrast of 4.5."""
    chromium.open(page, width=1200, scheme=scheme)
    style = 'getComputedStyle(document.querySelector("{}")).{}'
    ground = luminance(chromium.run(style.format('body', 'backgroundColor')))
    assert (ground < 0.1) == (scheme == 'dark')
    for name, what in [('body', 'color'), ('p', 'color'), ('th button', 'color'), ('svg text', 'fill')] + [
        (f'.asked.{kind}', 'color') for kind in ('explicit', 'implicit')
    ]:
        text = luminance(chromium.run(style.format(name, what)))
        assert (max(text, ground) + 0.05) / (min(text, ground) + 0.05) >= 4.5, name


def column(chromium, number):
    return chromium.run(f'[...document.querySelectorAll("tbody tr")].map(r => r.cells[{number}].dataset.key)')


@pytest.mark.parametrize('width', [360, 1200])
def test_columns_sort(chromium, page, width):
    chromium.open(page, width=width, scheme='light')
    heads = chromium.run('[...document.querySelectorAll("th")].map(th => th.innerText.trim())')
    assert heads == ['place', 'source line', 'from → to', 'operation', 'asked for', 'count', 'bytes', 'ms']
    assert chromium.run('document.querySelector("th[aria-sort]").innerText.trim()') == 'bytes'
    assert column(chromium, 6)[:4] == ['1000', '20', '3', '1']
    for number in (5, 6, 7):
        chromium.run('document.querySelector("th:first-child button").click()')
        for order, sign in (('descending', -1), ('ascending', 1)):
            chromium.run(f'document.querySelectorAll("th button")[{number}].click()')
            values = [float(value) for value in column(chromium, number)]
            assert values == sorted(values, key=lambda value: sign * value)
            assert chromium.run('[...document.querySelectorAll("th[aria-sort]")].map(h => h.ariaSort)') == [order]
    chromium.run('document.querySelectorAll("th button")[3].click()')
    names = column(chromium, 3)
    assert names[:1] == ['<b>op</b>']
    # Numbers inside of words count as such.
    assert names.index('op9') < names.index('op10') < names.index('op100')
    assert len(names) == 205
    assert chromium.complaints() == []


def test_pictures(chromium, page):
    chromium.open(page, width=1200, scheme='light')
    texts = chromium.run('[...document.querySelectorAll(".scroll svg text")].map(t => t.textContent)')
    assert '1 kB' in texts
    assert '200 bytes' in texts
    lanes = chromium.run('[...document.querySelectorAll(".lanes dt")].map(t => t.textContent)')
    assert lanes[:2] == ['@numpy → sim:0', 'sim:0 → @numpy']
    assert not any('native' in lane for lane in lanes)  # nothing crosses there
    # From the first transfer on, for 0.5 s of the 0.8199 s until the end of the last.
    lane = 'document.querySelector(".lanes svg").getBoundingClientRect()'
    bar = 'document.querySelector(".lanes .bar.explicit").getBoundingClientRect()'
    assert chromium.run(f'({bar}.x - {lane}.x) / {lane}.width') == pytest.approx(0, abs=0.005)
    assert chromium.run(f'{bar}.width / {lane}.width') == pytest.approx(0.5 / 0.8199, abs=0.005)
    # Two hundred in a row are one, not two hundred.
    assert chromium.run('document.querySelectorAll(".lanes .bar").length') < 12


def test_a_bar_names_its_lines():
    rows = [row(line=('/x.py', 1 + i % 5), began=1.0, seconds=0.1) for i in range(50)]
    text = report([*rows, row(line=('/y.py', 9), began=9.0)], 'python x.py', 9.0, 0)
    assert 'implicit: 50 transfers, 400 bytes, from 0 \xb5s on\n/x.py:1\n/x.py:2\n/x.py:3\nand 2 lines more<' in text
    assert 'implicit: float, 8 bytes, at 8.00 s\n/y.py:9<' in text


def test_nothing_moved(chromium, tmp_path):
    chromium.open(save(tmp_path, report([], 'python x.py', 0.0, -9)), width=360, scheme='dark')
    assert 'Nothing moved' in chromium.run('document.body.innerText')
    assert 'ended by signal 9' in chromium.run('document.body.innerText')
    assert chromium.complaints() == []


def test_a_hundred_thousand_rows_are_a_small_file():
    rows = [row(1, f'sim:{i % 4}', began=i * 1e-5, seconds=5e-6, line=('/x.py', i % 50)) for i in range(100_000)]
    assert len(report(rows, 'python x.py', 1.0, 0)) < 200_000


def test_what_a_script_names_stays_text(tmp_path):
    """Also where there is no browser: from the command on, with a file name that is no UTF-8."""
    name = '</script><b>' + '\udcff.py'.replace('/', '')
    folder = tmp_path / '<'
    (folder / 'script><b>').mkdir(parents=True)
    script = folder / 'script><b>' / name.rpartition('/')[2]
    script.write_text("import numpy as np, crossdock as xd\nxd.get_device('sim:0').send(np.ones(3))  # </script><b>\n")
    command = [sys.executable, '-m', 'crossdock', 'trace', '--html', 'out.html', '--json', 'out.json', str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / 'out.html').read_text()
    assert '<b>' not in text
    assert text.count('</script>') == 1
    assert '&lt;/script&gt;&lt;b&gt;' in text
