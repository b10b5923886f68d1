import gc

import numpy as np
import pytest


@pytest.fixture(scope='module', autouse=True)
def small_heap():
    """Collections look at what the tests make, and not at the libraries, of which there are many."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def rng():
    return np.random.default_rng(0)
