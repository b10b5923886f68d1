"""``crossdock doctor``: the table, the rows, the exit code, and kernels that compile or do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from crossdock.cli import _compile, _doctor, main
from crossdock.core.cuda import Compiled, Library
from crossdock.doctor import Finding
from crossdock.errors import DeviceError

FINDINGS = [
    Finding('package', 'numpy', 'ok', '2.4.6'),
    Finding('package', 'nvidia-cublas', 'ok', '13.1'),
    Finding('package', 'nvidia-cuda-nvrtc', 'ok', '13.5'),
    Finding('library', 'NVRTC', 'missing', 'not found [x]', "pip install 'crossdock[cuda13]'"),
    Finding('check', 'several CuPys', 'problem', 'two are installed', 'pip uninstall both'),
    Finding('check', 'hidden GPUs', 'warning', 'hidden', 'unset'),
]


@pytest.fixture
def made_up(monkeypatch):
    def put(findings):
        monkeypatch.setattr(_doctor.judge, 'gather', lambda: None)
        monkeypatch.setattr(_doctor.judge, 'examine', lambda facts: findings)

    return put


def test_rows_of_this_machine():
    done = subprocess.run([sys.executable, '-m', 'crossdock', 'doctor', '--json'], capture_output=True, text=True)
    rows = json.loads(done.stdout)
    assert done.returncode == int(any(row['state'] == 'problem' for row in rows)), rows
    assert all(row.keys() == {'group', 'name', 'state', 'detail', 'advice'} for row in rows)
    assert {'numpy', 'crossdock', 'NVIDIA driver', 'NVRTC', 'cuBLAS', 'BLAS', 'native:0'} <= {
        row['name'] for row in rows
    }


@pytest.mark.parametrize(('last', 'code'), [(6, 1), (4, 0)])
def test_the_exit_code(made_up, capsys, last, code):
    made_up(FINDINGS[:last])
    assert main(['doctor']) == code
    assert main(['doctor', '--json']) == code


def test_lines_for_programs(made_up, capsys):
    made_up(FINDINGS)
    main(['doctor'])
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 7
    assert re.fullmatch(r"missing +library +NVRTC +not found \[x\] -> pip install 'crossdock\[cuda13\]'", out[3])
    assert out[-1] == '1 problem and 1 warning'
    made_up(FINDINGS[:1])
    main(['doctor'])
    assert capsys.readouterr().out.splitlines()[-1] == 'nothing is wrong with what is installed'


@pytest.mark.parametrize('columns', [40, 80, 120])
def test_the_table(monkeypatch, capsys, columns):
    monkeypatch.setenv('COLUMNS', str(columns))
    _doctor.show(FINDINGS)
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= columns
    words = ' '.join(out.split())
    assert 'cublas 13.1, cuda-nvrtc 13.5' in words
    assert "not found [x] → pip install 'crossdock[cuda13]'" in words
    assert '✗ several CuPys' in words
    assert words.endswith('1 problem and 1 warning')


def test_without_nvrtc(monkeypatch, capsys):
    monkeypatch.setattr(_compile.cuda, 'find_library', lambda name: Library('', (), 'libnvrtc.so.13: no such file'))
    assert main(['doctor', '--compile-kernels', 'sm_75,sm_90']) == 1
    err = capsys.readouterr().err
    assert err.startswith('NVRTC not found')
    assert "pip install 'crossdock[cuda13]'" in err
    assert 'libnvrtc.so.13: no such file' in err


@pytest.mark.parametrize('text', ['', 'sm_1', 'sm_75,gfx90'])
def test_bad_architectures(capsys, text):
    assert main(['doctor', '--compile-kernels', text]) == 2
    assert 'names no architecture' in capsys.readouterr().err


@pytest.fixture
def compiler(monkeypatch):
    """One that knows two kernels, and fails for one of them on sm_75."""

    def compile_kernel(header, expression, architecture):
        if (expression, architecture) == ('g', 'sm_75'):
            raise DeviceError('line 7: error: no such type')
        return Compiled(1000, expression == 'f')

    monkeypatch.setattr(_compile.cuda, 'find_library', lambda name: Library('/x/libnvrtc.so.13', (13, 5), ''))
    monkeypatch.setattr(_compile.cuda, 'kernel_names', lambda: [('a.cuh', 'f'), ('a.cuh', 'g')])
    monkeypatch.setattr(_compile.cuda, 'compile_kernel', compile_kernel)


def test_kernels_that_compile(compiler, capsys):
    assert main(['doctor', '--compile-kernels', 'sm_90,sm_100']) == 0
    out = capsys.readouterr().out
    assert 'NVRTC 13.5' in out
    for name in ('sm_90', 'sm_100'):
        assert re.search(rf'{name} +2 +1 +1 +0 +2.0 kB', out), out


def test_kernels_that_do_not(compiler, capsys):
    assert main(['doctor', '--compile-kernels', 'sm_75,sm_90']) == 1
    out = capsys.readouterr().out
    assert re.search(r'sm_75 +2 +0 +1 +1 ', out), out
    assert 'sm_75: a.cuh: g\nline 7: error: no such type' in out
    assert main(['doctor', '--compile-kernels', 'sm_75', '--json']) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row['failures'] == [{'header': 'a.cuh', 'expression': 'g', 'log': 'line 7: error: no such type'}]


def test_kernels_that_fail_alike_share_what_the_compiler_says(compiler, monkeypatch, capsys):
    def compile_kernel(header, expression, architecture):
        raise DeviceError(f'cannot compile {expression} of {header}:\nline 7: error')

    monkeypatch.setattr(_compile.cuda, 'compile_kernel', compile_kernel)
    monkeypatch.setattr(_compile.cuda, 'kernel_names', lambda: [('a.cuh', 'add<int>'), ('a.cuh', 'add<char>')])
    assert main(['doctor', '--compile-kernels', 'sm_75']) == 1
    out = capsys.readouterr().out
    log = 'cannot compile add<char> of a.cuh:\nline 7: error'
    assert f'sm_75: a.cuh: add<char>\n{log}\nand likewise a.cuh: add<int>\n' in out


def test_a_build_without_kernels(compiler, monkeypatch, capsys):
    monkeypatch.setattr(_compile.cuda, 'kernel_names', list)
    assert main(['doctor', '--compile-kernels', 'sm_90']) == 1
    assert 'no CUDA kernels' in capsys.readouterr().err
