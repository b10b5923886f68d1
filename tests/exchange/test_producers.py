"""Producers that nobody knows: whatever they say, the result is right or a refusal, and each export is freed once."""

import ctypes
import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock import errors

sys.path.insert(0, str(Path(__file__).parents[1]))
from producers import OldProducer, Producer, Versioned

DOUBLES = (ctypes.c_double * 6)(0, 1, 2, 3, 4, 5)
HOSTS = ['@numpy', 'native:0']


def _works(spec):
    try:
        xd.get_device(spec).send(np.float32(0))
    except errors.DeviceUnavailableError:
        return False
    return True


SPECS = [spec for spec in (*HOSTS, 'sim:0', '@torch:cpu', '@jax:0') if _works(spec)]


@pytest.fixture(params=SPECS)
def device(request):
    return xd.get_device(request.param)


def sent(device, producer):
    """What arrives, as nested lists; JAX gets it in a type that it has."""
    return xd.to_numpy(device.send(producer, dtype='float32' if device.kind == 'jax' else None)).tolist()


@pytest.mark.parametrize(
    ('keywords', 'want'),
    [
        ({'shape': (2, 3)}, [[0, 1, 2], [3, 4, 5]]),
        ({'shape': (2, 3), 'version': (1, 3)}, [[0, 1, 2], [3, 4, 5]]),
        ({'shape': (2, 3), 'version': None}, [[0, 1, 2], [3, 4, 5]]),
        ({'shape': (2, 3), 'strides': (3, 1), 'version': (1, 3)}, [[0, 1, 2], [3, 4, 5]]),
        ({'shape': (3, 2), 'strides': (1, 3)}, [[0, 3], [1, 4], [2, 5]]),
        ({'shape': (2,), 'strides': (1,), 'byte_offset': 16}, [2, 3]),
        ({'shape': (2,), 'strides': (2,), 'byte_offset': 8, 'version': None}, [1, 3]),
        ({'shape': (6,), 'strides': (-1,), 'byte_offset': 40}, [5, 4, 3, 2, 1, 0]),
        ({'shape': (3, 1), 'strides': (2, 99)}, [[0], [2], [4]]),
        ({'shape': (1, 3), 'strides': (-7, 1)}, [[0, 1, 2]]),
        ({'shape': (2, 3), 'strides': (0, 1)}, [[0, 1, 2]] * 2),
        ({'shape': (), 'strides': ()}, 0),
        ({'shape': ()}, 0),
    ],
)
def test_layouts(device, keywords, want):
    producer = Producer(DOUBLES, **keywords)
    assert sent(device, producer) == want
    gc.collect()
    device.synchronize()
    assert producer.settled


@pytest.mark.parametrize('shape', [(0,), (1, 8, 0, 128), (0, 5)])
@pytest.mark.parametrize('values', [None, DOUBLES])
@pytest.mark.parametrize('version', [None, (1, 0), (1, 3)])
@pytest.mark.parametrize('strided', [False, True])
def test_zero_size(device, shape, values, version, strided):
    strides = tuple(range(5, 5 + len(shape))) if strided else None
    producer = Producer(values, shape, strides=strides, version=version, dtype=(2, 32, 1))
    x = device.send(producer)
    assert tuple(x.shape) == shape and xd.to_numpy(x).shape == shape
    again = xd.get_device('native:0').send(x)
    assert again.shape == shape
    del x, again
    gc.collect()
    assert producer.settled


@pytest.mark.parametrize(
    ('kind', 'version', 'flags', 'writable'),
    [
        (Producer, (1, 0), 0, True),
        (Producer, (1, 9), 0, True),
        (Producer, (1, 0), 1, False),
        (Producer, (1, 3), 3, False),
        (Producer, None, 0, False),
        (OldProducer, None, 0, False),
    ],
)
@pytest.mark.parametrize('spec', HOSTS)
def test_writable_only_if_the_producer_can_say_so(spec, kind, version, flags, writable):
    # numpy/numpy#28599, wjakob/nanobind#1122
    producer = kind(DOUBLES, (6,), strides=(1,), version=version, flags=flags)
    there = xd.get_device(spec).send(producer)
    host = xd.to_numpy(there)
    assert host.flags.writeable is writable and host.ctypes.data == ctypes.addressof(DOUBLES)
    if '@torch:cpu' in SPECS:
        tensor = xd.get_device('@torch:cpu').send(producer)
        assert (tensor.data_ptr() == ctypes.addressof(DOUBLES)) is writable


@pytest.mark.parametrize('place', [(2, 0), (2, 77), (12, 0), (99, 0), (0, 0), (-1, 0)])
@pytest.mark.parametrize('version', [None, (1, 0)])
def test_unknown_places_are_named(device, place, version):
    # numpy/numpy#30937
    producer = Producer(DOUBLES, (6,), strides=(1,), device=place, version=version)
    with pytest.raises(errors.UnknownArrayError) as caught:
        device.send(producer)
    assert str(place) in str(caught.value)
    gc.collect()
    assert all(count == 1 for count in producer.freed.values())


def test_there_is_one_host(device):
    producer = Producer(DOUBLES, (6,), strides=(1,), device=(1, 7))
    assert sent(device, producer) == list(DOUBLES)


@pytest.mark.parametrize('claimed', [(2, 0), (12, 0)])
def test_who_says_two_things_about_the_place(device, claimed):
    producer = Producer(DOUBLES, (6,), strides=(1,), device=claimed, says=(1, 0))
    with pytest.raises(TypeError):
        device.send(producer)
    gc.collect()
    assert producer.settled


@pytest.mark.parametrize('version', [(2, 0), (7, 3), (2**32 - 1, 0)])
def test_other_major_versions(device, version):
    producer = Producer(DOUBLES, (6,), strides=(1,), version=version)
    with pytest.raises(errors.UnknownArrayError, match='ersion'):
        device.send(producer)
    gc.collect()
    assert producer.settled


@pytest.mark.parametrize(
    'keywords',
    [
        {'values': None, 'shape': (6,)},
        {'values': DOUBLES, 'shape': (-6,)},
        {'values': DOUBLES, 'shape': (2**62, 8)},
        {'values': DOUBLES, 'shape': (6,), 'dtype': (2, 64, 2)},
        {'values': DOUBLES, 'shape': (6,), 'dtype': (3, 64, 1)},
        {'values': DOUBLES, 'shape': (6,), 'dtype': (200, 7, 9)},
    ],
)
@pytest.mark.parametrize('version', [None, (1, 0)])
def test_what_makes_no_sense_is_refused(device, keywords, version):
    producer = Producer(version=version, **keywords)
    with pytest.raises((TypeError, ValueError)):
        device.send({'x': producer})
    gc.collect()
    assert producer.settled


def test_every_type_triple():
    """In a process of its own. cupy/cupy#8801: an unknown type took the process down."""
    code = f"""if True:
        import ctypes, gc, sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from producers import Producer
        import numpy as np, ml_dtypes, crossdock as xd
        values = (ctypes.c_uint8 * 512)(*[0, 1] * 256)
        gc.freeze()
        read = set()
        for spec in {SPECS!r}:
            xd.get_device(spec).send(np.float32(0))
        gc.freeze()
        for code in range(24):
            for bits in (0, 1, 4, 6, 7, 8, 16, 24, 32, 64, 128, 255):
                for lanes in (0, 1, 2):
                    for flags in (0, 4):
                        producer = Producer(values, (4,), dtype=(code, bits, lanes), flags=flags)
                        try:
                            x = xd.to_numpy(producer)
                        except TypeError:
                            assert producer.settled, (code, bits, lanes)
                            continue
                        assert lanes == 1 and (x.dtype.itemsize * 8 == bits or (bits == 4 and flags == 4))
                        assert x.tobytes() == bytes(values)[:x.nbytes], (code, bits)
                        read.add(x.dtype.name)
                        for spec in {SPECS!r}:
                            try:
                                y = xd.get_device(spec).send(producer)
                            except xd.errors.DtypeError:
                                continue
                            assert xd.to_numpy(y).tobytes() == x.tobytes(), (code, bits, spec)
                        x = y = None
                        gc.collect()
                        assert producer.settled, (code, bits, lanes, producer.freed)
        print(*sorted(read))
    """
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    read = set(out.stdout.split())
    assert {'bool', 'int8', 'uint64', 'float16', 'float64', 'complex128', 'bfloat16', 'float8_e4m3fn'} <= read


@pytest.mark.parametrize('spec', HOSTS)
def test_freed_once_when_the_last_view_goes(spec):
    producer = Producer(DOUBLES, (2, 3), strides=(3, 1))
    x = xd.get_device(spec).send(producer)
    view = xd.to_numpy(x)[1:]
    del x
    gc.collect()
    assert not any(producer.freed.values()) and view.tolist() == [[3, 4, 5]]
    del view
    gc.collect()
    assert producer.settled


@pytest.mark.parametrize('spec', HOSTS)
def test_freed_from_another_thread(spec):
    producer = Producer(DOUBLES, (6,), strides=(1,))
    box = [xd.get_device(spec).send(producer)]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert producer.settled


def test_plans_and_refusals_free_what_they_looked_at(device):
    producer = Producer(DOUBLES, (6,), strides=(-1,), byte_offset=40, version=(1, 0))
    for _ in range(3):
        if device.kind != 'jax':
            xd.plan(producer, device)
        with pytest.raises((errors.CopyRequiredError, TypeError)):
            device.send([producer, object()], copy=False)
    gc.collect()
    assert len(producer.freed) >= 3 and producer.settled


def test_a_capsule_by_itself_is_no_array(device):
    # explosion/thinc#741: the message named another cause.
    with pytest.raises(errors.UnknownArrayError, match='PyCapsule'):
        device.send(Producer(DOUBLES, (6,)).__dlpack__())


@pytest.mark.parametrize('spec', HOSTS)
def test_what_we_export_is_freed_without_the_interpreters_lock(spec):
    """The deleter is called as a C library would: through ctypes, which lets go of the lock, and from a thread."""
    a = np.ones(4)
    before = sys.getrefcount(a)
    x = xd.get_device(spec).send(a)
    pythonapi = ctypes.PyDLL(None)
    pointer = pythonapi.PyCapsule_GetPointer
    rename = pythonapi.PyCapsule_SetName
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = ctypes.c_char_p(b'used_dltensor_versioned')
    threads = []
    for _ in range(10):
        capsule = x.__dlpack__(max_version=(1, 0))
        address = pointer(capsule, b'dltensor_versioned')
        rename(capsule, name)
        struct = Versioned.from_address(address)
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(struct.deleter)
        threads.append(threading.Thread(target=free, args=(address,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del x, capsule
    gc.collect()
    assert sys.getrefcount(a) == before


def test_at_the_end_of_the_interpreter():
    code = f"""if True:
        import ctypes, sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from producers import Producer
        import crossdock as xd
        values = (ctypes.c_double * 6)()
        producers = [Producer(values, (6,), strides=(1,)) for _ in range(5)]
        held = [xd.get_device(spec).send(p) for p, spec in zip(producers, {SPECS[:4]!r})]
        dropped = [xd.get_device('native:0').send(p).__dlpack__(max_version=(1, 0)) for p in producers]
        class Late:
            def __del__(self, x=held[1]):
                del x
        sys.modules['late'] = Late()
        print('end')
    """
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert (out.returncode, out.stdout, out.stderr) == (0, 'end\n', '')
