"""Moves bytes between two ends: plan a route, run it, see it. Knows no array library and no device name."""

from crossdock.transfer._facts import ArrayFacts, PlaceFacts
from crossdock.transfer._hook import announce, listening, register_observer
from crossdock.transfer._plan import Plan, plan
from crossdock.transfer._port import Port
from crossdock.transfer._progress import Progress, tracking
from crossdock.transfer._run import copy_between, run
from crossdock.transfer._trace import Transfer, TransferLog, trace_transfers
from crossdock.transfer._where import at_path, batch

__all__ = [
    'ArrayFacts',
    'PlaceFacts',
    'Plan',
    'Port',
    'Progress',
    'Transfer',
    'TransferLog',
    'announce',
    'at_path',
    'batch',
    'copy_between',
    'listening',
    'plan',
    'register_observer',
    'run',
    'trace_transfers',
    'tracking',
]
