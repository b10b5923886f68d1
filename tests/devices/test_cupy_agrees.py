"""The stand-in for CuPy has nothing that the real one has not, and takes the same arguments."""

import importlib.util
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in

pytestmark = pytest.mark.skipif(importlib.util.find_spec('cupy') is None, reason='CuPy is not installed')

#: Modules, and the class whose arguments CuPy tells nowhere.
NOT_CALLED = {'cuda.memory', 'cuda.device', 'cuda.pinned_memory', 'cuda.runtime', 'ndarray'}
FUNCTIONS = [
    'cuda.runtime.getDevice',
    'cuda.runtime.setDevice',
    'cuda.runtime.getDeviceCount',
    'cuda.pinned_memory.is_memory_pinned',
    'cuda.device.from_pointer',
    'cuda.memory.OutOfMemoryError',
    'get_default_memory_pool',
    *(f'cuda.Device.{name}' for name in ('use', 'synchronize')),
    *(f'cuda.Stream.{name}' for name in ('use', 'record', 'wait_event', 'synchronize')),
    *(f'cuda.Event.{name}' for name in ('record', 'synchronize')),
    'cuda.PythonFunctionAllocator.malloc',
    *(f'cuda.MemoryPointer.copy_{way}_async' for way in ('from_host', 'to_host', 'from_device')),
    *(f'ndarray.{name}' for name in ('get', 'set', 'item', 'tolist', 'copy', 'reshape', 'transpose', '__dlpack__')),
]
ATTRIBUTES = [
    *(f'ndarray.{name}' for name in ('data', 'shape', 'dtype', 'strides', 'flags', 'device', 'nbytes', 'real', 'size')),
    *(f'cuda.Device.{name}' for name in ('id', 'mem_info', '__enter__', '__exit__', '__int__')),
    *(f'cuda.MemoryPointer.{name}' for name in ('mem', 'ptr', 'device_id', 'device', '__add__')),
    *(f'cuda.PinnedMemoryPointer.{name}' for name in ('mem', 'ptr', 'size')),
    *(f'cuda.MemoryPool.{name}' for name in ('used_bytes', 'free_bytes', 'free_all_blocks', 'malloc')),
    'cuda.Stream.null',
    'cuda.Event.done',
    'cuda.runtime.CUDARuntimeError',
    'cuda.runtime.hostAllocPortable',
    'cuda.runtime.streamLegacy',
]

#: Runs in a process of its own, for the other tests replace the module.
ASK = """
import importlib, inspect, json, sys
import cupy
def find(path):
    place = cupy
    for name in path.split('.'):
        place = getattr(place, name)
    return place
answers = {}
for path in json.load(sys.stdin):
    try:
        found = find(path)
    except AttributeError:
        answers[path] = None
        continue
    try:
        answers[path] = ['signature', list(inspect.signature(found).parameters)]
    except (TypeError, ValueError):
        answers[path] = ['text', (getattr(found, '__doc__', None) or '').strip().split(chr(10))[0]]
print(json.dumps(answers))
"""


def _names():
    return {
        **{name: getattr(cupy_stand_in._array, name) for name in cupy_stand_in._array.__all__},
        **{name: getattr(cupy_stand_in._kernels, name) for name in cupy_stand_in._kernels.__all__},
        **{f'cuda.{name}': getattr(cupy_stand_in._cuda, name) for name in cupy_stand_in._cuda.__all__},
    }


@pytest.fixture(scope='module')
def real():
    asked = sorted({*_names(), *FUNCTIONS, *ATTRIBUTES})
    done = subprocess.run([sys.executable, '-c', ASK], input=json.dumps(asked), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _theirs(kind, said):
    """Names of arguments, as the signature or the first line of the documentation has them, but for starred ones."""
    if kind == 'signature':
        return [name for name in said if name not in ('self', 'args', 'kwargs')]
    listed = re.match(r'[\w.]+\((.*)\)', said)
    assert listed, f'CuPy does not tell the arguments: {said!r}'
    flat = re.sub(r'\([^()]*\)', '', listed[1])
    names = [part.split('=')[0].split(':')[0].split()[-1] for part in flat.split(',') if part.strip()]
    return [name for name in names if name != 'self' and not name.startswith('*')]


def _ours(function):
    starred = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    named = inspect.signature(function).parameters.values()
    return [each.name for each in named if each.name != 'self' and each.kind not in starred]


def test_every_name_is_cupys(real):
    assert [name for name in real if real[name] is None] == []


@pytest.mark.parametrize('name', sorted({*_names(), *FUNCTIONS} - NOT_CALLED))
def test_arguments_are_cupys(real, name):
    place = cupy_stand_in.make_module()
    for part in name.split('.'):
        place = getattr(place, part)
    assert _ours(place) == _theirs(*real[name]), f'CuPy says {real[name]}'
