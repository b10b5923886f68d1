"""The grammar of specs: what is in it, what is not, and what is said then."""

import enum
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.devices import _lookup
from crossdock.errors import DeviceUnavailableError, SpecError, SpecTypeError

# The grammar once more, as a pattern: two ways to say it must agree.
GRAMMAR = re.compile(
    r'@numpy|@intel64|@cupy:N|(native|cuda|sim)(:N)?|-1|N'.replace('N', '(0|[1-9][0-9]{0,4})'), re.ASCII
)


@pytest.mark.parametrize(
    ('bad', 'nearest'),
    [
        ('cud:0', 'cuda:0'),
        ('gpu:1', '@cupy:1'),
        ('cpu:0', '@numpy'),
        ('cud', 'cuda:0'),
        ('CUDA:1', 'cuda:1'),
        ('Native', 'native:0'),
        ('numpy', '@numpy'),
        ('@nunpy', '@numpy'),
        ('@native:1', 'native:1'),
        ('cupy:3', '@cupy:3'),
        ('@cupy', '@cupy:0'),
        ('cpu', '@numpy'),
        ('gpu', '@cupy:0'),
        ('@numpy:0', '@numpy'),
        ('native:0x', 'native:0'),
        ('native:12x', 'native:12'),
        ('sim:', 'sim:0'),
        (' -1 ', '-1'),
        (' @numpy', '@numpy'),
        ('zzz', None),
        ('', None),
    ],
)
def test_the_nearest_spec_is_named(bad, nearest):
    with pytest.raises(SpecError) as caught:
        xd.get_device(bad)
    error = caught.value
    assert error.spec == bad
    assert error.nearest == nearest
    assert repr(bad) in str(error)
    assert {'@numpy', 'native', 'sim', 'cuda', '@cupy', '@intel64'} <= set(error.known)
    if nearest:
        assert f'Did you mean {nearest!r}?' in str(error)


@pytest.mark.parametrize(
    'other', ['mps', '@mps', '@mxnet', '@mlx:0', '@tf', '@dpnp:gpu', 'xpu', 'tpu', 'hip', 'rocm', 'metal']
)
def test_nothing_is_guessed_for_the_devices_of_others(other):
    with pytest.raises(SpecError, match=r'known kinds: @cupy, ') as caught:
        xd.get_device(other)
    assert caught.value.nearest is None
    assert 'Did you mean' not in str(caught.value)


@pytest.mark.parametrize(
    ('bad', 'nearest'),
    [
        ('torch', '@torch:cpu'),
        ('@torch', '@torch:cpu'),
        ('@torch:cuda', '@torch:cuda:0'),
        ('@torch:gpu:1', '@torch:cuda:1'),
        ('@torch:1', '@torch:cuda:1'),
        ('@torch:cpu:0', '@torch:cpu'),
        ('@torch:mps', '@torch:cpu'),
        ('jax', '@jax:0'),
        ('@jax', '@jax:0'),
        ('@jax:cpu', '@jax:cpu:0'),
        ('@jax:gpu:0', '@jax:cuda:0'),
        ('@jax:tpu:0', '@jax:0'),
        ('@jax:00', '@jax:0'),
    ],
)
def test_places_of_torch_and_jax_are_named_in_full(bad, nearest):
    with pytest.raises(SpecError) as caught:
        xd.get_device(bad)
    assert caught.value.nearest == nearest


@pytest.mark.parametrize('spec', ['auto', 'AUTO', ' auto'])
def test_who_chooses_is_named(spec):
    with pytest.raises(SpecError, match=r'choose_device\(\).*--device auto') as caught:
        xd.get_device(spec)
    assert caught.value.spec == spec
    assert '@numpy' in caught.value.known


def test_the_message_of_an_unknown_kind():
    with pytest.raises(
        SpecError, match=r"no device kind 'cud' in 'cud:0'; known kinds: @cupy, .*@numpy, .*cuda, native, sim"
    ):
        xd.get_device('cud:0')


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_device_or_a_spec_error(text):
    _check(text)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                '@',
                ':',
                'numpy',
                'native',
                'sim',
                'cuda',
                'cupy',
                'intel64',
                '0',
                '1',
                '9',
                '-',
                '+',
                ' ',
                '\n',
                'x',
                '_',
                '٣',
            ]
        )
    )
)
def test_any_text_that_looks_like_a_spec_is_a_device_or_a_spec_error(parts):
    _check(''.join(parts))


def _check(text):
    outcome = _get(text)
    if GRAMMAR.fullmatch(text):
        assert outcome.reason if isinstance(outcome, DeviceUnavailableError) else xd.get_device(str(outcome)) is outcome
    else:
        assert type(outcome) is SpecError
        assert outcome.spec == text


def _get(text):
    try:
        return xd.get_device(text)
    except (DeviceUnavailableError, SpecError) as error:
        return error


@pytest.mark.parametrize('spec', [-1, '-1', np.int8(-1), np.int64(-1)])
def test_minus_one_is_numpy(spec):
    assert xd.get_device(spec) is xd.get_device('@numpy')


@pytest.mark.parametrize('spec', [-2, np.int8(-7), 100_000, 10**30])
def test_other_numbers_are_refused(spec):
    with pytest.raises(SpecError) as caught:
        xd.get_device(spec)
    assert not isinstance(caught.value, SpecTypeError)
    assert str(spec) in str(caught.value)


@pytest.mark.parametrize(
    'spec',
    [
        None,
        True,
        False,
        np.True_,
        1.0,
        0.0,
        np.float32(1),
        1j,
        b'@numpy',
        ['@numpy'],
        {},
        object(),
        int,
        np,
        np.zeros(1),
    ],
)
def test_wrong_types_are_named(spec):
    xd.get_device(-1), xd.get_device('native')  # whatever these leave behind must not be found as 1.0 or True
    with pytest.raises(SpecTypeError) as caught:
        xd.get_device(spec)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)
    assert "'@numpy'" in str(caught.value)


def test_an_object_with_a_strange_hash_is_a_wrong_type():
    class Strange:
        def __hash__(self):
            raise ZeroDivisionError

    with pytest.raises(SpecTypeError):
        xd.get_device(Strange())


def test_a_subclass_of_str_is_a_str():
    assert xd.get_device(np.str_('native:0')) is xd.get_device('native')


def test_a_bare_kind_means_index_0():
    # pytorch/pytorch#115405, pytorch/pytorch#181140: 'cuda' was another device than 'cuda:0', or index -1
    assert xd.get_device('native') is xd.get_device('native:0')
    assert xd.get_device('sim').index == 0


@pytest.mark.parametrize('spec', ['cuda:9', '@cupy:9', 9])
def test_every_way_to_write_a_spec_is_checked(spec):
    # chainer/chainer#7401: the message does not say what there is
    with pytest.raises(DeviceUnavailableError) as caught:
        xd.get_device(spec)
    assert caught.value.count is not None
    assert caught.value.reason in str(caught.value)


def test_an_index_out_of_range_says_what_there_is():
    with pytest.raises(
        DeviceUnavailableError, match=r'sim:99 is not available here: there are 2 .*: sim:0, sim:1'
    ) as caught:
        xd.get_device('sim:99')
    assert caught.value.count == 2
    assert caught.value.device == 'sim:99'


class Place(str, enum.Enum):  # noqa: UP042 -- a StrEnum prints as its value, and this one does not
    SECOND = 'native:1'


def test_an_enum_of_specs_names_its_value():
    _lookup._by_spec.pop('native:1', None)  # found under its hash otherwise
    assert xd.get_device(Place.SECOND) is xd.get_device('native:1')


def test_an_int_that_cannot_be_printed():
    for number in (10**5000, -(10**5000)):
        with pytest.raises(SpecError, match='an int of 16610 bits'):
            xd.get_device(number)


def test_a_long_text_is_cut():
    for text in ('x' * 10_000, '1' * 10_000, 'native:' + '1' * 10_000):
        with pytest.raises(SpecError) as caught:
            xd.get_device(text)
        assert len(str(caught.value)) < 400
        assert caught.value.spec == text


def test_a_wrong_type_gets_the_same_advice_whatever_was_loaded_before():
    ask = 'try: xd.get_device(None)\nexcept ValueError as error: print(error)'
    code = f'import crossdock as xd\n{ask}\nxd.describe_devices()\n{ask}'
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout
    before, after = out.splitlines()
    assert before == after
