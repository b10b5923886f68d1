import numpy as np
import pytest

import crossdock as xd

from ..accelerator import FIRST


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=['@numpy', 'native:0', FIRST])
def device(request):
    return xd.get_device(request.param)
