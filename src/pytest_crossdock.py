"""crossdock's plug-in for pytest: the mark `no_implicit_transfers` and the fixture `device`.

It lies outside of the package, for pytest imports it in every run: nothing of crossdock is imported before a test, or
an option, needs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from crossdock import Device, Transfer
    from crossdock.errors import TransferForbiddenError

__all__ = ['pytest_addoption', 'pytest_configure', 'pytest_runtest_call']

MARK = 'no_implicit_transfers'
DEFAULT = ('native:0', 'sim:0')


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--crossdock-device``."""
    parser.getgroup('crossdock').addoption(
        '--crossdock-device',
        action='append',
        metavar='SPEC[,SPEC]',
        help=f"devices that tests with crossdock's fixture `device` run on; default: {','.join(DEFAULT)}",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest of the mark and of the fixture, whose parameters the option says."""
    config.addinivalue_line('markers', f'{MARK}: fail where something moves between devices without being asked for')
    given = config.getoption('--crossdock-device')
    specs = DEFAULT if given is None else _parsed(given)
    config.pluginmanager.register(_devices(specs), 'crossdock-device')


def _parsed(given: list[str]) -> tuple[str, ...]:
    from crossdock import get_device
    from crossdock.errors import DeviceUnavailableError, SpecError

    specs = dict.fromkeys(spec.strip() for part in given for spec in part.split(','))
    for spec in specs:
        try:
            get_device(spec)
        except DeviceUnavailableError:
            pass  # its tests are skipped, and say why
        except SpecError as error:
            raise pytest.UsageError(f'--crossdock-device: {error}') from error
    return tuple(specs)


def _devices(specs: tuple[str, ...]) -> object:
    class Devices:
        """Has the fixture, which any other of that name hides."""

        @pytest.fixture(params=specs)
        def device(self, request: pytest.FixtureRequest) -> Device:
            """A device of crossdock; the test runs once for each of ``--crossdock-device``."""
            from crossdock import get_device
            from crossdock.errors import DeviceUnavailableError

            try:
                return get_device(request.param)
            except DeviceUnavailableError as error:
                pytest.skip(str(error))

    return Devices()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run a marked test where implicit transfers are refused, in all of its threads and tasks."""
    if item.get_closest_marker(MARK) is None:
        return (yield)
    from crossdock.errors import TransferForbiddenError
    from crossdock.transfer import forbid_everywhere

    with forbid_everywhere() as forbidden:
        try:
            result = yield
        except TransferForbiddenError as error:
            _cut(error)
            raise
        finally:
            if forbidden.refused:
                item.add_report_section('call', MARK, '\n'.join(_listed(forbidden.refused)))
    if forbidden.refused:  # and whoever asked for it kept the error
        pytest.fail(f'{MARK}: {"; ".join(_listed(forbidden.refused))}', pytrace=False)
    return result


def _cut(error: TransferForbiddenError) -> None:
    """Let the traceback end at the line of the transfer, which pytest then shows."""
    last, entry = None, error.__traceback__
    while entry is not None:
        if (entry.tb_frame.f_code.co_filename, entry.tb_lineno) == (error.transfer.filename, error.transfer.lineno):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


def _listed(refused: list[Transfer]) -> list[str]:
    """What was refused; what is said alike, once and with a count."""
    counts = Counter(map(_said, refused))
    return [said if count == 1 else f'{said} ({count:,} times)' for said, count in counts.items()]


def _said(row: Transfer) -> str:
    where = f'{row.filename}:{row.lineno}: ' if row.filename else ''
    nbytes = '1 byte' if row.nbytes == 1 else f'{row.nbytes} bytes'
    return f'{where}{row.op} moves {nbytes} from {row.source} to {row.target}'
