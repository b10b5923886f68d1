"""Any tree of any arrays, there and back, with NumPy as the judge."""

import io
import os
import tempfile

import hypothesis.extra.numpy as hnp
import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.serializers._path import fault
from crossdock.serializers.archive._npy import Header, read_header, write_header

DTYPES = ['?', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8', 'c8', 'c16']
STANDARD = {np.dtype(dtype).str[1:] for dtype in DTYPES}
EXTRA = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4]

keys = st.text(st.characters(exclude_categories=['Cs']), max_size=6).filter(lambda k: not fault(k) and '/' not in k)


@st.composite
def arrays(draw):
    """An array of any bits, seen through any strides."""
    dtype = np.dtype(draw(st.sampled_from([*DTYPES, *EXTRA])))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    size = int(np.prod(shape)) * dtype.itemsize
    mask = 1 if dtype.kind == 'b' else 15 if dtype.name.endswith('int4') else 255
    bits = draw(st.binary(min_size=size, max_size=size))
    array = (np.frombuffer(bits, np.uint8) & mask).view(dtype).reshape(shape)
    for axis in range(array.ndim):
        step = draw(st.sampled_from([1, 1, 2, -1]))
        array = array[(slice(None),) * axis + (slice(None, None, step),)]
    return array.transpose(draw(st.permutations(range(array.ndim))))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters(exclude_categories=['Cs']), max_size=5).filter(lambda s: not s.endswith('\0'))
    | st.binary(max_size=5).filter(lambda s: not s.endswith(b'\0'))
)
trees = st.dictionaries(
    keys,
    st.recursive(
        arrays() | scalars,
        lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(keys, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


def leaves(tree, path=''):
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, dict | list | tuple):
            yield from leaves(value, f'{path}{key}/')
        else:
            yield f'{path}{key}', value


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@settings(deadline=None, max_examples=150)
@given(tree=trees, compression=st.sampled_from([None, 'deflate']))
def test_a_tree_comes_back(tree, compression):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.npz')
        xd.save(path, tree, compression=compression)
        got = xd.load(path, flat=True)
        with np.load(path) as file:
            plain = {key: file[key] for key in file}
    want = dict(leaves(tree))
    assert set(got) == set(want)
    plain.pop('__crossdock__', None)
    for key, value in want.items():
        if value is None:
            assert got[key] is None
            assert key not in plain
            continue
        assert same_bits(got[key], np.asarray(value)), key
        assert plain[key].tobytes() == got[key].tobytes()
    assert set(plain) == {key for key, value in want.items() if value is not None}


@settings(deadline=None, max_examples=60)
@given(tree=st.lists(arrays().filter(lambda a: a.dtype.str[1:] in STANDARD), max_size=4))
def test_numpy_and_we_read_each_others_files(tree):
    with tempfile.TemporaryDirectory() as folder:
        for write in (np.savez, np.savez_compressed):
            path = os.path.join(folder, 'x.npz')
            write(path, **{f'k{i}': value for i, value in enumerate(tree)})
            got = xd.load(path)
            assert all(same_bits(got[f'k{i}'], value) for i, value in enumerate(tree))


@given(
    shape=hnp.array_shapes(min_dims=0, max_dims=8, min_side=0, max_side=10**6),
    fortran=st.booleans(),
    dtype=st.sampled_from(DTYPES),
)
def test_headers_are_those_of_numpy(shape, fortran, dtype):
    header = Header(np.dtype(dtype).str, fortran, shape)
    ours = write_header(header)
    theirs = io.BytesIO()
    facts = {'descr': header.descr, 'fortran_order': fortran, 'shape': shape}
    np.lib.format.write_array_header_1_0(theirs, facts)
    assert len(ours) % 64 == 0
    for data in (ours, theirs.getvalue()):
        assert read_header(io.BytesIO(data).read) == header
    file = io.BytesIO(ours)
    assert np.lib.format.read_magic(file) == (1, 0)
    assert np.lib.format.read_array_header_1_0(file) == (shape, fortran, np.dtype(dtype))
