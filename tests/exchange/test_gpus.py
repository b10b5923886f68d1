"""Every ordered pair of libraries with arrays on GPU 0: the same bits, without the host, shared where they can be."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock import errors
from crossdock.transfer import trace_transfers

sys.path.insert(0, str(Path(__file__).parent))
from cells import DTYPES, LAYOUTS, bits, values

pytestmark = pytest.mark.gpu

GPUS = ('cuda:0', '@cupy:0', '@torch:cuda:0', '@jax:cuda:0')
PAIRS = [pair for pair in itertools.product(('@numpy', *GPUS), repeat=2) if pair != ('@numpy', '@numpy')]
#: What is done to a contiguous array there; those of JAX are all contiguous.
CUTS = {name: LAYOUTS[name] for name in ('C order', 'F order', 'strided', 'zero size', '0-d')}
WRITABLE = GPUS[:3]
OTHERS = list(itertools.permutations(WRITABLE, 2))


def here(spec):
    """The device; the test is skipped, with the reason, where it is not available."""
    try:
        return xd.get_device(spec)
    except errors.DeviceUnavailableError as error:
        pytest.skip(str(error))


def address(x):
    """Of the first element."""
    return x.__cuda_array_interface__['data'][0]


def physicals(row):
    """Which two memories a transfer was between."""
    return {xd.get_device(spec).physical for spec in (row.source, row.target)}


@pytest.mark.parametrize(('source', 'target'), PAIRS)
def test_values(source, target):
    """Any data type that both have, in any layout; the host sees nothing of what stays on the GPU."""
    start, end = here(source), here(target)
    sent = set()
    for dtype, (layout, cut) in itertools.product(DTYPES, CUTS.items()):
        host = values(dtype)
        try:
            x = start.send(host)
        except errors.DtypeError:
            continue
        if layout != 'C order' and source.startswith('@jax'):
            continue
        x, want = cut(x), cut(host)
        with trace_transfers() as rows:
            try:
                y = end.send(x)
            except errors.DtypeError:
                continue
        assert end.is_array_supported(y) and y.shape == want.shape, (dtype, layout)
        assert bits(y) == want.tobytes(), (dtype, layout)
        if '@numpy' not in (source, target):
            assert not [row for row in rows if 'host' in physicals(row)], (dtype, layout)
        sent.add(dtype)
    assert {'bool', 'uint8', 'int32', 'float16', 'float32', 'complex64'} <= sent


@pytest.mark.parametrize('layout', ['C order', 'F order', 'strided'])
@pytest.mark.parametrize(('source', 'target'), OTHERS)
def test_memory_is_shared(source, target, layout):
    start, end = here(source), here(target)
    x = LAYOUTS[layout](start.send(np.arange(24, dtype='float32').reshape(6, 4)))
    assert xd.plan(x, end).zero_copy
    y = end.send(x, copy=False)
    assert address(y) == address(x)
    y[...] = 7
    end.synchronize()
    assert (xd.to_numpy(x) == 7).all()
    own = end.send(x, copy=True)
    assert address(own) != address(x) and (xd.to_numpy(own) == 7).all()


@pytest.mark.parametrize('source', WRITABLE)
@pytest.mark.parametrize('target', GPUS)
def test_what_is_queued_comes_first(source, target):
    """The reader of an array waits for what its writer has queued, also where both go on at once."""
    start, end = here(source), here(target)
    x = start.send(np.zeros(1 << 22, 'float32'))
    for _ in range(50):
        x += 1
    y = end.send(x, copy=True)
    x += 1
    assert (xd.to_numpy(y) == 50).all() and (xd.to_numpy(x) == 51).all()


@pytest.mark.parametrize(('source', 'target'), OTHERS)
def test_copyto(source, target):
    start, end = here(source), here(target)
    x, y = start.send(np.arange(6.0)[:, None]), end.send(np.zeros((6, 4), 'float32'))
    xd.copyto(y, x)
    np.testing.assert_array_equal(xd.to_numpy(y), np.broadcast_to(np.arange(6.0)[:, None], (6, 4)))


@pytest.mark.parametrize('target', GPUS)
def test_an_array_outlives_its_source(target):
    """The memory of what was handed over stays, whoever let go of it first."""
    end = here(target)
    for source in GPUS:
        try:
            start = xd.get_device(source)
        except errors.DeviceUnavailableError:
            continue
        kept = [end.send(start.send(np.full(5000, i, 'float32'))) for i in range(20)]
        others = [start.send(np.full(5000, -1, 'float32')) for _ in range(20)]
        assert all((xd.to_numpy(y) == i).all() for i, y in enumerate(kept)) and len(others) == 20
