import pytest

from crossdock.serializers._ignore import ignoring

KEYS = ['enc/W', 'enc/b', 'encoder/W', 'dec/W', 'a[0]', 'step']


@pytest.mark.parametrize(
    ('ignore', 'left'),
    [
        (None, KEYS),
        ([], KEYS),
        ('step', ['enc/W', 'enc/b', 'encoder/W', 'dec/W', 'a[0]']),
        ('enc', ['encoder/W', 'dec/W', 'a[0]', 'step']),
        ('enc/', ['encoder/W', 'dec/W', 'a[0]', 'step']),
        ('*/W', ['enc/b', 'a[0]', 'step']),
        ('a[0]', ['enc/W', 'enc/b', 'encoder/W', 'dec/W', 'step']),
        ('', KEYS),
        (['enc/b', 'd*'], ['enc/W', 'encoder/W', 'a[0]', 'step']),
        (lambda key: key.endswith('W'), ['enc/b', 'a[0]', 'step']),
        ([lambda key: key == 'step', 'enc'], ['encoder/W', 'dec/W', 'a[0]']),
    ],
)
def test_names_globs_and_callables(ignore, left):
    skip = ignoring(ignore)
    assert [key for key in KEYS if not skip(key)] == left


def test_other_rules():
    with pytest.raises(TypeError, match='3'):
        ignoring([3])
