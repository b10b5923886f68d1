"""Every format of ours keeps the contract."""

from crossdock.serializers.formats._npz import FORMAT as NPZ
from crossdock.serializers.formats._safetensors import FORMAT as SAFETENSORS
from crossdock.serializers.testing import FormatContract


class TestNpz(FormatContract):
    format = NPZ


class TestSafetensors(FormatContract):
    format = SAFETENSORS
