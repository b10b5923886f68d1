"""Every ordered pair of libraries x data type x layout: the same bits by the expected route, or refused with advice."""

import collections
import importlib.util
import sys
from pathlib import Path

import pytest

from ..accelerator import FIRST, simulated

sys.path.insert(0, str(Path(__file__).parent))
from cells import DTYPES, LAYOUTS, LIMITED, SPECS, Cell, observe

pytest.importorskip('torch')
pytest.importorskip('jax')

STANDARD = set(DTYPES[:14])
WIDE = {'int64', 'uint64', 'float64', 'complex128'}
TORCHS = {'bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float8_e5m2fnuz', 'float8_e8m0fnu'}
CORES = STANDARD | {'bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'}
#: What arrays of each library can have; JAX's while its flag for 64 bits is off, as it is here.
HOLDS = {
    '@numpy': set(DTYPES),
    'native:0': CORES,
    FIRST: CORES,
    '@torch:cpu': STANDARD | TORCHS,
    '@jax:0': set(DTYPES) - WIDE,
}
#: Made there by somebody, while the flag was on.
EVER_HELD = {**HOLDS, '@jax:0': set(DTYPES)}
BYTES = {'bool', 'int8', 'uint8', 'int4', 'uint4'} | {dtype for dtype in DTYPES if 'float8' in dtype}


def exists(source, dtype, layout):
    if dtype not in EVER_HELD[source]:
        return False
    if source == '@torch:cpu' and layout == 'odd steps' and dtype not in BYTES:
        return False  # every step is a multiple of one byte
    return layout in LIMITED.get(source, LAYOUTS)


def is_readonly(source, layout):
    return source == '@jax:0' or layout in ('broadcast', 'read-only')


def expected(source, target, dtype, layout):
    """Route and read-only flag by the rules of the documentation."""
    readonly = is_readonly(source, layout)
    if source == target:
        return 'same', readonly
    if dtype not in HOLDS[target]:
        return 'refuse', None
    if target == '@jax:0':
        return 'copy', True
    if FIRST in (source, target):
        return 'copy', False
    if target == '@torch:cpu':
        odd = layout == 'odd steps' and dtype not in BYTES
        return ('copy' if readonly or odd or layout == 'negative strides' else 'alias'), False
    packed = source == '@jax:0' and dtype in ('int4', 'uint4')
    return ('copy', False) if packed else ('alias', readonly)


@pytest.mark.parametrize('target', SPECS)
@pytest.mark.parametrize('source', SPECS)
def test_every_cell(source, target):
    for layout in LAYOUTS:
        for dtype in DTYPES:
            cell = observe(source, target, dtype, layout)
            if not exists(source, dtype, layout):
                assert cell is None, cell
                continue
            assert isinstance(cell, Cell), (source, target, dtype, layout)
            assert (cell.route, cell.readonly) == expected(source, target, dtype, layout), cell
            if cell.route == 'refuse':
                assert dtype in cell.why and (dtype not in WIDE or 'jax_enable_x64' in cell.why), cell
            elif cell.route == 'copy':
                assert cell.why, cell


def test_no_cell_is_forgotten():
    """The table above names as many cells as there are."""
    number = collections.Counter(
        expected(source, target, dtype, layout)[0]
        for source in SPECS
        for target in SPECS
        for dtype in DTYPES
        for layout in LAYOUTS
        if exists(source, dtype, layout)
    )
    assert set(number) == {'same', 'alias', 'copy', 'refuse'} and sum(number.values()) > 4000


@simulated
def test_the_page_is_up_to_date():
    """``python docs/_exchange.py`` makes it so."""
    docs = Path(__file__).parents[2] / 'docs'
    spec = importlib.util.spec_from_file_location('crossdock_docs_exchange', docs / '_exchange.py')
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    found = list(script.cells())
    assert script.page(script.PAGE.read_text(), found) == script.PAGE.read_text()
    assert script.summary(found) == script.SUMMARY.read_text()
