"""The contract suite of back-ends: subclass `BackendContract` in a test, and pytest holds a back-end to its promises.

::

    from crossdock.devices.testing import BackendContract

    class TestToy(BackendContract):
        spec = '@toy'
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossdock import devices, errors
from crossdock.devices import CONTRACT_VERSION, Backend, Device
from crossdock.devices._dtype import STANDARD
from crossdock.transfer import Plan, trace_transfers

__all__ = ['BackendContract']

_BASE = np.arange(48, dtype='float32').reshape(6, 8)


def _readonly() -> np.ndarray[Any, Any]:
    array = _BASE.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    'contiguous': _BASE,
    'transposed': _BASE.T,
    'fortran': np.asfortranarray(_BASE),
    'reversed': _BASE[::-1],
    'both reversed and stepped': _BASE[::-2, ::-3],
    'columns': _BASE[:, 1:3],
    'broadcast': np.broadcast_to(_BASE[0], (4, 8)),
    'empty': _BASE[1:1],
    'empty inside': np.zeros((2, 0, 3), 'float32'),
    '0-d': np.array(2.5, 'float32'),
    'one element, odd strides': np.ndarray((1, 10), 'float32', strides=(3, 4), buffer=bytes(40)),
    'read-only': _readonly(),
    'unaligned steps': np.zeros(4, [('a', 'i1'), ('b', 'f4')])['b'],
}


def _told(device: Device, array: Any) -> tuple[Any, ...]:
    """What a back-end says about an array; of strides those that lead somewhere."""
    facts = device._backend.facts(array)
    steps = [step for step, extent in zip(facts.strides_nbytes, facts.shape) if extent > 1 and facts.size]
    return facts.place, facts.shape, facts.dtype, facts.readonly, steps


def _aligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy whose memory any library can share."""
    memory = np.zeros(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    own: np.ndarray[Any, Any] = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    own[...] = array
    return own


DTYPES = (*sorted(STANDARD), 'bfloat16')


class BackendContract:
    """What every back-end promises. The tests need one device that works; without it they are skipped with the reason.

    Attributes
    ----------
    spec : str
        A device of the back-end; in canonical form, unless `canonical` has that.
    canonical : str
        What the device prints, where `spec` is another name of it.
    wrong_specs : tuple of str
        Specs of the kind that its grammar refuses.
    import_checked : bool
        Whether to check, in a process of its own, that asking about devices does not import the library. Switch it
        off for a back-end that is registered by the test itself.
    """

    spec: str
    canonical: str = ''
    wrong_specs: tuple[str, ...] = ()
    import_checked: bool = True

    @pytest.fixture
    def device(self) -> Device:
        """The device under test."""
        try:
            return devices.get_device(self.spec)
        except errors.DeviceUnavailableError as error:
            pytest.skip(str(error))

    @pytest.fixture
    def backend(self, device: Device) -> Backend:
        """The back-end under test."""
        return device._backend

    @pytest.fixture
    def holds(self, device: Device) -> Callable[[str], bool]:
        """A function that says whether arrays of a dtype can live on the device."""
        allowed = device._place.dtypes

        def holds(name: str) -> bool:
            return allowed is None or name in allowed

        return holds

    # -- names ---------------------------------------------------------------------------------------------------

    def test_declares_itself(self, backend: Backend) -> None:
        """Version, kind and library are there, and the kind is what specs begin with."""
        assert backend.contract_version == CONTRACT_VERSION
        assert backend.kind.isidentifier()
        assert backend.kind.isascii()
        assert backend.kind.islower()
        assert self.spec.startswith(backend.prefix + backend.kind)
        assert backend.library
        assert backend.module_name

    def test_spec_and_device_say_the_same(self, device: Device, backend: Backend) -> None:
        """A device prints its spec, and there is one object for each."""
        assert str(device) == device.name == (self.canonical or self.spec)
        assert devices.get_device(device.name) is device
        assert device.kind == backend.kind
        assert devices.get_device(self.spec) is device
        assert pickle.loads(pickle.dumps(device)) is device
        assert copy.copy(device) is device
        assert copy.deepcopy(device) is device
        assert hash(device) == hash(devices.get_device(self.spec))
        assert device != self.spec
        assert device != device.name

    def test_refuses_what_is_outside_its_grammar(self, backend: Backend) -> None:
        """A suffix that means nothing is a `SpecError` that shows it."""
        head = backend.prefix + backend.kind
        for wrong in (
            f'{head}:',
            f'{head}::0',
            f'{head}: 0',
            f'{head}:00',
            f'{head}:-1',
            f'{head}:0x',
            *self.wrong_specs,
        ):
            with pytest.raises(errors.SpecError) as caught:
                devices.get_device(wrong)
            assert repr(wrong) in str(caught.value)

    def test_describes_its_devices(self, device: Device, backend: Backend) -> None:
        """Each device that works is listed, and a device that is not listed is refused with a reason."""
        assert device in devices.available_devices()
        assert backend.unavailable() == ''
        assert [row['available'] for row in devices.describe_devices() if row['spec'] == device.name] == [True]
        assert all(why and suffix not in backend.suffixes() for suffix, why in backend.missing().items())
        if device.index is not None:
            absent = self.spec.removesuffix(str(device.index)) + '99999'
            with pytest.raises(errors.DeviceUnavailableError) as caught:
                devices.get_device(absent)
            assert absent in str(caught.value)
            assert caught.value.reason

    def test_takes_the_librarys_own_device(self, device: Device) -> None:
        """The library's device object, if it has one, names the device."""
        if device.native is not None:
            assert devices.get_device(device.native) is device

    def test_asking_does_not_import_the_library(self, device: Device, backend: Backend) -> None:
        """Listing devices leaves the library alone."""
        if not self.import_checked or backend.module_name in ('numpy', 'crossdock.core'):
            pytest.skip('imported by crossdock itself, or not known in another process')
        code = f'import crossdock, sys; crossdock.describe_devices(); sys.exit({backend.module_name!r} in sys.modules)'
        assert subprocess.run([sys.executable, '-c', code]).returncode == 0

    def test_place(self, device: Device, backend: Backend) -> None:
        """The facts about the device agree with the device."""
        place = device._place
        assert (place.device, place.library) == (device.name, backend.library)
        assert backend.spec(place.suffix) == device.name
        assert place.physical == device.physical != ''

    # -- devices -------------------------------------------------------------------------------------------------

    def test_memory_info(self, device: Device) -> None:
        """Bytes, or None where that is not known."""
        info = device.memory_info()
        assert info._fields == ('free', 'total', 'used', 'pooled')
        assert all(amount is None or (type(amount) is int and amount >= 0) for amount in info)
        if info.free is not None and info.total is not None:
            assert info.free <= info.total

    def test_synchronize(self, device: Device) -> None:
        """Waiting with nothing to wait for returns."""
        device.synchronize()

    def test_is_current_inside_its_context(self, device: Device) -> None:
        """A context makes it current, and leaves no trace."""
        before = devices.current_device()
        with devices.using_device(self.spec) as inside:
            assert inside is device is devices.current_device()
        assert devices.current_device() is before

    # -- arrays --------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize('name', LAYOUTS)
    def test_layouts_arrive(self, device: Device, name: str) -> None:
        """Any layout arrives with its values, its shape and its dtype, and comes back."""
        there = device.send(LAYOUTS[name])
        facts = device._backend.facts(there)
        assert facts.shape == LAYOUTS[name].shape
        assert facts.dtype == LAYOUTS[name].dtype
        np.testing.assert_array_equal(devices.to_numpy(there), LAYOUTS[name])

    @pytest.mark.parametrize('name', LAYOUTS)
    def test_short_cuts_come_to_the_same_end(self, device: Device, name: str) -> None:
        """Where a back-end has a reader or a writer, they give what a plan gives, on the first call and later."""
        there, native = device.send(LAYOUTS[name]), devices.get_device('native')
        for source, target in ((LAYOUTS[name], device), (native.send(LAYOUTS[name]), device), (there, native)):
            planned = target.send(source, copy=None)  # with a keyword there is no short cut
            for _ in range(2):
                sent = target.send(source)
                assert type(sent) is type(planned)
                assert _told(target, sent) == _told(target, planned)
                np.testing.assert_array_equal(devices.to_numpy(sent), devices.to_numpy(planned))
                if target.physical == 'host' and devices.plan(source, target).zero_copy:
                    assert not LAYOUTS[name].size or np.shares_memory(devices.to_numpy(sent), devices.to_numpy(planned))

    @pytest.mark.parametrize('name', DTYPES)
    def test_dtypes_keep_their_bits(self, device: Device, holds: Callable[[str], bool], name: str) -> None:
        """Each dtype arrives and comes back with the same bits, or is refused clearly."""
        import ml_dtypes

        source = (np.arange(-4, 4) * 1.5).astype(getattr(ml_dtypes, name, name))
        if not holds(name):
            with pytest.raises(errors.DtypeError):
                device.send(source)
            return
        back = devices.to_numpy(device.send(source))
        assert back.dtype == source.dtype
        assert back.tobytes() == source.tobytes()

    def test_belongs_to_its_device(self, device: Device, backend: Backend) -> None:
        """An array that was sent says that it lives where it was sent to."""
        there = device.send(_BASE)
        home = devices.get_device(device._place.home)
        assert isinstance(there, device.supported_array_types)
        assert device.is_array_supported(there)
        assert devices.get_device_from_array(there) is home
        assert devices.get_array_module(there) is device.xp
        assert backend.facts(there).place.home == device._place.home

    def test_sent_home_is_the_same_object(self, device: Device) -> None:
        """What lives there already is returned itself."""
        there = device.send(_BASE)
        assert device.send(there) is there
        made = devices.plan(there, device)
        assert isinstance(made, Plan)
        assert made.route == 'same object'

    def test_shares_host_memory(self, device: Device) -> None:
        """On host memory sending is a view, in both directions; elsewhere ``copy=False`` is refused with the plan."""
        x = _aligned(_BASE)
        if device.physical != 'host':
            with pytest.raises(errors.CopyRequiredError) as caught:
                device.send(x, copy=False)
            assert caught.value.plan.route == 'copy'
            assert caught.value.plan.nbytes_moved == x.nbytes
            return
        there = device.send(x, copy=False)
        x[2, 3] = -7
        back = devices.to_numpy(there)
        assert back[2, 3] == -7
        assert np.shares_memory(back, x)

    def test_readonly_stays_or_is_copied(self, device: Device) -> None:
        """No writable array over read-only memory."""
        x = _readonly()
        there = device.send(x)
        back = devices.to_numpy(there)
        if device.physical == 'host' and device._place.keeps_readonly and not device._place.immutable:
            assert not back.flags.writeable
            assert np.shares_memory(back, x)
            with pytest.raises(errors.ReadOnlyError):
                devices.copyto(there, 1.0)
        else:
            assert not np.shares_memory(back, x)

    def test_copy_true_copies(self, device: Device) -> None:
        """``copy=True`` shares no memory with the source, on the way and at home."""
        x = _BASE.copy()
        there = device.send(x, copy=True)
        again = device.send(there, copy=True)
        x[:] = 0
        if not device._place.immutable:
            devices.copyto(there, 1.0)
        assert again is not there
        np.testing.assert_array_equal(devices.to_numpy(again), _BASE)

    def test_source_may_change_after_send(self, device: Device) -> None:
        """A copy has read its source when `send` returns."""
        x = np.ones(100_000, 'float32')
        there = device.send(x, copy=True)
        x[:] = 2
        assert devices.to_numpy(there).sum() == 100_000

    def test_converts(self, device: Device) -> None:
        """``dtype=`` converts on the way."""
        there = device.send(_BASE, dtype='int32')
        assert device._backend.facts(there).dtype == np.int32
        np.testing.assert_array_equal(devices.to_numpy(there), _BASE.astype('int32'))

    def test_trees(self, device: Device) -> None:
        """Containers are walked; numbers become arrays; None stays; an array met twice stays one."""
        sent = device.send({'a': [_BASE, _BASE], 'b': (1, 2.5, True, None, np.int16(3))})
        assert sent['a'][0] is sent['a'][1]
        assert sent['b'][3] is None
        dtypes = [device._backend.facts(sent['b'][i]).dtype for i in (0, 1, 2, 4)]
        assert dtypes == [*(device._backend.default_dtype(kind) for kind in (int, float, bool)), np.dtype('int16')]
        back = devices.to_numpy(sent)
        assert [float(back['b'][i]) for i in (0, 1, 2, 4)] == [1, 2.5, 1, 3]
        assert back['b'][4].shape == ()

    def test_a_bad_leaf_is_named(self, device: Device) -> None:
        """One leaf that cannot travel, and nothing does."""
        for bad in (np.array(['a']), np.array([object()]), np.arange(3, dtype='>f4'), object(), 'text', b'text', {1}):
            with pytest.raises(TypeError) as caught:
                device.send({'layer': [_BASE, bad]})
            assert "['layer'][1]" in str(caught.value)

    # -- transfers -----------------------------------------------------------------------------------------------

    def test_copyto(self, device: Device) -> None:
        """Written from the host, from itself and from a number; broadcast, converted, masked."""
        self._skip_if_immutable(device)
        there = device.send(np.zeros((3, 8), 'float64'), copy=True)
        devices.copyto(there, _BASE[1])
        np.testing.assert_array_equal(devices.to_numpy(there)[2], _BASE[1])
        devices.copyto(there, device.send(_BASE[3:, :], copy=True))
        np.testing.assert_array_equal(devices.to_numpy(there), _BASE[3:])
        devices.copyto(there, 7, where=_BASE[:3] > 10)
        np.testing.assert_array_equal(devices.to_numpy(there), np.where(_BASE[:3] > 10, 7, _BASE[3:]))

    def test_copyto_refuses_and_changes_nothing(self, device: Device) -> None:
        """A shape or dtype that does not fit leaves the destination as it was."""
        self._skip_if_immutable(device)
        there = device.send(np.zeros((3, 8), 'int32'), copy=True)
        for bad in (_BASE, 1.5, np.zeros(7, 'int32'), None, 'x', [1] * 8):
            with pytest.raises((TypeError, ValueError)):
                devices.copyto(there, bad)
        assert not devices.to_numpy(there).any()

    def test_immutable_arrays_share_only_when_asked(self, device: Device) -> None:
        """Where arrays cannot be written, nothing changes them: not through their source, not by `copyto`."""
        if not device._place.immutable:
            pytest.skip('arrays here can be written')
        x = _aligned(_BASE)
        there = device.send(x)
        x[:] = 0
        np.testing.assert_array_equal(devices.to_numpy(there), _BASE)
        assert device.physical != 'host' or not devices.to_numpy(there).flags.writeable
        with pytest.raises(errors.ReadOnlyError):
            devices.copyto(there, 1.0)

    def _skip_if_immutable(self, device: Device) -> None:
        if device._place.immutable:
            pytest.skip('arrays here cannot be written')

    def test_every_copy_is_traced(self, device: Device) -> None:
        """One row for each copy between memories, none for anything else, and nothing stays switched on."""
        with trace_transfers() as log:
            there = device.send({'w': _BASE})
            devices.to_numpy(there)
        if device.physical == 'host':
            assert not list(log)
        else:
            assert [(row.source, row.target) for row in log] == [('@numpy', device.name), (device.name, '@numpy')]
            assert [row.nbytes for row in log] == [_BASE.nbytes] * 2
            assert not any(row.implicit for row in log)
            assert [row.path for row in log] == ["['w']"] * 2
        device.send(_BASE)
        assert len(log) in (0, 2)

    def test_observe_can_be_switched_off_and_on(self, backend: Backend) -> None:
        """Switching the observation is repeatable."""
        for hook in (None, lambda *facts: None, None, None):
            backend.observe(hook)
