"""The list of broken files that npz has to refuse, row by row: what each error names."""

import struct
import zlib

import pytest

from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import load, open_archive

from .test_npz import ATTACKS, CENTRAL, FILE, GOOD, LOCAL, UNSUPPORTED, archive


def overlapping() -> bytes:
    """The data of `a` reaches over all of the next member, and has the right CRC for that."""
    data = archive(('a.npy', GOOD), ('b.npy', GOOD))
    second = data.index(LOCAL, 1)
    begin, end = data.index(b'a.npy') + 5, data.index(CENTRAL)
    fields = struct.pack('<LLL', zlib.crc32(data[begin:end]), end - begin, end - begin)
    out = bytearray(data)
    out[14:26] = fields
    row = data.index(CENTRAL)
    out[row + 16 : row + 28] = fields
    assert second < end
    return bytes(out)


MORE = {
    'overlap of data': overlapping(),
    'raw pickle without a suffix': archive(('a', ATTACKS['raw pickle']), ('b.npy', GOOD)),
    'a member that is not an array': archive(('a.npy', GOOD), ('README', b'hello')),
    'size lie with room for it': FILE.replace(struct.pack('<2L', len(GOOD), len(GOOD)), struct.pack('<2L', 160, 160)),
}

# In which nothing may be wrong.
WHOLE = UNSUPPORTED | {'raw pickle without a suffix', 'a member that is not an array'}

# What is wrong: the files that have it, each with the key that the error names and words of its reason.
ROWS = {
    'truncated archive': [('truncated', None, 'truncated'), ('truncated at the end', None, 'truncated')],
    'bytes after the end': [('bytes after the end', None, '1 bytes follow the archive')],
    'no central directory': [
        ('no central directory', None, 'central directory'),
        ('directory without end', None, 'no central directory'),
    ],
    'empty file': [('empty file', None, 'empty')],
    'bit flip in a member': [('bit flip in data', 'a', 'CRC-32'), ('deflated: damaged', 'a', 'damaged')],
    'short member': [('short member', 'a', '23 are there'), ('empty member', 'a', 'not an array')],
    'trailing bytes in a member': [('trailing bytes', 'a', '25 are there')],
    'shape of 1e15 elements': [('shape of 1e15 elements', 'a', 'takes 8000000000000000 bytes')],
    'shape whose product overflows': [
        ('shape that overflows', 'a', 'shape'),
        ('shape that overflows to 24', 'a', 'shape'),
        ('beyond 64 bits beside zero', 'a', 'shape'),
    ],
    'negative, float or bool shape': [
        ('negative shape', 'a', '-3'),
        ('float shape', 'a', '3.0'),
        ('bool shape', 'a', 'True'),
    ],
    'unknown dtype': [('unknown dtype', 'a', '<q9'), ('dtype of wrong size', 'a', '<f3')],
    'code in a header': [('code', 'a', 'shape'), ('code instead of a dictionary', 'a', 'not a dictionary')],
    'deeply nested header': [('nested deeply', 'a', 'shape'), ('nested lists', 'a', 'not a dictionary')],
    '4 GB header': [('header of 4 GB', 'a', 'claims 4294967295 bytes')],
    'object array with a pickle': [
        ('object array', 'a', 'never loaded'),
        ('object array with a bomb', 'a', 'never loaded'),
        ('bomb where None is allowed', 'a', 'never loaded'),
    ],
    'raw pickle as member or as .npy': [
        ('raw pickle', None, 'a pickle, which is never loaded'),
        ('pickle as a member', 'a', 'a pickle, which is never loaded'),
        ('raw pickle without a suffix', 'a', 'not an array'),
    ],
    'duplicate key': [('duplicate key', 'a', 'twice')],
    'both `a` and `a.npy`': [('both a and a.npy', 'a', "both 'a' and 'a.npy'")],
    '`../` in a key': [('parent folder', '../a', 'refused'), ('parent folder inside', 'x/../a', 'refused')],
    'non-UTF-8 name': [('not UTF-8', None, 'not UTF-8')],
    'zip bomb': [
        ('deflate bomb', 'a', 'times the size of the file'),
        ('zstd bomb', 'a', 'times the size of the file'),
        ('bomb in parts', None, 'times the size of the file'),
        ('impossible ratio', 'a', 'which deflate cannot do'),
    ],
    'members that overlap': [
        ('overlap', 'b', "overlaps the member 'a.npy'"),
        ('overlap of data', 'b', "overlaps the member 'a.npy'"),
    ],
    'size lie in the central directory': [
        ('size lie in the directory', 'a', '2147483648'),
        ('size lie in both sizes', 'a', 'disagree about sizes'),
        ('size lie everywhere', 'a', 'says that it is 2147483648 bytes long'),
        ('size lie with room for it', 'b', "overlaps the member 'a.npy'"),
    ],
    'encrypted member': [('encrypted', 'a', 'encrypted'), ('encrypted in one header', 'a', 'disagree')],
    'unknown method': [('unknown method', 'a', 'method 77'), ('bzip2', 'a', 'method 12')],
    'a member that is not an array': [
        ('a member that is not an array', 'README', 'not an array'),
        ('not an array', 'a', 'not an array'),
    ],
    'structured dtype of 4 GB': [('structured of 4 GB', 'a', 'structured'), ('text of 16 GB', 'a', '')],
}


@pytest.mark.parametrize('row', ROWS)
def test_each_row_names_file_key_and_reason(tmp_path, row):
    assert ROWS[row]
    for attack, key, words in ROWS[row]:
        path = tmp_path / 'hostile.npz'
        path.write_bytes({**ATTACKS, **MORE}[attack])

        def read_lazily():
            with open_archive(path) as archive:  # noqa: B023 -- called in this round
                for name in archive:
                    list(archive._reader.pieces(name))

        for attempt in (lambda: load(path), lambda: load(path, device='sim:0'), read_lazily):  # noqa: B023
            with pytest.raises(CorruptFileError) as caught:
                attempt()
            assert isinstance(caught.value, UnsupportedFileError) == (attack in WHOLE), attack
            assert caught.value.path == str(path), attack
            assert caught.value.key == key, attack
            assert words in caught.value.reason, (attack, caught.value.reason)
            assert str(path) in str(caught.value)
            assert len(str(caught.value)) < 1000
