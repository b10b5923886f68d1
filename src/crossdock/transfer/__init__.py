"""Moves bytes between two ends: plan a route, run it, see it. Knows no array library and no device name."""

from crossdock.transfer._facts import ArrayFacts, PlaceFacts
from crossdock.transfer._hook import announce, listening, register_observer
from crossdock.transfer._pack import SMALL_NBYTES, Block, block_nbytes, explain, group, packable
from crossdock.transfer._plan import PACKED, Plan, plan
from crossdock.transfer._port import Port
from crossdock.transfer._progress import Progress, tracking
from crossdock.transfer._run import copy_between, host_view, run
from crossdock.transfer._trace import Transfer, TransferLog, trace_transfers
from crossdock.transfer._where import at_path, batch

__all__ = [
    'PACKED',
    'SMALL_NBYTES',
    'ArrayFacts',
    'Block',
    'PlaceFacts',
    'Plan',
    'Port',
    'Progress',
    'Transfer',
    'TransferLog',
    'announce',
    'at_path',
    'batch',
    'block_nbytes',
    'copy_between',
    'explain',
    'group',
    'host_view',
    'listening',
    'packable',
    'plan',
    'register_observer',
    'run',
    'trace_transfers',
    'tracking',
]
