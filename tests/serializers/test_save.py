import dataclasses
import enum
import errno
import json
import os
import re
import resource
import signal
import subprocess
import sys
import warnings
import zipfile
from collections import OrderedDict, deque, namedtuple
from types import MappingProxyType

import ml_dtypes
import numpy as np
import pytest

from crossdock.errors import DtypeError, UnknownArrayError
from crossdock.serializers import load, save, save_npz
from crossdock.serializers.archive import _zip

Pair = namedtuple('Pair', 'a b')


@dataclasses.dataclass
class Layer:
    W: np.ndarray
    name: str


def saved(tmp_path, obj, **options):
    path = tmp_path / 'x.npz'
    save_npz(path, obj, **options)
    with np.load(path) as plain:
        return {key: plain[key] for key in plain}


def manifest(arrays):
    return json.loads(arrays['__crossdock__'].tobytes())


def test_members_are_named_by_key_paths(tmp_path):
    one = np.ones(1)
    tree = {
        'dict': OrderedDict(z=one, a=one),
        'list': [one, (one, Pair(one, one)), deque([one])],
        'layer': Layer(one, 'first'),
        'flat/key/deep': one,
        3: MappingProxyType({'x': one}),
        'nothing': {},
    }
    assert list(saved(tmp_path, tree)) == [
        'dict/z',
        'dict/a',
        'list/0',
        'list/1/0',
        'list/1/1/0',
        'list/1/1/1',
        'list/2/0',
        'layer/W',
        'layer/name',
        'flat/key/deep',
        '3/x',
        '__crossdock__',  # says that 'nothing' is empty
    ]


def test_scalars_and_strings_are_0d_arrays(tmp_path):
    values = {'b': True, 'i': -3, 'u': 2**63, 'f': 2.5, 'c': 1j, 's': 'héllo', 'e': '', 'y': b'raw', 'n': np.float32(7)}
    got = saved(tmp_path, values)
    dtypes = {'b': '?', 'i': 'i8', 'u': 'u8', 'f': 'f8', 'c': 'c16', 's': 'U5', 'e': 'U1', 'y': 'S3', 'n': 'f4'}
    for key, value in values.items():
        assert (got[key].shape, got[key].dtype, got[key].item()) == ((), np.dtype(dtypes[key]), value)


def test_the_reserved_member(tmp_path):
    tree = {'a': [None, np.zeros(2, ml_dtypes.bfloat16)], 'f8': np.ones(1, ml_dtypes.float8_e5m2), 'n': None}
    tree['i4'] = np.array([-1, 7], ml_dtypes.int4)
    got = saved(tmp_path, tree, metadata={'epoch': 3})
    assert manifest(got) == {
        'version': 1,
        'none': ['a/0', 'n'],
        'dtypes': {'a/1': 'bfloat16', 'f8': 'float8_e5m2', 'i4': 'int4'},
        'metadata': {'epoch': 3},
    }
    assert got['__crossdock__'].dtype == np.uint8
    assert (got['a/1'].dtype, got['f8'].dtype, got['i4'].dtype) == (np.dtype('<u2'), np.uint8, np.uint8)


def test_the_reserved_member_is_absent_when_it_would_be_empty(tmp_path):
    assert list(saved(tmp_path, {'a': np.zeros(1)}, metadata={})) == ['a']
    assert saved(tmp_path, {}) == {}


def test_the_same_tree_gives_the_same_bytes(tmp_path):
    for name in 'ab':
        save_npz(tmp_path / name, {'x': np.arange(5), 'n': None})
    assert (tmp_path / 'a').read_bytes() == (tmp_path / 'b').read_bytes()


def test_order_in_memory_is_kept(tmp_path):
    got = saved(tmp_path, {'F': np.asfortranarray(np.ones((2, 3))), 'C': np.ones((2, 3))})
    assert got['F'].flags.f_contiguous
    assert got['C'].flags.c_contiguous


def test_compression(tmp_path):
    zeros = {'a': np.zeros(10_000)}
    save_npz(tmp_path / 'stored.npz', zeros)
    save_npz(tmp_path / 'small.npz', zeros, compression='deflate')
    assert (tmp_path / 'small.npz').stat().st_size < 1000 < (tmp_path / 'stored.npz').stat().st_size
    with zipfile.ZipFile(tmp_path / 'stored.npz') as z:
        assert {i.compress_type for i in z.infolist()} == {zipfile.ZIP_STORED}
    for bad in ('lzma', 'lzf', '', True, 6):
        with pytest.raises(ValueError if isinstance(bad, str) else TypeError, match="'deflate'"):
            save_npz(tmp_path / 'no.npz', zeros, compression=bad)
    assert not (tmp_path / 'no.npz').exists()


@pytest.mark.parametrize(
    ('tree', 'error', 'words'),
    [
        ({'a': {'b': object()}}, UnknownArrayError, "'a/b'"),
        ({'a': [{1, 2}]}, UnknownArrayError, "'a/0'"),
        ({'a': np.array([{}])}, DtypeError, 'pickle'),
        ({'a': np.zeros(2, 'i4,f8')}, DtypeError, 'structured'),
        ({'a': np.zeros(2, 'V8')}, DtypeError, "'a'"),
        ({'a': np.zeros(2, ml_dtypes.float4_e2m1fn)}, DtypeError, 'float4_e2m1fn'),
        ({'a': np.ma.array([1, 2], mask=[0, 1])}, DtypeError, 'mask'),
        ({'a': 2**64}, DtypeError, '65 bits'),
        ({'a': -(2**63) - 1}, DtypeError, '64 bits'),
        ({'a': 'ends\0'}, DtypeError, 'NUL'),
        ({'a': b'ends\0'}, DtypeError, 'NUL'),
        ({'a': {'': 1}}, ValueError, "'a'"),
        ({'a': {1.5: 1}}, TypeError, '1.5'),
        ({'a': {True: 1}}, TypeError, 'True'),
        ({'a/b': 1, 'a': {'b': 2}}, ValueError, "'a/b'"),
        ({0: 1, '0': 2}, ValueError, "'0'"),
        ({'a/b': 1, 'a': 2}, ValueError, "'a'"),
        ({'__crossdock__': 1}, ValueError, 'reserved'),
        ({'a/' * 200 + 'a': 1}, ValueError, '128 levels'),
        ({'k' * 70_000: 1}, ValueError, 'longer'),
        (np.zeros(3), TypeError, 'ndarray'),
        (3, TypeError, 'int'),
        (None, TypeError, 'None'),
        (Layer, TypeError, 'type'),
    ],
)
def test_what_no_file_can_hold_is_named(tmp_path, tree, error, words):
    path = tmp_path / 'x.npz'
    path.write_text('old')
    with pytest.raises(error) as caught:
        save(path, tree)
    assert words in str(caught.value)
    assert path.read_text() == 'old'
    assert [p.name for p in tmp_path.iterdir()] == ['x.npz']


def test_a_tree_that_contains_itself(tmp_path):
    tree = {'a': [1]}
    tree['a'].append(tree)
    with pytest.raises(TypeError, match="'a/1' contains itself"):
        save(tmp_path / 'x.npz', tree)
    shared = [np.ones(1)]
    save(tmp_path / 'x.npz', {'a': shared, 'b': shared})
    assert set(load(tmp_path / 'x.npz')) == {'a', 'b'}


def test_an_unmasked_masked_array_is_an_array(tmp_path):
    assert saved(tmp_path, {'a': np.ma.array([1, 2])})['a'].tolist() == [1, 2]


def test_bools_are_0_or_1(tmp_path):
    odd = np.array([0, 1, 2, 255], np.uint8).view(bool)
    assert saved(tmp_path, {'a': odd})['a'].view(np.uint8).tolist() == [0, 1, 1, 1]


def test_big_endian_is_converted_and_says_so(tmp_path):
    with pytest.warns(UserWarning, match="'a/0'"):
        got = saved(tmp_path, {'a': [np.array([1.5, -2], '>f4'), np.ones(1)], 'u': np.array(['é'], '>U1')})
    assert got['a/0'].dtype == np.dtype('<f4')
    assert got['a/0'].tolist() == [1.5, -2]
    assert got['u'].tolist() == ['é']


def test_metadata_must_be_json(tmp_path):
    for bad in ({'x': object()}, {1: 2}, [1], 'text'):
        with pytest.raises(TypeError, match='metadata'):
            save(tmp_path / 'x.npz', {}, metadata=bad)
    with pytest.raises(ValueError, match='metadata'):
        save(tmp_path / 'x.npz', {}, metadata={'x': float('nan')})


def test_formats_by_suffix_and_by_name(tmp_path):
    save(tmp_path / 'x.NPZ', {'a': 1})
    save(tmp_path / 'x.weights', {'a': 1}, format='npz')
    for bad in ('x.weights', 'x', 'npz', 'x.npz.bak'):
        with pytest.raises(ValueError, match=r'known formats: .*npz \(\.npz\)'):
            save(tmp_path / bad, {'a': 1})
    with pytest.raises(ValueError, match='known formats'):
        save(tmp_path / 'x.npz', {'a': 1}, format='pt')
    with pytest.raises(TypeError):
        save(tmp_path / 'x.npz', {'a': 1}, format=3)
    with open(tmp_path / 'x.NPZ', 'rb') as file, pytest.raises(TypeError, match='path'):
        save(file, {'a': 1})


def test_paths(tmp_path):
    for path in (tmp_path / 'x.npz', str(tmp_path / 'x.npz'), os.fsencode(tmp_path / 'x.npz')):
        save(path, {'a': 1})
        assert load(path)['a'] == 1


def test_progress_reaches_the_end(tmp_path):
    seen = []
    tree = {'a': np.zeros(1_500_000), 'b': np.zeros((1000, 2000)).T, 'n': None}
    save(tmp_path / 'x.npz', tree, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (28_000_000, 28_000_000)
    assert sorted(seen) == seen
    assert len(seen) > 2
    save(tmp_path / 'x.npz', tree, progress=True)


def test_an_object_with_a_state_dict(tmp_path):
    class Module:
        def state_dict(self):
            return OrderedDict({'l1.weight': np.ones((2, 2)), 'l1.bias': np.zeros(2)})

        def load_state_dict(self, state):
            raise AssertionError

    assert set(saved(tmp_path, {'net': Module(), 'step': 1})) == {'net/l1.weight', 'net/l1.bias', 'step'}


def test_subclasses_of_arrays_and_scalars(tmp_path):
    class Name(str, enum.Enum):  # noqa: UP042 -- its text is not its value
        A = 'a'

    class Kind(enum.IntEnum):
        ONE = 1

    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        matrix = np.matrix(np.arange(3_000_000.0)).reshape(3, -1)
    path = tmp_path / 'x.npz'
    save(path, {'m': matrix, 's': Name.A, 'i': Kind.ONE})
    np.testing.assert_array_equal(load(path)['m'], np.asarray(matrix), strict=True)
    target = {'m': None, 's': Name.A, 'i': Kind.ONE}
    load(path, target)
    assert target['s'] is Name.A
    assert target['i'] is Kind.ONE


KILLED = """
import os, signal, sys
import numpy as np
from crossdock.serializers import save

class Killer:
    def serialize(self, s):
        s('a', np.full(100_000, 2.0))

from crossdock.serializers import _atomic
sync = os.fsync
def fsync(descriptor):
    if sys.argv[2] == 'before':
        os.kill(os.getpid(), signal.SIGKILL)
    sync(descriptor)
def replace(*names):
    rename(*names)
    os.kill(os.getpid(), signal.SIGKILL)
rename, os.fsync, os.replace = os.replace, fsync, replace
save(sys.argv[1], Killer())
"""


@pytest.mark.parametrize(('moment', 'value'), [('before', 1.0), ('after', 2.0)])
def test_killed_at_the_worst_moment(tmp_path, moment, value):
    path = tmp_path / 'x.npz'
    save(path, {'a': np.full(100_000, 1.0)})
    child = subprocess.run([sys.executable, '-c', KILLED, str(path), moment])
    assert child.returncode == -signal.SIGKILL
    assert set(load(path)['a']) == {value}
    assert len(list(tmp_path.iterdir())) == (2 if moment == 'before' else 1)
    save(path, {'a': np.full(100_000, 3.0)})
    assert [p.name for p in tmp_path.iterdir()] == ['x.npz']


def test_a_full_disk(tmp_path):
    path = tmp_path / 'x.npz'
    save(path, {'a': np.ones(3)})
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
        with pytest.raises(OSError):
            save(path, {'a': np.zeros(100_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert load(path)['a'].all()
    assert [p.name for p in tmp_path.iterdir()] == ['x.npz']


@dataclasses.dataclass
class Late:
    W: np.ndarray
    cache: object = dataclasses.field(init=False)


def test_a_field_that_was_never_set_is_left_out(tmp_path):
    save(tmp_path / 'x.npz', {'l': Late(np.ones(2))})
    target = {'l': Late(np.zeros(2))}
    assert load(tmp_path / 'x.npz', target)['l'].W.tolist() == [1, 1]
    assert not hasattr(target['l'], 'cache')


def test_no_file_is_written_that_load_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr(_zip, 'FREE_NBYTES', 2**20)
    path = tmp_path / 'x.npz'
    save(path, {'old': 1})
    with pytest.raises(ValueError, match='save without compression'):
        save(path, {'zeros': np.zeros(2**18)}, compression='deflate')
    assert list(load(path)) == ['old']
    assert os.listdir(tmp_path) == ['x.npz']
    save(path, {'zeros': np.zeros(2**18)})
    assert load(path)['zeros'].size == 2**18


def test_a_full_disk_is_known_before_anything_is_written(tmp_path, monkeypatch):
    path = tmp_path / 'x.npz'
    save_npz(path, {'a': np.ones(2)})
    old = path.read_bytes()

    def full(descriptor, offset, nbytes):
        assert nbytes == 8_000_000
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, 'posix_fallocate', full)
    monkeypatch.setattr(os, 'pwrite', lambda *arguments: pytest.fail('something was written'))
    with pytest.raises(OSError) as caught:
        save_npz(path, {'a': np.zeros(1_000_000)})
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ['x.npz']


def test_saving_takes_little_memory(tmp_path):
    code = """
import sys
import numpy as np
import crossdock as xd

def peak_kib():
    return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])

base = np.random.default_rng(0).random((5000, 4000), 'float32')
there = xd.get_device('sim:0').send(base)
tree = {'whole': base, 'strided': base[::2, ::2], 'turned': base.T[::2], 'there': there, 'there, too': there[:, ::2]}
xd.save_npz(sys.argv[1], {'a': there[:1]})
open('/proc/self/clear_refs', 'w').write('5')
before = peak_kib()
xd.save_npz(sys.argv[1], tree, compression=sys.argv[2] or None)
print(peak_kib() - before)
"""
    for compression in ('', 'zstd', 'deflate'):
        command = [sys.executable, '-c', code, str(tmp_path / 'x.npz'), compression]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert int(done.stdout) < 64 * 1024, compression


@pytest.mark.parametrize(
    ('metadata', 'kind', 'says'),
    [
        ({'a': {'lr': np.float32(0.5)}}, TypeError, "['a']['lr'] is a numpy.float32; it takes dicts"),
        ({'a': {'lr': np.float32(0.5)}}, TypeError, 'bool and None; give its item()'),
        ({'a': [1, np.ones(2)]}, TypeError, "['a'][1] is a numpy.ndarray"),
        ({'a': [1, np.ones(2)]}, TypeError, 'arrays go into the tree, or as a list'),
        (
            {'loss': float('nan')},
            ValueError,
            "['loss'] is nan, and JSON has finite numbers alone; save it as text, or None",
        ),
        ({'a': {('x', 1): 2}}, TypeError, "['a'] has the key ('x', 1), a tuple; keys are text"),
        ({'a': {1, 2}}, TypeError, "['a'] is a set; "),
    ],
)
def test_metadata_that_is_not_json_is_named(tmp_path, metadata, kind, says):
    with pytest.raises(kind, match=re.escape(says)) as caught:
        save(tmp_path / 'x.npz', {'W': np.ones(1)}, metadata=metadata)
    assert str(caught.value).startswith('metadata is not JSON: [')
    assert not list(tmp_path.iterdir())


def test_metadata_that_contains_itself(tmp_path):
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match='Circular'):
        save(tmp_path / 'x.npz', {'W': np.ones(1)}, metadata={'loop': loop})
