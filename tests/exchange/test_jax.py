"""JAX's arrays: they never change, and 64 bits are a matter of a flag.

With one device on the host where there is one; `tests/contract/test_jax.py` runs this file again with three.
"""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock import errors

sys.path.insert(0, str(Path(__file__).parents[1] / 'devices'))
from same_way import HERE, check_same

jax = pytest.importorskip('jax')
ml_dtypes = pytest.importorskip('ml_dtypes')
jnp = jax.numpy

several = pytest.mark.skipif('CROSSDOCK_TEST_HOST_DEVICES' not in os.environ, reason='JAX has one host device here')


@pytest.fixture
def device():
    return xd.get_device('@jax:cpu:0')


def aligned(values):
    memory = np.zeros(values.nbytes + 64, 'u1')
    start = -memory.ctypes.data % 64
    own = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    own[...] = values
    return own


def pointer(array):
    return array.unsafe_buffer_pointer()


# -- names -------------------------------------------------------------------------------------------------------------


def test_names(device):
    assert repr(device) == '<JaxDevice (jax):cpu:0>' and str(device) == '@jax:cpu:0'
    native = jax.devices('cpu')[0]
    assert xd.get_device(native) is device and device.native is native
    assert (device.kind, device.index, device.physical) == ('jax', 0, 'host')
    assert device.fallback_device is xd.get_device('@numpy')
    first = xd.get_device(jax.devices()[0])
    assert xd.get_device('@jax:0') is first is xd.get_device(str(first))


def test_memory_info_counts_what_lives(device):
    before = device.memory_info().used
    x = device.send(np.zeros(1000, 'float32'))
    assert device.memory_info().used == before + x.nbytes


def test_copies_need_no_plan(device, monkeypatch):
    def plans(*args, **kwargs):
        raise AssertionError('a plan was made')

    native, sources = xd.get_device('native'), [np.arange(6, dtype='float32').reshape(2, 3), aligned(np.ones(5, 'i1'))]
    sources += [sources[0].T, sources[0][:, ::-1], np.broadcast_to(np.float16(3), (2, 2)), np.arange(7_000, dtype='f4')]
    sources += [np.ones(3, ml_dtypes.bfloat16), np.array(2 + 1j, 'complex64'), np.zeros((2, 0, 3), 'int32')]
    for x in sources:
        wanted = x.copy()
        for source in (x, native.send(x)):
            device.send(source)  # the way is found by the first call
            with monkeypatch.context() as patch:
                if x.size and x.dtype.kind != 'V':  # NumPy's own
                    patch.setattr('crossdock.devices._device.send', plans)
                y = device.send(source)
            assert type(y) is type(jnp.ones(1)) and y.devices() == {device.native} and y.committed
            assert y.dtype == x.dtype and y.shape == x.shape and (not x.size or pointer(y) % 64 == 0)
            if x.flags.writeable:
                x[...] = 0
                np.testing.assert_array_equal(np.asarray(y), wanted)
                x[...] = wanted
    for wide in (np.ones(3), np.ones(3, 'int64')):
        with pytest.raises(errors.DtypeError, match='jax_enable_x64'):
            device.send(wide)


def test_an_absent_device_is_refused_alike():
    for spec in ('@jax:77', '@jax:cpu:77'):
        with pytest.raises(errors.DeviceUnavailableError, match=spec) as caught:
            xd.get_device(spec)
        assert '@jax:cpu:0' in caught.value.reason and caught.value.count == len(jax.local_devices())


def test_listing_starts_nothing():
    code = """if True:
        import sys, crossdock as xd
        assert '@jax:cpu:0' in [str(device) for device in xd.available_devices()]
        for bad in ('@jax', '@jax:x', '@jax:-1'):
            try: xd.get_device(bad)
            except ValueError: pass
        assert 'jax' not in sys.modules and 'torch' not in sys.modules
        assert str(xd.get_device('@jax:0')) == '@jax:cpu:0' and 'jax' in sys.modules
    """
    environment = {**os.environ, 'JAX_PLATFORMS': 'cpu'}
    out = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr


@several
def test_each_host_device_is_its_own():
    # All of JAX's devices on the host call themselves (kDLCPU, 0).
    x = aligned(np.arange(6, dtype='float32'))
    assert [str(d) for d in xd.available_devices() if d.kind == 'jax'] == [f'@jax:cpu:{i}' for i in range(3)]
    for i in range(3):
        for there in (xd.get_device(f'@jax:{i}').send(x), xd.get_device(f'@jax:{i}').send(x, copy=False)):
            assert there.devices() == {jax.devices()[i]}
            assert xd.get_device_from_array(there) is xd.get_device(f'@jax:cpu:{i}')
            assert xd.get_device(jax.devices()[i]) is xd.get_device(f'@jax:cpu:{i}')
    first = xd.get_device('@jax:0').send(x)
    second = xd.get_device('@jax:1').send(first)
    assert second.devices() == {jax.devices()[1]} and second.tolist() == x.tolist()
    assert xd.plan(first, '@jax:1').route == 'device copy'
    assert pointer(second) != pointer(first)
    with pytest.raises(errors.MixedDevicesError):
        xd.get_device_from_array(first, second)
    assert xd.get_array_module(first, second) is jnp


@several
def test_spread_arrays_are_refused_by_name():
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()), ('i',))
    x = jax.device_put(np.arange(6, dtype='float32'), NamedSharding(mesh, PartitionSpec('i')))
    with pytest.raises(errors.UnknownArrayError, match='3 devices'):
        xd.get_device('@numpy').send(x)
    assert xd.get_array_module(x) is jnp


# -- never changed by anybody ------------------------------------------------------------------------------------------


@pytest.mark.parametrize('spec', ['@numpy', 'native:0'])
def test_views_of_it_are_read_only(spec):
    x = jnp.arange(6, dtype='float32').reshape(2, 3)
    view = xd.get_device(spec).send(x)
    host = xd.to_numpy(view)
    assert host.ctypes.data == pointer(x) and not host.flags.writeable
    with pytest.raises(errors.ReadOnlyError):
        xd.copyto(view, 1.0)


def test_torch_gets_a_copy():
    # jax-ml/jax#19123: torch wrote into an array that cannot change, and str() changed the outcome.
    torch = pytest.importorskip('torch')
    for look in (str, len):
        x = jnp.ones(3)
        look(x)
        t = xd.get_device('@torch:cpu').send(x)
        t += 1
        assert x.tolist() == [1, 1, 1] and t.tolist() == [2, 2, 2]
        with pytest.raises(errors.CopyRequiredError, match='read-only'):
            xd.get_device('@torch:cpu').send(x, copy=False)
    back = xd.get_device('@jax:0').send(torch.ones(2))
    assert back.tolist() == [1, 1]


@pytest.mark.parametrize('source', ['@numpy', 'native:0', '@torch:cpu'])
def test_it_shares_others_memory_only_when_asked(source, device):
    if source == '@torch:cpu':
        pytest.importorskip('torch')
    a = aligned(np.arange(6, dtype='float32'))
    x = xd.get_device(source).send(a)
    copied = device.send(x)
    a[0] = 40
    assert copied[0] == 0
    shared = device.send(x, copy=False)
    assert pointer(shared) == a.ctypes.data and shared[0] == 40
    made = xd.plan(x, device)
    assert made.route == 'device copy' and 'copy=False' in dict(made.refused)['alias']
    assert xd.plan(x, device, copy=False).zero_copy


@pytest.mark.parametrize(
    ('make', 'why'),
    [
        (lambda a: a[1:], 'aligned'),
        (lambda a: a[16:][:10], None),
        (lambda a: a[::2], 'C-contiguous'),
        (lambda a: a.reshape(8, 8).T, 'C-contiguous'),
        (lambda a: a[::-1], 'negative'),
        (lambda a: a.reshape(1, 64).T, None),
        (lambda a: a[:0], None),
    ],
)
def test_what_it_cannot_share(make, why, device):
    # jax-ml/jax#29810, #30228: unaligned memory was copied with copy=False.
    a = make(aligned(np.arange(64, dtype='float32')))
    assert np.array_equal(device.send(a), a)
    if why is None:
        assert np.array_equal(device.send(a, copy=False), a)
        return
    with pytest.raises(errors.CopyRequiredError, match=why):
        device.send(a, copy=False)


def test_read_only_memory_may_be_shared_when_asked(device):
    a = aligned(np.arange(3, dtype='float32'))
    a.flags.writeable = False
    assert pointer(device.send(a)) != a.ctypes.data
    assert pointer(device.send(a, copy=False)) == a.ctypes.data


def test_copies_are_no_views_of_what_may_change(device):
    for a in (aligned(np.zeros(16, 'float32')), np.zeros(7, 'float32'), np.zeros((0, 2), 'float32'), np.float32(0)):
        x = device.send(a, copy=True)
        assert x.devices() == {jax.devices('cpu')[0]} and x.shape == a.shape
        if a.shape and a.size:
            a[...] = 1
            assert not x.any()
    x = device.send(np.ones(3, 'float32'))
    y = device.send(x, copy=True)
    assert y is not x and pointer(y) != pointer(x) and device.send(x) is x


@pytest.mark.parametrize('spec', ['@numpy', 'native:0'])
def test_a_view_outlives_deletion_and_donation(spec):
    def donate(x):
        jax.jit(lambda v: v + 1, donate_argnums=0)(x).block_until_ready()

    for end in (lambda x: x.delete(), donate):
        x = jnp.arange(100_000, dtype='float32') + 0
        view = xd.get_device(spec).send(x)
        end(x)
        del x
        gc.collect()
        others = [jnp.full(100_000, 7.0).block_until_ready() for _ in range(8)]
        np.testing.assert_array_equal(xd.to_numpy(view), np.arange(100_000, dtype='float32'))
        del others


def test_a_donation_leaves_shared_memory_alone(device):
    a = aligned(np.full(1000, 3, 'float32'))
    x = device.send(a, copy=False)
    jax.jit(lambda v: v + 1, donate_argnums=0)(x).block_until_ready()
    assert (a == 3).all()


def test_the_source_lives_as_long_as_what_shares_it(device):
    a = aligned(np.ones(100, 'float32'))
    owner = a.base  # JAX holds the one or the other

    def references():
        return sys.getrefcount(owner) + sys.getrefcount(a)

    before = references()
    x = device.send(a, copy=False).block_until_ready()
    y = x + 1
    y.block_until_ready()
    assert references() > before
    del x, y
    gc.collect()
    assert references() == before


# -- data types --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['int64', 'uint64', 'float64', 'complex128'])
def test_64_bits_need_the_flag(name, device):
    a = np.array([1, 2, 3], name)
    assert not jax.config.jax_enable_x64
    with pytest.raises(errors.DtypeError, match='jax_enable_x64') as caught:
        device.send({'w': a})
    assert "['w']" in str(caught.value) and name in str(caught.value)
    with pytest.raises(errors.DtypeError):
        xd.plan(a, device)
    half = {'int64': 'int32', 'uint64': 'uint32', 'float64': 'float32', 'complex128': 'complex64'}[name]
    assert half in str(caught.value)
    assert device.send(a, dtype=half).dtype == half
    jax.config.update('jax_enable_x64', True)
    try:
        x = device.send(a)
        assert x.dtype == name and x.tolist() == a.tolist()
    finally:
        jax.config.update('jax_enable_x64', False)
    # It is here already, and stays what it is.
    assert device.send(x) is x
    assert xd.to_numpy(x).dtype == name
    with pytest.raises(errors.DtypeError, match='jax_enable_x64'):
        device.send(x, copy=True)


def test_numbers_become_jaxs_default(device):
    sent = device.send([True, 2, 2.5, 1j])
    assert [x.dtype.name for x in sent] == ['bool', 'int32', 'float32', 'complex64']
    with pytest.raises(OverflowError):
        device.send(2**40)


@pytest.mark.parametrize(
    'name',
    ['bfloat16', 'float8_e3m4', 'float8_e4m3', 'float8_e4m3fn', 'float8_e5m2', 'float8_e8m0fnu', 'float16', 'uint16'],
)
def test_every_bit_pattern(name, device):
    if not hasattr(jnp, name):
        pytest.skip('older versions of JAX lack it')
    kind = np.dtype(getattr(ml_dtypes, name, name))
    bits = np.arange(2 ** min(8 * kind.itemsize, 16), dtype=f'u{kind.itemsize}')
    x = device.send(bits.view(kind))
    assert x.dtype == kind
    back = xd.get_device('@numpy').send(x)
    assert back.dtype == kind and back.tobytes() == bits.tobytes()


@pytest.mark.parametrize('name', ['int4', 'uint4'])
def test_packed_types(name, device):
    a = np.arange(-3, 4).astype(getattr(ml_dtypes, name))
    x = device.send(a)
    assert x.dtype == a.dtype
    assert xd.to_numpy(x).tobytes() == a.tobytes() and xd.plan(x, '@numpy').route == 'device copy'
    with pytest.raises(errors.CopyRequiredError, match='packs'):
        xd.get_device('@numpy').send(x, copy=False)


def test_bools_of_other_bytes_are_normalised(device):
    a = np.array([0, 1, 2, 255], 'u1').view(bool)
    assert xd.to_numpy(device.send(a)).view('u1').tolist() == [0, 1, 1, 1]


def test_unit_axes_keep_their_layout(device):
    # jax-ml/jax#24680
    a = np.arange(120, dtype='uint16').reshape(1, 3, 5, 8)
    for x in (a, a[:, ::-1], a.transpose(0, 2, 3, 1)):
        back = xd.to_numpy(device.send(x))
        np.testing.assert_array_equal(back, x)
        assert back.flags.c_contiguous


# -- refused by name ---------------------------------------------------------------------------------------------------


def test_random_keys_are_refused_by_name():
    with pytest.raises(errors.DtypeError, match=r'random\.key_data'):
        xd.get_device('@numpy').send(jax.random.key(0))
    xd.get_device('@numpy').send(jax.random.key_data(jax.random.key(0)))


def test_deleted_arrays_are_refused_by_name():
    x = jnp.ones(3) + 0
    x.delete()
    for act in (lambda: xd.get_device('@numpy').send(x), lambda: xd.get_device('sim:0').send({'x': x})):
        with pytest.raises(errors.UnknownArrayError, match='deleted'):
            act()


@pytest.mark.parametrize('transform', [jax.jit, jax.vmap, lambda f: jax.grad(lambda x: f(x).sum())])
def test_tracers_are_refused_by_name(transform):
    def function(x):
        assert xd.get_array_module(x) is jnp and xd.get_array_module([x, 1.0]) is jnp
        for act in (lambda: xd.get_device('@numpy').send(x), lambda: xd.get_device_from_array(x)):
            with pytest.raises(errors.GraphError, match='tracing'):
                act()
        return x * 2

    transform(function)(jnp.ones(3))


def test_copyto_never_writes_into_it(device):
    x = device.send(np.zeros(3, 'float32'))
    for src in (1.0, np.ones(3, 'float32'), x):
        with pytest.raises(errors.ReadOnlyError, match='@jax:cpu:0'):
            xd.copyto(x, src)
    a = np.zeros(3, 'float32')
    xd.copyto(a, device.send(np.arange(3, dtype='float32')), where=device.send(np.array([True, False, True])))
    assert a.tolist() == [0, 0, 2]


# -- around it ---------------------------------------------------------------------------------------------------------


def test_synchronize_waits(device):
    x = device.send(np.ones((400, 400), 'float32'))
    for _ in range(5):
        x = x @ x / 400
    device.synchronize()
    assert x.is_ready()


def test_as_the_current_device(device):
    with xd.using_device('@jax:0'):
        assert xd.current_device() is xd.get_device('@jax:0')
    assert device.xp is jnp


def test_a_pytree_is_saved_and_replaced(tmp_path, device):
    path = tmp_path / 'model.npz'
    model = {'layers': [{'w': jnp.ones((2, 3)), 'b': jnp.zeros(3, 'bfloat16')}], 'step': jnp.int32(3)}
    xd.save_npz(path, model)
    target = jax.tree.map(jnp.zeros_like, model)
    old = target['layers'][0]['w']
    loaded = xd.load_npz(path, target)
    assert loaded is target and not old.any()
    assert loaded['layers'][0]['w'].tolist() == np.ones((2, 3)).tolist()
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(loaded))
    assert loaded['layers'][0]['b'].dtype == 'bfloat16' and int(loaded['step']) == 3
    anywhere = xd.load(path, device='@jax:0')
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(anywhere))


# -- without a plan ----------------------------------------------------------------------------------------------------


@st.composite
def jax_arrays(draw):
    """Of any data type and kind."""
    dtype = draw(st.sampled_from(['bool', 'int8', 'uint16', 'int32', 'uint32', 'float16', 'float32', 'complex64']))
    dtype = draw(st.sampled_from([dtype] * 3 + ['bfloat16', 'float8_e4m3fn', 'int4']))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3)))
    x = jnp.asarray(np.arange(np.prod(shape)).reshape(shape) % 2, dtype=dtype)
    kind = draw(st.sampled_from(['plain', 'plain', 'transposed', 'deleted', 'key', 'shared', 'spread', 'wide']))
    if kind == 'transposed':
        return x.T
    if kind == 'deleted':
        x.delete()
    if kind == 'key':
        return jax.random.key(1)
    if kind == 'shared':
        return xd.get_device('@jax:cpu:0').send(aligned(np.arange(6, dtype='float32')), copy=False)
    if kind == 'spread' and dtype != 'int4':
        from jax.sharding import Mesh, NamedSharding, PartitionSpec

        return jax.device_put(x, NamedSharding(Mesh(np.array(jax.devices()), ('i',)), PartitionSpec()))
    if kind == 'wide':
        with jax.enable_x64(True):
            return jnp.ones(shape, 'float64')
    return x


@settings(deadline=None, max_examples=200)
@given(jax_arrays(), st.sampled_from(HERE))
def test_the_short_cut_is_the_plan(array, spec):
    check_same(spec, array)


def test_tracers_have_no_short_cut():
    native = xd.get_device('native')
    native.send(jnp.ones(3))

    def inside(x):
        with pytest.raises(errors.GraphError):
            native.send(x)
        return x.sum()

    for transform in (jax.jit, jax.grad, jax.vmap):
        transform(inside)(jnp.ones(3))


@pytest.mark.parametrize('spec', ['native:0', '@numpy'])
def test_views_outlive_the_deleted_array(spec):
    device = xd.get_device(spec)
    device.send(jnp.ones(3))
    x = jnp.full(50_000, 7, 'int32')
    view, late = device.send(x), device.send(x)
    x.delete()
    with pytest.raises(errors.UnknownArrayError, match='deleted'):
        device.send(x)
    del x
    gc.collect()
    rubbish = [jnp.zeros(50_000, 'int32') for _ in range(5)]
    assert int(view[0]) == int(view[49_999]) == 7
    with pytest.raises((ValueError, errors.ReadOnlyError)):
        view[0] = 1
    del view
    holder = [late]
    del late
    thread = threading.Thread(target=holder.clear)  # the last look ends elsewhere
    thread.start()
    thread.join()
    del rubbish
