"""Counting GPUs without starting CUDA."""

import pytest

from crossdock.devices import _nvidia
from crossdock.devices.backends import _cupy


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
        ('GPU-12ab,GPU-34cd', 2),
        (' 1 , 2 ', 2),
        ('x', 0),
    ],
)
def test_visible_devices(monkeypatch, visible, count):
    monkeypatch.delenv('CUDA_VISIBLE_DEVICES', raising=False)
    if visible is not None:
        monkeypatch.setenv('CUDA_VISIBLE_DEVICES', visible)
    monkeypatch.setattr(_nvidia, '_count_by_nvml', lambda: 4)
    found = _nvidia.find_gpus()
    assert found.number == count
    assert bool(found.reason) == (count == 0)


@pytest.mark.parametrize(
    ('nvml', 'files', 'reason'),
    [(None, None, 'no NVIDIA driver'), (0, None, 'finds no GPU'), (None, 0, 'finds no GPU'), (None, 2, '')],
)
def test_reasons(monkeypatch, nvml, files, reason):
    monkeypatch.delenv('CUDA_VISIBLE_DEVICES', raising=False)
    monkeypatch.setattr(_nvidia, '_count_by_nvml', lambda: nvml)
    monkeypatch.setattr(_nvidia, '_count_by_files', lambda: files)
    found = _nvidia.find_gpus()
    assert reason in found.reason
    assert found.number == (files or 0)


def test_the_files_of_the_driver(monkeypatch, tmp_path):
    monkeypatch.setattr(_nvidia, '_PROC', tmp_path)
    monkeypatch.setattr(_nvidia, '_WSL_DEVICE', tmp_path / 'dxg')
    assert _nvidia._count_by_files() is None
    (tmp_path / 'version').touch()
    assert _nvidia._count_by_files() == 0
    for bus in ('0000:01:00.0', '0000:02:00.0'):
        (tmp_path / 'gpus' / bus).mkdir(parents=True)
    assert _nvidia._count_by_files() == 2


def test_cupy_says_which_part_is_missing(monkeypatch):
    monkeypatch.setattr(_cupy.importlib.util, 'find_spec', lambda name: None)
    assert 'CuPy is not installed' in _cupy.BACKEND.unavailable()
    monkeypatch.setattr(_cupy.importlib.util, 'find_spec', lambda name: object())
    monkeypatch.setattr(_cupy, '_gpus', lambda: _nvidia.Gpus(0, 'no driver'))
    assert _cupy.BACKEND.unavailable() == 'no driver'
    monkeypatch.setattr(_cupy, '_gpus', lambda: _nvidia.Gpus(2, ''))
    assert _cupy.BACKEND.unavailable() == ''
    assert _cupy.BACKEND.suffixes() == ('0', '1')
