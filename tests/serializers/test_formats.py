"""Every format of ours keeps the contract."""

from crossdock.serializers.formats._npz import FORMAT as NPZ
from crossdock.serializers.formats._safetensors import FORMAT as SAFETENSORS
from crossdock.serializers.testing import FormatContract

from .spoils import SPOILS


class TestNpz(FormatContract):
    format = NPZ

    def spoils(self):
        return SPOILS['npz']


class TestSafetensors(FormatContract):
    format = SAFETENSORS

    def spoils(self):
        return SPOILS['safetensors']
