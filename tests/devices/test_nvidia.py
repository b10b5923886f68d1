"""Counting GPUs without starting CUDA."""

import os
import subprocess
import sys

import pytest

from crossdock.core import _core, cuda
from crossdock.devices import _nvidia
from crossdock.devices.backends import _core as core_backend
from crossdock.devices.backends import _cupy


@pytest.fixture(scope='module')
def fake_nvml(tmp_path_factory):
    """A library that answers as NVML does, with the count and status that the environment names."""
    folder = tmp_path_factory.mktemp('nvml')
    source, library = folder / 'nvml.cpp', folder / 'libnvidia-ml.so.1'
    source.write_text(
        """
        #include <cstdlib>
        #include <cstring>
        static int number(const char* name) { const char* v = std::getenv(name); return v ? std::atoi(v) : 0; }
        extern "C" int nvmlInit_v2() { return number("FAKE_NVML_STATUS"); }
        extern "C" int nvmlShutdown() { return 0; }
        extern "C" int nvmlDeviceGetCount_v2(unsigned* count) { *count = number("FAKE_NVML_COUNT"); return 0; }
        extern "C" int nvmlSystemGetDriverVersion(char* name, unsigned n) { std::strncpy(name, "580.1", n); return 0; }
        extern "C" int nvmlSystemGetCudaDriverVersion_v2(int* version) {
            *version = std::getenv("FAKE_NVML_CUDA") ? number("FAKE_NVML_CUDA") : 13010;
            return 0;
        }
        """
    )
    subprocess.run(['g++', '-shared', '-fPIC', str(source), '-o', str(library)], check=True)
    (folder / 'libcuda.so.1').symlink_to(library)
    return library


@pytest.fixture
def ask(monkeypatch, tmp_path, fake_nvml):
    """Ask a machine of our making: GPUs that NVML counts (None: there is no NVML), and folders of the driver."""
    monkeypatch.delenv('CUDA_VISIBLE_DEVICES', raising=False)

    def find(count, status=0, libcuda=True):
        monkeypatch.setenv('FAKE_NVML_COUNT', str(count))
        monkeypatch.setenv('FAKE_NVML_STATUS', str(status))
        nvml = tmp_path / 'none.so' if count is None else fake_nvml
        driver = fake_nvml if libcuda else tmp_path / 'none.so'  # any library will do
        places = [str(nvml)], [str(driver)], str(tmp_path / 'proc'), str(tmp_path / 'dxg')
        return _nvidia.Gpus(*_core._cuda_find_gpus(*places))

    return find


@pytest.mark.parametrize(
    ('visible', 'count'),
    [
        (None, 4),
        ('', 0),
        ('0', 1),
        ('2,0', 2),
        ('-1', 0),
        ('1,-1,2', 1),
        ('0,9,1', 1),
        ('0,,1', 1),
        ('GPU-12ab,GPU-34cd', 2),
        (' 1 , 2 ', 2),
        ('x', 0),
        ('99999999999999999999', 0),
    ],
)
def test_visible_devices(monkeypatch, ask, visible, count):
    if visible is not None:
        monkeypatch.setenv('CUDA_VISIBLE_DEVICES', visible)
    found = ask(4)
    assert found.number == count
    assert bool(found.reason) == (count == 0)
    assert count or f"CUDA_VISIBLE_DEVICES='{visible}' hides the 4 GPUs" in found.reason


def test_reasons(ask, tmp_path):
    assert ask(None) == (0, 'no NVIDIA driver is loaded on this machine')
    assert ask(0) == (0, 'the NVIDIA driver finds no GPU')
    assert ask(3, status=9) == (0, 'no NVIDIA driver is loaded on this machine')
    number, reason = ask(3, status=18)
    assert number == 0
    assert 'reboot' in reason


def test_the_files_of_the_driver(ask, tmp_path):
    proc = tmp_path / 'proc'
    proc.mkdir()
    (proc / 'version').touch()
    assert ask(None) == (0, 'the NVIDIA driver finds no GPU')
    for bus in ('0000:01:00.0', '0000:02:00.0'):
        (proc / 'gpus' / bus).mkdir(parents=True)
    assert ask(None) == (2, '')
    assert ask(1) == (1, '')


def test_a_container_without_cuda(ask, tmp_path):
    for count in (None, 2):
        (tmp_path / 'proc' / 'gpus' / '0000:01:00.0').mkdir(parents=True, exist_ok=True)
        number, reason = ask(count, libcuda=False)
        assert number == 0
        assert '--gpus all' in reason


def test_a_device_of_windows(ask, tmp_path):
    (tmp_path / 'dxg').touch()
    assert ask(None) == (0, 'the NVIDIA driver finds no GPU')


def test_the_version_of_the_driver(fake_nvml):
    code = 'from crossdock.core import cuda; print(cuda.count_gpus(), *cuda.driver_version())'
    environment = os.environ | {'LD_LIBRARY_PATH': str(fake_nvml.parent), 'FAKE_NVML_COUNT': '5'}
    environment.pop('CUDA_VISIBLE_DEVICES', None)
    out = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "(5, '') 580.1 (13, 1)"


@pytest.mark.parametrize(('runs', 'order'), [('13010', [13, 12]), ('12040', [12, 13])])
def test_libraries_that_the_driver_runs_come_first(tmp_path, fake_nvml, runs, order):
    wheels = {13: 'nvidia/cu13/lib/libnvrtc.so.13', 12: 'nvidia/cuda_nvrtc/lib/libnvrtc.so.12'}
    for file in wheels.values():
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch()
    code = 'from crossdock.core import _core; print(*_core._cuda_library_candidates("nvrtc"), sep="\\n")'
    environment = os.environ | {'LD_LIBRARY_PATH': str(fake_nvml.parent), 'FAKE_NVML_CUDA': runs}
    environment['PYTHONPATH'] = os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])
    out = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, check=True)
    found = out.stdout.split()
    ours = [path for path in found if path.startswith(str(tmp_path))]
    assert ours == [str(tmp_path / wheels[major]) for major in order]
    # The system's library that the driver runs comes before a wheel that it does not run.
    assert (found.index('libnvrtc.so.12') < found.index(ours[1])) == (runs == '12040')


def test_the_answer_is_the_cores():
    number, reason = cuda.count_gpus()
    found = _nvidia.find_gpus()
    assert found.number == number and found.reason.startswith(reason)
    assert number or any(word in found.reason for word in ('install', 'start', 'unset', 'reboot'))


@pytest.mark.parametrize(
    ('reason', 'advice'),
    [
        ('no NVIDIA driver is loaded on this machine', "install NVIDIA's driver"),
        ('the NVIDIA driver finds no GPU', 'nvidia-smi'),
        ("CUDA_VISIBLE_DEVICES='' hides the GPU of this machine", 'unset it'),
        ('of different versions; reboot the machine', ''),
    ],
)
def test_each_reason_says_what_to_do(monkeypatch, reason, advice):
    monkeypatch.setattr(cuda, 'count_gpus', lambda: (0, reason))
    found = _nvidia.find_gpus()
    assert found.reason.startswith(reason) and advice in found.reason
    assert bool(advice) == (found.reason != reason)


def test_cupy_says_which_part_is_missing(monkeypatch):
    monkeypatch.setattr(_cupy.importlib.util, 'find_spec', lambda name: None)
    assert 'CuPy is not installed' in _cupy.BACKEND.unavailable()
    monkeypatch.setattr(_cupy.importlib.util, 'find_spec', lambda name: object())
    monkeypatch.setattr(_cupy, '_gpus', lambda: _nvidia.Gpus(0, 'no driver'))
    assert _cupy.BACKEND.unavailable() == 'no driver'
    monkeypatch.setattr(_cupy, '_gpus', lambda: _nvidia.Gpus(2, ''))
    assert _cupy.BACKEND.unavailable() == ''
    assert _cupy.BACKEND.suffixes() == ('0', '1')


@pytest.mark.parametrize(
    ('driver', 'nvrtc', 'parts'),
    [
        (('470.57', (11, 4)), '/nvrtc', ['470.57 is too old', 'CUDA 11.4', '12.0']),
        (('550.90', (12, 4)), '', ['NVRTC', "pip install 'crossdock[cuda12]'"]),
        (('580.65', (13, 0)), '', ['NVRTC', "pip install 'crossdock[cuda13]'"]),
        (('', None), '', ['NVRTC', "pip install 'crossdock[cuda13]'"]),
        (('580.65', (13, 0)), '/nvrtc', ['no CUDA back-end']),
    ],
)
def test_the_core_says_which_part_is_missing(monkeypatch, driver, nvrtc, parts):
    monkeypatch.setattr(core_backend, '_gpus', lambda: _nvidia.Gpus(1, ''))
    monkeypatch.setattr(core_backend, '_lacking', core_backend._lacking.__wrapped__)
    monkeypatch.setattr(core_backend.core, 'device_counts', lambda: {'native': 2})
    monkeypatch.setattr(core_backend.cuda, 'driver_version', lambda: cuda.DriverVersion(*driver))
    monkeypatch.setattr(core_backend.cuda, 'find_library', lambda name: cuda.Library(nvrtc, (), ''))
    reason = core_backend.CUDA.unavailable()
    assert all(part in reason for part in parts), reason
    monkeypatch.setattr(core_backend, '_gpus', lambda: _nvidia.Gpus(0, 'no driver'))
    assert core_backend.CUDA.unavailable() == 'no driver'
