import numpy as np
import pytest

from crossdock.errors import StrictLoadError
from crossdock.serializers import (
    Deserializer,
    DictionarySerializer,
    NpzDeserializer,
    Serializer,
    load_npz,
    save_npz,
)


class Linear:
    def __init__(self, n, value=0.0):
        self.W = np.full((n, 2), value)
        self.b = None

    def serialize(self, s):
        self.W = s('W', self.W)
        self.b = s('b', self.b)


class Model:
    def __init__(self, value=0.0):
        self.l1 = Linear(3, value)
        self.parts = [Linear(1, value), {'x': np.full(2, value)}]
        self.step = int(value)
        self.seen = []

    def serialize(self, s):
        self.seen.append(type(s))
        self.step = s('step', self.step)
        self.l1.serialize(s['l1'])
        self.parts = s('parts', self.parts)
        s['deep']['er']('same', self.step)


KEYS = {'step', 'l1/W', 'l1/b', 'parts/0/W', 'parts/0/b', 'parts/1/x', 'deep/er/same'}


def test_round_trip(tmp_path):
    path = tmp_path / 'x.npz'
    save_npz(path, Model(2.0))
    with np.load(path) as plain:
        assert set(plain) == KEYS - {'l1/b', 'parts/0/b'} | {'__crossdock__'}
    model = Model()
    arrays = model.l1.W, model.parts[0].W, model.parts[1]['x']
    assert load_npz(path, model) is model
    assert model.step == 2
    assert all((a == 2).all() for a in arrays)
    assert arrays[0] is model.l1.W
    assert model.l1.b is None


def test_two_passes_and_their_types(tmp_path):
    model = Model(1.0)
    save_npz(tmp_path / 'x.npz', model)
    load_npz(tmp_path / 'x.npz', model)
    assert [issubclass(t, Serializer) for t in model.seen] == [True, False, False]
    assert [issubclass(t, Deserializer) for t in model.seen] == [False, True, True]
    assert (Serializer.is_writer, Deserializer.is_writer) == (True, False)


def test_the_dry_pass_changes_nothing(tmp_path):
    save_npz(tmp_path / 'x.npz', {'step': 5})
    model = Model()
    with pytest.raises(StrictLoadError) as caught:
        load_npz(tmp_path / 'x.npz', model)
    assert set(caught.value.missing) == KEYS - {'step'}
    assert model.step == 0
    load_npz(tmp_path / 'x.npz', model, strict=False)
    assert model.step == 5
    assert not model.l1.W.any()


def test_an_error_in_serialize_changes_nothing(tmp_path):
    class Broken(Linear):
        def serialize(self, s):
            super().serialize(s)
            raise RuntimeError('no')

    save_npz(tmp_path / 'x.npz', {'a': Linear(3, 1.0), 'b': Linear(3, 1.0)})
    target = {'a': Linear(3), 'b': Broken(3)}
    with pytest.raises(RuntimeError, match='no'):
        load_npz(tmp_path / 'x.npz', target)
    assert not target['a'].W.any()


def test_values_that_are_replaced_come_back(tmp_path):
    save_npz(tmp_path / 'x.npz', {'W': np.ones((3, 2)), 'b': np.ones(2)})
    model = Linear(3)
    model.W.flags.writeable = False
    old = model.W
    load_npz(tmp_path / 'x.npz', model)
    assert model.W is not old
    assert model.W.all()
    assert model.b.all()


def test_slashes_make_no_difference(tmp_path):
    class Slashes:
        def __init__(self, clean):
            self.clean, self.value = clean, 1

        def serialize(self, s):
            if self.clean:
                self.value = s['child']['linear']('W', self.value)
            else:
                self.value = s['/child/']('/linear/W', self.value)

    for clean in (True, False):
        save_npz(tmp_path / 'x.npz', Slashes(clean))
        with np.load(tmp_path / 'x.npz') as plain:
            assert list(plain) == ['child/linear/W']
        load_npz(tmp_path / 'x.npz', Slashes(not clean))
    for bad in ('a//b', '', '/', '..'):
        with pytest.raises(ValueError):
            DictionarySerializer()(bad, 1)


class Late:
    """Asks for more once it has loaded a value."""

    n = 0

    def serialize(self, s):
        if self.n:
            s['late']('x', 0)
        s[0]('x', 0.0)
        self.n = s('n', self.n)
        if self.n:
            s('more', 0)


def test_what_is_asked_for_in_the_second_pass_only(tmp_path):
    """The number of parts comes from the file."""

    class Growing:
        def __init__(self, *parts):
            self.parts = [np.array(float(p)) for p in parts]

        def serialize(self, s):
            n = s('n', len(self.parts))
            self.parts += [np.array(0.0)] * (n - len(self.parts))
            self.parts = [s[i]('x', p.copy()) for i, p in enumerate(self.parts)]

    save_npz(tmp_path / 'x.npz', Growing(1, 2, 3))
    with pytest.raises(StrictLoadError):
        load_npz(tmp_path / 'x.npz', Growing())
    model = Growing()
    load_npz(tmp_path / 'x.npz', model, strict=False)
    assert [float(p) for p in model.parts] == [1, 2, 3]

    class Asking(Growing):
        def serialize(self, s):
            super().serialize(s)
            if len(self.parts) > 1 and not s.is_writer:
                s('more', 0)

    save_npz(tmp_path / 'x.npz', {'n': 2, '0': {'x': 1.0}, '1': {'x': 2.0}})
    with pytest.raises(StrictLoadError, match="'more'"):
        load_npz(tmp_path / 'x.npz', Asking(5, 5))
    save_npz(tmp_path / 'x.npz', {'n': 1, '0': {'x': 1.0}})
    with pytest.raises(StrictLoadError, match='a part has been loaded'):
        load_npz(tmp_path / 'x.npz', Late())


def test_the_same_key_twice(tmp_path):
    class Twice:
        def serialize(self, s):
            s('a', 1)
            s['/']('a', 2) if False else s('a', 2)

    with pytest.raises(ValueError, match="'a'"):
        save_npz(tmp_path / 'x.npz', Twice())


def test_dictionary_serializer():
    target = {}
    s = DictionarySerializer(target, '/start/')
    model = Model(2.0)
    s.save(model)
    assert set(target) == {f'start/{key}' for key in KEYS}
    assert target['start/step'].shape == ()
    assert target['start/l1/b'] is None
    assert np.shares_memory(target['start/l1/W'], model.l1.W)
    s['more']('x', 3)
    assert target['start/more/x'] == 3
    assert DictionarySerializer().target == {}


def test_npz_deserializer_part_by_part(tmp_path):
    path = tmp_path / 'x.npz'
    save_npz(path, {'model': Model(2.0), 'epoch': 3}, metadata={'by': 'me'})
    with NpzDeserializer(path) as d:
        assert d.metadata == {'by': 'me'}
        assert d('epoch', 0) == 3
        model = d['model'].load(Model())
        assert (d.path, d['model']['l1'].path) == ('', 'model/l1')
        W = d['model']['l1']('W', np.zeros((3, 2)))
        with pytest.raises(StrictLoadError):
            d('nope', 0)
        with pytest.raises(StrictLoadError):
            d.load({'epoch': 0})
    assert model.step == 2
    assert W.all()
    with NpzDeserializer(path, prefix='model/', strict=False, ignore='*/W') as d:
        assert d('nope', 7) == 7
        assert not d.load(Model()).l1.W.any()


def test_an_array_made_anew_in_each_pass(tmp_path):
    """What the second pass offers need not be what the first one did."""

    class Restless:
        offers = iter(())

        def serialize(self, s):
            self.got = s('a', next(self.offers))

    save_npz(tmp_path / 'x.npz', {'a': np.ones(2)})
    locked = np.zeros(2)
    locked.flags.writeable = False
    for second in (np.zeros(2), np.zeros(3), np.zeros(2, 'f4'), locked, None, 5):
        model = Restless()
        model.offers = iter([np.zeros(2), second])
        load_npz(tmp_path / 'x.npz', model)
        assert model.got.tolist() == [1, 1]
