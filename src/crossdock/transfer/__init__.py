"""Moves bytes between two ends: plan a route, run it, see it. Knows no array library and no device name."""

from crossdock.transfer._chrome import chrome_trace
from crossdock.transfer._columns import Columns, Kind, Span, columns_of, read_columns
from crossdock.transfer._driver import DriverAccount, DriverCopy, Watch, watch_driver_by
from crossdock.transfer._everywhere import forbid_everywhere, trace_everywhere
from crossdock.transfer._facts import ArrayFacts, PlaceFacts
from crossdock.transfer._groups import TransferGroup
from crossdock.transfer._guard import TransferWarning, foresee, guarded, transfer_guard
from crossdock.transfer._hook import Event, announce, listening, quiet, register_observer, share_time
from crossdock.transfer._log import TransferLog
from crossdock.transfer._memories import find_memories_by
from crossdock.transfer._pack import SMALL_NBYTES, Block, block_nbytes, explain, group, packable
from crossdock.transfer._plan import COPY, PACKED, Plan, plan
from crossdock.transfer._port import Port
from crossdock.transfer._progress import Advance, Progress, Track, check_progress, tracking
from crossdock.transfer._row import Transfer
from crossdock.transfer._run import copy_between, cuts, host_view, legs, run
from crossdock.transfer._steps import STEP_NBYTES
from crossdock.transfer._summary import summary
from crossdock.transfer._trace import trace_transfers
from crossdock.transfer._truth import TransferTruth, TruthPair, truth_of
from crossdock.transfer._where import at_path, batch, hide_frames, no_batch, user_frame

__all__ = [
    'COPY',
    'PACKED',
    'SMALL_NBYTES',
    'STEP_NBYTES',
    'Advance',
    'ArrayFacts',
    'Block',
    'Columns',
    'DriverAccount',
    'DriverCopy',
    'Event',
    'Kind',
    'PlaceFacts',
    'Plan',
    'Port',
    'Progress',
    'Span',
    'Track',
    'Transfer',
    'TransferGroup',
    'TransferLog',
    'TransferTruth',
    'TransferWarning',
    'TruthPair',
    'Watch',
    'announce',
    'at_path',
    'batch',
    'block_nbytes',
    'check_progress',
    'chrome_trace',
    'columns_of',
    'copy_between',
    'cuts',
    'explain',
    'find_memories_by',
    'forbid_everywhere',
    'foresee',
    'group',
    'guarded',
    'hide_frames',
    'host_view',
    'legs',
    'listening',
    'no_batch',
    'packable',
    'plan',
    'quiet',
    'read_columns',
    'register_observer',
    'run',
    'share_time',
    'summary',
    'trace_everywhere',
    'trace_transfers',
    'tracking',
    'transfer_guard',
    'truth_of',
    'user_frame',
    'watch_driver_by',
]
