import enum

import pytest

from crossdock.serializers._path import below, clashes, fault_of_path, join, split


@pytest.mark.parametrize(
    ('parent', 'key', 'path'),
    [
        ('', 'a', 'a'),
        ('a', 'b', 'a/b'),
        ('a', 'b/c', 'a/b/c'),
        ('a', 0, 'a/0'),
        ('', -1, '-1'),
        ('é', 'ключ', 'é/ключ'),
    ],
)
def test_join(parent, key, path):
    assert join(parent, key) == path
    assert fault_of_path(path) is None


@pytest.mark.parametrize(
    'key',
    [
        '',
        '/',
        '/a',
        'a/',
        'a//b',
        '.',
        '..',
        'a/../b',
        'a\0b',
        'a.npy',
        'a.npy/b',
        '__crossdock__',
        'a/__crossdock__x',
        '\ud800',
    ],
)
def test_refused_components_are_named(key):
    with pytest.raises(ValueError) as caught:
        join('parent', key)
    assert repr(key) in str(caught.value)
    assert "'parent'" in str(caught.value)
    assert fault_of_path(key) is not None


@pytest.mark.parametrize('key', [None, 1.5, True, b'a', ('a',), object])
def test_keys_of_another_type(key):
    with pytest.raises(TypeError) as caught:
        split(key)
    assert repr(key) in str(caught.value)
    assert 'the root' in str(caught.value)


def test_an_enum_that_is_a_string_stands_for_its_value():
    class Name(str, enum.Enum):  # noqa: UP042 -- its text is not its value
        A = 'a'

    assert join('x', Name.A) == 'x/a'
    assert join('x', enum.IntEnum('Place', {'P': 7}).P) == 'x/7'


def test_below():
    assert [below(p, 'enc') for p in ('enc', 'enc/W', 'encoder', 'x/enc')] == [True, True, False, False]


def test_clashes():
    assert clashes(['a', 'b/c', 'b/d']) == []
    assert clashes(['a/b/c', 'a', 'a/b', 'd', 'a!', 'a-b/c']) == ['a', 'a/b']


def test_depth():
    assert fault_of_path('a/' * 127 + 'a') is None
    assert '128' in fault_of_path('a/' * 128 + 'a')
    with pytest.raises(ValueError, match='128'):
        join('a/' * 127 + 'a', 'b')
