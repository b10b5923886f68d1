"""Copies between two GPUs: in the order of both streams, with peer access and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .frame import framed

Run = Callable[..., str]

TWO = """
a = np.arange(100_000.0)
x = send(a)
cx.zeros(3, device='cuda:1')
"""


@pytest.mark.parametrize('peer', ['1', '0'])
def test_peer_copies(on_fake_gpu: Run, peer: str) -> None:
    code = framed(f"""{TWO}
y = x.to_device('cuda:1')
same(y, a)
same(y.to_device('cuda:0') + x, a * 2)
same(x[::2].to_device('cuda:1')[::-1], a[::2][::-1])
same(send({{'a': x, 'b': x[:3]}}, 'cuda:1')['b'], a[:3])
z = cx.zeros(100_000, dtype='float32', device='cuda:1')
exchange.copy_into(z, x)
same(z, a.astype('f4'))
assert counter('p2p_copies') == calls('cuMemcpyPeerAsync') >= 5 and counter('d2h_bytes') < 7 * a.nbytes
assert calls('cuCtxEnablePeerAccess') == (2 if {peer} else 0), 'once each way'
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2', FAKE_CUDA_PEER=peer) == 'sane\n'


def test_they_come_after_work_of_both_devices_and_before_later_work(on_fake_gpu: Run) -> None:
    code = framed(f"""{TWO}
delay_us(20_000)
for i in range(3):
    source = x + i
    target = cx.zeros(100_000, device='cuda:1')
    target += 1
    exchange.copy_into(target, source)       # after both kernels
    source[...] = -1                         # after the copy has read it
    target += 1                              # after the copy has written it
    del source
    reused = cx.ones(100_000, device='cuda:0') * 7
    same(target, a + i + 1)
delay_us(0)
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_the_host_does_not_wait(on_fake_gpu: Run) -> None:
    code = framed(f"""{TWO}
x.to_device('cuda:1') + 1
for spec in ('cuda:0', 'cuda:1'): cx.device(spec).synchronize()
def waits(): return [calls(name) for name in ('cuStreamQuery', 'cuStreamSynchronize', 'cuEventSynchronize')]
before = waits()
hold(1)
y = (x + 1).to_device('cuda:1') * 2
z = y.to_device('cuda:0') + x
assert waits() == before
hold(0)
same(z, (a + 1) * 2 + a)
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_arguments_on_two_devices_are_refused(on_fake_gpu: Run) -> None:
    code = framed(f"""{TWO}
error = error_of(lambda: x + cx.ones(100_000, device='cuda:1'), DeviceError)
assert 'cuda:0' in str(error) and 'cuda:1' in str(error) and isinstance(error, TypeError)
error = error_of(lambda: x + cx.ones(100_000, device='native:0'), DeviceError)
for spec in ('native:0', 'sim:0'):
    same(x.to_device(spec).to_device('cuda:1'), a)
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_a_peer_copy_that_fails(on_fake_gpu: Run) -> None:
    code = framed(f"""{TWO}
fail('cuMemcpyPeerAsync', 1)
error = error_of(lambda: x.to_device('cuda:1'), DeviceError)
assert 'cuMemcpyPeerAsync failed on cuda:1: CUDA_ERROR_INVALID_VALUE (1)' in str(error), error
fail('cuCtxEnablePeerAccess', 711)
same(x.to_device('cuda:1'), a)  # by way of the host
assert xd.get_device('cuda:1').memory_info().used == 0
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'
