"""The only pickle that is ever read."""

import pickle

import numpy as np
import pytest

from crossdock.serializers.archive._none import is_pickled_none

NONE = np.array(None, dtype=object)

# As numpy 1.x wrote it under Python 2 and 3: the module had another name.
OLD = (
    b'\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03(K\x01)cnumpy\n'
    b'dtype\nq\x04U\x02O8K\x00K\x01\x87Rq\x05(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]q\x06Natb.'
)


@pytest.mark.parametrize('protocol', range(pickle.HIGHEST_PROTOCOL + 1))
def test_none_in_every_protocol(protocol):
    assert is_pickled_none(pickle.dumps(NONE, protocol))


def test_none_of_old_libraries():
    assert is_pickled_none(OLD)


@pytest.mark.parametrize(
    'value', [None, 0, [], (), np.array([None]), np.array(3, object), np.zeros(()), np.array([[]])]
)
def test_anything_else(value):
    assert not is_pickled_none(pickle.dumps(value))


@pytest.mark.parametrize('module', [b'os', b'builtins', b'numpy', b'numpy.core.multiarray', b'crossdock.errors'])
@pytest.mark.parametrize('name', [b'system', b'eval', b'fromfile', b'scalar', b'frombuffer'])
def test_no_other_name_is_looked_up(module, name):
    assert not is_pickled_none(OLD.replace(b'cnumpy\ndtype', b'c' + module + b'\n' + name))
    assert not is_pickled_none(b'c' + module + b'\n' + name + b"\n(S'x'\ntR.")


def test_every_cut_and_every_flip():
    data = pickle.dumps(NONE, 2)
    assert not any(is_pickled_none(data[:n]) for n in range(len(data)))
    for i in range(len(data)):
        for bit in range(8):
            broken = bytearray(data)
            broken[i] ^= 1 << bit
            assert is_pickled_none(bytes(broken)) in (True, False)  # and nothing is raised
    assert not is_pickled_none(data + data)
