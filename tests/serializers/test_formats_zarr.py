"""Zarr keeps the contract."""

import pytest

from crossdock.serializers.formats._zarr import FORMAT
from crossdock.serializers.testing import FormatContract

from .spoils import SPOILS

pytest.importorskip('numcodecs', reason='zarr is not installed')
pytest.importorskip('google_crc32c', reason='zarr is not installed')


class TestZarr(FormatContract):
    format = FORMAT

    def spoils(self):
        return SPOILS['zarr']
