"""PyTorch's tensors: what travels, what is refused by name, and what happens to views of them."""

import copy
import gc
import pickle
import sys
import warnings

import numpy as np
import pytest

import crossdock as xd
from crossdock import errors

from ..accelerator import FIRST

torch = pytest.importorskip('torch')
ml_dtypes = pytest.importorskip('ml_dtypes')
SPECS = ['@numpy', 'native:0', FIRST, '@torch:cpu']


@pytest.fixture
def device():
    return xd.get_device('@torch:cpu')


class Sub(torch.Tensor):
    pass


def _quietly(make):
    """PyTorch announces much that is new, old or slow."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return make()


# -- names -------------------------------------------------------------------------------------------------------------


def test_names(device):
    assert repr(device) == '<TorchDevice (torch):cpu>'
    assert xd.get_device(torch.device('cpu')) is xd.get_device(torch.device('cpu', 0)) is device
    assert xd.get_device(torch.ones(1).device) is device
    assert device.native == torch.device('cpu')
    assert (device.kind, device.index, device.physical) == ('torch', None, 'host')
    assert device.fallback_device is xd.get_device('@numpy')
    assert xd.get_device('@numpy') != device
    assert device.memory_info().total > 0


@pytest.mark.parametrize('other', ['meta', 'mps', 'xpu'])
def test_other_places_of_torch_are_refused_by_name(other):
    with pytest.raises(errors.DeviceUnavailableError, match=other):
        xd.get_device(torch.device(other))


def test_an_absent_gpu_is_refused_alike():
    if torch.cuda.is_available():
        pytest.skip('there is a GPU')
    for spec in ('@torch:cuda:0', torch.device('cuda'), torch.device('cuda:0')):
        with pytest.raises(errors.DeviceUnavailableError, match='@torch:cuda:0'):
            xd.get_device(spec)


def test_modules_and_devices_of_tensors(device):
    import array_api_compat.torch

    t = torch.ones(2)
    for x in (t, torch.nn.Parameter(t), t.as_subclass(Sub), t.to_sparse(), torch.empty(2, device='meta')):
        assert xd.get_array_module(x) is array_api_compat.torch
    assert xd.get_array_module([t, 1.0], None) is device.xp is array_api_compat.torch
    assert xd.get_device_from_array(t, None, 2.0) is device
    with pytest.raises(errors.MixedDevicesError, match=r'@torch:cpu.*@numpy'):
        xd.get_array_module(t, np.ones(2))
    assert xd.get_array_module(t, np.ones(2), mixed='device') is array_api_compat.torch
    with pytest.raises(errors.UnknownArrayError, match='meta'):
        xd.get_device_from_array(torch.empty(2, device='meta'))


# -- views -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('spec', ['@numpy', 'native:0'])
def test_memory_is_shared_both_ways(spec, device):
    t = torch.arange(6.0).reshape(2, 3)
    there = xd.get_device(spec).send(t.T)
    back = device.send(there)
    assert back.data_ptr() == t.data_ptr() and back.shape == (3, 2)
    back[0, 1] = 40
    assert t[1, 0] == 40 and float(there[0, 1]) == 40


def test_numpy_means_an_ndarray():
    # data-apis/array-api-compat#106
    assert type(xd.get_device('@numpy').send(torch.ones(2))) is np.ndarray
    assert type(xd.get_device('@numpy').send(torch.ones(2, dtype=torch.bfloat16))) is np.ndarray


def test_copy_true_copies_at_home_too(device):
    # pytorch/pytorch#108408
    t = torch.ones(3)
    u = device.send(t, copy=True)
    assert u is not t and u.data_ptr() != t.data_ptr()
    assert device.send(t) is t and device.send(t, copy=False) is t


@pytest.mark.parametrize('dtype', [torch.float32, torch.bfloat16, torch.float8_e4m3fn])
@pytest.mark.parametrize('spec', ['@numpy', 'native:0'])
def test_a_view_outlives_what_happens_to_its_tensor(spec, dtype):
    def repoint_set(t):
        t.set_(torch.zeros(1000, dtype=dtype))

    def repoint_data(t):
        t.data = torch.zeros(3, dtype=dtype)

    def shrink(t):
        t.resize_(10)

    for change in (repoint_set, repoint_data, shrink):
        t = torch.arange(1000).to(dtype)
        view = xd.get_device(spec).send(t)
        want = xd.to_numpy(view).copy().tobytes()
        change(t)
        del t
        gc.collect()
        others = [torch.full((1000,), 7.0).to(dtype) for _ in range(20)]
        assert xd.to_numpy(view).tobytes() == want and len(others) == 20


@pytest.mark.parametrize('dtype', [torch.float32, torch.bfloat16])
@pytest.mark.parametrize('spec', ['@numpy', 'native:0'])
def test_a_view_is_not_resized_away(spec, dtype):
    t = torch.ones(100, dtype=dtype)
    view = xd.get_device(spec).send(t)
    for resize in (lambda: t.resize_(10_000), lambda: t.untyped_storage().resize_(0)):
        with pytest.raises(RuntimeError, match='resiz'):
            resize()
    assert xd.to_numpy(view).astype('float32').sum() == 100


def test_the_source_lives_as_long_as_a_view(device):
    a = np.ones(3)
    before = sys.getrefcount(a)
    t = device.send(a)
    u = t[1:]
    del t
    gc.collect()
    assert sys.getrefcount(a) > before
    del u
    gc.collect()
    assert sys.getrefcount(a) == before


def test_expanded_tensors_are_read_only():
    view = xd.get_device('@numpy').send(torch.arange(3.0).expand(4, 3))
    assert view.strides[0] == 0 and not view.flags.writeable
    with pytest.raises(errors.ReadOnlyError):
        xd.copyto(torch.zeros(1).expand(5), 1.0)
    assert xd.get_device('native:0').send(torch.zeros(1).expand(5)).readonly
    assert xd.get_device('@numpy').send(torch.zeros(1, 3).expand(1, 3)).flags.writeable


# -- copies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('make', 'why'),
    [
        (lambda: np.arange(12.0).reshape(3, 4)[:, ::-1], 'negative strides'),
        (lambda: np.zeros(6, [('a', 'f4'), ('b', 'u1')])['a'], 'itemsize'),
        (lambda: np.broadcast_to(np.arange(3.0), (2, 3)), 'read-only'),
        (lambda: np.frombuffer(bytes(24), 'f8'), 'read-only'),
        (lambda: np.array([0, 1, 2, 255], 'u1').view(bool), 'bytes other than 0 and 1'),
    ],
)
def test_what_a_tensor_cannot_be_is_copied(make, why, device):
    a = make()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        t = device.send(a)
        assert t.tolist() == a.tolist()
    made = xd.plan(a, device)
    assert made.route == 'device copy' and why in dict(made.refused)['alias']
    assert made.nbytes_moved == a.nbytes
    with pytest.raises(errors.CopyRequiredError, match=why):
        device.send(a, copy=False)


def test_strides_that_lead_nowhere_do_not_matter(device):
    for a in (
        np.ndarray((1, 10), 'f8', strides=(4, 8), buffer=bytearray(400)),
        np.ndarray((10, 1), 'f8', strides=(8, -3), buffer=bytearray(400)),
        np.arange(6.0)[3:2:-1],
    ):
        t = device.send(a, copy=False)
        assert t.data_ptr() == a.ctypes.data and t.shape == a.shape
    assert device.send(np.empty((0, 3))[:, ::-1]).shape == (0, 3)


def test_misaligned_memory_is_shared(device):
    a = np.frombuffer(bytearray(range(41)), 'f4', count=10, offset=1)
    t = device.send(a, copy=False)
    assert t.data_ptr() == a.ctypes.data and np.array_equal(t.numpy(), a, equal_nan=True)


@pytest.mark.parametrize('spec', SPECS)
def test_lazy_views_are_resolved(spec):
    z = torch.tensor([1 + 2j, 3 - 4j])
    for lazy in (z.conj(), z.conj().imag, z[:, None].mT.conj()):
        want = lazy.resolve_conj().resolve_neg().numpy()
        out = xd.to_numpy(xd.get_device(spec).send(lazy))
        np.testing.assert_array_equal(out, want)
        np.testing.assert_array_equal(xd.to_numpy(lazy), want)
    made = xd.plan(z.conj(), '@numpy')
    assert made.route == 'device copy' and 'lazy' in dict(made.refused)['alias']
    with pytest.raises(errors.CopyRequiredError, match='lazy'):
        xd.get_device('@numpy').send(z.conj(), copy=False)


def test_copyto_reaches_lazy_views():
    z = torch.zeros(2, dtype=torch.complex64)
    xd.copyto(z.conj(), np.array([1 + 2j, 3j], 'complex64'))
    assert z.tolist() == [1 - 2j, -3j]
    xd.copyto(z.conj(), 5j, where=np.array([True, False]))
    assert z.tolist() == [-5j, -3j]


# -- graphs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('spec', ['@numpy', 'native:0', FIRST])
def test_graphs_are_not_cut_silently(spec):
    p = torch.ones(3, requires_grad=True)
    for x in (p, p * 2, torch.nn.Parameter(torch.ones(2)), p.view(3), p[:0]):
        with pytest.raises(errors.GraphError, match='detach'):
            xd.get_device(spec).send(x)
    with pytest.raises(errors.GraphError, match=r"\['w'\].*detach"):
        xd.get_device(spec).send({'w': p})
    assert xd.to_numpy(p, detach=True).tolist() == [1, 1, 1]
    xd.get_device(spec).send(torch.nn.Parameter(torch.ones(2), requires_grad=False))


def test_graphs_stay_at_home(device):
    p = torch.ones(3, requires_grad=True)
    assert device.send(p) is p
    with pytest.raises(errors.GraphError):
        device.send(p, copy=True)


def test_forward_mode_is_a_graph_too():
    import torch.autograd.forward_ad as forward

    with forward.dual_level():
        dual = _quietly(lambda: forward.make_dual(torch.ones(2), torch.ones(2)))
        with pytest.raises(errors.GraphError, match='detach'):
            xd.get_device('@numpy').send(dual)
        xd.get_device('@numpy').send(torch.ones(2))


def test_autograd_hears_of_what_copyto_writes():
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    loss = (w * x).sum()
    xd.copyto(x, np.zeros(2, 'float32'))
    with pytest.raises(RuntimeError, match='modified by an inplace operation'):
        loss.backward()
    xd.copyto(w, torch.full((2,), 5.0))
    assert w.tolist() == [5, 5] and w.requires_grad
    with torch.inference_mode():
        y = torch.ones(2)
    xd.copyto(y, 3.0)
    assert xd.to_numpy(y).tolist() == [3, 3]


# -- refused by name ---------------------------------------------------------------------------------------------------


def _fake():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.empty(3)


def _nested(layout):
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)


class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError(function)


def _emptied():
    t = torch.ones(10)
    t.untyped_storage().resize_(0)
    return t


@pytest.mark.parametrize(
    ('make', 'word'),
    [
        (lambda: torch.empty(3, device='meta'), 'meta'),
        (_fake, 'FakeTensor'),
        (lambda: torch.eye(3).to_sparse(), 'sparse_coo'),
        (lambda: torch.eye(3).to_sparse_csr(), 'sparse_csr'),
        (lambda: torch.ones(3).to_mkldnn(), 'mkldnn'),
        (lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8), 'quantized'),
        (lambda: _nested(torch.strided), 'nested'),
        (lambda: _nested(torch.jagged), 'Nested'),
        (lambda: Wrapper(torch.ones(3)), 'Wrapper'),
        (_emptied, 'storage'),
        (lambda: torch.empty(2, dtype=torch.bits8), 'bits8'),
        (lambda: torch.empty(2, dtype=torch.uint4), 'uint4'),
    ],
)
@pytest.mark.parametrize('spec', ['@numpy', 'native:0', FIRST])
def test_what_is_no_memory_is_refused_by_name(make, word, spec):
    # keras-team/keras#21052, and the null pointer that a FakeTensor exports
    if word == 'mkldnn' and not torch.backends.mkldnn.is_available():
        pytest.skip('this PyTorch has no oneDNN')
    with pytest.raises(TypeError, match=word) as caught:
        xd.get_device(spec).send({'x': _quietly(make)})
    assert "['x']" in str(caught.value)
    with pytest.raises(TypeError, match=word):
        xd.copyto(_quietly(make), 1.0)


def test_inside_a_transformation():
    import torch.func

    def send(t):
        with pytest.raises(errors.UnknownArrayError, match=r'torch\.func'):
            xd.get_device('@numpy').send(t.detach())
        return t.sum()

    torch.func.grad(send)(torch.ones(3))
    torch.func.vmap(send)(torch.ones(3, 2))


def test_plain_subclasses_travel():
    t = torch.ones(3).as_subclass(Sub)
    assert type(xd.get_device('@numpy').send(t)) is np.ndarray
    assert xd.get_device('@torch:cpu').send(t) is t


# -- data types --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'name',
    ['bfloat16', 'float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz', 'float8_e8m0fnu', 'float16'],
)
def test_every_bit_pattern(name, device):
    # jax-ml/ml_dtypes#81, pytorch/pytorch#110285
    kind = np.dtype(getattr(ml_dtypes, name, name))
    bits = np.arange(2 ** min(8 * kind.itemsize, 16), dtype=f'u{kind.itemsize}')
    a = bits.view(kind)
    t = device.send(a)
    assert t.dtype is getattr(torch, name) and t.data_ptr() == a.ctypes.data
    back = xd.get_device('@numpy').send(t)
    assert back.dtype == kind and back.tobytes() == bits.tobytes() and np.shares_memory(a, back)
    scalar = xd.get_device('@numpy').send(t[3])
    assert scalar.shape == () and scalar.tobytes() == a[3].tobytes()


@pytest.mark.parametrize('name', ['uint16', 'uint32', 'uint64'])
def test_wide_unsigned(name, device):
    a = np.array([0, 1, np.iinfo(name).max], name)
    t = device.send(a)
    assert t.dtype is getattr(torch, name) and xd.to_numpy(t).tobytes() == a.tobytes()
    xd.copyto(t, np.array([7, 8, 9], name))
    assert a.tolist() == [7, 8, 9]


def test_what_only_one_side_has(device):
    for name in ('int4', 'uint4', 'float8_e3m4', 'float8_e4m3', 'float8_e4m3b11fnuz'):
        with pytest.raises(errors.DtypeError, match=name):
            device.send(np.ones(2, getattr(ml_dtypes, name)))
    assert device.send(np.ones(2, ml_dtypes.int4), dtype='int8').tolist() == [1, 1]


def test_numbers_become_torchs_default(device):
    sent = device.send([True, 2, 2.5, 1j])
    assert [x.dtype for x in sent] == [torch.bool, torch.int64, torch.float32, torch.complex64]
    torch.set_default_dtype(torch.float64)
    try:
        assert device.send(2.5).dtype is torch.float64 and device.send(1j).dtype is torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)


def test_bools_of_other_bytes_are_normalised_on_the_way_out():
    t = torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool)
    for spec in ('@numpy', 'native:0', FIRST):
        assert xd.to_numpy(xd.get_device(spec).send(t)).view('u1').tolist() == [0, 1, 1, 1]
    clean = torch.tensor([True, False])
    assert np.shares_memory(xd.get_device('@numpy').send(clean), clean.numpy())


# -- copyto, contexts, serializers -------------------------------------------------------------------------------------


def test_copyto_with_overlap():
    t = torch.arange(6.0)
    xd.copyto(t[1:], t[:-1])
    assert t.tolist() == [0, 0, 1, 2, 3, 4]


@pytest.mark.parametrize('source', SPECS)
@pytest.mark.parametrize('target', SPECS)
def test_copyto_every_pair(source, target, rng):
    x = rng.standard_normal((3, 4)).astype('float32')
    dst = xd.get_device(target).send(np.zeros((2, 3, 4), 'float64'), copy=True)
    xd.copyto(dst, xd.get_device(source).send(x))
    np.testing.assert_array_equal(xd.to_numpy(dst)[1], x)
    xd.copyto(dst, 9, where=xd.get_device(source).send(x > 0))
    np.testing.assert_array_equal(xd.to_numpy(dst)[0], np.where(x > 0, 9, x))
    with pytest.raises(errors.DtypeError):
        xd.copyto(xd.get_device(target).send(np.zeros((3, 4), 'int32')), xd.get_device(source).send(x))


def test_as_the_current_device(device):
    with xd.using_device('@torch:cpu') as inside:
        assert inside is device is xd.current_device()
        assert xd.current_device().xp.zeros(2, device=device.native).device == torch.device('cpu')


def test_a_state_dict_is_saved_and_loaded(tmp_path):
    torch.manual_seed(0)
    old, new = torch.nn.Linear(3, 2).to(torch.bfloat16), torch.nn.Linear(3, 2).to(torch.bfloat16)
    path = tmp_path / 'state.npz'
    xd.save_npz(path, old.state_dict())
    target = new.state_dict()
    xd.load_npz(path, target)
    assert all(torch.equal(a, b) for a, b in zip(old.parameters(), new.parameters()))
    anywhere = xd.load(path, device='@torch:cpu')
    assert torch.equal(anywhere['weight'], old.weight) and anywhere['weight'].dtype is torch.bfloat16


def test_a_model_of_tensors_moves():
    class Model(xd.DeviceResident):
        def __init__(self):
            self.W = np.ones((2, 2), 'float32')

    model = Model().to_device('@torch:cpu')
    assert model.device is xd.get_device('@torch:cpu') and isinstance(model.W, torch.Tensor)
    assert pickle.loads(pickle.dumps(model.device)) is copy.deepcopy(model.device) is model.device
