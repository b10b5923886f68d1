"""npz files made to do harm. Each is made here; each must be refused by name, before it costs memory or time."""

import io
import os
import pickle
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import NpzDeserializer, load, load_npz
from crossdock.serializers.archive import _zstd


class Bomb:
    """Runs when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ('the-bomb-went-off',)


def npy(array) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def header(text: str, version=(1, 0), length=None) -> bytes:
    body = text.encode('latin-1')
    width = '<H' if version == (1, 0) else '<I'
    return b'\x93NUMPY' + bytes(version) + struct.pack(width, len(body) if length is None else length) + body


def literal(descr="'<f8'", fortran='False', shape='(3,)') -> str:
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}" + ' ' * 10 + '\n'


def archive(*members, method=zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w', method) as z:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            z.writestr(info, data)
    return file.getvalue()


def member(data: bytes, name='a.npy', **other) -> bytes:
    return archive((name, data), **other)


def patched(data: bytes, *changes) -> bytes:
    """Overwrite fields: (signature of the record, offset in it, struct format, value[, which record])."""
    out = bytearray(data)
    for signature, offset, form, value, *which in changes:
        at = -1
        for _ in range(which[0] + 1 if which else 1):
            at = out.index(signature, at + 1)
        struct.pack_into(form, out, at + offset, value)
    return bytes(out)


LOCAL, CENTRAL, END = b'PK\x03\x04', b'PK\x01\x02', b'PK\x05\x06'
GOOD = npy(np.arange(3.0))
FILE = archive(('a.npy', GOOD), ('b.npy', npy(np.ones(3))))
ZEROS = member(npy(np.zeros(4096)), method=zipfile.ZIP_DEFLATED)


def both(name: str) -> bytes:
    """`name` in place of the name ``a.npy``, of the same length, in both headers."""
    return member(GOOD).replace(b'a.npy', name.encode('latin-1'))


def overlapping() -> bytes:
    """Two names in the directory for the same bytes (a quoted overlap)."""
    data = member(GOOD)
    start, end = data.index(CENTRAL), data.index(END)
    row = data[start:end]
    twin = row.replace(b'a.npy', b'b.npy')
    out = data[:start] + row + twin + data[end:]
    return patched(out, (END, 8, '<H', 2), (END, 10, '<H', 2), (END, 12, '<I', 2 * len(row)))


def packed(method: int, body: bytes, nbytes: int, crc: int) -> bytes:
    """An archive of one member with that compressed content."""
    fields = (20, 0, method, 0, 33, crc, len(body), nbytes, 5, 0)
    local = struct.pack('<4s5H3L2H', LOCAL, *fields) + b'a.npy'
    row = struct.pack('<4s6H3L5H2L', CENTRAL, 20, *fields, 0, 0, 0, 0, 0) + b'a.npy'
    start = len(local) + len(body)
    return local + body + row + struct.pack('<4s4H2LH', END, 0, 0, 1, 1, len(row), start, 0)


def bomb(nbytes: int, method: int = 8) -> bytes:
    """Zeros beyond measure in one compressed member, made without holding them."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15) if method == 8 else _zstd.compressor(0)
    head = header(literal("'|u1'", shape=f'({nbytes},)'))
    parts = [squeeze.compress(head)]
    crc = zlib.crc32(head)
    chunk = bytes(1 << 20)
    for _ in range(nbytes >> 20):
        parts.append(squeeze.compress(chunk))
        crc = zlib.crc32(chunk, crc)
    return packed(method, b''.join([*parts, squeeze.flush()]), len(head) + nbytes, crc)


def zstd(data: bytes, *, crc: int | None = None, cut: int | None = None, more: bytes = b'', window: int = 0) -> bytes:
    """An archive of one member of method 93, with something wrong."""
    squeeze = _zstd.compressor(0)
    if window:
        library = _zstd._library()
        names = library.CompressionParameter
        squeeze = library.ZstdCompressor(options={names.window_log: window, names.enable_long_distance_matching: 1})
    body = squeeze.compress(data) + squeeze.flush()
    return packed(93, body[:cut] + more, len(data), zlib.crc32(data) if crc is None else crc)


def object_array(values) -> bytes:
    return npy(np.array(values, dtype=object))


def none_with(payload: bytes) -> bytes:
    return header(literal("'|O'", shape='()')) + payload


def bomb_in_parts() -> bytes:
    """Two members, each of which says less than is accepted, and both together more."""
    noise = np.random.default_rng(0).bytes(200_000)
    data = archive(('a.npy', noise), ('b.npy', noise), method=zipfile.ZIP_DEFLATED)
    fields = [(signature, offset, which) for signature, offset in ((CENTRAL, 24), (LOCAL, 22)) for which in (0, 1)]
    return patched(data, *((signature, offset, '<I', 150 << 20, which) for signature, offset, which in fields))


NONE = np.array(None, dtype=object)

ATTACKS = {
    # the archive
    'truncated': FILE[: len(FILE) // 2],
    'truncated at the end': FILE[:-1],
    'bytes after the end': FILE + b'\0',
    'bytes before the beginning': b'#!/bin/sh\n' + FILE,
    'zstd of another CRC': zstd(GOOD, crc=7),
    'zstd that ends early': zstd(GOOD, cut=-5),
    'zstd that is none': packed(93, b'no frame at all', len(GOOD), zlib.crc32(GOOD)),
    'two zstd frames': zstd(GOOD, more=_zstd.compressor(0).compress(b'more', 2)),
    'zstd with something after it': zstd(GOOD, more=b'x'),
    'zstd that needs 128 MB': zstd(GOOD + bytes(2**20), window=27),
    'zstd bomb': bomb(512 << 20, 93),
    'no central directory': FILE[: FILE.index(CENTRAL)] + FILE[FILE.index(END) :],
    'directory without end': FILE[: FILE.index(END)],
    'empty file': b'',
    'text': b'hello, world' * 10,
    'raw pickle': pickle.dumps(Bomb()),
    'a .npy instead of an archive': GOOD,
    'a dropped member': patched(FILE, (END, 8, '<H', 1), (END, 10, '<H', 1)),
    'a thousand claimed members': patched(FILE, (END, 8, '<H', 1000), (END, 10, '<H', 1000)),
    'directory of 4 GB': patched(FILE, (END, 12, '<I', 2**32 - 2)),
    'split archive': patched(FILE, (END, 4, '<H', 1), (END, 6, '<H', 1)),
    'half a split archive': patched(FILE, (END, 4, '<H', 1)),
    'overlap': overlapping(),
    'offset outside': patched(FILE, (CENTRAL, 42, '<I', 2**31)),
    'offset of another member': patched(FILE, (CENTRAL, 42, '<I', FILE.index(LOCAL, 1))),
    'offset into data': patched(FILE, (CENTRAL, 42, '<I', 40)),
    # members
    'bit flip in data': FILE.replace(GOOD, GOOD[:-3] + b'\x01' + GOOD[-2:]),
    'wrong CRC in the directory': patched(FILE, (CENTRAL, 16, '<I', 1)),
    'wrong CRC in both': patched(FILE, (CENTRAL, 16, '<I', 1), (LOCAL, 14, '<I', 1)),
    'size lie in the directory': patched(FILE, (CENTRAL, 24, '<I', 2**31)),
    'size lie in both sizes': patched(FILE, (CENTRAL, 20, '<I', 2**31), (CENTRAL, 24, '<I', 2**31)),
    'size lie everywhere': patched(
        FILE, *[(s, o, '<I', 2**31) for s, o in ((CENTRAL, 20), (CENTRAL, 24), (LOCAL, 18), (LOCAL, 22))]
    ),
    'size of all ones without ZIP64': patched(FILE, (CENTRAL, 24, '<I', 2**32 - 1)),
    'impossible ratio': patched(ZEROS, (CENTRAL, 24, '<I', 2**30), (LOCAL, 22, '<I', 2**30)),
    'deflated: longer than said': patched(ZEROS, (CENTRAL, 24, '<I', 4096), (LOCAL, 22, '<I', 4096)),
    'deflated: shorter than said': patched(ZEROS, (CENTRAL, 24, '<I', 40000), (LOCAL, 22, '<I', 40000)),
    'deflated: damaged': ZEROS.replace(ZEROS[60:64], b'\xff\xff\xff\xff'),
    'deflate bomb': bomb(300 << 20),
    'bomb in parts': bomb_in_parts(),
    'encrypted': patched(FILE, (LOCAL, 6, '<H', 1), (CENTRAL, 8, '<H', 1)),
    'encrypted in one header': patched(FILE, (LOCAL, 6, '<H', 1)),
    'unknown method': patched(FILE, (LOCAL, 8, '<H', 77), (CENTRAL, 10, '<H', 77)),
    'methods that differ': patched(FILE, (LOCAL, 8, '<H', 8)),
    'bzip2': archive(('a.npy', GOOD), method=zipfile.ZIP_BZIP2),
    'another name in the local header': FILE.replace(b'a.npy', b'x.npy', 1),
    'duplicate key': archive(('a.npy', GOOD), ('b.npy', GOOD)).replace(b'b.npy', b'a.npy'),
    'both a and a.npy': archive(('a', GOOD), ('a.npy', GOOD)),
    'a.npy.npy': member(GOOD, 'a.npy.npy'),
    'members that are no arrays': archive(('README', GOOD), ('a', GOOD)),
    'a folder': archive(('a.npy', GOOD), ('d/', b'')),
    'parent folder': member(GOOD, '../a.npy'),
    'parent folder inside': member(GOOD, 'x/../a.npy'),
    'absolute': member(GOOD, '/a.npy'),
    'double slash': member(GOOD, 'x//a.npy'),
    'dot': member(GOOD, './a.npy'),
    'ten thousand levels': member(GOOD, 'a/' * 10_000 + 'a.npy'),
    'a long name': member(GOOD, 'x' * 50_000 + '/../a.npy'),
    'a long component': member(GOOD, '__crossdock__' + 'x' * 50_000 + '.npy'),
    'no name': member(GOOD, '.npy'),
    'reserved': member(GOOD, '__crossdock__/a.npy'),
    'not UTF-8': both('\xff.npy'),
    'NUL in a name': both('a\x00npy'),
    'NUL before the suffix': member(GOOD, 'aXb.npy').replace(b'aXb.npy', b'a\0b.npy'),
    # the .npy header
    'not an array': member(b'not an array'),
    'empty member': member(b''),
    'half a magic': member(b'\x93NUM'),
    'half a version': member(b'\x93NUMPY\x01'),
    'no length': member(b'\x93NUMPY\x01\0\x10'),
    'pickle as a member': member(pickle.dumps(Bomb())),
    'short member': member(GOOD[:-1]),
    'member of a header only': member(header(literal())),
    'trailing bytes': member(GOOD + b'\0'),
    'header that ends early': member(header(literal(), length=5000)),
    'header of 4 GB': member(header(literal(), (2, 0), length=2**32 - 1)),
    'header of 60 kB': member(header(' ' * 60000 + literal())),
    'version 9': member(header(literal(), (9, 0)) + bytes(24)),
    'shape of 1e15 elements': member(header(literal(shape='(1000000000000000,)'))),
    'shape that overflows': member(header(literal(shape='(4611686018427387904, 4)'))),
    'shape that overflows to 24': member(header(literal(shape='(2305843009213693955,)')) + bytes(24)),
    'huge beside zero': member(header(literal(shape='(0, 9223372036854775807)'))),
    'beyond 64 bits beside zero': member(header(literal(shape='(0, 99999999999999999999)'))),
    'digits without end': member(header(literal(shape=f'({"9" * 8000},)'))),
    'negative shape': member(header(literal(shape='(-3,)')) + bytes(24)),
    'float shape': member(header(literal(shape='(3.0,)')) + bytes(24)),
    'bool shape': member(header(literal(shape='(True,)')) + bytes(8)),
    'shape that is an int': member(header(literal(shape='3')) + bytes(24)),
    'shape of commas': member(header(literal(shape='(,)'))),
    'shape with a hole': member(header(literal(shape='(3,,1)')) + bytes(24)),
    'shape of spaces': member(header(literal(shape='(3' + ' ' * 15_000 + 'x)')) + bytes(24)),
    'shape in parentheses': member(header(literal(shape='(3)')) + bytes(24)),
    'shape that is a list': member(header(literal(shape='[3]')) + bytes(24)),
    'seventy axes': member(header(literal(shape=f'({"1, " * 70})')) + bytes(8)),
    'Arabic digits': member(
        b'\x93NUMPY\x03\x00' + struct.pack('<I', 70) + literal(shape='(\u0663,)').encode().ljust(70) + bytes(24)
    ),
    'unknown dtype': member(header(literal("'<q9'")) + bytes(24)),
    'dtype by a name': member(header(literal("'float64'")) + bytes(24)),
    'dtype of wrong size': member(header(literal("'<f3'")) + bytes(9)),
    'void': member(header(literal("'|V8'")) + bytes(24)),
    'dtype of no size': member(header(literal("'<U0'", shape='(1000000000000000,)'))),
    'text of 16 GB': member(header(literal("'<U4000000000'", shape='(1,)'))),
    'structured': member(npy(np.zeros(3, 'i4,f8'))),
    'structured of 4 GB': member(header(literal("[('x', '|S4294967290')]"))),
    'code': member(header(literal(shape='(__import__("os").mkdir("the-bomb-went-off"),)')) + bytes(24)),
    'code instead of a dictionary': member(header('__import__("os").mkdir("the-bomb-went-off")\n')),
    'nested deeply': member(header(literal(shape='(' * 3000 + '3' + ')' * 3000))),
    'nested lists': member(header('[' * 5000 + ']' * 5000)),
    'fortran order 1': member(header(literal(fortran='1')) + bytes(24)),
    'no shape': member(header("{'descr': '<f8', 'fortran_order': False, }\n") + bytes(24)),
    'shape twice': member(header(literal().replace("'shape'", "'shape': (3,), 'shape'")) + bytes(24)),
    'one more key': member(header(literal().replace("'shape'", "'x': 1, 'shape'")) + bytes(24)),
    'two dictionaries': member(header(literal().strip() + literal()) + bytes(24)),
    # values
    'object array': member(object_array([{}])),
    'object array with a bomb': member(object_array([Bomb()])),
    'bomb where None is allowed': member(none_with(pickle.dumps(Bomb()))),
    'bomb in the array of None': member(none_with(np.array(Bomb(), dtype=object).dumps())),
    'a number where None is allowed': member(none_with(np.array(3, dtype=object).dumps())),
    'a bare None': member(none_with(pickle.dumps(None))),
    'None twice': member(none_with(NONE.dumps() + b'N.')),
    'None in a vector': member(object_array([None])),
    'None among a shape that lies': member(header(literal("'|O'", shape='(1000000000000,)')) + NONE.dumps()),
    'a memo of 16 GB': member(none_with(b'\x80\x02Nr\xff\xff\xff\x7f.')),
    # the reserved member
    **{
        f'reserved: {name}': archive(('a.npy', GOOD), ('__crossdock__.npy', npy(np.frombuffer(content, np.uint8))))
        for name, content in {
            'not JSON': b'{',
            'not UTF-8': b'{"version": 1, "metadata": {"\xff": 1}}',
            'a list': b'[1]',
            'no version': b'{}',
            'a newer version': b'{"version": 2}',
            'NaN': b'{"version": 1, "metadata": {"x": NaN}}',
            'nested deeply': b'{"version": 1, "metadata": ' + b'[' * 100000 + b']' * 100000 + b'}',
            'key twice': b'{"version": 1, "none": ["x"], "none": ["y"]}',
            'unknown field': b'{"version": 1, "code": "x"}',
            'None and an array': b'{"version": 1, "none": ["a"]}',
            'None twice': b'{"version": 1, "none": ["x", "x"]}',
            'None outside': b'{"version": 1, "none": ["../x"]}',
            'None that is no list': b'{"version": 1, "none": "x"}',
            'None that is no key': b'{"version": 1, "none": [1]}',
            'empty and an array': b'{"version": 1, "empty": ["a"]}',
            'empty inside of an array': b'{"version": 1, "empty": ["a/b"]}',
            'empty and full': b'{"version": 1, "none": ["b/c"], "empty": ["b"]}',
            'empty and None': b'{"version": 1, "none": ["b"], "empty": ["b"]}',
            'empty twice': b'{"version": 1, "empty": ["b", "b"]}',
            'empty outside': b'{"version": 1, "empty": ["/b"]}',
            'empty that is no list': b'{"version": 1, "empty": {}}',
            'dtype without data': b'{"version": 1, "dtypes": {"x": "bfloat16"}}',
            'dtype of another size': b'{"version": 1, "dtypes": {"a": "bfloat16"}}',
            'dtype that is no name': b'{"version": 1, "dtypes": {"a": 3}}',
            'dtype of a long name': b'{"version": 1, "dtypes": {"a": "' + b'x' * 9999 + b'"}}',
            'a long version': b'{"version": "' + b'x' * 9999 + b'"}',
            'a long field': b'{"version": 1, "' + b'x' * 9999 + b'": 1}',
            'dtype unknown': b'{"version": 1, "dtypes": {"a": "__class__"}}',
            'metadata that is no object': b'{"version": 1, "metadata": 3}',
        }.items()
    },
    'reserved: a large one': archive(
        ('__crossdock__.npy', npy(np.full(17 << 20, 32, np.uint8))), method=zipfile.ZIP_DEFLATED
    ),
    'reserved: floats': archive(('__crossdock__.npy', GOOD)),
}

# Those in which nothing may be wrong, and no harm is.
UNSUPPORTED = {
    'text',
    'raw pickle',
    'a .npy instead of an archive',
    'split archive',
    'encrypted',
    'unknown method',
    'bzip2',
    'members that are no arrays',
    'version 9',
    'unknown dtype',
    'dtype of wrong size',
    'void',
    'structured',
    'structured of 4 GB',
    'reserved: a newer version',
}

# Bits that are no value of their type.
VALUES = {
    'bool of 2': member(npy(np.array([1, 0], bool))[:-1] + b'\x02'),
    'text beyond Unicode': member(npy(np.array(['a'])).replace(b'a\0\0\0', b'\xff\xff\xff\xff')),
    'int4 of five bits': archive(
        ('a.npy', npy(np.array([16], 'u1'))),
        ('__crossdock__.npy', npy(np.frombuffer(b'{"version": 1, "dtypes": {"a": "int4"}}', np.uint8))),
    ),
}


@pytest.mark.parametrize('attack', ATTACKS)
def test_attack_is_refused_by_name(tmp_path, monkeypatch, attack):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'hostile.npz'
    path.write_bytes(ATTACKS[attack])
    target = {'a': np.zeros(3), 'b': np.zeros(3)}

    def part_by_part():
        with NpzDeserializer(path) as d:
            for key in target:
                target[key] = d(key, target[key])

    for attempt in (lambda: load(path), lambda: load_npz(path, target, strict=False), part_by_part):
        tracemalloc.start()
        try:
            with pytest.raises(CorruptFileError) as caught:
                attempt()
            assert tracemalloc.get_traced_memory()[1] < 64 << 20
        finally:
            tracemalloc.stop()
        assert isinstance(caught.value, UnsupportedFileError) == (attack in UNSUPPORTED)
        assert caught.value.path == str(path)
        assert str(path) in str(caught.value)
        assert caught.value.reason
        assert len(str(caught.value)) < 1000
    assert not target['a'].any()
    assert [p.name for p in tmp_path.iterdir()] == ['hostile.npz']


@pytest.mark.parametrize('attack', VALUES)
def test_bits_that_are_no_value(tmp_path, attack):
    path = tmp_path / 'hostile.npz'
    path.write_bytes(VALUES[attack])
    with pytest.raises(CorruptFileError) as caught:
        load(path)
    assert caught.value.key == 'a'


def test_the_parts_are_good_where_nothing_is_wrong(tmp_path):
    """The attacks above fail for their own reason, not for a fault of how they are made."""
    for data in (FILE, ZEROS, member(header(literal()) + bytes(24)), bomb(1 << 20), bomb(1 << 20, 93), zstd(GOOD)):
        path = tmp_path / 'good.npz'
        path.write_bytes(data)
        assert load(path)


@pytest.mark.parametrize('cut', range(0, len(FILE), 7))
def test_cut_anywhere(tmp_path, cut):
    path = tmp_path / 'cut.npz'
    path.write_bytes(FILE[:cut])
    with pytest.raises(CorruptFileError):
        load(path)


def test_not_a_file_at_all(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / 'nope.npz')
    (tmp_path / 'folder.npz').mkdir()
    with pytest.raises(IsADirectoryError):
        load(Path(tmp_path / 'folder.npz'))
