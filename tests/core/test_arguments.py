"""What compiled functions say of arguments that their signatures do not take."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np
import pytest

import crossdock as xd
import crossdock.core as cx

NATIVE = cx.ones((2, 2))
SIM = cx.ones((2, 2), device='sim:0')
WRONG: list[Any] = [None, 'word', b'w', [1.0], (1, 'a'), {}, 1.5, -1, 2**70, object(), np.ones(2), SIM, NATIVE]
#: Words of the compiler and of nanobind.
FOREIGN = ('incompatible function', 'nanobind', 'std::', '_core.')
#: These change the process.
LEFT_OUT = {'set_num_threads', 'clear_faults', 'inject'}


def test_a_keyword_that_is_not_there() -> None:
    with pytest.raises(TypeError) as caught:
        cx.sum(NATIVE, dim=0)  # type: ignore[call-arg]
    told = str(caught.value)
    assert told.startswith("sum: there is no argument 'dim'; did you mean 'axis'? Write sum(x, /, axis=None, *, ")
    with pytest.raises(TypeError, match=r"zeros: there is no argument 'devise'; did you mean 'device'\? Write zeros\("):
        cx.zeros(3, devise='sim:0')  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"reshape: there is no argument 'order'; write x\.reshape\(\*shape\)"):
        NATIVE.reshape(4, order='F')  # type: ignore[call-arg]


def test_too_few_and_too_many() -> None:
    with pytest.raises(TypeError, match=r'add: x2 is missing; write add\(x1, x2\)'):
        cx.add(NATIVE)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r'add: it takes 2 positional arguments, and was given 3; write add'):
        cx.add(NATIVE, NATIVE, NATIVE)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r'item: it takes no positional arguments, and was given 1; write x.item\(\)'):
        NATIVE.item(0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match='__format__: format_spec is given by its place, without its name'):
        NATIVE.__format__(format_spec='')  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ('wrong', 'told'),
    [
        ('rows', "axis is 'rows', and takes an int or None"),
        (1.5, 'axis is 1.5, and takes an int or None'),
        (2**70, f'axis is {2**70}, and takes an int of 64 bits or None'),
        (2**5000, 'axis is a huge int, and takes an int of 64 bits or None'),
        (np.ones(2), 'axis is a NumPy array, and takes an int or None'),
        (object(), 'axis is an object, and takes an int or None'),
        ('w' * 99, "axis is 'wwww"),
    ],
)
def test_a_value_of_the_wrong_type(wrong: Any, told: str) -> None:
    with pytest.raises(TypeError) as caught:
        cx.argmax(NATIVE, axis=wrong)
    assert str(caught.value).startswith(f'argmax: {told}')
    assert str(caught.value).endswith('; write argmax(x, /, axis=None, *, keepdims=False)')


@pytest.mark.parametrize('array', [NATIVE, SIM], ids=['native', 'sim'])
@pytest.mark.parametrize('name', ['sum', 'prod', 'mean', 'max', 'min', 'any', 'all'])
def test_numpys_function_of_the_same_name(array: cx.Array, name: str) -> None:
    with pytest.raises(TypeError) as caught:
        getattr(np, name)(array)
    assert f'call crossdock.core.{name}, or give it crossdock.to_numpy(x)' in str(caught.value)
    assert getattr(cx, name)(array).ndim == 0 and np.ndim(getattr(np, name)(xd.to_numpy(array))) == 0


def test_what_is_called_inside_tells_no_signature_that_is_not_the_users() -> None:
    with pytest.raises(TypeError, match=r'^copy_into: source is None, and takes an array of .* arrays$'):
        cx.exchange.copy_into(NATIVE, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^counters: index is 'a', and takes an int$"):
        cx.sim.counters('a')  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r'^vector_norm: keepdims is None, and takes True or False$'):
        cx.linalg.vector_norm(NATIVE, keepdims=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('cls', 'way'),
    [
        (cx.dtype, 'crossdock.core.float32'),
        (cx.Device, r"device\('native:0'\)"),
        (cx.PinnedMemoryPool, 'pinned_memory_pool'),
    ],
)
def test_classes_that_make_nothing_say_what_does(cls: type, way: str) -> None:
    for make in (cls, lambda: cls.__new__(cls), lambda: cls('float32')):
        with pytest.raises(TypeError, match=way):
            make()
    with pytest.raises(TypeError):
        object.__new__(cls)


def test_an_error_of_another_function_inside_stays_as_it_is() -> None:
    class Odd:
        def __dlpack__(self, **kwargs: Any) -> Any:
            raise TypeError('from_dlpack(): incompatible function arguments, says somebody else')

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    with pytest.raises(TypeError, match='says somebody else'):
        cx.from_dlpack(Odd())


def functions() -> list[Any]:
    """Every compiled function, method and property's function that a user can reach."""
    spaces = (cx, cx.linalg, cx.fft, cx.sim)
    found = [(name, getattr(space, name)) for space in spaces for name in space.__all__]
    for thing in (NATIVE, NATIVE.device, cx.float32, cx.pinned_memory_pool('sim:0')):
        found += [(name, getattr(thing, name)) for name in dir(type(thing)) if not name.startswith('__')]
    return [
        pytest.param(value, id=f'{getattr(value, "__module__", "")}.{name}')
        for name, value in found
        if callable(value) and not isinstance(value, type | types.ModuleType) and not name.startswith('_')
        if name not in LEFT_OUT and not inspect.isclass(value)
    ]


@pytest.mark.parametrize('function', functions())
@pytest.mark.filterwarnings('ignore')
def test_no_function_speaks_as_nanobind(function: Any) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {}), ((NATIVE,), {'bogus': 1}), ((NATIVE,) * 9, {})]
    for wrong in WRONG:
        calls += [((wrong,), {}), ((NATIVE, wrong), {}), ((wrong, NATIVE), {}), ((wrong, wrong), {})]
        calls += [((NATIVE,), {name: wrong}) for name in ('axis', 'dtype', 'device', 'keepdims', 'shape', 'copy')]
    for arguments, named in calls:
        error = error_of(function, *arguments, **named)
        told = str(error)
        assert not isinstance(error, AttributeError | SystemError | AssertionError), (arguments, named, told)
        assert told and not any(word in told for word in FOREIGN), (arguments, named, told)


def error_of(function: Any, *arguments: Any, **named: Any) -> Exception:
    """What a call raises, or what it leaves to be found later; 'none' in place of nothing."""
    try:
        function(*arguments, **named)
        SIM.device.synchronize()
    except Exception as error:
        return error
    return RuntimeError('none')


class Foreign:
    """An array of a library that has never heard of ours."""

    __module__ = 'elsewhere'

    def __dlpack__(self, **kwargs: Any) -> Any:
        return np.ones(2).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Knowing(Foreign):
    """One that has."""

    def __eq__(self, other: object) -> Any:
        return 'equal by me'

    def __ne__(self, other: object) -> Any:
        return 'unequal by me'


@pytest.mark.parametrize('array', [cx.ones(2), cx.ones(2, device='sim:0')], ids=['native', 'sim'])
def test_arrays_of_other_libraries_are_named_with_the_way_to_move_them(array: cx.Array) -> None:
    calls: list[Any] = [
        lambda: cx.add(array, Foreign()),  # type: ignore[arg-type]
        lambda: cx.exp(Foreign()),  # type: ignore[arg-type]
        lambda: cx.matmul(array, Foreign()),  # type: ignore[arg-type]
        lambda: cx.stack([array, Foreign()]),  # type: ignore[list-item]
        lambda: array.__setitem__(0, Foreign()),  # type: ignore[call-overload]
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r'an array of another library \(elsewhere\.Foreign\) does not mix'):
            call()


@pytest.mark.parametrize('array', [cx.ones(2), cx.ones(2, device='sim:0')], ids=['native', 'sim'])
def test_comparing_with_an_array_of_another_library_is_never_just_false(array: cx.Array) -> None:
    way = rf"get_device\('{array.device}'\)\.send"
    for compare in (lambda: array == Foreign(), lambda: Foreign() == array):
        with pytest.raises(TypeError, match=rf'^equal: an array of another library .*{way}'):
            compare()
    with pytest.raises(TypeError, match=r'^not_equal: '):
        _ = array != Foreign()
    assert (array == Knowing()) == (Knowing() == array) == 'equal by me'
    assert (array != Knowing()) == 'unequal by me'
    assert (array == object()) is False and (array != 'word') is True
