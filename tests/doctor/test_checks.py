"""What the doctor says of machines that are made up."""

from __future__ import annotations

import configparser
import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crossdock.core.cuda import DriverVersion, Library
from crossdock.doctor import Facts, examine, gather
from crossdock.doctor._facts import normalised
from crossdock.doctor._optional import OPTIONAL
from crossdock.doctor._versions import MINIMUM, NEEDED, release

ROOT = Path(__file__).resolve().parents[2]
FOUND = Library('/lib/libnvrtc.so.13', (13, 0), '')
ABSENT = Library('', (), 'libnvrtc.so.13: cannot open shared object file')
HEALTHY = Facts(
    packages=NEEDED
    | {'cupy-cuda13x': '14.2.0', 'torch': '2.13.0', 'array-api-compat': '1.16'}
    | {'jax': '0.10', 'jax-cuda13-plugin': '0.10'},
    driver=DriverVersion('580.65.06', (13, 0)),
    driver_loaded=True,
    gpus=2,
    libraries={'driver': Library('libcuda.so.1', (), ''), 'nvrtc': FOUND, 'cublas': FOUND, 'cudnn': ABSENT},
    blas='scipy-openblas',
    torch_cuda='13.0',
)
BARE = Facts(packages=NEEDED, gpus_reason='no NVIDIA driver is loaded', libraries={'nvrtc': ABSENT, 'cublas': ABSENT})
OLD = DriverVersion('550.90', (12, 4))


def but(facts, *, packages=None, libraries=None, **changes):
    """The same facts, some changed; packages and libraries are added to."""
    return dataclasses.replace(
        facts,
        packages=facts.packages | (packages or {}),
        libraries=facts.libraries | (libraries or {}),
        **changes,
    )


def told(facts, *states):
    return [f for f in examine(facts) if f.state in states]


@pytest.mark.parametrize('facts', [HEALTHY, BARE], ids=['a GPU and all', 'no GPU and nothing'])
def test_nothing_is_wrong(facts):
    assert told(facts, 'problem', 'warning') == []


def test_what_is_missing_is_no_error_and_says_what_to_install():
    missing = {f.name: f for f in told(BARE, 'missing')}
    assert missing.keys() >= {'cupy', 'torch', 'jax', 'NVIDIA driver', 'GPUs', 'NVRTC', 'cuBLAS'}
    assert missing['NVRTC'].advice == missing['cupy'].advice == "pip install 'crossdock[cuda13]'"
    assert missing['torch'].advice == "pip install 'crossdock[torch]'"
    assert missing['cupti-python'].advice == "pip install 'crossdock[cupti]'"
    assert missing['cupti-python'].detail == 'not installed; for trace_transfers(ground_truth=True)'
    assert missing['GPUs'].detail == 'no NVIDIA driver is loaded'
    earlier = {f.name: f for f in told(but(BARE, driver=OLD), 'missing')}
    assert earlier['NVRTC'].advice == "pip install 'crossdock[cuda12]'"


@pytest.mark.parametrize(
    ('facts', 'state', 'name', 'parts'),
    [
        pytest.param(
            but(HEALTHY, packages={'cupy-cuda12x': '14.2.0'}),
            'problem',
            'several CuPys',
            ['cupy-cuda13x and cupy-cuda12x', 'pip uninstall -y cupy-cuda13x cupy-cuda12x; pip install'],
            id='two CuPys',
        ),
        pytest.param(
            but(HEALTHY, driver=OLD, torch_cuda='12.4', libraries={'nvrtc': ABSENT, 'cublas': ABSENT}),
            'problem',
            'cupy-cuda13x and the driver',
            ['of CUDA 13', 'runs CUDA 12.4', "pip uninstall -y cupy-cuda13x; pip install 'crossdock[cuda12]'"],
            id='a CuPy beyond the driver',
        ),
        pytest.param(
            but(BARE, driver=OLD, gpus=1, libraries={'nvrtc': FOUND}),
            'problem',
            'NVRTC and the driver',
            ['of CUDA 13', 'driver 550.90 runs CUDA 12.4', "pip install 'crossdock[cuda12]'"],
            id='NVRTC beyond the driver',
        ),
        pytest.param(
            but(BARE, driver=OLD, gpus=1, packages={'torch': '2.13.0', 'array-api-compat': '2'}, torch_cuda='13.0'),
            'problem',
            'torch and the driver',
            ['of CUDA 13', 'for CUDA 12.4'],
            id='PyTorch beyond the driver',
        ),
        pytest.param(
            but(HEALTHY, packages={'nvidia-cudnn-cu12': '9.27', 'nvidia-cudnn-cu13': '9.27'}),
            'problem',
            'two of nvidia-cudnn',
            ['nvidia-cudnn-cu12 and nvidia-cudnn-cu13', 'pip uninstall -y nvidia-cudnn-cu12 nvidia-cudnn-cu13'],
            id='two cuDNNs in one place',
        ),
        pytest.param(
            but(HEALTHY, packages={'nvidia-cublas': '13.1', 'nvidia-cublas-cu12': '12.9'}),
            'warning',
            'CUDA 12 and 13',
            ['nvidia-cublas'],
            id='two cuBLAS in two places',
        ),
        pytest.param(
            but(BARE, packages={'numpy': '2.0.1'}),
            'problem',
            'numpy',
            ['2.0.1 is too old', "pip install 'numpy>=2.1'"],
            id='an old NumPy',
        ),
        pytest.param(
            dataclasses.replace(BARE, packages={name: v for name, v in NEEDED.items() if name != 'scipy-openblas32'}),
            'problem',
            'scipy-openblas32',
            ['not installed', "pip install 'scipy-openblas32>=0.3.28'"],
            id='no BLAS',
        ),
        pytest.param(
            but(HEALTHY, packages={'torch': '2.13.0+cpu'}, torch_cuda=None),
            'warning',
            'torch and the GPU',
            ['2.13.0+cpu', '@torch:cuda:N', '--force-reinstall torch'],
            id='a PyTorch for the CPU',
        ),
        pytest.param(
            but(BARE, packages={'torch': '2.13.0+cpu'}),
            'warning',
            'torch and its functions',
            ['array-api-compat is not installed', 'get_array_module', "pip install 'crossdock[torch]'"],
            id='a PyTorch without array-api-compat',
        ),
        pytest.param(
            but(BARE, packages={'h5py': '3.9'}),
            'problem',
            'h5py',
            ['3.9 is too old', "pip install 'h5py>=3.11'"],
            id='an old h5py',
        ),
        pytest.param(
            but(BARE, driver=DriverVersion('580.1', (13, 0)), gpus=1, packages={'jax': '0.10'}),
            'warning',
            'jax and the GPU',
            ["pip install 'jax[cuda13]'"],
            id='a JAX for the CPU',
        ),
        pytest.param(
            but(HEALTHY, gpus=0, gpus_reason="CUDA_VISIBLE_DEVICES='' hides the 2 GPUs of this machine", visible=''),
            'warning',
            'hidden GPUs',
            ["CUDA_VISIBLE_DEVICES='' hides", 'unset'],
            id='hidden GPUs',
        ),
        pytest.param(
            but(BARE, driver=DriverVersion('470.57', (11, 4)), gpus=1),
            'warning',
            'old driver',
            ['CUDA 11.4', '525'],
            id='an old driver',
        ),
        pytest.param(
            but(HEALTHY, driver=DriverVersion('', None), gpus=0, gpus_reason='of different versions'),
            'problem',
            'NVIDIA driver',
            ['of different versions', 'reboot'],
            id='a driver that does not answer',
        ),
        pytest.param(
            but(HEALTHY, libraries={'cublas': Library('', (), '/x/libcublas.so.13: file too short\nlibcublas.so.13')}),
            'problem',
            'cuBLAS',
            ['/x/libcublas.so.13: file too short', 'reinstall'],
            id='a broken library',
        ),
        pytest.param(
            but(
                BARE,
                devices=(
                    {
                        'spec': '@odd',
                        'kind': 'odd',
                        'available': False,
                        'reason': 'its back-end failed: ValueError: x',
                        'physical': '',
                    },
                ),
            ),
            'problem',
            '@odd',
            ['ValueError: x'],
            id='a back-end that fails',
        ),
    ],
)
def test_what_is_wrong(facts, state, name, parts):
    (finding,) = told(facts, 'problem', 'warning')
    assert (finding.state, finding.name) == (state, name)
    words = f'{finding.detail} | {finding.advice}'
    assert all(part in words for part in parts), words
    assert finding.advice


def test_a_container_that_was_given_no_gpu_is_not_broken():
    facts = but(BARE, driver_loaded=True, libraries={'driver': ABSENT}, gpus_reason='start it with --gpus all')
    assert told(facts, 'problem', 'warning') == []
    assert any('--gpus all' in f.detail for f in told(facts, 'missing'))


def test_a_gpu_without_nvml():
    facts = but(HEALTHY, driver=DriverVersion('', None))
    assert told(facts, 'problem', 'warning') == []
    assert any(f.name == 'NVIDIA driver' and 'NVML' in f.detail for f in told(facts, 'ok'))


def test_each_package_of_an_extra_says_what_it_is_for():
    missing = {f.name: f for f in told(BARE, 'missing') if f.group == 'package'}
    assert missing.keys() == {'cupy'} | {package.name for package in OPTIONAL}
    assert missing['h5py'].detail == 'not installed; for HDF5 files'
    assert missing['h5py'].advice == "pip install 'crossdock[hdf5]'"
    here = {f.name: f for f in told(but(BARE, packages={'h5py': '3.16.0'}), 'ok')}
    assert here['h5py'].detail == '3.16.0, for HDF5 files'


def test_python_itself_brings_zstandard_from_3_14_on():
    assert 'backports-zstd' in {f.name for f in told(dataclasses.replace(BARE, python='3.13.2'), 'missing')}
    assert 'backports-zstd' not in {f.name for f in told(dataclasses.replace(BARE, python='3.14.0'), 'missing')}


@pytest.mark.parametrize(
    ('version', 'numbers'), [('2.1.3', (2, 1, 3)), ('2.13.0+cpu', (2, 13, 0)), ('3.0rc1', (3, 0)), ('', ())]
)
def test_versions(version, numbers):
    assert release(version) == numbers


def test_the_minimums_are_those_of_the_package():
    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    extras = setup['options.extras_require']
    lines = setup['options']['install_requires'].splitlines()
    needed = dict(line.split('>=') for line in lines if line)
    assert needed == NEEDED
    for_users = extras.keys() - {'test', 'docs', 'check', 'dev'}
    brings = {}
    for name in for_users:
        for line in extras[name].partition(';')[0].splitlines():
            if line and not line.startswith('nvidia-'):
                package, oldest = line.split('>=')
                needed[normalised(package)] = oldest
                brings[normalised(package)] = name
    assert needed == MINIMUM
    assert {package.name: package.extra for package in OPTIONAL}.items() <= brings.items()


def test_the_facts_of_this_machine():
    facts = gather()
    assert release(facts.packages['numpy']) >= release(NEEDED['numpy'])
    assert all(name == normalised(name) for name in facts.packages)
    assert facts.libraries.keys() == {'driver', 'nvrtc', 'cublas', 'cudnn'}
    assert all(bool(library.path) != bool(library.error) for library in facts.libraries.values())
    assert {row['kind'] for row in facts.devices} >= {'numpy', 'native', 'cuda', 'cupy'}


def test_nothing_heavy_is_imported():
    code = (
        'import sys, crossdock.doctor as d; d.examine(d.gather());'
        'print({"torch", "jax", "cupy", "rich", "click"} & set(sys.modules))'
    )
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == 'set()'


def test_names_are_normalised():
    assert normalised('Nvidia_cuBLAS.cu12') == 'nvidia-cublas-cu12'
    assert not re.search(r'[A-Z_.]', ''.join(MINIMUM))
