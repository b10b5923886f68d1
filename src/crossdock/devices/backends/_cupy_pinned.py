"""A bounded pool of page-locked host memory, through CuPy."""

from __future__ import annotations

import math
import threading
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from crossdock.core._memory_info import PinnedStatistics
from crossdock.core.exchange import CHUNK_NBYTES
from crossdock.devices._cuda_library import library
from crossdock.errors import OutOfMemoryError

__all__ = ['PinnedMemoryPool', 'pinned_memory_pool', 'pinned_view']

_LIMIT_NBYTES = 256 * 1024 * 1024
_SMALLEST_NBYTES = 512
_OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation


class _Block:
    """Page-locked memory. `busy` is the event behind the last copy that touches it, if that may be under way."""

    __slots__ = ('busy', 'memory', 'nbytes')

    def __init__(self, memory: Any, nbytes: int) -> None:
        self.memory = memory
        self.nbytes = nbytes
        self.busy: Any = None

    @property
    def idle(self) -> bool:
        return self.busy is None or bool(self.busy.done)


class _Lent:
    """A block in somebody's hands. It goes back with the last reference to this."""

    def __init__(self, block: _Block, returned: deque[_Block]) -> None:
        self.ptr: int = block.memory.ptr
        self.size = block.nbytes
        self._block = block
        self._returned = returned

    def hold_until(self, event: Any) -> None:
        """Let nobody else have the block before an event."""
        self._block.busy = event

    def wait(self) -> None:
        """Wait for the event."""
        if self._block.busy is not None:
            self._block.busy.synchronize()
            self._block.busy = None

    def __del__(self) -> None:
        # Takes no lock, for the garbage collector may call it anywhere, inside the pool too.
        self._returned.append(self._block)


class PinnedMemoryPool:
    """Page-locked host memory, kept for reuse and bounded. Safe to use from several threads.

    Copies between it and a GPU need not wait, and are the fastest. What is taken from it goes back by itself with the
    last reference to it.

    Parameters
    ----------
    limit_nbytes : int
        What blocks in use and blocks kept for reuse hold together at most.
    """

    def __init__(self, limit_nbytes: int = _LIMIT_NBYTES) -> None:
        self._lock = threading.Lock()
        self._free: dict[int, list[_Block]] = {}
        self._returned: deque[_Block] = deque()
        self._used_nbytes = 0
        self._free_nbytes = 0
        self._high_water = 0
        self._limit_nbytes = 0
        self.set_limit(limit_nbytes)

    def malloc(self, nbytes: int) -> Any:
        """Memory of some size.

        ``cupy.cuda.set_pinned_memory_allocator(pool.malloc)`` has CuPy itself take its page-locked memory from here.

        Parameters
        ----------
        nbytes : int
            How many bytes.

        Returns
        -------
        cupy.cuda.PinnedMemoryPointer
            At least so many.

        Raises
        ------
        OutOfMemoryError
            It would exceed the limit, or the system gives no more.
        DeviceUnavailableError
            CuPy or a GPU is not here.
        """
        cuda = library().cuda
        if nbytes < 0:
            raise ValueError(f'a block has {nbytes} bytes; allowed are 0 and more')
        if nbytes == 0:
            return cuda.PinnedMemoryPointer(cuda.PinnedMemory(0), 0)
        with self._lock:
            block = self._take(cuda, _rounded(nbytes))
        lent = _Lent(block, self._returned)
        if not block.idle:
            lent.wait()
        block.busy = None
        return cuda.PinnedMemoryPointer(lent, 0)

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = float) -> np.ndarray[Any, Any]:
        """An uninitialised NumPy array in this memory.

        Parameters
        ----------
        shape : int or tuple of int
            Its shape.
        dtype : dtype
            Its data type.

        Returns
        -------
        numpy.ndarray
            In C order. Its memory goes back with the last array that looks at it.

        Raises
        ------
        OutOfMemoryError
            As `malloc`.
        """
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise TypeError(f'{kind} holds Python objects, which page-locked memory cannot')
        nbytes = math.prod(extents) * kind.itemsize
        return pinned_view(self.malloc(nbytes), nbytes).view(kind).reshape(extents)

    def free_all_blocks(self) -> None:
        """Give the blocks that are kept for reuse back to the system."""
        with self._lock:
            self._collect()
            self._drop(self._free_nbytes)

    def n_free_blocks(self) -> int:
        """How many blocks are kept for reuse."""
        with self._lock:
            self._collect()
            return sum(map(len, self._free.values()))

    def used_bytes(self) -> int:
        """Bytes of the blocks in use."""
        return self.statistics().used

    def free_bytes(self) -> int:
        """Bytes of the blocks kept for reuse."""
        return self.statistics().pooled

    def total_bytes(self) -> int:
        """Bytes of all blocks."""
        now = self.statistics()
        return now.used + now.pooled

    def statistics(self) -> PinnedStatistics:
        """What the pool holds: `used`, `pooled`, `high_water` and `limit`, in bytes."""
        with self._lock:
            self._collect()
            return PinnedStatistics(self._used_nbytes, self._free_nbytes, self._high_water, self._limit_nbytes)

    def set_limit(self, nbytes: int) -> None:
        """Bound what the pool holds; blocks that are kept beyond it are given back.

        Parameters
        ----------
        nbytes : int
            At least 0. Copies do without page-locked memory, and others are refused, rather than exceed it.
        """
        if nbytes < 0:
            raise ValueError(f'a limit of {nbytes} bytes; allowed are 0 and more')
        with self._lock:
            self._collect()
            self._limit_nbytes = nbytes
            self._drop(self._used_nbytes + self._free_nbytes - nbytes)

    def get_limit(self) -> int:
        """The bound, in bytes."""
        return self._limit_nbytes

    def _take(self, cuda: Any, nbytes: int) -> _Block:
        self._collect()
        kept = self._free.get(nbytes, [])
        found = next((i for i, block in enumerate(kept) if block.idle), None)
        if found is None and (not kept or self._used_nbytes + self._free_nbytes + nbytes <= self._limit_nbytes):
            block = self._make(cuda, nbytes)
        else:
            block = kept.pop(found or 0)
            self._free_nbytes -= nbytes
        self._used_nbytes += nbytes
        self._high_water = max(self._high_water, self._used_nbytes + self._free_nbytes)
        return block

    def _make(self, cuda: Any, nbytes: int) -> _Block:
        self._drop(self._used_nbytes + self._free_nbytes + nbytes - self._limit_nbytes)
        if self._used_nbytes + nbytes > self._limit_nbytes:
            raise self._exhausted(nbytes, f'the limit is {self._limit_nbytes} bytes, which set_limit() changes')
        try:
            memory = cuda.PinnedMemory(nbytes, cuda.runtime.hostAllocPortable)
        except cuda.runtime.CUDARuntimeError as error:
            if error.status != _OUT_OF_MEMORY:
                raise
            self._drop(self._free_nbytes)
            try:
                memory = cuda.PinnedMemory(nbytes, cuda.runtime.hostAllocPortable)
            except cuda.runtime.CUDARuntimeError:
                raise self._exhausted(nbytes, 'the system gives no more') from error
        return _Block(memory, nbytes)

    def _exhausted(self, nbytes: int, why: str) -> OutOfMemoryError:
        return OutOfMemoryError(
            f'no room for {nbytes} bytes of page-locked memory: {self._used_nbytes} bytes are in use, and {why}',
            requested=nbytes,
            free=max(self._limit_nbytes - self._used_nbytes, 0),
            pooled=self._free_nbytes,
        )

    def _collect(self) -> None:
        while self._returned:
            block = self._returned.popleft()
            self._free.setdefault(block.nbytes, []).append(block)
            self._used_nbytes -= block.nbytes
            self._free_nbytes += block.nbytes
        self._drop(self._used_nbytes + self._free_nbytes - self._limit_nbytes)

    def _drop(self, nbytes: int) -> None:
        """Give kept blocks back until so many bytes are; CUDA waits for copies under way."""
        for size in sorted(self._free, reverse=True):
            blocks = self._free[size]
            while blocks and nbytes > 0:
                blocks.pop()
                self._free_nbytes -= size
                nbytes -= size
            if not blocks:
                del self._free[size]


class _Memory:
    """Keeps memory alive for an array, and says where it is."""

    def __init__(self, pointer: Any, nbytes: int) -> None:
        self._pointer = pointer
        self.__array_interface__ = {
            'version': 3,
            'shape': (nbytes,),
            'typestr': '|u1',
            'data': (int(pointer.ptr), False),
        }


def pinned_view(pointer: Any, nbytes: int) -> np.ndarray[Any, Any]:
    """The first bytes of page-locked memory as an array, which keeps it alive."""
    return np.asarray(_Memory(pointer, nbytes)) if nbytes else np.empty(0, np.uint8)


def _rounded(nbytes: int) -> int:
    """Sizes in steps, so that blocks are found again: powers of two, then multiples of a chunk."""
    if nbytes > CHUNK_NBYTES:
        return -(-nbytes // CHUNK_NBYTES) * CHUNK_NBYTES
    return max(_SMALLEST_NBYTES, 1 << (nbytes - 1).bit_length())


pinned_memory_pool = PinnedMemoryPool()
