"""The DLPack table of C functions: our own, as any consumer calls it, and tables of others that cannot be believed."""

import ctypes
import gc
import sys
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import CrossdockError

sys.path.insert(0, str(Path(__file__).parents[1]))
from producers import Tensor, Versioned

NAME = b'dlpack_exchange_api'
SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
Allocate = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, SetError
)
FromObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
ToObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
Borrow = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
Stream = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
Deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
api = ctypes.PyDLL(None)  # not ctypes.pythonapi, whose prototypes all modules share


class Table(ctypes.Structure):
    _fields_ = [
        ('major', ctypes.c_uint32),
        ('minor', ctypes.c_uint32),
        ('older', ctypes.c_void_p),
        ('allocate', ctypes.c_void_p),
        ('from_object', ctypes.c_void_p),
        ('to_object', ctypes.c_void_p),
        ('borrow', ctypes.c_void_p),
        ('current_stream', ctypes.c_void_p),
    ]


def capsule_of(table, name=NAME):
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return api.PyCapsule_New(ctypes.addressof(table), name, None)


def our_table():
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return Table.from_address(api.PyCapsule_GetPointer(cx.Array.__dlpack_c_exchange_api__, NAME))


def objects_of(address):
    """The object that a C function has given a reference to, which is taken over."""
    found = ctypes.cast(address, ctypes.py_object).value
    api.Py_DecRef.argtypes = [ctypes.py_object]
    api.Py_DecRef(found)
    return found


def shape_of(tensor):
    return [tensor.shape[i] for i in range(tensor.ndim)], [tensor.strides[i] for i in range(tensor.ndim)]


def test_our_table_has_all_functions():
    table = our_table()
    assert (table.major, table.minor, table.older) == (1, 3, None)
    assert all(getattr(table, name) for name, _ in Table._fields_[3:])


def test_round_trip_through_our_table():
    table, x = our_table(), cx.asarray(np.arange(6, dtype='float32').reshape(2, 3))
    out, back = ctypes.c_void_p(), ctypes.c_void_p()
    assert FromObject(table.from_object)(x, ctypes.byref(out)) == 0
    managed = Versioned.from_address(out.value)
    assert (managed.major, managed.minor, managed.flags) == (1, 3, 0)
    assert shape_of(managed.tensor) == ([2, 3], [3, 1])
    assert ToObject(table.to_object)(out, ctypes.byref(back)) == 0
    y = objects_of(back)
    del back, managed
    assert y.data_ptr == x.data_ptr
    assert sys.getrefcount(y) == 2
    assert y.tolist() == x.tolist()


def test_from_object_says_read_only_and_refuses_strangers(device):
    table, out = our_table(), ctypes.c_void_p()
    from_object = FromObject(table.from_object)
    assert from_object(cx.zeros(3, device=device)._as_readonly(), ctypes.byref(out)) == 0
    managed = Versioned.from_address(out.value)
    assert managed.flags == 1
    Deleter(managed.deleter)(out)
    for stranger in (None, 3, np.zeros(3), cx.float32):
        with pytest.raises(TypeError):
            from_object(stranger, ctypes.byref(out))
        assert out.value is None


def test_borrowed_tensor_is_the_array(device):
    borrow, tensor = Borrow(our_table().borrow), Tensor()
    x = cx.permute_dims(cx.zeros((2, 3, 4), dtype='float64', device=device), (2, 0, 1))[::2]
    assert borrow(x, ctypes.byref(tensor)) == 0
    assert tensor.data == x.data_ptr
    assert shape_of(tensor) == ([2, 2, 3], [2, 12, 4])
    other = Tensor()
    assert borrow(x, ctypes.byref(other)) == 0
    assert ctypes.addressof(other.strides.contents) == ctypes.addressof(tensor.strides.contents)
    uneven = np.zeros(3, np.dtype([('a', 'u1'), ('b', 'f4')]))['b']
    with pytest.raises(BufferError, match='whole elements'):
        borrow(cx.asarray(uneven, copy=False), ctypes.byref(tensor))


def test_allocate(device):
    allocate, told = Allocate(our_table().allocate), []
    set_error = SetError(lambda context, kind, message: told.append((kind.decode(), message.decode())))
    x, prototype, out = cx.zeros((2, 3), dtype='int16', device=device), Tensor(), ctypes.c_void_p()
    Borrow(our_table().borrow)(x, ctypes.byref(prototype))
    assert allocate(ctypes.byref(prototype), ctypes.byref(out), None, set_error) == 0
    back = ctypes.c_void_p()
    assert ToObject(our_table().to_object)(out, ctypes.byref(back)) == 0
    y = objects_of(back)
    assert (y.shape, y.dtype, y.device) == (x.shape, x.dtype, x.device)
    assert y.data_ptr != x.data_ptr
    for field, value, kind in (
        ('ndim', -1, 'BufferError'),
        ('ndim', 65, 'BufferError'),
        ('shape', None, 'BufferError'),
        ('shape', (2**40, 2**40), 'BufferError'),
        ('shape', (2**50, 1), 'MemoryError'),
        ('dtype', (9, 9, 9), 'BufferError'),
        ('device', (2, 77), 'BufferError'),
        ('device', (12, 77), 'BufferError'),
    ):
        wrong = Tensor.from_buffer_copy(prototype)
        extents = (ctypes.c_int64 * 2)(*value) if field == 'shape' and value else None
        setattr(wrong, field, ctypes.cast(extents, ctypes.POINTER(ctypes.c_int64)) if field == 'shape' else value)
        told.clear()
        assert allocate(ctypes.byref(wrong), ctypes.byref(out), None, set_error) == -1
        assert out.value is None
        assert [each[0] for each in told] == [kind], field


def test_to_object_takes_no_nothing():
    back = ctypes.c_void_p()
    with pytest.raises(BufferError):
        ToObject(our_table().to_object)(None, ctypes.byref(back))


def test_current_stream_is_the_default():
    stream = ctypes.c_void_p(1)
    assert Stream(our_table().current_stream)(1, 0, ctypes.byref(stream)) == 0
    assert stream.value is None


class Memory:
    def __init__(self, values):
        self.values = (ctypes.c_float * len(values))(*values)
        self.fixed = False

    address = property(lambda self: ctypes.addressof(self.values))
    nbytes = property(lambda self: ctypes.sizeof(self.values))
    may_move = property(lambda self: not self.fixed)


def library(**lies):
    """A library of one array type with a table, some fields of whose tensors are not as they should be."""

    class Foreign:
        def __init__(self, values):
            self.memory_, self.lazy_, self.graph_ = Memory(values), False, False
            self.shape, self.strides = (ctypes.c_int64 * 1)(len(values)), (ctypes.c_int64 * 1)(1)

        memory = property(lambda self: self.memory_)
        lazy = property(lambda self: self.lazy_)

        def graph(self):
            return self.graph_

        def pin(self):
            self.memory_.fixed = True

    def borrow(array, out):
        tensor = out.contents
        tensor.data, tensor.ndim, tensor.dtype, tensor.device = array.memory_.address, 1, (2, 32, 1), (1, 0)
        tensor.shape = ctypes.cast(array.shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(array.strides, ctypes.POINTER(ctypes.c_int64))
        tensor.byte_offset = 0
        for name, value in lies.items():
            setattr(tensor, name, value)
        return lies.get('status', 0)

    functions = [Allocate(lambda *x: -1), FromObject(lambda *x: -1), ToObject(lambda *x: -1), Borrow(borrow)]
    functions.append(Stream(lambda *x: 0))
    pointers = [ctypes.cast(function, ctypes.c_void_p) for function in functions]
    table = Table(1, 3, None, *(pointer.value for pointer in pointers))
    Foreign.kept = functions, table
    Foreign.__dlpack_c_exchange_api__ = capsule_of(table)
    return Foreign


def reader_of(array_type, level=None):
    questions = exchange.Questions(
        globals={'level': 0} if level is None else level,
        key='level',
        quiet=0,
        unless_graph=(array_type.graph,),
        unless_kind=(array_type.lazy,),
        unless_complex=(),
        memory=array_type.memory,
        address=Memory.address,
        nbytes=Memory.nbytes,
        may_move=Memory.may_move,
        pin=array_type.pin,
    )
    return exchange.table_reader(array_type, questions)


def sender(reader):
    class Place:
        @exchange.short_cut(lambda place, array_type: (reader, exchange.core_writer(cx.device('native:0'))))
        def send(self, array):
            return 'the general path'

    return Place().send


def test_a_library_with_a_table():
    foreign, level = library(), {'level': 0}
    send = sender(reader_of(foreign, level))
    x = foreign([1, 2, 3])
    y = send(x)
    assert y.tolist() == [1, 2, 3]
    assert y.data_ptr == x.memory_.address
    assert x.memory_.fixed
    memory = weakref.ref(x.memory_)
    del x
    gc.collect()
    assert memory() is not None
    assert y.tolist() == [1, 2, 3]
    del y
    gc.collect()
    assert memory() is None
    for name in ('lazy_', 'graph_'):
        for value in (True, None, 0, 'false'):  # only False is no
            x = foreign([1])
            setattr(x, name, value)
            assert send(x) == 'the general path'
    level['level'] = 1
    assert send(foreign([1])) == 'the general path'
    level.clear()
    assert send(foreign([1])) == 'the general path'
    assert send(type('Sub', (foreign,), {})([1])) == 'the general path'


def test_questions_that_raise_or_lie():
    foreign = library()
    send = sender(reader_of(foreign))
    for name in ('memory_', 'lazy_', 'graph_'):
        x = foreign([1])
        delattr(x, name)
        assert send(x) == 'the general path'
    x = foreign([1])
    x.memory_ = None
    assert send(x) == 'the general path'
    x = foreign([1, 2, 3])
    x.memory_ = Memory([1, 2])  # shorter than the array says
    assert send(x) == 'the general path'
    x = foreign([1, 2, 3])
    x.shape[0] = 4
    assert send(x) == 'the general path'
    x.shape[0], x.strides[0] = 2, 3
    assert send(x) == 'the general path'
    x.shape[0], x.strides[0] = 2, -1
    assert send(x) == 'the general path'
    x.shape[0], x.strides[0] = 2, 2**62
    assert send(x) == 'the general path'
    x.shape[0], x.strides[0] = 2, 0
    assert send(x) == 'the general path'  # elements that repeat count as read-only


@pytest.mark.parametrize(
    'lies',
    [
        {'ndim': -1},
        {'ndim': 1000},
        {'shape': None},
        {'data': None},
        {'dtype': (2, 32, 4)},
        {'dtype': (77, 1, 1)},
        {'device': (2, 0)},
        {'device': (12, 0)},
        {'device': (3, 0)},
        {'byte_offset': 2**63},
        {'byte_offset': 4},
        {'status': -1},
    ],
)
def test_tensors_that_cannot_be_believed(lies):
    foreign = library(**lies)
    send, x = sender(reader_of(foreign)), foreign([1, 2, 3])
    before = sys.getrefcount(x.memory_)
    assert send(x) == 'the general path'
    after = sys.getrefcount(x.memory_)  # not inside the assert, which keeps what it compares
    assert after == before


def test_tables_that_cannot_be_used():
    good = library().kept[1]
    for field in ('allocate', 'from_object', 'to_object', 'borrow', 'current_stream', 'major', 'minor'):
        table = Table.from_buffer_copy(good)
        setattr(table, field, 0)
        assert reader_of(with_table(capsule_of(table))) is None, field
    later = Table.from_buffer_copy(good)
    later.major, later.older = 2, ctypes.addressof(good)
    assert reader_of(with_table(capsule_of(later))) is not None
    later.older = ctypes.addressof(later)
    assert reader_of(with_table(capsule_of(later))) is None
    for rubbish in (None, 3, object(), b'dlpack_exchange_api', capsule_of(good, b'something else')):
        assert reader_of(with_table(rubbish)) is None
    assert reader_of(with_table(None, delete=True)) is None


def with_table(capsule, delete=False):
    foreign = library()
    foreign.__dlpack_c_exchange_api__ = capsule
    if delete:
        del foreign.__dlpack_c_exchange_api__
    return foreign


def test_writers_that_fail_leave_it_to_the_general_path():
    foreign = library()
    writer = exchange.table_writer(foreign, readonly=True, negative_strides=True, odd_strides=True, dtypes=['float32'])

    class Place:
        @exchange.short_cut(lambda place, array_type: (exchange.core_reader(), writer))
        def send(self, array):
            return 'the general path'

    assert writer is not None
    x = cx.zeros(3, dtype='float32')
    assert Place().send(x) == 'the general path'
    assert Place().send(cx.zeros(3)) == 'the general path'


def test_find_may_raise_or_answer_rubbish():
    for find in (
        lambda place, array_type: 1 / 0,
        lambda place, array_type: (1, 2),
        lambda place, array_type: (),
        lambda place, array_type: 3,
    ):

        class Place:
            @exchange.short_cut(find)
            def send(self, array):
                return 'the general path'

        assert Place().send(cx.zeros(3)) == 'the general path'
    with pytest.raises(TypeError):
        cx._core._ShortCut()
    with pytest.raises((TypeError, CrossdockError)):
        reader_of(type('Foreign', (library(),), {'lazy': 3}))


def test_an_interrupt_goes_through():
    def interrupt(*_):
        raise KeyboardInterrupt

    class Place:
        @exchange.short_cut(interrupt)
        def send(self, array):
            return 'the general path'

    with pytest.raises(KeyboardInterrupt):
        Place().send(cx.zeros(3))
    foreign = library()
    foreign.graph = interrupt
    with pytest.raises(KeyboardInterrupt):
        sender(reader_of(foreign))(foreign([1]))


def test_attributes_of_an_unfit_kind():
    foreign = library()
    for wrong in (3, None, 'lazy'):
        with pytest.raises(TypeError):
            exchange.table_reader(
                foreign,
                exchange.Questions({}, 'k', 0, (wrong,), (), foreign.memory, Memory.address, wrong, wrong, wrong),
            )


def test_short_cuts_are_forgotten():
    asked = []

    def find(place, array_type):
        asked.append(array_type)
        return exchange.core_reader(), exchange.numpy_writer()

    class Place:
        @exchange.short_cut(find)
        def send(self, array):
            return 'the general path'

    place, x = Place(), cx.zeros(3)
    assert isinstance(place.send(x), np.ndarray)
    assert isinstance(place.send(x), np.ndarray)
    assert asked == [cx.Array]
    Place.send.forget()
    assert isinstance(place.send(x), np.ndarray)
    assert asked == [cx.Array] * 2
    gone = weakref.ref(place)
    del place
    Place.send.forget()
    gc.collect()
    assert gone() is None
    partial(Place.send, Place())(x)
