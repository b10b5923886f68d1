"""NVRTC for the tests: by the core's own way, and by hand for sources that the core does not hold."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import pytest

from crossdock import errors
from crossdock.core import _core, cuda

#: Turing, Hopper and Blackwell: the oldest that CUDA 13 knows, and those with features of their own.
ARCHITECTURES = ['sm_75', 'sm_90', 'sm_100']

OPTIONS = ['--std=c++20', '--device-as-default-execution-space', '--fmad=false']


def need_nvrtc() -> tuple[int, int]:
    """NVRTC's version; the test is skipped, with the reason, where there is none."""
    try:
        return _core._nvrtc_version()
    except errors.DeviceError as error:
        pytest.skip(str(error))


def compile_text(text: str, names: Iterable[str], architecture: str, folders: Iterable[str]) -> tuple[int, str]:
    """NVRTC's code (0: well) and log for a source with these kernels; includes are looked for in the folders."""
    library = ctypes.CDLL(cuda.find_library('nvrtc').path)
    program, nbytes = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b'test.cu', 0, None, None) == 0
    try:
        for name in names:
            assert library.nvrtcAddNameExpression(program, name.encode()) == 0
        options = [*OPTIONS, f'--gpu-architecture={architecture}', *(f'--include-path={folder}' for folder in folders)]
        code = library.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        )
        assert library.nvrtcGetProgramLogSize(program, ctypes.byref(nbytes)) == 0
        log = ctypes.create_string_buffer(nbytes.value)
        assert library.nvrtcGetProgramLog(program, log) == 0
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
    return code, log.value.decode()


def compile_cubin(text: str, names: list[str], architecture: str, folders: Iterable[str]) -> tuple[list[bytes], bytes]:
    """The lowered names of these kernels of a source, and its code."""
    library = ctypes.CDLL(cuda.find_library('nvrtc').path)
    program, nbytes, lowered = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b'test.cu', 0, None, None) == 0
    try:
        for name in names:
            assert library.nvrtcAddNameExpression(program, name.encode()) == 0
        options = [*OPTIONS, f'--gpu-architecture={architecture}', *(f'--include-path={folder}' for folder in folders)]
        encoded = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        assert library.nvrtcCompileProgram(program, len(options), encoded) == 0
        found = []
        for name in names:
            assert library.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(lowered)) == 0
            found.append(lowered.value or b'')
        assert library.nvrtcGetCUBINSize(program, ctypes.byref(nbytes)) == 0
        cubin = ctypes.create_string_buffer(nbytes.value)
        assert library.nvrtcGetCUBIN(program, cubin) == 0
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
    return found, cubin.raw
