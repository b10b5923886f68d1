"""The fake driver itself: what it shares with the real one, so that code which passes on it can be believed."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from . import driver as d
from .driver import Add, Driver, fails

TOOLKIT = Path(os.environ.get('CUDA_HOME', '/usr/local/cuda')) / 'include'


def test_parameters_are_those_of_cuda_h() -> None:
    if not (TOOLKIT / 'cuda.h').exists() or not shutil.which('g++'):
        pytest.skip(f'needs g++ and {TOOLKIT}/cuda.h')
    source = Path(__file__).parent / 'fake/check_abi.cpp'
    done = subprocess.run(
        ['g++', '-std=c++20', '-fsyntax-only', f'-I{TOOLKIT}', str(source)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, '')


def test_before_init_and_without_a_context(sample_library: Path) -> None:
    code = f"""
import ctypes
import faulthandler
cuda = ctypes.CDLL({str(sample_library)!r})
out = ctypes.c_uint64()
n = ctypes.c_int()
print(cuda.cuDeviceGetCount(ctypes.byref(n)), cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(8)))
print(cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(n)), n.value)
print(cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(8)), cuda.cuStreamSynchronize(None))
"""
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert done.stdout.split() == ['3', '3', '0', '0', '1', '201', '201'], done.stderr


@pytest.mark.parametrize(
    ('environment', 'expected'),
    [({'FAKE_CUDA_DEVICES': '0'}, '100'), ({'FAKE_CUDA_INIT_RESULT': '803'}, '803'), ({'FAKE_CUDA_DEVICES': '3'}, '0')],
)
def test_init_as_the_environment_says(sample_library: Path, environment: dict[str, str], expected: str) -> None:
    code = f'import ctypes; print(ctypes.CDLL({str(sample_library)!r}).cuInit(0))'
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.stdout.strip() == expected


def test_nvml_counts_without_cuda(sample_library: Path) -> None:
    nvml = ctypes.CDLL(str(sample_library.parent / 'libnvidia-ml.so.1'))
    n, version, text = ctypes.c_uint(), ctypes.c_int(), ctypes.create_string_buffer(80)
    assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(n)) == 1
    assert nvml.nvmlInit_v2() == nvml.nvmlDeviceGetCount_v2(ctypes.byref(n)) == 0
    assert nvml.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(version)) == 0
    assert nvml.nvmlSystemGetDriverVersion(text, 80) == 0
    assert (n.value, version.value, text.value[:3]) == (1, 13000, b'580')
    assert nvml.nvmlShutdown() == 0


def test_functions_by_name(cuda: Driver) -> None:
    function, status = ctypes.c_void_p(), ctypes.c_int()

    def look_up(name: bytes) -> tuple[int, int]:
        out = (ctypes.byref(function), 13000, ctypes.c_uint64(0), ctypes.byref(status))
        return cuda.library.cuGetProcAddress_v2(name, *out), status.value

    address = ctypes.cast(cuda.library.cuMemAlloc_v2, ctypes.c_void_p).value
    assert look_up(b'cuMemAlloc') == (0, 0) and function.value == address
    assert look_up(b'cuInit') == (0, 0)
    assert look_up(b'cuNoSuchThing') == (d.NOT_FOUND, 1)
    assert look_up(b'fake_cuda_heal') == (d.NOT_FOUND, 1)


def test_tables_without_documents_can_be_asked_for(cuda: Driver) -> None:
    # NVRTC asks for its cache's, in any process that has a libcuda.so.1, and crashes where it cannot.
    table = ctypes.c_void_p(1)
    assert cuda.result('cuGetExportTable', ctypes.byref(table), bytes(16)) == d.NOT_FOUND
    assert table.value is None


def test_devices(cuda: Driver) -> None:
    assert cuda.get('cuDeviceGetCount', type_=ctypes.c_int) == 2
    assert cuda.get('cuDeviceGetAttribute', 75, 0, type_=ctypes.c_int) == 9
    fails(101, cuda.get, 'cuDeviceGet', 2)
    assert cuda.get('cuDeviceCanAccessPeer', 0, 1, type_=ctypes.c_int) == 1
    assert cuda.get('cuCtxGetDevice', type_=ctypes.c_int) == 0
    assert cuda.get('cuDeviceTotalMem_v2', 0, type_=ctypes.c_size_t) == 256 << 20


def test_memory_is_counted_and_freed_once(cuda: Driver) -> None:
    def free() -> int:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        return free.value

    before = free()
    address = cuda.alloc(1 << 20)
    assert before - free() == 1 << 20 and address % 256 == 0
    assert (cuda.counter('live_allocations'), cuda.counter('live_bytes')) == (1, 1 << 20)
    cuda.cuMemFree_v2(address)
    assert free() == before
    fails(d.INVALID_VALUE, cuda.cuMemFree_v2, address)
    fails(d.OUT_OF_MEMORY, cuda.alloc, 1 << 29)
    fails(d.INVALID_VALUE, cuda.alloc, 0)


def test_new_memory_is_not_zero(cuda: Driver) -> None:
    assert np.isnan(cuda.download(cuda.alloc(400), np.empty(100, 'f4'))).all()


def test_the_host_cannot_touch_it(cuda: Driver) -> None:
    address = cuda.upload(np.ones(4))
    if not (child := os.fork()):
        faulthandler.disable()
        ctypes.string_at(address, 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) < 0


def test_writing_past_the_end_is_noticed(cuda: Driver, capfd: pytest.CaptureFixture[str]) -> None:
    out = cuda.alloc(4 * 64)
    n = 65
    a = cuda.upload(np.ones(n, 'f4'))
    cuda.launch(cuda.function('add<float>'), 1, 128, Add(a, a, out, n))
    cuda.cuMemFree_v2(out)
    assert cuda.counter('overruns') == 1 and 'past the end' in capfd.readouterr().err


def test_copies_check_their_range(cuda: Driver) -> None:
    host = np.ones(100, 'u1')
    address = cuda.alloc(100)
    cuda.cuMemcpyHtoD_v2(address, host.ctypes.data, 100)
    fails(d.INVALID_VALUE, cuda.cuMemcpyHtoD_v2, address + 1, host.ctypes.data, 100)
    fails(d.INVALID_VALUE, cuda.cuMemcpyHtoD_v2, host.ctypes.data, host.ctypes.data, 100)
    fails(d.INVALID_VALUE, cuda.cuMemcpyDtoH_v2, address, address, 100)
    cuda.cuMemFree_v2(address)
    fails(d.INVALID_VALUE, cuda.cuMemcpyDtoH_v2, host.ctypes.data, address, 1)


def test_copies_in_rows(cuda: Driver) -> None:
    host = np.arange(40, dtype='u1').reshape(5, 8)
    address = cuda.upload(np.zeros((4, 16), 'u1'))

    class Copy(ctypes.Structure):
        _fields_ = [
            (f'{side}_{name}', type_)
            for side in ('src', 'dst')
            for name, type_ in [('x', ctypes.c_size_t), ('y', ctypes.c_size_t), ('type', ctypes.c_int)]
            + [(one, ctypes.c_uint64) for one in ('host', 'device', 'array', 'pitch')]
        ] + [('width', ctypes.c_size_t), ('height', ctypes.c_size_t)]

    copy = Copy(2, 1, 1, host.ctypes.data, 0, 0, 8, 4, 1, 2, 0, address, 0, 16, 5, 3)
    cuda.cuMemcpy2DAsync_v2(ctypes.byref(copy), 0)
    expected = np.zeros((4, 16), 'u1')
    expected[1:4, 4:9] = host[1:4, 2:7]
    np.testing.assert_array_equal(cuda.download(address, expected), expected)
    copy.height = 9
    fails(d.INVALID_VALUE, cuda.cuMemcpy2DAsync_v2, ctypes.byref(copy), 0)


def test_fills(cuda: Driver) -> None:
    address = cuda.alloc(64)
    cuda.cuMemsetD8Async(address, 7, 64, 0)
    cuda.cuMemsetD32Async(address + 8, 0x01020304, 2, 0)
    expected = np.full(64, 7, 'u1')
    expected[8:16] = [4, 3, 2, 1] * 2
    np.testing.assert_array_equal(cuda.download(address, expected), expected)
    fails(d.INVALID_VALUE, cuda.cuMemsetD32Async, address + 2, 0, 1, 0)


def test_pinned_copies_are_asynchronous_and_pageable_ones_staged(cuda: Driver) -> None:
    stream, pinned, pageable = cuda.stream(), cuda.pinned(4), np.zeros(4, 'f4')
    one, two = cuda.alloc(16), cuda.alloc(16)
    pinned[:] = 0
    with cuda.held():
        cuda.cuMemcpyHtoDAsync_v2(one, pinned.ctypes.data, 16, stream)
        cuda.cuMemcpyHtoDAsync_v2(two, pageable.ctypes.data, 16, stream)
        assert cuda.result('cuStreamQuery', stream) == d.NOT_READY
        pinned[:] = pageable[:] = 9  # too early for the first, harmless to the second
    cuda.cuStreamSynchronize(stream)
    assert cuda.download(one, pageable).tolist() == [9] * 4
    assert cuda.download(two, pageable).tolist() == [0] * 4
    assert cuda.counter('waiting_copies') == 2
    assert cuda.result('cuStreamQuery', stream) == 0


def test_a_download_to_pageable_memory_waits(cuda: Driver) -> None:
    stream, out, pinned = cuda.stream(), np.zeros(4, 'f4'), cuda.pinned(4)
    address = cuda.upload(np.arange(4, dtype='f4'))
    cuda.library.fake_cuda_delay(20_000)
    cuda.cuMemcpyDtoHAsync_v2(out.ctypes.data, address, 16, stream)
    assert out.tolist() == [0, 1, 2, 3]
    pinned[:] = -1
    cuda.cuMemcpyDtoHAsync_v2(pinned.ctypes.data, address, 16, stream)
    assert pinned.tolist() == [-1] * 4
    cuda.cuStreamSynchronize(stream)
    assert pinned.tolist() == [0, 1, 2, 3]


def test_what_pointers_are(cuda: Driver) -> None:
    device, pinned, pageable = cuda.alloc(64), cuda.pinned(4), np.zeros(4)

    def attributes(address: int) -> tuple[int, int, int]:
        type_, ordinal, begin = ctypes.c_uint(), ctypes.c_int(), ctypes.c_uint64()
        outs = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in (type_, ordinal, begin)))
        cuda.cuPointerGetAttributes(3, (ctypes.c_int * 3)(2, 9, 11), outs, address)
        return type_.value, ordinal.value, begin.value

    assert attributes(device + 8) == (2, 0, device)
    assert attributes(pinned.ctypes.data) == (1, 0, pinned.ctypes.data)
    assert attributes(pageable.ctypes.data) == (0, -2, 0)
    fails(d.INVALID_VALUE, cuda.get, 'cuPointerGetAttribute', 2, pageable.ctypes.data)
    assert cuda.get('cuPointerGetAttribute', 9, device) in (0, None)


def test_registered_memory_is_pinned(cuda: Driver) -> None:
    host = np.zeros(8192, 'u1')
    cuda.cuMemHostRegister_v2(host.ctypes.data, host.nbytes, 0)
    fails(712, cuda.cuMemHostRegister_v2, host.ctypes.data + 100, 10, 0)
    assert cuda.get('cuMemHostGetDevicePointer_v2', host.ctypes.data, 0) == host.ctypes.data
    cuda.cuMemHostUnregister(host.ctypes.data)
    fails(713, cuda.cuMemHostUnregister, host.ctypes.data)
    fails(d.INVALID_VALUE, cuda.cuMemFreeHost, host.ctypes.data)


def test_stream_order_and_events(cuda: Driver) -> None:
    first, second, event, pinned = cuda.stream(), cuda.stream(), cuda.event(2), cuda.pinned(2, 'u4')
    address = cuda.alloc(8)
    assert cuda.result('cuEventQuery', event) == 0  # never recorded
    with cuda.held():
        cuda.cuMemsetD32Async(address, 5, 2, first)
        cuda.cuEventRecord(event, first)
        cuda.cuStreamWaitEvent(second, event, 0)
        cuda.cuMemcpyDtoHAsync_v2(pinned.ctypes.data, address, 8, second)
        assert cuda.result('cuEventQuery', event) == d.NOT_READY
    cuda.cuStreamSynchronize(second)
    assert pinned.tolist() == [5, 5]
    assert cuda.result('cuEventQuery', event) == 0
    fails(d.INVALID_HANDLE, cuda.get, 'cuEventElapsedTime_v2', event, event)  # it has no times
    cuda.cuEventDestroy_v2(event)
    fails(d.INVALID_HANDLE, cuda.cuEventSynchronize, event)


def test_times_between_events(cuda: Driver) -> None:
    stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
    address = cuda.alloc(4)
    fails(d.INVALID_HANDLE, cuda.get, 'cuEventElapsedTime_v2', begin, end)
    cuda.library.fake_cuda_delay(30_000)
    cuda.cuEventRecord(begin, stream)
    cuda.cuMemsetD8Async(address, 0, 4, stream)
    cuda.cuEventRecord(end, stream)
    cuda.cuEventSynchronize(end)
    assert 29 < cuda.get('cuEventElapsedTime_v2', begin, end, type_=ctypes.c_float) < 2000


@pytest.mark.parametrize(
    ('flags', 'default', 'waits'), [(0, 0, True), (0, 1, True), (0, 2, False), (1, 0, False), (1, 1, False)]
)
def test_the_default_streams_rule(cuda: Driver, flags: int, default: int, waits: bool) -> None:
    """Streams 0 and 1 and blocking ones wait for each other; stream 2 is a blocking one of the thread's own."""
    stream, gate = cuda.stream(flags), Gate()
    for first, second in [(stream, default), (default, stream)]:
        gate.close()
        cuda.cuLaunchHostFunc(first, gate.function, None)
        event = cuda.event(2)
        cuda.cuEventRecord(event, second)
        time.sleep(0.03)
        ready = cuda.result('cuEventQuery', event) == 0
        gate.open()
        cuda.cuCtxSynchronize()
        assert ready is not waits


class Gate:
    """A host function that does not return before it is opened."""

    def __init__(self) -> None:
        self.closed = False
        self.function = d.HOST_FUNCTION(self.wait)

    def wait(self, _: object) -> None:
        while self.closed:
            time.sleep(0.001)

    def close(self) -> None:
        self.closed = True

    def open(self) -> None:
        self.closed = False


def test_host_functions_may_not_call_cuda(cuda: Driver) -> None:
    seen: list[int] = []
    function = d.HOST_FUNCTION(lambda _: seen.append(cuda.result('cuStreamQuery', 0)))
    cuda.cuLaunchHostFunc(0, function, None)
    cuda.cuCtxSynchronize()
    assert seen == [d.NOT_PERMITTED]


def test_a_destroyed_stream_ends_its_work(cuda: Driver) -> None:
    stream, address = cuda.stream(), cuda.alloc(4)
    with cuda.held():
        cuda.cuMemsetD32Async(address, 3, 1, stream)
        cuda.cuStreamDestroy_v2(stream)
        fails(d.INVALID_HANDLE, cuda.cuStreamSynchronize, stream)
    cuda.cuCtxSynchronize()
    assert cuda.download(address, np.zeros(1, 'u4')).tolist() == [3]
    fails(d.INVALID_HANDLE, cuda.cuStreamDestroy_v2, 0)


def test_modules(cuda: Driver) -> None:
    fails(200, cuda.get, 'cuModuleLoadData', b'nonsense' + bytes(64))
    module = cuda.get('cuModuleLoadData', d.IMAGE)
    fails(d.NOT_FOUND, cuda.get, 'cuModuleGetFunction', module, b'_Z4nonev')
    fails(d.NOT_FOUND, cuda.get, 'cuModuleGetFunction', module, b'malloc')
    function = cuda.function('lanes')
    cuda.cuModuleUnload(module)
    fails(d.INVALID_HANDLE, cuda.cuModuleUnload, module)
    fails(d.INVALID_HANDLE, cuda.get, 'cuModuleGetFunction', module, b'_Z4nonev')
    assert cuda.get('cuFuncGetAttribute', 0, function, type_=ctypes.c_int) == 1024


def test_contexts_of_two_devices(cuda: Driver) -> None:
    first = cuda.get('cuCtxGetCurrent')
    second = cuda.get('cuDevicePrimaryCtxRetain', 1)
    a, stream, function = cuda.upload(np.arange(8, dtype='f4')), cuda.stream(), cuda.function('add<float>')
    event = cuda.event(2)
    cuda.cuCtxSetCurrent(second)
    b = cuda.alloc(32)
    fails(d.INVALID_HANDLE, cuda.launch, function, 1, 32, Add(a, a, b, 8))
    fails(d.INVALID_HANDLE, cuda.cuEventRecord, event, 0)
    cuda.cuMemcpyPeerAsync(b, second, a, first, 32, 0)
    assert cuda.download(b, np.empty(8, 'f4')).tolist() == list(range(8))
    fails(d.INVALID_VALUE, cuda.cuMemcpyPeerAsync, b, first, a, second, 32, 0)
    context = ctypes.c_void_p()
    cuda.cuStreamGetCtx(stream, ctypes.byref(context))
    assert context.value == first
    here = cuda.function('add<float>')
    cuda.launch(here, 1, 32, Add(b, b, b, 8))
    cuda.cuCtxSynchronize()
    cuda.cuCtxEnablePeerAccess(first, 0)
    fails(704, cuda.cuCtxEnablePeerAccess, first, 0)
    cuda.launch(here, 1, 32, Add(a, a, b, 8))
    assert cuda.download(b, np.empty(8, 'f4')).tolist() == list(range(0, 16, 2))
    cuda.cuCtxDisablePeerAccess(first)
    cuda.launch(here, 1, 32, Add(a, a, b, 8))
    fails(d.ILLEGAL_ADDRESS, cuda.cuCtxSynchronize)
    cuda.cuCtxSetCurrent(first)
    cuda.cuCtxSynchronize()
    cuda.library.fake_cuda_heal()
    cuda.cuDevicePrimaryCtxRelease_v2(1)
    fails(d.INVALID_CONTEXT, cuda.cuDevicePrimaryCtxRelease_v2, 1)


def test_freed_memory_in_stream_order(cuda: Driver) -> None:
    stream = cuda.stream()
    address = cuda.get('cuMemAllocAsync', 64, stream)
    with cuda.held():
        cuda.cuMemsetD8Async(address, 1, 64, stream)
        cuda.cuMemFreeAsync(address, stream)
        assert cuda.counter('live_allocations') == 1
    cuda.cuStreamSynchronize(stream)
    assert cuda.counter('live_allocations') == 0


def test_faults_on_demand(cuda: Driver) -> None:
    cuda.fail('cuMemAlloc_v2', d.OUT_OF_MEMORY, after=2)
    cuda.alloc(8), cuda.alloc(8)
    fails(d.OUT_OF_MEMORY, cuda.alloc, 8)
    address = cuda.alloc(8)
    cuda.fail('cuModuleLoadData', 209)
    fails(209, cuda.get, 'cuModuleLoadData', d.IMAGE)
    cuda.fail('run:memset', 719)
    cuda.cuMemsetD8Async(address, 0, 8, 0)
    fails(719, cuda.cuCtxSynchronize)
    cuda.library.fake_cuda_heal()
    cuda.library.fake_cuda_lose_device(0, 999)
    for call in (cuda.alloc, lambda _: cuda.cuCtxSynchronize(), lambda _: cuda.cuStreamQuery(0)):
        fails(999, call, 8)


def test_a_forked_child_is_told(cuda: Driver) -> None:
    if not (child := os.fork()):
        wrong = sum(cuda.result(*call) != d.NOT_INITIALIZED for call in [('cuInit', 0), ('cuCtxSynchronize',)])
        os._exit(wrong)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    cuda.cuCtxSynchronize()


def test_a_process_may_end_with_work_under_way(sample_library: Path) -> None:
    code = f"""
import ctypes, os
cuda = ctypes.CDLL({str(sample_library)!r})
cuda.cuInit(0)
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 20))
for _ in range(100):
    cuda.cuMemsetD8Async(address, 1, ctypes.c_size_t(1 << 20), ctypes.c_void_p(2))
if not (child := os.fork()):
    os._exit(cuda.cuCtxSynchronize() != 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), cuda.cuStreamQuery(ctypes.c_void_p(2)))
"""
    done = subprocess.run(
        [sys.executable, '-c', code],
        capture_output=True,
        text=True,
        env={**os.environ, 'FAKE_CUDA_DELAY_US': '20000'},
        timeout=60,
    )
    assert (done.returncode, done.stdout.split()) == (0, ['0', '600']), done.stderr
