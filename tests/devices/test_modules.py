import time

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import MixedDevicesError, UnknownArrayError

ASKS = [xd.get_array_module, xd.get_device_from_array]


@pytest.fixture
def arrays():
    return {spec: xd.get_device(spec).send(np.ones(2), copy=True) for spec in ('@numpy', 'native:0', 'sim:0', 'sim:1')}


@pytest.mark.parametrize('spec', ['@numpy', 'native:0', 'sim:0', 'sim:1'])
def test_arrays_decide(arrays, spec):
    # data-apis/array-api-compat#164, scipy/scipy#25357: scalars, None and lists beside an array gave another answer
    x, device = arrays[spec], xd.get_device(spec)
    for arguments in (
        (x,),
        (x, x),
        (x, 1.0),
        (None, x),
        (np.float32(1), x),
        (True, x, [1, 2]),
        ([x],),
        ([1, (x, None)], 2),
    ):
        assert xd.get_array_module(*arguments) is device.xp
        assert xd.get_device_from_array(*arguments) is device


@pytest.mark.parametrize(
    'arguments',
    [(), (1.0,), (None,), (np.float32(1), 2), (np.bool_(1),), ([],), ([1, [2]],), (1j, True), (ml_dtypes.bfloat16(1),)],
)
def test_no_array_is_numpy(arguments):
    assert xd.get_array_module(*arguments) is np
    assert xd.get_device_from_array(*arguments) is xd.get_device('@numpy')


@pytest.mark.parametrize('ask', ASKS)
@pytest.mark.parametrize(
    'odd', [object(), 'x', b'x', {'a': 1}, {1}, np, np.ndarray, range(3), np.str_('x'), memoryview(b'x')]
)
def test_others_are_unknown(arrays, ask, odd):
    # cupy/cupy#554, explosion/thinc#703, chainer/chainer#4595: whatever is not known is taken for NumPy
    with pytest.raises(UnknownArrayError, match='argument 0'):
        ask(odd)
    with pytest.raises(UnknownArrayError, match=r'argument 1\[0\]'):
        ask(arrays['native:0'], [odd])


@pytest.mark.parametrize('ask', ASKS)
def test_a_foreign_array_is_told_to_be_sent(ask):
    class Tensor:
        def __dlpack__(self, **keywords):
            raise AssertionError('asking must not export')

        def __dlpack_device__(self):
            return 1, 0

    with pytest.raises(UnknownArrayError, match=r'Tensor, of a library that is not known here; .*send\(x\)'):
        ask(Tensor())


def test_subclasses_of_arrays_are_arrays():
    class Sub(np.ndarray):
        pass

    for x in (np.zeros(2).view(Sub), np.ma.array([1, 2], mask=[0, 1]), np.array(['text']), np.array([None])):
        assert xd.get_array_module(x) is np
        assert xd.get_device_from_array(x) is xd.get_device('@numpy')


@pytest.mark.parametrize('ask', ASKS)
def test_mixing_is_named(arrays, ask):
    with pytest.raises(MixedDevicesError) as caught:
        ask(1.0, arrays['@numpy'], [arrays['sim:1']])
    error = caught.value
    assert error.arguments == ((1, '@numpy'), ('2[0]', 'sim:1'))
    assert error.devices == ('@numpy', 'sim:1')
    assert isinstance(error, TypeError)
    for said in ('argument 1 on @numpy', 'argument 2[0] on sim:1', 'send'):
        assert said in str(error)


def test_mixed_device_takes_the_other_library(arrays):
    pair = arrays['@numpy'], arrays['sim:1']
    assert xd.get_array_module(*pair, mixed='device') is xd.core
    assert xd.get_device_from_array(*pair, mixed='device') is xd.get_device('sim:1')
    with pytest.raises(MixedDevicesError):
        xd.get_device_from_array(*pair, arrays['sim:0'], mixed='device')
    with pytest.raises(ValueError, match='mixed'):
        xd.get_array_module(*pair, mixed='guess')


def test_one_library_on_two_devices(arrays):
    pair = arrays['sim:0'], arrays['sim:1']
    assert xd.get_array_module(*pair) is xd.core
    with pytest.raises(MixedDevicesError, match=r'sim:0.*sim:1'):
        xd.get_device_from_array(*pair)


@pytest.mark.parametrize('ask', ASKS)
def test_long_lists_take_linear_time(ask):
    began = time.process_time()
    ask([0.0] * 200_000)
    assert time.process_time() - began < 5


@pytest.mark.parametrize('ask', ASKS)
def test_a_list_that_contains_itself(ask):
    endless = [1]
    endless.append([endless])
    with pytest.raises(TypeError, match='contains itself'):
        ask(endless)


@pytest.mark.parametrize('ask', ASKS)
@pytest.mark.parametrize('argument', [{'a': np.ones(1)}, bytearray(b'ab'), {1}, 'text', range(3)])
def test_the_error_of_an_argument_says_what_is_allowed_here(ask, argument):
    with pytest.raises(UnknownArrayError) as caught:
        ask(1.0, argument)
    said = str(caught.value)
    assert said.startswith('argument 1 is ')
    assert 'lists and tuples' in said
    assert 'buffer' not in said
    assert 'dataclasses' not in said


@pytest.mark.parametrize('ask', ASKS)
def test_a_bad_rule_is_refused_where_it_would_not_matter(ask):
    with pytest.raises(ValueError, match="mixed='nope'"):
        ask(np.ones(1), 1, mixed='nope')
