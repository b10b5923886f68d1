"""Every test of the core that takes `device` runs on host memory and on an accelerator; or on a real one alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange

from ..accelerator import FIRST, KIND

DEVICES = ['native:0', FIRST] if KIND == 'sim' else [FIRST]


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On another accelerator what the host does is not tested again."""
    if KIND == 'sim':
        return
    here = Path(__file__).parent
    chosen = [
        item
        for item in items
        if here not in item.path.parents
        or 'device' in getattr(item, 'fixturenames', ())
        or hasattr(getattr(item, 'module', None), 'FIRST')
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


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
