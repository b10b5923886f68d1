"""Kernels become code for a GPU without one; compiled ones are found on the disk by later processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crossdock import errors
from crossdock.core import _core

from .nvrtc import ARCHITECTURES, need_nvrtc

FILLS = [f'fill<{type_}>' for type_ in ('std::uint8_t', 'std::uint16_t', 'std::uint32_t', 'std::uint64_t', 'Bytes16')]

KERNELS = Path(__file__).parents[2] / 'core/backends/cuda/kernels'
FUNCTORS = Path(__file__).parents[2] / 'core/include/crossdock/functors'

COMPILE = """
import json, sys
from crossdock.core import _core
print(json.dumps([_core._cuda_compile(*kernel) for kernel in json.loads(sys.argv[1])]))
"""


def start(kernels: list[tuple[str, str, str]], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, '-c', COMPILE, json.dumps(kernels)],
        env={**os.environ, 'CROSSDOCK_CACHE_DIR': str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> list[tuple[int, bool]]:
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, '')
    return [tuple(row) for row in json.loads(out)]


@pytest.mark.parametrize('architecture', ARCHITECTURES)
def test_a_later_process_finds_them_on_the_disk(architecture: str, tmp_path: Path) -> None:
    need_nvrtc()
    kernels = [('fill.cuh', name, architecture) for name in FILLS]
    first, later = (finish(start(kernels, tmp_path)) for _ in range(2))
    assert [kept for _, kept in first] == [False] * len(FILLS)
    assert [kept for _, kept in later] == [True] * len(FILLS)
    assert [nbytes for nbytes, _ in first] == [nbytes for nbytes, _ in later]
    assert all(nbytes > 500 for nbytes, _ in first)
    assert len(list((tmp_path / 'kernels').iterdir())) == len(FILLS)


def test_processes_compile_at_once(tmp_path: Path) -> None:
    need_nvrtc()
    kernels = [('fill.cuh', name, 'sm_90') for name in FILLS]
    results = [finish(process) for process in [start(kernels, tmp_path) for _ in range(3)]]
    assert len({tuple(nbytes for nbytes, _ in result) for result in results}) == 1
    assert len(list((tmp_path / 'kernels').iterdir())) == len(FILLS)


def test_a_damaged_file_is_compiled_anew(tmp_path: Path) -> None:
    need_nvrtc()
    kernels = [('fill.cuh', FILLS[0], 'sm_90')]
    ((nbytes, _),) = finish(start(kernels, tmp_path))
    (file,) = (tmp_path / 'kernels').iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert finish(start(kernels, tmp_path)) == [(nbytes, False)]
    assert finish(start(kernels, tmp_path)) == [(nbytes, True)]


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    need_nvrtc()
    file = tmp_path / 'file'
    file.touch()
    kernels = [('fill.cuh', FILLS[0], 'sm_90')] * 2
    assert [kept for _, kept in finish(start(kernels, file))] == [False, False]


@pytest.mark.parametrize('architecture', ARCHITECTURES)
def test_one_kernel_of_each_header_compiles(architecture: str, tmp_path: Path) -> None:
    """All of them: ``crossdock doctor --compile-kernels``."""
    need_nvrtc()
    one_of_each = {'fill.cuh': FILLS[0], **dict(_core._cuda_kernel_names())}
    kernels = [(header, expression, architecture) for header, expression in one_of_each.items()]
    assert all(nbytes > 500 for nbytes, _ in finish(start(kernels, tmp_path)))


def test_later_gpus_get_code_that_the_driver_translates(tmp_path: Path) -> None:
    need_nvrtc()
    assert finish(start([('fill.cuh', FILLS[0], 'sm_999')], tmp_path))[0][0] > 500


def test_an_error_holds_what_the_compiler_says() -> None:
    version = '.'.join(map(str, need_nvrtc()))
    with pytest.raises(errors.DeviceError) as caught:
        _core._cuda_compile('fill.cuh', 'fill<NoSuchType>', 'sm_90')
    for part in ['fill<NoSuchType>', 'fill.cuh', 'sm_90', f'NVRTC {version}', 'identifier "NoSuchType" is undefined']:
        assert part in str(caught.value)


def test_errors_name_what_there_is_not() -> None:
    need_nvrtc()
    with pytest.raises(errors.DeviceError, match=r'kernels/none\.cuh'):
        _core._cuda_compile('none.cuh', 'none<int>', 'sm_90')
    with pytest.raises(errors.DeviceError, match=r'makes no code for sm_30; it knows sm_\d+ to sm_\d+'):
        _core._cuda_compile('fill.cuh', FILLS[0], 'sm_30')
    with pytest.raises(ValueError, match=r"no GPU architecture 'turing'; they are called sm_75"):
        _core._cuda_compile('fill.cuh', FILLS[0], 'turing')


WITH_PACKAGES_IN = """
import sys
from crossdock import errors
from crossdock.core import _core
_core._set_cuda_package_folders(sys.argv[1:])
try:
    print('found', _core._nvrtc_version())
except errors.DeviceError as error:
    print(error)
"""


def look_in(*folders: Path) -> str:
    """What the core says of NVRTC when packages are in these folders."""
    command = [sys.executable, '-c', WITH_PACKAGES_IN, *map(str, folders)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if said.startswith('found'):
        pytest.skip("NVRTC is installed outside of Python's packages")
    return said


def test_without_nvrtc_the_error_says_what_to_install() -> None:
    said = look_in()
    assert said.startswith('NVRTC not found')
    assert "pip install 'crossdock[cuda13]'" in said and 'libnvrtc.so.13' in said


@pytest.mark.parametrize(
    ('body', 'reason'),
    [
        ('int nvrtcVersion(int* a, int* b) { *a = 11; *b = 8; return 0; }', 'is NVRTC 11.8, 12.0 or later is needed'),
        ('int nvrtcVersion(int* a, int* b) { *a = 13; *b = 0; return 0; }', 'lacks functions of NVRTC'),
        ('int nvrtcVersion(int* a, int* b) { return 1; }', 'does not tell its version'),
        ('int nothing;', 'does not tell its version'),
        (None, 'invalid ELF header'),
    ],
)
def test_a_library_that_will_not_do_is_passed_over(body: str | None, reason: str, tmp_path: Path) -> None:
    library = tmp_path / 'nvidia' / 'cu13' / 'lib' / 'libnvrtc.so.13'
    library.parent.mkdir(parents=True)
    if body is None:
        library.write_bytes(b'not a library' * 100)
    elif compiler := shutil.which('g++'):
        source = tmp_path / 'made.cpp'
        source.write_text(f'extern "C" {{ {body} }}\n')
        subprocess.run([compiler, '-shared', '-fPIC', '-o', str(library), str(source)], check=True)
    else:
        pytest.skip('no g++ here')
    said = look_in(tmp_path)
    assert str(library) in said and reason in said


def test_no_kernel_asks_for_its_architecture() -> None:
    """Then what compiles for the oldest and for the newest does so for those between, which CI leaves out."""
    headers = [path for folder in (KERNELS, FUNCTORS) for path in folder.iterdir()]
    assert len(headers) > 80
    assert [path.name for path in headers if '__CUDA_ARCH' in path.read_text()] == []
