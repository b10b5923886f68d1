"""HDF5 keeps the contract."""

import pytest

from crossdock.serializers.formats._hdf5 import FORMAT
from crossdock.serializers.testing import FormatContract

from .spoils import SPOILS

pytest.importorskip('h5py', reason='h5py is not installed')


class TestHDF5(FormatContract):
    format = FORMAT

    def spoils(self):
        return SPOILS['hdf5']
