"""Good files to begin with, and the parts of them in which an edit goes deepest.

A file is a list of named parts and a function that makes a whole of them, with lengths and checksums set right: so an
edit of a member of an archive is seen by what reads the member, and not only by the check of its CRC.
"""

from __future__ import annotations

import io
import json
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np

import crossdock as xd

__all__ = ['Seed', 'seeds_of', 'TREE']

TREE = {
    'enc': {'W': np.arange(12, dtype='float32').reshape(3, 4), 'F': np.asfortranarray(np.arange(6.0).reshape(2, 3))},
    'bits': {'b': np.array([True, False, True]), 'bf': np.arange(5).astype(ml_dtypes.bfloat16), 'u': np.arange(9)},
    'i4': np.array([1, -2, 3]).astype(ml_dtypes.int4),
    'none': None,
    'text': 'é and more',
    'empty': np.zeros((0, 3)),
    'step': 7,
    'nothing': {},
    'groups': {'a': [], 'b': 1},
}
METADATA = {'epoch': 3, 'note': 'é', 'list': [1, None]}


class Seed:
    """The parts of a good file, and what makes a file of them; more than one file for a format that is a folder."""

    def __init__(self, parts: dict[str, bytes], join: Callable[[dict[str, bytes]], bytes] | None = None) -> None:
        self.parts = parts
        self.join = join

    def write(self, path: Path, parts: dict[str, bytes]) -> None:
        """Write the parts, as one file or as the files of a folder."""
        if self.join is not None:
            path.write_bytes(self.join(parts))
            return
        for name, data in parts.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(data)


def seeds_of(name: str, suffix: str) -> list[Seed]:
    """Some good files of a format."""
    found = []
    for compression in (None, *_compressions(name)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f'x{suffix}')
            xd.save(path, TREE, compression=compression, metadata=METADATA)
            if path.is_dir():
                files = sorted(p for p in path.rglob('*') if p.is_file())
                found.append(Seed({str(p.relative_to(path)): p.read_bytes() for p in files}))
            else:
                found.append(_whole(path.read_bytes()))
                found += _PARTS.get(name, lambda data: [])(path.read_bytes())
    return found + _FOREIGN.get(name, list)()


def _compressions(name: str) -> tuple[str, ...]:
    from crossdock.serializers._registry import format_named

    return tuple(format_named(name).compressions)


def _whole(data: bytes) -> Seed:
    return Seed({'': data}, lambda parts: parts[''])


def _members(data: bytes) -> list[Seed]:
    """An archive whose members and names can be edited."""
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        if any(info.compress_type not in (0, 8) for info in z.infolist()):
            return []
        parts = {info.filename: z.read(info) for info in z.infolist()}
    names = list(parts)
    parts['(names)'] = '\n'.join(names).encode()

    def join(parts: dict[str, bytes]) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, 'w') as z:
            for name, as_named in zip(names, parts['(names)'].split(b'\n')):
                z.writestr(zipfile.ZipInfo(as_named.decode('latin-1').replace('\0', '') or 'x'), parts[name])
        return file.getvalue()

    return [Seed(parts, join)]


def _header_and_data(data: bytes) -> list[Seed]:
    """A safetensors file whose header is as long as it says, with checksums and without."""
    n = int.from_bytes(data[:8], 'little')
    header, rest = data[8 : 8 + n], data[8 + n :]
    plain = json.loads(header)
    plain.get('__metadata__', {}).pop('__crossdock_crc32__', None)
    plain['__metadata__'] = {
        k: v for k, v in plain.get('__metadata__', {}).items() if 'crc' not in k and 'sum' not in k
    }

    def join(parts: dict[str, bytes]) -> bytes:
        return struct.pack('<Q', len(parts['header'])) + parts['header'] + parts['data']

    bare = json.dumps(plain, separators=(',', ':')).encode()
    return [Seed({'header': header, 'data': rest}, join), Seed({'header': bare, 'data': rest}, join)]


def _of_numpy() -> list[Seed]:
    seeds = []
    for write in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        write(file, allow_pickle=True, a=np.arange(3, dtype='>i4'), b=np.array(['x', 'yé']), c=np.array(None, object))
        seeds += [_whole(file.getvalue()), *_members(file.getvalue())]
    return seeds


_PARTS = {'npz': _members, 'safetensors': _header_and_data}
_FOREIGN = {'npz': _of_numpy}
