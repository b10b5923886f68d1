"""Random programs on simulated accelerators: the trace tells every byte that the devices count, and no other."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock import core as cx
from crossdock.errors import (
    AsyncDeviceError,
    CopyRequiredError,
    DimensionError,
    DtypeError,
    OutOfMemoryError,
    ReadOnlyError,
    TransferForbiddenError,
    UnknownArrayError,
)

SIMS = 'sim:0', 'sim:1'
DTYPES = 'float64', 'float32', 'int16', 'bool', 'complex64', 'bfloat16'
#: More than is packed, and more than one chunk, so that every route is taken.
LENGTHS = 0, 1, 5, 100, 40_000, 600_000


class Program:
    """Arrays made so far, on the host and on accelerators, and what can be done to them."""

    def __init__(self, folder):
        self._folder = folder
        self.host = [np.arange(5.0), np.ones((2, 3), 'float32')]
        self.far = [cx.zeros((2, 3), dtype=cx.float32, device=SIMS[0]), cx.ones(1, device=SIMS[1])]
        self.host[1].flags.writeable = False

    def near_array(self, n):
        return self.host[n % len(self.host)]

    def far_array(self, n):
        return self.far[n % len(self.far)]

    def vector(self, n):
        return cx.reshape(self.far_array(n), (-1,))

    # -- host arrays, of any size, layout and dtype

    def make(self, a, b):
        dtype = cx.__dict__[DTYPES[b % len(DTYPES)]].numpy_dtype
        self.host.append(np.arange(LENGTHS[a % len(LENGTHS)]).astype(dtype))

    def look_at_a_part(self, a, b):
        array = self.near_array(a)
        self.host.append((array[::2], array[..., ::-1], array.T, array[1:])[b % 4])

    def look_at_a_far_part(self, a, b):
        array = self.vector(a)
        self.far.append((array[::2], array[::-1], array[1:], array[:3])[b % 4])

    # -- asked for

    def send(self, a, b):
        self.far.append(xd.get_device(SIMS[b % 2]).send(self.near_array(a), blocking=b % 4 < 2))

    def send_converted(self, a, b):
        self.far.append(xd.get_device(SIMS[b % 2]).send(self.near_array(a), dtype=DTYPES[b % 2]))

    def send_tree(self, a, b):
        few = [self.near_array(a + i) for i in range(1 + b % 7)]
        tree = xd.get_device(SIMS[b % 2]).send({'few': few, 'one': 1.5, 'far': self.far_array(b)})
        self.far += [*tree['few'], tree['far']]

    def send_converted_tree(self, a, b):
        few = [self.near_array(a + i) for i in range(2 + b % 7)]
        self.far += xd.get_device(SIMS[b % 2]).send(few, dtype=('float64', 'float32', 'complex128')[a % 3])

    def send_on(self, a, b):
        self.far.append(xd.get_device(SIMS[b % 2]).send(self.far_array(a), copy=(None, True)[b % 4 // 2]))

    def to_device(self, a, b):
        self.far.append(self.far_array(a).to_device(SIMS[b % 2]))

    def to_host_device(self, a, b):
        self.far_array(a).to_device('native:0')

    def make_there(self, a, b):
        source = (self.near_array(a), [1.0, 2.0], 3, self.far_array(a))[b % 4]
        self.far.append(cx.asarray(source, device=SIMS[a % 2]))

    def to_numpy(self, a, b):
        self.host.append(xd.to_numpy(self.far_array(a)))

    def to_numpy_tree(self, a, b):
        self.host += xd.to_numpy([self.far_array(a + i) for i in range(1 + b % 9)])

    def copyto(self, a, b):
        xd.copyto(self.far_array(a), self.near_array(b), casting='unsafe')

    def copyto_number(self, a, b):
        xd.copyto(self.far_array(a), b, casting='unsafe')

    def copyto_back(self, a, b):
        xd.copyto(self.near_array(a), self.far_array(b), casting='unsafe')

    def copyto_far(self, a, b):
        xd.copyto(self.far_array(a), self.far_array(b), casting='unsafe')

    def copyto_where(self, a, b):
        array = self.far_array(a)
        mask = np.zeros(array.shape, bool) if b % 2 else cx.ones(array.shape, dtype=cx.bool, device=SIMS[a % 2])
        xd.copyto(array, self.near_array(b), where=mask, casting='unsafe')

    def save_and_load(self, a, b):
        path = self._folder / 'x.npz'
        xd.save(path, {'a': self.far_array(a), 'b': [self.far_array(b), self.near_array(a)]})
        loaded = xd.load(path, device=SIMS[b % 2])
        self.far += [loaded['a'], *loaded['b'].values()]

    def load_in_place(self, a, b):
        path = self._folder / 'y.npz'
        xd.save(path, {'a': self.far_array(a)})
        target = cx.zeros_like(self.far_array(a), device=SIMS[b % 2])
        self.far.append(xd.load(path, {'a': target})['a'])

    # -- not asked for

    def scalar(self, a, b):
        (float, int, bool, complex, cx.Array.item)[b % 5](self.vector(a)[:1])

    def tolist(self, a, b):
        self.vector(a)[: b % 50].tolist()

    def contains(self, a, b):
        return b in self.far_array(a)

    def show(self, a, b):
        (repr, str, format)[b % 3](self.far_array(a))

    def mask(self, a, b):
        array = self.far_array(a)
        self.far.append(array[array != 0])

    def host_mask(self, a, b):
        array = self.vector(a)
        self.far.append(array[np.arange(array.shape[0]) % (2 + b) == 0])

    def host_index(self, a, b):
        self.far.append(self.vector(a)[np.array([0, -1, b % 3])])

    def write_by_mask(self, a, b):
        array = self.far_array(a)
        array[array != 0] = b % 2

    def data_dependent(self, a, b):
        array = self.vector(a)
        (cx.nonzero, cx.unique_values, cx.unique_counts)[b % 3](array)

    def pickle(self, a, b):
        self.far.append(pickle.loads(pickle.dumps(self.far_array(a))))

    # -- nothing moves

    def deepcopy(self, a, b):
        self.far += copy.deepcopy([self.far_array(a)]) + [copy.copy(self.far_array(b))]

    def calculate(self, a, b):
        array = self.far_array(a)
        self.far.append((array + array, cx.reshape(array, (-1,)), cx.zeros_like(array))[b % 3])

    def numpy_of_it(self, a, b):
        np.asarray(self.far_array(a))

    # -- failures in between

    def forbid(self, a, b):
        with xd.transfer_guard('disallow', explicit='disallow'):
            (self.to_numpy, self.send_tree, self.tolist, self.copyto, self.save_and_load)[a % 5](a, b)

    def forbid_a_direction(self, a, b):
        with xd.transfer_guard(**{('host_to_device', 'device_to_host', 'device_to_device')[a % 3]: 'disallow'}):
            (self.send_on, self.send_tree, self.to_numpy_tree, self.mask, self.pickle)[b % 5](a, b)

    def fail_to_copy(self, a, b):
        for sim in range(2):
            cx.sim.inject('copy_error', index=sim, after=b % 2)
        (self.to_numpy, self.tolist, self.scalar, self.mask, self.to_numpy_tree)[a % 5](a, b)

    def run_out_of_memory(self, a, b):
        cx.sim.inject('oom', index=b % 2, after=a % 3)
        (self.send, self.send_tree, self.copyto, self.mask, self.send_on, self.host_mask)[a % 6](a, b)

    def send_what_cannot(self, a, b):
        xd.get_device(SIMS[0]).send([self.near_array(a), {'text': 'text'}])


EXPECTED = (
    *(AsyncDeviceError, CopyRequiredError, DimensionError, DtypeError, OutOfMemoryError, ReadOnlyError),
    *(TransferForbiddenError, UnknownArrayError, IndexError, TypeError),
)
OPERATIONS = [name for name in vars(Program) if name[0] != '_' and not name.endswith(('_array', 'vector'))]
FAILING = 'numpy_of_it', 'forbid', 'forbid_a_direction', 'fail_to_copy', 'run_out_of_memory', 'send_what_cannot'
NUMBERS = st.integers(0, 40)
STEPS = st.lists(st.tuples(st.sampled_from(OPERATIONS), NUMBERS, NUMBERS), min_size=1, max_size=25)


def counted():
    """What each device has counted: bytes from the host, to the host, from another device."""
    return np.array([cx.sim.counters(i)[:3] for i in range(len(SIMS))])


def told(log):
    """The same by the rows."""
    moved = np.zeros((len(SIMS), 3), int)
    for row in log:
        source, target = (SIMS.index(spec) if spec in SIMS else None for spec in (row.source, row.target))
        if source is None:
            moved[target, 0] += row.nbytes_moved
        elif target is None:
            moved[source, 1] += row.nbytes_moved
        else:
            moved[target, 2] += row.nbytes_moved
    return moved


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('programs')


@settings(max_examples=200, deadline=None)
@given(steps=STEPS)
def test_the_trace_tells_what_the_devices_count(folder, steps):
    program = Program(folder)
    for sim in SIMS:
        cx.device(sim).synchronize()
    for name, a, b in steps:
        before = counted()
        with xd.trace_transfers() as log:
            try:
                getattr(program, name)(a, b)
            except EXPECTED:
                pass
            finally:
                cx.sim.clear_faults()
                for sim in SIMS:
                    cx.device(sim).synchronize()
        assert (told(log) == counted() - before).all(), (name, a, b, list(log))
        assert all(row.filename == __file__ for row in log), (name, list(log))
        assert all(row.seconds is not None or row.failed for row in log), (name, list(log))


@pytest.mark.parametrize('name', OPERATIONS)
def test_every_operation_by_itself(folder, name):
    """So that none of them is one that always fails, and that the random ones would not miss."""
    program, refused = Program(folder), 0
    for a in range(6):
        for b in range(6):
            program.make(a, b)
            program.send(a, b)
    for a in range(4):
        for b in range(6):
            before = counted()
            with xd.trace_transfers() as log:
                try:
                    getattr(program, name)(a, b)
                except EXPECTED:
                    refused += 1
                finally:
                    cx.sim.clear_faults()
            assert (told(log) == counted() - before).all(), (a, b, list(log))
    assert refused > 0 if name in FAILING else refused < 24
