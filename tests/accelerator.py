"""The kind of accelerator that tests run on: simulated, unless CROSSDOCK_TEST_ACCELERATOR names another, as 'cuda'."""

from __future__ import annotations

import os

import pytest

KIND = os.environ.get('CROSSDOCK_TEST_ACCELERATOR', 'sim')
FIRST, SECOND = f'{KIND}:0', f'{KIND}:1'

#: For tests of counters, faults and links that only the simulated accelerator has.
simulated = pytest.mark.skipif(KIND != 'sim', reason='about the simulated accelerator')
