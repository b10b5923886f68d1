"""A trace and a guard see what PyTorch moves by itself; nothing is replaced while nobody looks.

There need not be a GPU: what tensors on one would do is looked at with PyTorch's fake ones.
"""

import contextlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices.backends import _torch_observe

torch = pytest.importorskip('torch', reason='PyTorch is not installed')


def rows(log):
    return [(row.op, row.nbytes, row.source, row.target, row.implicit, row.host) for row in log]


PULLS = {
    'float': float,
    'int': int,
    'bool': bool,
    'complex': complex,
    'item': lambda x: x.item(),
    'in': lambda x: 2.0 in x,
    'format': lambda x: f'{x}',
    'index': lambda x: range(9)[x.to(torch.int64)],
}


@pytest.mark.parametrize('op', PULLS)
def test_scalars_of_the_host(op):
    x = torch.tensor(2.0)
    with xd.trace_transfers() as log, xd.transfer_guard('disallow'):
        PULLS[op](x)
    assert rows(log) == [(op, 0, '@torch:cpu', '@numpy', True, True)]
    assert log[0].filename == __file__ and log[0].seconds >= 0 and log.nbytes_moved == 0


def test_what_stays_in_host_memory_is_no_row():
    x = torch.arange(4.0)
    with xd.trace_transfers() as log:
        x.tolist(), repr(x), str(x), x[x > 1], x.nonzero(), x.numpy(), np.asarray(x), list(x), len(x), x + 1, x.sum()
        x.cpu(), x.to('cpu'), x.to(torch.float64), x.to(x), x.to('meta'), x.copy_(x + 1), x.clone(), x.numpy(force=True)
        xd.to_numpy(x), xd.get_device('@torch:cpu').send(np.ones(3)), xd.get_device('@torch:cpu').send(x, copy=True)
    assert rows(log) == []


@pytest.fixture
def fake(monkeypatch):
    """Tensors that say that they are on a GPU."""
    module = pytest.importorskip('torch._subclasses.fake_tensor', reason='this PyTorch has no fake tensors')
    monkeypatch.setattr(_torch_observe, '_has_values', lambda tensor: tensor.device.type != 'meta')
    monkeypatch.setattr(torch.cuda, 'current_device', lambda: 0)
    with module.FakeTensorMode(allow_non_fake_inputs=True):
        yield torch.empty((3, 4), device='cuda:0')


MOVES = {
    'cpu': (lambda x: x.cpu(), ('cpu', 48, '@torch:cuda:0', '@torch:cpu', False, False)),
    'to': (lambda x: x.to('cpu'), ('to', 48, '@torch:cuda:0', '@torch:cpu', False, False)),
    'to, keyword': (lambda x: x.to(device='cpu'), ('to', 48, '@torch:cuda:0', '@torch:cpu', False, False)),
    'to, narrower': (lambda x: x.to('cpu', torch.float16), ('to', 48, '@torch:cuda:0', '@torch:cpu', False, False)),
    'to another tensor': (lambda x: torch.empty(2).to(x), ('to', 8, '@torch:cpu', '@torch:cuda:0', False, False)),
    'up, narrower': (
        lambda x: torch.empty(2).to('cuda', dtype=torch.float16),
        ('to', 4, '@torch:cpu', '@torch:cuda:0', False, False),
    ),
    'cuda': (lambda x: torch.empty(2).cuda(), ('cuda', 8, '@torch:cpu', '@torch:cuda:0', False, False)),
    'peer': (lambda x: x.to('cuda:1'), ('to', 48, '@torch:cuda:0', '@torch:cuda:1', False, False)),
    'copy_': (lambda x: x.copy_(torch.empty(4)), ('copy_', 48, '@torch:cpu', '@torch:cuda:0', False, False)),
    'nonzero': (lambda x: x.nonzero(), ('nonzero', 8, '@torch:cuda:0', '@numpy', True, False)),
    'mask': (lambda x: x[x > 0], ('getitem', 8, '@torch:cuda:0', '@numpy', True, False)),
    'item': (lambda x: torch.Tensor.item(x.sum()), ('item', 4, '@torch:cuda:0', '@numpy', True, False)),
    'tolist': (  # fake tensors have a method of their own
        lambda x: torch.Tensor.tolist(x),
        ('tolist', 48, '@torch:cuda:0', '@torch:cpu', True, False),
    ),
}


@pytest.mark.parametrize('name', MOVES)
def test_what_a_gpu_would_move(fake, name):
    move, expected = MOVES[name]
    with xd.trace_transfers() as log:
        try:
            move(fake)
        except Exception:  # a fake tensor has no values
            assert log[0].failed
    assert rows(log) == [expected]
    with (
        xd.transfer_guard('disallow', explicit='disallow'),
        pytest.raises(xd.errors.TransferForbiddenError, match=expected[0]),
    ):
        move(fake)


STAYS = [
    lambda x: x + 1,
    lambda x: x.sum(),
    len,
    lambda x: x.to(torch.float16),
    lambda x: x.to('cuda'),
    lambda x: x.to('meta'),
    lambda x: x.copy_(x),
    lambda x: torch.empty((0,)).to('cuda'),
    lambda x: x.clone(),
]


@pytest.mark.parametrize('operation', STAYS)
def test_what_stays_on_a_gpu(fake, operation):
    # A PyTorch without CUDA refuses some of them, after it has been asked.
    with xd.trace_transfers() as log, contextlib.suppress(RuntimeError):
        operation(fake)
    assert rows(log) == []


def test_a_tensor_is_shown_without_values_under_a_guard(fake, monkeypatch):
    monkeypatch.setattr(torch.Tensor, '__repr__', lambda x, **kwargs: f'tensor({torch.Tensor.item(x.sum())})')
    with xd.transfer_guard('disallow'):
        for text in (repr(fake), f'{fake}'):
            assert "<guarded>, shape=(3, 4), dtype=torch.float32, device='cuda:0'" in text


def test_fake_and_meta_tensors_move_nothing():
    module = pytest.importorskip('torch._subclasses.fake_tensor', reason='this PyTorch has no fake tensors')
    with xd.trace_transfers() as log:
        with module.FakeTensorMode():
            torch.empty(3, device='cuda').cpu()
        torch.empty(3, device='meta').to(torch.float16)
    assert rows(log) == []


def test_our_own_copies_are_told_once(fake):
    from crossdock.transfer._hook import telling

    with xd.trace_transfers() as log:
        # As the back-end does; a PyTorch without CUDA refuses it in the end.
        with telling('copy', 48, '@numpy', '@torch:cuda:0'), contextlib.suppress(RuntimeError):
            fake.copy_(torch.empty((3, 4)))
        with pytest.raises(ZeroDivisionError), telling('copy', 48, '@numpy', '@torch:cuda:0'):
            1 / 0
        with contextlib.suppress(RuntimeError):
            fake.cpu()
    assert [row.op for row in log] == ['copy', 'copy', 'cpu']


def test_all_is_as_before_afterwards():
    before = dict(vars(torch.Tensor))
    item = torch.Tensor.item
    with xd.trace_transfers():
        assert 'item' in vars(torch.Tensor)
        with xd.transfer_guard('disallow'):
            pass
        assert 'item' in vars(torch.Tensor)
    after = dict(vars(torch.Tensor))
    assert before.keys() == after.keys() and all(before[name] is after[name] for name in before)
    assert torch.Tensor.item is item


def test_what_somebody_else_replaces_meanwhile_stays(monkeypatch):
    def mine(tensor):
        return 'mine'

    with xd.trace_transfers():
        monkeypatch.setattr(torch.Tensor, 'tolist', mine)
    assert torch.Tensor.tolist is mine
    monkeypatch.undo()  # to what stood there, which hears of nobody any more
    assert torch.ones(2).tolist() == [1, 1]
    del torch.Tensor.tolist


def test_threads():
    x, seen = torch.tensor(1.0), []

    def traced():
        with xd.trace_transfers() as log:
            float(x)
        seen.append(rows(log))

    with xd.trace_transfers() as log:
        thread = threading.Thread(target=traced)
        thread.start()
        thread.join()
        thread = threading.Thread(target=lambda: float(x))
        thread.start()
        thread.join()
    assert rows(log) == [] and [len(found) for found in seen] == [1]


class Sub(torch.Tensor):
    pass


def test_the_rest_of_pytorch_goes_on():
    x = torch.arange(3.0, requires_grad=True)
    with xd.trace_transfers() as log:
        (x.to(torch.float64) ** 2).sum().backward()
        assert x.grad.tolist() == [0, 2, 4]
        with torch.inference_mode():
            assert float(torch.ones(()) + 1) == 2
        assert torch.func.vmap(lambda a: a[..., None] * 2)(torch.ones(3)).shape == (3, 1)
        assert torch.func.grad(lambda a: (a * a).sum())(torch.tensor(2.0)).item() == 4
        sub = torch.ones(3).as_subclass(Sub)
        assert type(sub[sub > 0]) is Sub and sub.sum().item() == 3 and type(sub.to(torch.float64)) is Sub
    assert [row.op for row in log] == ['float', 'item', 'item']


def test_functions_are_compiled_as_before(recwarn):
    pytest.importorskip('torch._dynamo', reason='this PyTorch compiles nothing')
    from torch._dynamo.testing import CompileCounter

    counter = CompileCounter()
    f = torch.compile(lambda x: x[1:].to(torch.float64) * 2, backend=counter, fullgraph=True)
    x = torch.ones(3)
    with xd.trace_transfers():
        f(x)
    f(x)
    assert counter.frame_count == 1
    g = torch.compile(lambda x: x * x.sum().item(), backend=counter)
    with xd.trace_transfers() as log:
        assert g(x).tolist() == [3, 3, 3]
    assert g(x).tolist() == [3, 3, 3] and [row.op for row in log] == ['item']
    assert not [w for w in recwarn if 'does not know how to trace' in str(w.message)]


def test_a_pytorch_that_is_imported_while_somebody_listens():
    program = """
import sys, crossdock as xd
before = list(sys.meta_path)
with xd.trace_transfers() as log:
    import torch
    torch.ones(1).item()
assert [row.op for row in log] == ['item'] and log[0].source == '@torch:cpu', list(log)
assert sys.meta_path == before and 'crossdock' not in type(torch.__spec__.loader).__module__
"""
    subprocess.run([sys.executable, '-c', program], check=True)


def test_pytorchs_own_warnings_name_the_users_line(tmp_path):
    """PyTorch gives them once in a process, and not in all versions."""
    text = 'import contextlib, torch, crossdock as xd\nx = torch.ones((), requires_grad=True)\nwith {}:\n    float(x)\n'
    script, said = tmp_path / 'job.py', []
    for block in ('contextlib.nullcontext()', 'xd.trace_transfers()'):
        script.write_text(text.format(block))
        done = subprocess.run([sys.executable, '-W', 'always', script], capture_output=True, text=True)
        assert done.returncode == 0
        said.append(done.stderr)
    assert said[0] == said[1]
