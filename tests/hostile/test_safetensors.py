"""safetensors files made to do harm: each is made here, and refused by name before it costs memory or time."""

import json
import os
import pickle
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import load, load_safetensors, open_archive, save_safetensors
from crossdock.serializers.archive._tensor_header import MAX_NBYTES


def raw(header: bytes, data: bytes = b'', length=None) -> bytes:
    return (len(header) if length is None else length).to_bytes(8, 'little') + header + data


def row(dtype='F64', shape='[3]', offsets='[0,24]', more='') -> str:
    return f'{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}{more}}}'


def text(body: str, data: bytes = bytes(24)) -> bytes:
    header = body.encode('utf-8', 'surrogatepass')
    return raw(header + b' ' * (-len(header) % 8), data)


def one(*, key='a', data=bytes(24), **other) -> bytes:
    """A file of one tensor."""
    return text(f'{{"{key}":{row(**other)}}}', data)


def two(first: str, second: str, data=bytes(48)) -> bytes:
    return text(f'{{"a":{row(offsets=first)},"b":{row(offsets=second)}}}', data)


def meta(content: str) -> bytes:
    return text(f'{{"__metadata__":{content},"a":{row()}}}')


def said(content: bytes | str) -> bytes:
    """What our own part of the metadata says."""
    return meta(json.dumps({'__crossdock__': content if isinstance(content, str) else content.decode('latin-1')}))


def summed(digits: str) -> bytes:
    return meta(json.dumps({'__crossdock__.crc32': digits}))


class Bomb:
    """Runs when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ('the-bomb-went-off',)


GOOD = one()

# What is wrong, and the key that the error has to name.
ATTACKS = {
    # the length
    'empty file': (b'', None),
    'seven bytes': (GOOD[:7], None),
    'length only': (GOOD[:8], None),
    'pickle': (pickle.dumps(Bomb()), None),
    'text': (b'hello, world' * 10, None),
    'length beyond the file': (raw(b'{}', length=1000), None),
    'length beyond the cap': (raw(b'{}', length=MAX_NBYTES + 1), None),
    'length of all ones': (raw(b'{}', length=2**64 - 1), None),
    'length that is negative': (b'\xfe' + b'\xff' * 7 + b'{}', None),
    'length too short': (raw(GOOD[8:-24], bytes(24), length=10), 'a'),
    'length too long by one': (raw(GOOD[8:-24], bytes(24), length=len(GOOD) - 31), None),
    'length of zero': (raw(b'', bytes(24)), None),
    # the JSON
    'BOM': (raw(b'\xef\xbb\xbf{}'), None),
    'UTF-16': (raw('{}'.encode('utf-16')), None),
    'blank before': (raw(b' {}'), None),
    'a list': (raw(b'[1]'), None),
    'not UTF-8': (raw(b'{"\xff":1}'), None),
    'NUL in the header': (raw(b'{}\0'), None),
    'two objects': (raw(b'{}{}'), None),
    'half an object': (raw(b'{"a":'), 'a'),
    'no end': (raw(GOOD[8:-24].rstrip()[:-1], bytes(24)), None),
    'comma at the end': (text(f'{{"a":{row()},}}'), None),
    'single quotes': (text(f"{{'a':{row()}}}"), None),
    'comment': (text(f'{{"a":{row()}/* x */}}'), None),
    'control character in a key': (text(f'{{"a\n":{row()}}}'), None),
    'escape that is none': (text(f'{{"\\x61":{row()}}}'), None),
    'nested deeply': (raw(b'{"a":' + b'[' * 100_000 + b']' * 100_000 + b'}'), 'a'),
    'objects nested deeply': (raw(b'{"a":' * 100_000 + b'1' + b'}' * 100_000), 'a'),
    'metadata nested deeply': (meta('{"x":' + '[' * 100_000 + ']' * 100_000 + '}'), None),
    'NaN': (one(shape='[NaN]'), 'a'),
    'NaN for a tensor': (text('{"a":NaN}'), 'a'),
    'Infinity': (one(offsets='[0,Infinity]'), 'a'),
    'a number for a tensor': (text('{"a":1}'), 'a'),
    'null for a tensor': (text('{"a":null}'), 'a'),
    'a list for a tensor': (text('{"a":["F64",[3],[0,24]]}'), 'a'),
    # keys
    'duplicate key': (text(f'{{"a":{row()},"a":{row()}}}'), 'a'),
    'duplicate key by an escape': (text(f'{{"a":{row()},"\\u0061":{row()}}}'), 'a'),
    'NUL in a key': (one(key='a\\u0000b'), 'a\0b'),
    'parent folder': (one(key='../a'), '../a'),
    'parent folder inside': (one(key='x/../a'), 'x/../a'),
    'dot': (one(key='./a'), './a'),
    'absolute': (one(key='/a'), '/a'),
    'double slash': (one(key='x//a'), 'x//a'),
    'no name': (one(key=''), ''),
    'reserved': (one(key='__crossdock__'), '__crossdock__'),
    'ten thousand levels': (one(key='a/' * 10_000 + 'a'), 'a/' * 10_000 + 'a'),
    'half a surrogate': (one(key='\\ud800'), None),
    'half a surrogate, not escaped': (one(key='\ud800'), None),
    # a tensor's fields
    'no dtype': (text('{"a":{"shape":[3],"data_offsets":[0,24]}}'), 'a'),
    'no shape': (text('{"a":{"dtype":"F64","data_offsets":[0,24]}}'), 'a'),
    'no offsets': (text('{"a":{"dtype":"F64","shape":[3]}}'), 'a'),
    'nothing': (text('{"a":{}}'), 'a'),
    'a field twice': (one(more=',"shape":[3]'), 'a'),
    'an unknown field': (one(more=',"code":"x"'), 'a'),
    'unknown dtype': (one(dtype='F128'), 'a'),
    'lower case': (one(dtype='f64'), 'a'),
    'dtype of a long name': (one(dtype='x' * 50_000), 'a'),
    'no dtype name': (one(dtype=''), 'a'),
    'dtype as a list': (text('{"a":{"dtype":[3],"shape":[3],"data_offsets":[0,24]}}'), 'a'),
    'dtype by an escape': (one(dtype='F\\u0036\\u0034'), 'a'),
    'half bytes': (one(dtype='F4', shape='[48]'), 'a'),
    'shape mismatch': (one(shape='[4]'), 'a'),
    'shape mismatch by the type': (one(dtype='F32'), 'a'),
    'shape as a string': (one(shape='"[3]"'), 'a'),
    'shape of a string': (one(shape='["3"]'), 'a'),
    'shape of a list': (one(shape='[[3]]'), 'a'),
    'shape as a number': (one(shape='3'), 'a'),
    'negative shape': (one(shape='[-3]'), 'a'),
    'two negative sizes': (one(shape='[-3,-1]'), 'a'),
    'float shape': (one(shape='[3.0]'), 'a'),
    'shape with an exponent': (one(shape='[3e0]'), 'a'),
    'bool shape': (one(shape='[true]'), 'a'),
    'leading zero': (one(shape='[03]'), 'a'),
    'Arabic digits': (one(shape='[\u0663]'), 'a'),
    'shape with a hole': (one(shape='[3,,1]'), 'a'),
    'shape with a comma at the end': (one(shape='[3,]'), 'a'),
    'shape of 1e15 elements': (one(shape='[1000000000000000]', offsets='[0,8000000000000000]'), 'a'),
    'shape that overflows': (one(shape='[4611686018427387904,4]', offsets='[0,0]'), 'a'),
    'shape that overflows to 24': (one(shape='[2305843009213693955]'), 'a'),
    'huge beside zero': (one(shape='[0,9223372036854775807]', offsets='[0,0]', data=b''), 'a'),
    'beyond 64 bits beside zero': (one(shape='[0,99999999999999999999]', offsets='[0,0]', data=b''), 'a'),
    'digits without end': (one(shape=f'[{"9" * 50_000}]'), 'a'),
    'seventy axes': (one(shape=f'[{"1," * 69}3]'), 'a'),
    'sixty-five axes': (one(shape=f'[{"1," * 64}3]'), 'a'),
    'a million axes': (one(shape=f'[{"1," * 1_000_000}3]'), 'a'),
    'offsets reversed': (one(offsets='[24,0]'), 'a'),
    'negative offset': (one(offsets='[-24,0]'), 'a'),
    'float offset': (one(offsets='[0,24.0]'), 'a'),
    'one offset': (one(offsets='[24]'), 'a'),
    'three offsets': (one(offsets='[0,24,24]'), 'a'),
    'no offset': (one(offsets='[]'), 'a'),
    'offsets beyond 64 bits': (one(offsets='[18446744073709551616,18446744073709551640]'), 'a'),
    # the layout
    'truncated': (GOOD[:-1], 'a'),
    'data gone': (GOOD[:-24], 'a'),
    'trailing byte': (GOOD + b'\0', None),
    'data without tensors': (raw(b'{}', bytes(8)), None),
    'a hole at the beginning': (one(offsets='[8,32]', data=bytes(32)), 'a'),
    'a hole between': (two('[0,24]', '[32,56]', bytes(56)), 'b'),
    'overlap': (two('[0,24]', '[8,32]', bytes(32)), 'b'),
    'the same bytes twice': (two('[0,24]', '[0,24]', bytes(24)), 'b'),
    'the same bytes once more at the end': (two('[0,24]', '[0,24]'), 'b'),
    'second outside the file': (two('[0,24]', '[24,48]', bytes(47)), 'b'),
    'nothing, but behind the end': (text(f'{{"a":{row()},"b":{row(shape="[0]", offsets="[32,32]")}}}'), 'b'),
    'nothing, but inside another': (text(f'{{"a":{row()},"b":{row(shape="[0]", offsets="[8,8]")}}}'), 'b'),
    # the metadata
    'metadata that is no object': (meta('"x"'), None),
    'metadata of null': (meta('null'), None),
    'metadata of a number': (meta('{"x":1}'), None),
    'metadata of a list': (meta('{"x":["y"]}'), None),
    'metadata with a key twice': (meta('{"x":"1","x":"2"}'), '__metadata__'),
    'metadata twice': (text(f'{{"__metadata__":{{}},"__metadata__":{{}},"a":{row()}}}'), '__metadata__'),
    'metadata with half a surrogate': (meta('{"x":"\\udfff"}'), None),
    'metadata of a later version': (meta('{"__crossdock__.new":"x"}'), None),
    'checksum too short': (summed('0' * 15), None),
    'checksum too long': (summed('0' * 24), None),
    'checksum that is no number': (summed('0' * 15 + 'g'), None),
    'checksum with a sign': (summed('-' + '0' * 15), None),
    'checksum of another header': (summed('0' * 16), None),
    **{
        f'reserved: {name}': (said(content), key)
        for name, (content, key) in {
            'not JSON': (b'{', None),
            'a list': (b'[1]', None),
            'no version': (b'{}', None),
            'a newer version': (b'{"version": 2}', None),
            'NaN': (b'{"version": 1, "metadata": {"x": NaN}}', None),
            'nested deeply': (b'{"version": 1, "metadata": ' + b'[' * 100000 + b']' * 100000 + b'}', None),
            'key twice': (b'{"version": 1, "none": ["x"], "none": ["y"]}', None),
            'unknown field': (b'{"version": 1, "code": "x"}', None),
            'None and a tensor': (b'{"version": 1, "none": ["a"]}', 'a'),
            'empty and a tensor': (b'{"version": 1, "empty": ["a"]}', 'a'),
            'empty inside of a tensor': (b'{"version": 1, "empty": ["a/b"]}', 'a/b'),
            'empty outside': (b'{"version": 1, "empty": ["../x"]}', None),
            'None outside': (b'{"version": 1, "none": ["../x"]}', None),
            'dtype without data': (b'{"version": 1, "dtypes": {"x": "int4"}}', 'x'),
            'dtype unknown': (b'{"version": 1, "dtypes": {"a": "__class__"}}', None),
            'dtype that needs no tag': (b'{"version": 1, "dtypes": {"a": "bfloat16"}}', None),
            'dtype of other bits': (b'{"version": 1, "dtypes": {"a": "int4"}}', 'a'),
            'three parts of a complex number': (b'{"version": 1, "dtypes": {"a": "complex128"}}', 'a'),
            'text of floats': (b'{"version": 1, "dtypes": {"a": "str"}}', 'a'),
            'too large': (b' ' * (17 << 20), None),
        }.items()
    },
    'metadata in both places': (
        meta(json.dumps({'x': '1', '__crossdock__': '{"version":1,"metadata":{"x":2}}'})),
        None,
    ),
    'text without a width': (
        text(
            f'{{"__metadata__":{json.dumps({"__crossdock__": json.dumps({"version": 1, "dtypes": {"a": "str"}})})},'
            f'"a":{row("U32", "[]", "[0,4]")}}}',
            bytes(4),
        ),
        'a',
    ),
    'text of 8 GB beside zero': (
        text(
            f'{{"__metadata__":{json.dumps({"__crossdock__": json.dumps({"version": 1, "dtypes": {"a": "str"}})})},'
            f'"a":{row("U32", "[0,2000000000]", "[0,0]")}}}',
            b'',
        ),
        'a',
    ),
}


# Those in which nothing may be wrong, and no harm is.
UNSUPPORTED = {
    'pickle',
    'text',
    'unknown dtype',
    'lower case',
    'dtype of a long name',
    'no dtype name',
    'half bytes',
    'reserved: a newer version',
}
# What is about one tensor, and comes when that is read.
OF_ONE = {'unknown dtype', 'lower case', 'dtype of a long name', 'no dtype name', 'half bytes'}


def tagged(tag: str, dtype: str, shape: str, data: bytes) -> bytes:
    """A tensor of a type that the format lacks."""
    said = json.dumps({'__crossdock__': json.dumps({'version': 1, 'dtypes': {'a': tag}})})
    return text(f'{{"__metadata__":{said},"a":{row(dtype, shape, f"[0,{len(data)}]")}}}', data)


def lazily(path: Path, attack: str) -> None:
    """Open the file, and ask for a tensor where that alone is wrong."""
    with open_archive(path) as archive:
        if attack in OF_ONE:
            archive['a'].read()


# Bits that are no value of their type.
VALUES = {
    'bool of 2': one(dtype='BOOL', offsets='[0,3]', data=b'\0\1\2'),
    'bool of 255': one(dtype='BOOL', shape='[]', offsets='[0,1]', data=b'\xff'),
    'int4 of five bits': tagged('int4', 'U8', '[2]', b'\x0f\x10'),
    'text beyond Unicode': tagged('str', 'U32', '[1,2]', b'a\0\0\0\xff\xff\xff\xff'),
}


@pytest.mark.parametrize('attack', ATTACKS)
def test_attack_is_refused_by_name(tmp_path, monkeypatch, attack):
    monkeypatch.chdir(tmp_path)
    data, key = ATTACKS[attack]
    path = tmp_path / 'hostile.safetensors'
    path.write_bytes(data)
    target = {'a': np.zeros(3), 'b': np.zeros(3)}
    for attempt in (
        lambda: load(path),
        lambda: load_safetensors(path, target, strict=False),
        lambda: load(path, mmap=True),
        lambda: lazily(path, attack),
    ):
        tracemalloc.start()
        try:
            with pytest.raises(CorruptFileError) as caught:
                attempt()
            assert tracemalloc.get_traced_memory()[1] < (64 << 20) + 4 * len(data)
        finally:
            tracemalloc.stop()
        assert isinstance(caught.value, UnsupportedFileError) == (attack in UNSUPPORTED)
        assert caught.value.path == str(path)
        assert str(path) in str(caught.value)
        assert caught.value.key == key
        assert caught.value.reason
        assert len(str(caught.value)) < 1000
    assert not target['a'].any()
    assert [p.name for p in tmp_path.iterdir()] == ['hostile.safetensors']


@pytest.mark.parametrize('attack', VALUES)
def test_bits_that_are_no_value(tmp_path, attack):
    path = tmp_path / 'hostile.safetensors'
    path.write_bytes(VALUES[attack])
    target = {'a': None}
    with open_archive(path) as archive:
        for attempt in (
            lambda: load(path),
            lambda: load(path, mmap=True),
            lambda: load(path, target),
            lambda: archive['a'][...],
            lambda: archive['a'].map(),
        ):
            with pytest.raises(CorruptFileError) as caught:
                attempt()
            assert caught.value.key == 'a'
    assert target == {'a': None}


def test_the_parts_are_good_where_nothing_is_wrong(tmp_path):
    """The attacks above fail for their own reason, not for a fault of how they are made."""
    path = tmp_path / 'good.safetensors'
    for data in (
        GOOD,
        two('[0,24]', '[24,48]'),
        two('[24,48]', '[0,24]'),
        meta('{}'),
        meta('{"x":"y"}'),
        said(b'{"version": 1}'),
        one(key='a\\u00e9\\n'),
        one(shape='[ 3 ]', offsets='[0 ,\n24]'),
        one(shape=f'[{"1," * 63}3]'),
        one(dtype='BOOL', offsets='[0,3]', data=b'\0\1\1'),
        tagged('int4', 'U8', '[2]', b'\x0f\x0e'),
        tagged('str', 'U32', '[1,2]', b'a\0\0\0\xff\xff\x10\0'),
        tagged('complex128', 'F64', '[3,2]', bytes(48)),
        text(f'{{"a":{row()},"b":{row(shape="[0]", offsets="[24,24]")}}}  '),
        text(f'{{"b":{row(shape="[0]", offsets="[0,0]")},"a":{row()}}}'),
    ):
        path.write_bytes(data)
        assert load(path)
    path.write_bytes(raw(b'{}'))
    assert load(path) == {}


@pytest.mark.parametrize(
    'body',
    [
        b'{"a":' + b'[' * 30_000_000,
        b'{"a":[' + b'{},' * 10_000_000,
        b'{"' + b'\\u0041' * 5_000_000,
        b'{"a":{"dtype":"' + b'F' * 30_000_000,
        b'{"a":{"shape":[' + b'0,' * 15_000_000,
        b'{"a":{"shape":[' + b'9' * 30_000_000 + b']',
        b'{' + b' ' * 30_000_000,
        b'{"__metadata__":{' + b'"":"",' * 5_000_000,
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_header_of_many_megabytes_costs_no_more_than_its_size(tmp_path, body):
    path = tmp_path / 'huge.safetensors'
    path.write_bytes(raw(body))
    tracemalloc.start()
    begun = time.process_time()
    try:
        with pytest.raises(CorruptFileError):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(body)
    finally:
        tracemalloc.stop()
    assert time.process_time() - begun < 20


def written(tmp_path) -> bytes:
    path = tmp_path / 'whole.safetensors'
    tree = {'a': np.arange(5, dtype='f4'), 'b': np.array(True), 'c': None, 's': 'text', 'z': np.arange(3) * 1j}
    save_safetensors(path, tree, metadata={'format': 'pt', 'epoch': 3})
    return path.read_bytes()


def test_cut_anywhere(tmp_path):
    whole = written(tmp_path)
    path = tmp_path / 'cut.safetensors'
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with pytest.raises(CorruptFileError):
            load(path)


def test_every_bit_of_data_and_meaning_is_checked(tmp_path):
    whole = written(tmp_path)
    path = tmp_path / 'flipped.safetensors'
    path.write_bytes(whole)
    want = repr(load(path, flat=True))
    for i in range(len(whole)):
        for bit in range(8):
            broken = bytearray(whole)
            broken[i] ^= 1 << bit
            path.write_bytes(broken)
            try:
                got = load(path, flat=True)
            except CorruptFileError:
                continue
            assert repr(got) == want, (i, bit)  # a blank that has become another


def test_a_file_that_is_cut_while_it_is_open(tmp_path):
    path = tmp_path / 'cut.safetensors'
    save_safetensors(path, {'a': np.zeros(100_000), 'b': np.zeros(100_000)})
    with open_archive(path) as archive:
        os.truncate(path, 400_000)
        for attempt in (
            lambda: archive['b'][...],
            lambda: archive['b'][90_000:],
            lambda: archive['b'][::-7],
            lambda: archive['b'].map(),
        ):
            with pytest.raises(CorruptFileError) as caught:
                attempt()
            assert caught.value.key == 'b'


def test_not_a_file_at_all(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / 'nope.safetensors')
    (tmp_path / 'folder.safetensors').mkdir()
    with pytest.raises(IsADirectoryError):
        load(Path(tmp_path / 'folder.safetensors'))
