"""Every test of the core that takes `device` runs on host memory and on the simulated accelerator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange


@pytest.fixture(params=os.environ.get('CROSSDOCK_TEST_DEVICES', 'native:0 sim:0').split())
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def to_host(x: cx.Array) -> np.ndarray[Any, Any]:
    """The values, whatever device they are on, with their strides where that is host memory."""
    return exchange.as_numpy(x.to_device('native:0'))


@pytest.fixture
def host() -> Callable[[cx.Array], np.ndarray[Any, Any]]:
    return to_host


@pytest.fixture
def transfers() -> Iterator[list[tuple[Any, ...]]]:
    """All transfers during the test, as the hook is told of them."""
    rows: list[tuple[Any, ...]] = []
    exchange.set_transfer_hook(lambda *facts: rows.append(facts))
    yield rows
    exchange.set_transfer_hook(None)
