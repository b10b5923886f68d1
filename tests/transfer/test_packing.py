"""Many small arrays cross together: which, what it costs, what is seen of it, and what becomes of their memory."""

import contextlib
import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock import core
from crossdock.transfer import block_nbytes

NUMPY, NATIVE, SIM, OTHER = map(xd.get_device, ('@numpy', 'native:0', 'sim:0', 'sim:1'))


@pytest.fixture
def tree(rng):
    return {f'p{i}': rng.standard_normal((3, 5 + i)).astype('float32') for i in range(20)}


def copies():
    return core.sim.counters(0).copies


def test_one_transfer_each_way(tree):
    before = copies()
    there = SIM.send(tree)
    assert copies() - before == 1
    back = xd.to_numpy(there)
    assert copies() - before == 2
    for name, x in tree.items():
        assert there[name].shape == x.shape and there[name].strides == x.strides
        np.testing.assert_array_equal(back[name], x)
        assert back[name].base is None and back[name].flags.writeable


def test_the_plan_says_which(tree):
    tree |= {'large': np.zeros(2**18 // 8), 'wide': np.zeros(3, 'float16'), 'empty': np.zeros((0, 3))}
    made = xd.plan(tree, SIM)
    small = [f'[{name!r}]' for name in tree if name.startswith('p')]
    assert made.packed == ((*small, "['wide']"),)
    plans = dict(made)
    assert {plans[path].route for path in made.packed[0]} == {'packed'}
    assert dict(plans["['large']"].refused)['packed'] == '262144 bytes are not less than 262144'
    assert dict(plans["['empty']"].refused)['packed'] == 'it is empty'
    assert f'packed: {small[0]}, ' in str(made)
    assert made.nbytes_moved == sum(x.nbytes for x in tree.values())
    sizes = [plans[path].nbytes_allocated for path in made.packed[0]]
    assert made.nbytes_allocated - made.nbytes_moved == block_nbytes(sizes) - sum(sizes)
    wide = xd.plan(tree, SIM, dtype='float32')
    assert dict(dict(wide)["['wide']"].refused)['packed'] == 'it is widened to float32 on sim:0'
    alone = xd.plan({'a': np.zeros(3), 'b': np.zeros(2**18)}, SIM)
    assert dict(dict(alone)["['a']"].refused)['packed'] == 'no other small array goes with it'
    assert xd.plan([np.zeros(3), np.zeros(4)], NATIVE).packed == ()
    assert xd.plan([SIM.send(np.zeros(3)), SIM.send(np.zeros(4))], OTHER).packed == ()


def test_blocks_are_bounded():
    tree = [np.full(2**14, float(i)) for i in range(100)]  # 12.8 MB
    made = xd.plan(tree, SIM)
    assert [len(block) for block in made.packed] == [32, 32, 32, 4]
    before = copies()
    there = SIM.send(tree)
    assert copies() - before == 4
    # A survivor holds its block, and no more.
    gc.collect()  # what other tests have left
    used = SIM.memory_info().used
    del there[1:]
    gc.collect()
    assert SIM.memory_info().used - (used - made.nbytes_allocated) == 32 * 2**17
    assert float(there[0].sum()) == 0
    there.clear()
    assert SIM.memory_info().used == used - made.nbytes_allocated


def test_a_row_for_each_leaf(tree):
    with xd.trace_transfers() as log:
        there = SIM.send(tree)
        xd.to_numpy(there)
    paths = [f'[{name!r}]' for name in tree]
    assert [(r.path, r.nbytes) for r in log] == [(f'[{n!r}]', x.nbytes) for n, x in tree.items()] * 2
    assert [r.path for r in log] == paths * 2
    assert {(r.source, r.target, r.batch - log[0].batch) for r in log} == {
        ('@numpy', 'sim:0', 0),
        ('sim:0', '@numpy', 1),
    }
    assert {r.filename for r in log} == {__file__}


def test_nothing_has_moved_when_a_listener_refuses(tree):
    from crossdock.transfer import _hook

    class Refused(Exception):
        pass

    seen = []

    def refuse(event):
        seen.append(event)
        if len(seen) == 7:
            raise Refused

    before, used = core.sim.counters(0), SIM.memory_info().used
    _hook.listen(refuse)
    try:
        with pytest.raises(Refused):
            SIM.send(tree)
    finally:
        _hook.unlisten(refuse)
    assert (core.sim.counters(0), SIM.memory_info().used) == (before, used)


@pytest.mark.parametrize('fault', ['oom', 'copy_error', 'device_lost'])
def test_all_or_nothing(fault):
    tree = [np.zeros(2**14) for _ in range(100)]
    used = SIM.memory_info().used
    core.sim.inject(fault, index=0, after=1)
    try:
        with pytest.raises(xd.errors.DeviceError):
            send_and_wait(tree)
    finally:
        core.sim.clear_faults()
        with contextlib.suppress(xd.errors.AsyncDeviceError):
            SIM.synchronize()
    assert SIM.memory_info().used == used
    assert core.pinned_memory_pool('sim:0').statistics().used == 0


def send_and_wait(tree):
    there = SIM.send(tree)
    SIM.synchronize()
    return there


def test_sources_may_be_changed_at_once(tree):
    wanted = {name: x.copy() for name, x in tree.items()}
    there = SIM.send(tree, blocking=False)
    for x in tree.values():
        x[:] = 0
    for name, x in xd.to_numpy(there).items():
        np.testing.assert_array_equal(x, wanted[name])


def test_writing_into_one_leaves_its_neighbours_alone(tree):
    there = SIM.send(tree)
    there['p3'][...] = 7
    there['p4'] += 1
    np.testing.assert_array_equal(xd.to_numpy(there['p3']), np.full((3, 8), 7, 'f4'))
    for name in ('p2', 'p5'):
        np.testing.assert_array_equal(xd.to_numpy(there[name]), tree[name])


def test_progress_counts_every_leaf(tree):
    told = []
    SIM.send(tree, progress=lambda done, total: told.append((done, total)))
    total = sum(x.nbytes for x in tree.values())
    assert len(told) == 20 and told[-1] == (total, total)


leaves = st.tuples(
    st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from(['float64', 'float32', 'int16', 'bool', 'complex64']),
    st.booleans(),
    st.booleans(),
)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(leaves, max_size=12), st.sampled_from([None, 'complex64', 'complex128']), st.sampled_from([NUMPY, NATIVE])
)
def test_a_tree_plan_says_what_happens(specs, dtype, home):
    tree = []
    for shape, leaf_dtype, turned, reverse in specs:
        x = (np.arange(np.prod(shape, dtype=int)) % 7).astype(leaf_dtype).reshape(shape)
        x = x.T if turned else x
        tree.append(home.send(x[::-1] if reverse and x.ndim else x))
    up = xd.plan(tree, SIM, dtype=dtype)
    before, used = core.sim.counters(0), SIM.memory_info().used
    there = SIM.send(tree, dtype=dtype)
    SIM.synchronize()
    after = core.sim.counters(0)
    assert after.host_to_device_nbytes - before.host_to_device_nbytes == up.nbytes_moved
    assert after.copies - before.copies == len(up.packed) + sum(
        made.route != 'packed' and made.source.size > 0 for _, made in up
    )
    assert SIM.memory_info().used - used == up.nbytes_allocated
    down = xd.plan(there, home)
    back = home.send(there)
    home_again = core.sim.counters(0)
    assert home_again.device_to_host_nbytes - after.device_to_host_nbytes == down.nbytes_moved
    for x, y in zip(tree, back):
        np.testing.assert_array_equal(xd.to_numpy(y), xd.to_numpy(x).astype(dtype or x.dtype.name))
