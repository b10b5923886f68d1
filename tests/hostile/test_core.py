"""Whatever is thrown at the core's functions, they answer with a value or an ordinary exception."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import itertools, random, sys, warnings
import numpy as np
import crossdock.core as cx

warnings.simplefilter('ignore')
seed, device = int(sys.argv[1]), sys.argv[2]
draw = random.Random(seed)
frozen = np.arange(3.0)
frozen.flags.writeable = False
arrays = [
    cx.zeros((), device=device),
    cx.ones((2, 3), device=device),
    cx.zeros((0, 4), dtype='int8', device=device),
    cx.arange(5, device=device)[::-2],
    cx.broadcast_to(cx.ones((1, 3), dtype='bool', device=device), (4, 3)),
    cx.full((3, 2), 2, dtype='bfloat16', device=device).T,
    cx.ones(3, dtype='float8_e4m3fn', device=device),
    cx.ones(2, dtype='int4', device=device),
    cx.ones(2, dtype='complex64', device=device),
    cx.full(2, 2**64 - 1, dtype='uint64', device=device),
    cx.ones(3, device='native:1'),
    cx.ones(3, device='sim:1'),
]
numbers = [True, 0, 1, -1, 2**31, 2**63, -(2**63), 2**64, 10**400, 0.5, -0.0, float('nan'), float('inf'), 1j]
numbers += [np.float32(3), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.array(1)]
texts = ['', 'float32', 'native:0', 'sim:0', '\\ud800', b'x', memoryview(b'abc')]
lists = [(), (0,), (1, 2), (-1,), (2**62, 4), (2**70,), [0, 1], [[1], [2, 3]], {}, {1}, range(3), (0, 0), (0, 1)]
slices = [slice(None), slice(5, -5, -1), slice(0, 2**70, 3), ...]
others = [None, object(), int, float, np.float64, np.dtype('M8[s]'), cx.float32, cx.int4, cx.device('native:0'), len]
others += [np.zeros(3), np.zeros((2, 3), '>f4'), np.array(['a']), frozen]
junk = numbers + texts + lists + slices + others
left_out = ('set_num_threads', 'Array', 'Device', 'dtype')
names = [n for n in cx.__all__ if callable(getattr(cx, n)) and n not in left_out]
special = ('__class__', '__init_subclass__', '__new__', '__dir__', '__setattr__', '__delattr__')
methods = [n for n in dir(cx.Array) if callable(getattr(cx.Array, n)) and n not in special]
keywords = ['axis', 'dtype', 'device', 'copy', 'keepdims', 'k', 'endpoint', 'shape', 'min', 'max']
keywords += ['stream', 'max_version', 'dl_device']

def something():
    return draw.choice(arrays) if draw.random() < 0.5 else draw.choice(junk)

calls = 0
for _ in range(6000):
    args = [something() for _ in range(draw.randrange(4))]
    kwargs = {k: something() for k in draw.sample(keywords, draw.choice([0, 0, 1, 2]))}
    try:
        if draw.random() < 0.5:
            result = getattr(cx, draw.choice(names))(*args, **kwargs)
        else:
            result = getattr(draw.choice(arrays[:8]), draw.choice(methods))(*args)
        calls += 1
        if isinstance(result, cx.Array) and result.size < 10000 and max(result.shape, default=0) < 10000:
            repr(result), result.tolist()
            if len(arrays) < 60:
                arrays.append(result)
    except (MemoryError, Exception) as error:
        if type(error) is RuntimeError and 'bad_cast' in str(error) or isinstance(error, SystemError):
            raise
cx._core._drain()
print('calls that gave a value:', calls)
"""


@pytest.mark.parametrize('device', ['native:0', 'sim:0'])
@pytest.mark.parametrize('seed', range(3))
def test_no_argument_takes_the_process_down(seed: int, device: str) -> None:
    command = [sys.executable, '-X', 'faulthandler', '-c', CODE, str(seed), device]
    out = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert out.returncode == 0, out.stderr[-3000:]
    assert int(out.stdout.split(':')[1]) > 300
