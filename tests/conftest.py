"""What the back-ends for GPUs do not have yet is a skipped test that says so in their own words."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest

ABSENT = re.compile(r': no kernel for dtype \w+ on device cuda:\d+')


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    try:
        return (yield)
    except NotImplementedError as error:
        if ABSENT.search(str(error)):
            pytest.skip(str(error))
        raise
