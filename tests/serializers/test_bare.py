"""What stands alone has no key in a file; the error says what would work."""

import array

import numpy as np
import pytest

import crossdock as xd


class M:
    pass


@pytest.fixture
def path(tmp_path):
    path = tmp_path / 'm.npz'
    xd.save(path, {'x': 1})
    return path


@pytest.mark.parametrize('spec', ['native:0', 'sim', '@numpy', 'cuda:7', 0, -1])
def test_a_device_in_the_place_of_the_target(path, spec):
    with pytest.raises(TypeError, match=f'write device={spec!r}'):
        xd.load(path, spec)


def test_device_objects_too(path):
    for device in (xd.get_device('native:0'), xd.core.device('native:0')):
        with pytest.raises(TypeError, match="write device='native:0'"):
            xd.load(path, device)
    with pytest.raises(TypeError, match='device='):
        xd.load(path, 'nativ:0')


@pytest.mark.parametrize('obj', [np.zeros(2), 1.5, 'text', None, array.array('d', [1]), xd.core.zeros(2)])
def test_arrays_and_scalars_go_into_a_container(tmp_path, obj):
    with pytest.raises(TypeError, match=r'container, such as \{"x": x\}'):
        xd.save(tmp_path / 'x.npz', obj)


def test_other_objects_have_to_name_their_parts(path):
    for call in (xd.save, xd.load):
        for obj in (M(), {1}, np.sum, iter([])):
            with pytest.raises(TypeError, match=r'serialize\(serializer\).*state_dict.*dataclass') as caught:
                call(path, obj)
            assert 'container' not in str(caught.value)


def test_a_class_is_not_its_object(path):
    for call in (xd.save, xd.load):
        with pytest.raises(TypeError, match='the type M: give an object of that type'):
            call(path, M)
