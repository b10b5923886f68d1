from zlib import crc32

import numpy as np
import pytest

from crossdock.serializers import _checksum
from crossdock.serializers._combine import crc32_combine


@pytest.mark.parametrize('combine', [crc32_combine, _checksum.crc32_combine])
@pytest.mark.parametrize('at', [0, 1, 2, 777, 9_999, 10_000])
def test_two_runs_make_one(combine, at):
    data = np.random.default_rng(at).bytes(10_000)
    assert combine(crc32(data[:at]), crc32(data[at:]), 10_000 - at) == crc32(data)


def test_the_fast_one_is_the_same():
    data = np.random.default_rng(3).bytes(100_003)
    assert _checksum.crc32(data) == crc32(data)
    assert _checksum.crc32(data[50:], crc32(data[:50])) == crc32(data)
