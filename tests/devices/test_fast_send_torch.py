"""The short cuts from and to PyTorch: as careful as the plan, and safe when a tensor's memory moves."""

import contextlib
import gc
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.devices import _torch_layout
from crossdock.devices.backends import _torch
from crossdock.errors import GraphError

sys.path.insert(0, str(Path(__file__).parent))
from same_way import HERE, check_same, planned

torch = pytest.importorskip('torch')
pytestmark = pytest.mark.filterwarnings('ignore')  # PyTorch's own

DTYPES = [
    *(torch.bool, torch.int8, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint64, torch.float16),
    *(torch.bfloat16, torch.float32, torch.float64, torch.complex32, torch.complex64, torch.float8_e4m3fn),
    *(torch.float8_e5m2, torch.float8_e8m0fnu),
]
MEANS = [
    *('plain', 'plain', 'plain', 'expand', 'conj', 'imag', 'neg', 'grad', 'parameter', 'frozen parameter', 'subclass'),
    *('meta', 'sparse', 'mkldnn', 'inference', 'numpy', 'overlap', 'shrunk', 'shrunk before'),
]


@st.composite
def tensors(draw):
    """Tensors of any layout, data type and kind."""
    dtype, means = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(MEANS))
    shape = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4))
    with warnings.catch_warnings(), torch.inference_mode(means == 'inference'):
        warnings.simplefilter('ignore')
        base = torch.zeros(shape, dtype=dtype)
        step = st.sampled_from([1, 2])
        tensor = base[(..., *(slice(None, None, draw(step)) for _ in shape))]
        tensor = tensor.permute(draw(st.permutations(range(len(shape)))))
        return change(tensor, base, means)


def change(tensor, base, means):
    if means == 'expand':
        return tensor.expand(2, *tensor.shape)
    if means in ('conj', 'imag'):
        turned = torch.full(tensor.shape, 1 + 2j).conj()
        return turned if means == 'conj' else turned.imag
    if means == 'neg' and (tensor.is_complex() or tensor.is_floating_point()):
        return torch._neg_view(tensor)
    if means in ('grad', 'parameter') and tensor.is_floating_point():
        return tensor.requires_grad_() if means == 'grad' else torch.nn.Parameter(tensor)
    if means == 'frozen parameter':
        return torch.nn.Parameter(tensor, requires_grad=False)
    if means == 'subclass':
        return tensor.as_subclass(type('Sub', (torch.Tensor,), {}))
    if means == 'meta':
        return torch.empty(3, device='meta')
    if means == 'sparse':
        return torch.ones(3).to_sparse()
    if means == 'mkldnn' and torch.backends.mkldnn.is_available():
        return torch.ones(3).to_mkldnn()
    if means == 'numpy':
        return torch.from_numpy(np.arange(6.0)).reshape(2, 3)[:, 1:]
    if means == 'overlap':
        return torch.arange(8.0).as_strided((4, 3), (1, 1))
    if means == 'shrunk before':
        base.untyped_storage().resize_(0)
    if means == 'shrunk':
        whole = torch.arange(8.0)
        whole.untyped_storage().resize_(16)
        whole[:2].numpy()  # from now on the storage cannot be resized
        return whole
    return tensor


@pytest.fixture(params=['read', 'asked'])
def answers(request, monkeypatch):
    """Whether what tensors are is read from where it was found, or asked of PyTorch."""
    if request.param == 'read' and _torch_layout.find_layout() is None:
        pytest.skip(f'PyTorch {torch.__version__} keeps things elsewhere')
    if request.param == 'asked':
        monkeypatch.setattr(_torch, 'find_layout', lambda: None)
    xd.Device.send.forget()
    yield
    xd.Device.send.forget()


def test_the_layout_of_this_version_is_found():
    if torch.__version__.startswith('2.13.'):
        assert _torch_layout.find_layout() is not None


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tensors(), st.sampled_from(HERE))
def test_is_the_plan(answers, tensor, spec):
    got = check_same(spec, tensor)
    if not isinstance(got, tuple):
        check_same('@torch:cpu', got)


def test_nothing_is_found_where_tensors_are_not_what_they_seem():
    from torch._subclasses.fake_tensor import FakeTensorMode

    seen = [_torch_layout.find_layout()]

    def look(x):
        with contextlib.suppress(Exception):
            seen.append(_torch_layout._find(torch))
        return x

    with FakeTensorMode():
        look(None)
    torch.func.vmap(look)(torch.ones(2, 3))
    torch.func.grad(lambda x: look(x).sum())(torch.ones(2, 3))
    with torch.inference_mode(), torch.device('meta'):
        look(None)
    assert len(set(seen)) == 1


@pytest.mark.usefixtures('answers')
def test_what_changes_between_two_sends():
    native, host = xd.get_device('native'), torch.full((5,), 2.0)
    native.send(torch.ones(1))
    assert native.send(host).tolist() == [2] * 5
    host.requires_grad_()
    for tensor in (host, host * 3, host[1:], host.conj()):
        with pytest.raises(GraphError):
            native.send(tensor)
    host.requires_grad_(False)
    assert native.send(host).tolist() == [2] * 5
    turned = torch._neg_view(host)
    assert native.send(turned).tolist() == [-2] * 5
    lazy = torch._lazy_clone(host)
    view = native.send(lazy)
    lazy += 1
    assert view.tolist() == [3] * 5 and host.tolist() == [2] * 5
    torch._C._set_neg(host, True)  # not even a view
    assert native.send(host).tolist() == [-2] * 5


def test_kinds_without_values_of_their_own():
    quantized = torch._empty_affine_quantized([3], scale=0.1, zero_point=0, dtype=torch.quint8)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.empty(3)
    for tensor in (quantized, nested, fake):
        for spec in HERE:
            if spec != '@torch:cpu':
                assert isinstance(check_same(spec, tensor), tuple)


def test_inside_function_transforms():
    def inside(x):
        for spec in HERE:
            check_same(spec, x)
        return x.sum()

    torch.func.vmap(inside)(torch.ones(2, 3))
    torch.func.grad(inside)(torch.ones(3))


def test_graphs_are_not_lost():
    native, x = xd.get_device('native'), torch.ones(3)
    native.send(x)
    with pytest.raises(GraphError, match='detach'):
        native.send(x.requires_grad_())
    native.send(x.detach())
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(GraphError):
            native.send(dual)
    check_same('native', torch.ones(3))


@pytest.mark.usefixtures('answers')
@pytest.mark.parametrize('spec', ['native:0', '@numpy'])
def test_views_outlive_what_is_done_to_the_tensor(spec):
    device = xd.get_device(spec)
    device.send(torch.ones(3))
    for change in (
        lambda t: t.resize_(100_000),
        lambda t: t.untyped_storage().resize_(0),
        lambda t: t.set_(torch.zeros(3)),
        lambda t: setattr(t, 'data', torch.zeros(3)),
        lambda t: t.set_(torch.zeros(100_000).untyped_storage(), 0, (5,)),
    ):
        tensor = torch.full((50_000,), 7.0)
        view = device.send(tensor)
        assert view.shape == (50_000,)
        with contextlib.suppress(RuntimeError):  # 'Trying to resize storage that is not resizable'
            change(tensor)
        del tensor
        gc.collect()
        rubbish = [torch.zeros(50_000) for _ in range(5)]
        assert float(view[0]) == float(view[49_999]) == 7
        del rubbish


def test_into_torch_holds_the_memory_and_is_written_through():
    native, host = xd.get_device('native'), xd.get_device('@torch:cpu')
    x = np.zeros(3, 'float32')
    tensor = host.send(native.send(x))
    tensor += 1
    assert x.tolist() == [1, 1, 1]
    assert type(tensor) is torch.Tensor
    x.flags.writeable = False
    for spec in HERE:
        there = xd.get_device(spec).send(x)
        other = host.send(there)
        assert other.data_ptr() != x.ctypes.data


def test_wild_bools_are_made_tame():
    wild = np.full(3, 2, 'u1').view(bool)
    for device in (xd.get_device('@torch:cpu'), xd.get_device('native')):
        for _ in range(2):
            assert xd.to_numpy(device.send(wild)).view('u1').tolist() == [1, 1, 1]
    large = np.ones(100_000, bool)
    assert xd.get_device('@torch:cpu').send(large).data_ptr() == large.ctypes.data
    assert planned(xd.get_device('native'), large).data_ptr == large.ctypes.data
