import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple
from types import SimpleNamespace

import numpy as np
import optree
import pytest

import crossdock as xd
from crossdock.devices._tree import Tree

from ..accelerator import FIRST

Pair = namedtuple('Pair', 'first second')


@dataclasses.dataclass
class Layer:
    weight: object
    bias: object = None
    name: dataclasses.InitVar[str] = 'x'
    derived: object = dataclasses.field(init=False, default=7)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    value: object


def double(tree):
    taken = Tree(tree)
    return taken.build([leaf * 2 for leaf in taken.leaves])


@pytest.mark.parametrize(
    ('tree', 'paths'),
    [
        (1, ['']),
        (None, []),
        ([], []),
        ([1, (2, None), []], ['[0]', '[1][0]']),
        ({'b': 1, 'a': 2}, ["['b']", "['a']"]),
        ({3: 1, ('x', 1): 2, 'layer1': {'bias': 3}}, ['[3]', "[('x', 1)]", "['layer1']['bias']"]),
        (OrderedDict(b=1, a=2), ["['b']", "['a']"]),
        (defaultdict(int, b=1, a=2), ["['b']", "['a']"]),
        (deque([1, 2], maxlen=5), ['[0]', '[1]']),
        (Pair(1, [2]), ['.first', '.second[0]']),
        ({'layer1': Layer(1, 2)}, ["['layer1'].weight", "['layer1'].bias", "['layer1'].derived"]),
        (Frozen((1,)), ['.value[0]']),
    ],
)
def test_containers(tree, paths):
    assert Tree(tree).paths == paths
    again = Tree(tree)
    same = again.build(again.leaves)
    assert type(same) is type(tree)
    assert same == tree
    if isinstance(tree, dict):
        assert list(same) == list(tree)
    if isinstance(tree, defaultdict):
        assert same.default_factory is int
    if isinstance(tree, deque):
        assert same.maxlen == 5


def test_leaves_are_replaced():
    assert double({'b': [1, (2, None)], 'a': Pair(3, Frozen(4))}) == {'b': [2, (4, None)], 'a': Pair(6, Frozen(8))}
    assert double(Layer(1, 2)) == Layer(2, 4) or double(Layer(1, 2)).derived == 14


def test_the_original_is_left_alone():
    tree = {'a': [np.zeros(1)], 'b': Layer(np.zeros(1))}
    leaf = tree['b'].weight
    double(tree)
    assert tree['b'].weight is leaf


def test_what_is_shared_stays_shared():
    x = np.ones(2)
    part = [x]
    out = xd.get_device(FIRST).send({'a': part, 'b': part, 'c': (x, np.ones(2))})
    assert out['a'] is out['b']
    assert out['c'][0] is out['a'][0]
    assert out['c'][1] is not out['a'][0]


@pytest.mark.parametrize('depth', [0, 1, 3])
def test_a_cycle_is_named(depth):
    inner = []
    inner.append({'back': inner})
    tree = inner
    for _ in range(depth):
        tree = {'deeper': tree}
    with pytest.raises(TypeError, match='contains itself') as caught:
        xd.get_device('@numpy').send(tree)
    assert "['deeper']" * depth + "[0]['back']" in str(caught.value)


def test_registered_types():
    class Bag:
        def __init__(self, items):
            self.items = items

    optree.register_pytree_node(
        Bag, lambda bag: (bag.items, None, None), lambda _, items: Bag(list(items)), namespace='crossdock'
    )
    try:
        out = xd.get_device(FIRST).send(Bag([np.ones(1), 2]))
        assert type(out) is Bag
        assert [float(x) for x in out.items] == [1, 2]
        with pytest.raises(TypeError, match=r'at \[1\]'):
            xd.get_device(FIRST).send(Bag([1, 'text']))
    finally:
        optree.unregister_pytree_node(Bag, namespace='crossdock')


def test_other_peoples_dicts_stay_sorted():
    """Our way to walk mappings must not change how optree walks those of other programs."""
    xd.get_device('@numpy').send(defaultdict(int, b=1, a=2))
    assert optree.tree_leaves({'b': 1, 'a': 2}) == [2, 1]


@pytest.mark.parametrize(
    'odd', [SimpleNamespace(a=1), type('MyList', (list,), {})([1]), {}.items(), range(3), slice(1)]
)
def test_other_containers_are_refused(odd):
    with pytest.raises(xd.errors.UnknownArrayError, match='optree-registered'):
        xd.get_device('@numpy').send([odd])
