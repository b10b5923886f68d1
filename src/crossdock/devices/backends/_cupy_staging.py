"""Copies between host memory and CuPy's arrays, through page-locked chunks: no temporary is as large as the array.

Each function expects the array's device to be the current one, and works on CuPy's current stream there.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from crossdock.core import exchange
from crossdock.core.exchange import CHUNK_NBYTES, PACK_ALIGNMENT
from crossdock.devices._dtype import STANDARD, cast_into
from crossdock.devices.backends._cupy_pinned import pinned_memory_pool, pinned_view
from crossdock.errors import OutOfMemoryError

__all__ = ['as_real', 'download', 'marked', 'pack', 'unpack', 'upload']

#: As many chunks are under way at a time as keep both the processor and the bus busy.
_DEPTH = 3

_Host = np.ndarray[Any, Any]

#: Sources of direct copies under way, each with the event behind its copy.
_held: deque[tuple[Any, _Host]] = deque()


class _Chunk(NamedTuple):
    """Room for a copy. Without page-locked memory, `lent` is None, and each copy is waited for."""

    memory: _Host
    lent: Any


def upload(cupy: Any, dst: Any, view: _Host, *, pinned: bool, blocking: bool) -> None:
    """Write a host view into an array; broadcasts and converts. It has been read on return, or is held until it is."""
    while _held and _held[0][0].done:
        _held.popleft()
    wire = _wire(view.dtype, dst.dtype)
    if pinned and wire == view.dtype:
        _upload_direct(cupy, dst, view, blocking=blocking)
    elif dst.shape == view.shape and dst.flags.c_contiguous:
        _upload_chunks(cupy, dst, view, wire)
    else:
        there = cupy.empty(view.shape, wire)
        _upload_chunks(cupy, there, view, wire)
        dst[...] = as_real(there, dst.dtype)


def download(cupy: Any, view: _Host, src: Any) -> None:
    """Write an array into a host view, and wait; broadcasts and converts."""
    wire = _wire(src.dtype, view.dtype)
    if view.shape != src.shape:
        landed = np.empty(src.shape, wire)
        download(cupy, landed, src)
        _fill(view, landed)
        return
    under_way: deque[tuple[_Chunk, _Host, Any]] = deque()
    try:
        for (_, piece), (_, room) in zip(_slabs(src, wire.itemsize), _slabs(view, wire.itemsize)):
            if len(under_way) == _DEPTH:
                _land(*under_way.popleft())
            under_way.append(_send_down(cupy, piece, room, wire))
        while under_way:
            _land(*under_way.popleft())
    finally:
        for chunk, _, event in under_way:  # after an error: nobody may have the memory before the copy is done
            if chunk.lent:
                chunk.lent.hold_until(event)


def pack(cupy: Any, block: list[tuple[_Host, np.dtype[Any]]]) -> list[Any]:
    """New arrays from host views, in one allocation and with one copy."""
    begins, nbytes = _layout([view.size * dtype.itemsize for view, dtype in block])
    memory = cupy.cuda.alloc(nbytes)
    chunk = _chunk(nbytes)
    arrays = []
    for begin, (view, dtype) in zip(begins, block):
        _fill(_part(chunk, view.size * dtype.itemsize, begin).view(dtype).reshape(view.shape), view)
        arrays.append(cupy.ndarray(view.shape, dtype, memory + begin))
    _send_up(cupy, memory, chunk, nbytes)
    return arrays


def unpack(cupy: Any, block: list[tuple[_Host, Any]]) -> None:
    """Write arrays into host views, with one wait."""
    wires = [_wire(src.dtype, view.dtype) for view, src in block]
    begins, nbytes = _layout([src.size * wire.itemsize for (_, src), wire in zip(block, wires)])
    chunk = _chunk(nbytes)
    rooms = []
    try:
        for begin, (_, src), wire in zip(begins, block, wires):
            piece = _dense(cupy, src, wire)
            room = _part(chunk, piece.nbytes, begin)
            piece.data.copy_to_host_async(room.ctypes.data, piece.nbytes)
            rooms.append(room.view(wire).reshape(src.shape))
    finally:  # after an error too: nobody may have the memory before the copies are done
        cupy.cuda.get_current_stream().synchronize()
    for (view, _), room in zip(block, rooms):
        _fill(view, room)


def as_real(array: Any, dtype: np.dtype[Any]) -> Any:
    """The array, or its real part where the data type that it becomes has no other."""
    return array.real if array.dtype.kind == 'c' and dtype.kind != 'c' else array


def marked(cupy: Any) -> Any:
    """An event behind all that is queued on the current stream."""
    event = cupy.cuda.Event(disable_timing=True)
    event.record()
    return event


def _wire(have: np.dtype[Any], want: np.dtype[Any]) -> np.dtype[Any]:
    """In which data type the values cross: the narrower one, of those that CuPy has."""
    if have.name not in STANDARD or want.name not in STANDARD:
        return want if have.name not in STANDARD else have
    return want if want.itemsize <= have.itemsize else have


def _upload_direct(cupy: Any, dst: Any, view: _Host, *, blocking: bool) -> None:
    same = dst.shape == view.shape and dst.dtype == view.dtype and dst.flags.c_contiguous
    there = dst if same else cupy.empty(view.shape, view.dtype)
    there.data.copy_from_host_async(view.ctypes.data, view.nbytes)
    read = marked(cupy)
    if not same:
        dst[...] = as_real(there, dst.dtype)
    if blocking:
        read.synchronize()
    else:
        _held.append((read, view))


def _upload_chunks(cupy: Any, dst: Any, view: _Host, wire: np.dtype[Any]) -> None:
    under_way: deque[_Chunk] = deque()
    flat = dst.reshape(-1)
    for begin, slab in _slabs(view, wire.itemsize):
        if len(under_way) == _DEPTH:
            chunk = under_way.popleft()
            if chunk.lent:
                chunk.lent.wait()
        else:
            chunk = _chunk(min(view.size * wire.itemsize, CHUNK_NBYTES))
        nbytes = slab.size * wire.itemsize
        _fill(_part(chunk, nbytes).view(wire).reshape(slab.shape), slab)
        part = flat[begin : begin + slab.size]
        if dst.dtype == wire:
            _send_up(cupy, part.data, chunk, nbytes)
        else:
            landed = cupy.empty(slab.size, wire)
            _send_up(cupy, landed.data, chunk, nbytes)
            part[...] = as_real(landed, dst.dtype)
        under_way.append(chunk)


def _send_up(cupy: Any, target: Any, chunk: _Chunk, nbytes: int) -> None:
    target.copy_from_host_async(chunk.memory.ctypes.data, nbytes)
    if chunk.lent:
        chunk.lent.hold_until(marked(cupy))
    else:
        cupy.cuda.get_current_stream().synchronize()


def _send_down(cupy: Any, piece: Any, room: _Host, wire: np.dtype[Any]) -> tuple[_Chunk, _Host, Any]:
    piece = _dense(cupy, piece, wire)
    chunk = _chunk(piece.nbytes)
    piece.data.copy_to_host_async(chunk.memory.ctypes.data, piece.nbytes)
    return _Chunk(_part(chunk, piece.nbytes).view(wire).reshape(room.shape), chunk.lent), room, marked(cupy)


def _land(chunk: _Chunk, room: _Host, event: Any) -> None:
    event.synchronize()
    _fill(room, chunk.memory)


def _dense(cupy: Any, array: Any, dtype: np.dtype[Any]) -> Any:
    """The values in C order and of a data type."""
    if array.dtype == dtype and array.flags.c_contiguous:
        return array
    dense = cupy.empty(array.shape, dtype)
    dense[...] = as_real(array, dtype)
    return dense


def _chunk(nbytes: int) -> _Chunk:
    try:
        pointer = pinned_memory_pool.malloc(nbytes)
    except OutOfMemoryError:
        return _Chunk(np.empty(nbytes, np.uint8), None)
    return _Chunk(pinned_view(pointer, nbytes), pointer.mem)


def _part(chunk: _Chunk, nbytes: int, begin: int = 0) -> _Host:
    return chunk.memory[begin : begin + nbytes]


def _layout(sizes: list[int]) -> tuple[list[int], int]:
    """Where each begins, and where the last ends."""
    begins, end = [], 0
    for size in sizes:
        begin = -(-end // PACK_ALIGNMENT) * PACK_ALIGNMENT
        begins.append(begin)
        end = begin + size
    return begins, end


def _slabs(array: Any, itemsize: int, begin: int = 0) -> Iterator[tuple[int, Any]]:
    """An array in pieces of at most a chunk, each with the position in C order of its first element."""
    size = math.prod(array.shape)
    if size * itemsize <= CHUNK_NBYTES:
        if size:
            yield begin, array
        return
    row = size // array.shape[0]
    if row * itemsize > CHUNK_NBYTES:
        for i in range(array.shape[0]):
            yield from _slabs(array[i], itemsize, begin + i * row)
        return
    step = CHUNK_NBYTES // (row * itemsize)
    for i in range(0, array.shape[0], step):
        yield begin + i * row, array[i : i + step]


def _fill(dst: _Host, src: _Host) -> None:
    """Write one host array into another; broadcasts, and casts without a check."""
    if src.dtype.name in STANDARD and dst.dtype.name in STANDARD and (src.dtype.kind != 'c' or dst.dtype.kind == 'c'):
        exchange.copy_into(exchange.from_numpy(dst), exchange.from_numpy(src))  # on all processors
    else:
        cast_into(dst, src)
