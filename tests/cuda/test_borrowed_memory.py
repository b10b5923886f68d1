"""Memory that another library shows goes back to it when the work on it is over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .frame import framed


@pytest.mark.parametrize('library', ['jaxlib', 'torch', 'cupy'])
def test_when_the_producer_has_it_back(on_fake_gpu: Callable[..., str], library: str) -> None:
    # PyTorch and CuPy reuse it in the order of our stream, others whenever they like.
    code = framed(f"""
class Shown:
    __module__ = {library + '.arrays'!r}
    def __init__(self, array): self.array = array
    def __dlpack_device__(self): return self.array.__dlpack_device__()
    def __dlpack__(self, **keywords): return self.array.__dlpack__(**keywords)

mine = cx.full(1000, 3.0, device='cuda:0')
(mine + 1).device.synchronize()
device = mine.device
used = lambda: device.memory_info().used
before = used()
for busy in (False, True):
    theirs = cx.full(MIB, 2.0, device='cuda:0')
    device.synchronize()
    x = cx.from_dlpack(Shown(theirs))
    hold(1 if busy else 0)
    y = x[:10] + 1 if busy else None
    del theirs, x
    late = used() - before > MIB
    assert late == (busy and {library == 'jaxlib'}), (busy, late)
    hold(0)
    device.synchronize()
    del y
    end = time.time() + 20
    while used() != before and time.time() < end:
        time.sleep(0.001)
    assert used() == before, busy
""")
    assert on_fake_gpu(code).splitlines() == ['sane']
