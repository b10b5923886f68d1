"""The command as a person meets it: exit codes, one-line complaints, the last line of the demo."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.cli import main


def run(*arguments, **options):
    return subprocess.run([sys.executable, '-m', 'crossdock', *arguments], capture_output=True, text=True, **options)


def complains(capsys, *arguments):
    """Run in this process and return the one line of complaint."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == '' or arguments[0] == 'demo'
    assert err.startswith('crossdock: ')
    assert err.count('\n') == 1
    return err


@pytest.fixture(scope='module')
def accuracies():
    return {}


@pytest.mark.parametrize('spec', ['@numpy', 'native:0', 'sim:0'])
def test_the_demo_learns_on_every_device(spec, tmp_path, accuracies):
    done = run('demo', '--device', spec, '--save', 'digits.npz', cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ''
    last = done.stdout.splitlines()[-1]
    accuracies[spec] = float(last.removeprefix('test accuracy: ').removesuffix('%'))
    assert last == f'test accuracy: {accuracies[spec]:.2f}%'
    assert accuracies[spec] >= 96
    assert max(accuracies.values()) - min(accuracies.values()) <= 0.5
    with np.load(tmp_path / 'digits.npz') as file:
        assert file['W1'].shape == (64, 64)


def test_the_demo_prints_what_moved(tmp_path, capfd):
    assert main(['demo', '--device', 'sim:0']) == 0
    out = capfd.readouterr().out
    rows = [line for line in out.splitlines() if 'sim:0' in line and 'plicit' in line]
    assert any('@numpy' in row and 'explicit' in row and 'kB' in row for row in rows)
    assert any('implicit' in row and '40' in row for row in rows), out


def test_the_demo_counts_no_reads_of_host_memory_as_moves(capfd):
    assert main(['demo', '--device', 'native:0']) == 0
    out = capfd.readouterr().out
    assert 'plicit' not in out
    assert 'nothing moved' in out


def test_the_training_tells_no_function_where(monkeypatch):
    # CuPy's functions that make arrays take no `device`.
    class Narrow:
        def __getattr__(self, name):
            def call(*arguments, **options):
                assert 'device' not in options
                return getattr(np, name)(*arguments, **options)

            return call

    monkeypatch.setattr(xd, 'get_array_module', lambda *arrays: Narrow())
    assert main(['demo', '--device', '@numpy']) == 0


def test_the_demo_follows_the_variable():
    environment = os.environ | {'CROSSDOCK_DEVICE': 'sim:1'}
    done = run('demo', env=environment)
    assert done.stdout.startswith('device: sim:1 (as CROSSDOCK_DEVICE says)\n'), done
    done = run('demo', '--device', 'native:0', env=environment | {'CROSSDOCK_DEVICE': 'sin:1'})
    assert done.stdout.startswith('device: native:0 (as asked)\n'), done
    for spec in ('auto', None):
        # An empty value is as good as none.
        done = run('demo', *(['--device', spec] if spec else []), env=environment | {'CROSSDOCK_DEVICE': ''})
        assert done.stdout.startswith(f'device: {xd.choose_device()[0]} ('), done


@pytest.mark.parametrize('spec', ['sin:1', 'native:99', 'auto'])
def test_a_variable_that_names_no_device(spec, capsys, monkeypatch):
    monkeypatch.setenv('CROSSDOCK_DEVICE', spec)
    error = complains(capsys, 'demo')
    assert error.startswith(f'crossdock: CROSSDOCK_DEVICE={spec}: ')


def test_the_demo_leaves_no_file_behind(tmp_path):
    scratch = tmp_path / 'scratch'
    scratch.mkdir()
    done = run('demo', '--device', '@numpy', cwd=tmp_path, env=os.environ | {'TMPDIR': str(scratch)})
    assert done.returncode == 0, done.stderr
    assert list(scratch.iterdir()) == []


def test_devices_as_rows():
    rows = json.loads(run('devices', '--json', check=True).stdout)
    kinds = {row['kind']: row for row in rows}
    assert {'numpy', 'native', 'sim', 'cupy', 'cuda', 'intel64'} <= kinds.keys()
    # Not equal: other tests may have registered kinds in this process.
    assert {row['spec'] for row in rows if row['available']} <= {str(device) for device in xd.available_devices()}
    assert all(row['available'] or row['reason'] for row in rows)


def test_devices_as_a_table(capsys):
    assert main(['devices']) == 0
    out = capsys.readouterr().out
    assert 'sim:1' in out
    assert '@numpy' in out


@pytest.mark.parametrize('spec', ['cud:0', '@cupy', '', 'native:99', '-7', '@nope:\n0'])
def test_a_device_that_is_not_there(spec, capsys):
    error = complains(capsys, 'demo', '--device', spec)
    assert spec.split('\n')[0] in error


@pytest.mark.parametrize(
    ('arguments', 'word'),
    [
        (['fly'], 'fly'),
        (['demo', '--fast'], '--fast'),
        (['demo', '--device'], '--device'),
        (['demo', 'extra'], 'extra'),
        (['devices', '--json=3'], '--json'),
    ],
)
def test_words_that_mean_nothing(arguments, word, capsys):
    assert word in complains(capsys, *arguments)


@pytest.mark.parametrize('path', ['.', 'absent/model.npz', '/proc/model.npz', 'a' * 300, 'foo.txt', 'foo', '.npz'])
def test_a_file_that_cannot_be_written(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert 'cannot write' in complains(capsys, 'demo', '--device', '@numpy', '--save', path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_a_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "--save '' names no file" in complains(capsys, 'demo', '--device', '@numpy', '--save', '')
    assert list(tmp_path.iterdir()) == []


def test_a_suffix_in_capitals(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(['demo', '--device', '@numpy', '--save', 'DIGITS.NPZ']) == 0
    assert [path.name for path in tmp_path.iterdir()] == ['DIGITS.NPZ']


def test_the_demo_names_its_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'sklearn', None)
    monkeypatch.setitem(sys.modules, 'sklearn.datasets', None)
    assert 'crossdock[demo]' in complains(capsys, 'demo', '--device', '@numpy')


def test_help_and_version(capsys):
    assert main([]) == 0
    assert 'demo' in capsys.readouterr().out
    assert main(['--version']) == 0
    assert xd.__version__ in capsys.readouterr().out
    assert main(['demo', '--help']) == 0
    assert '--save' in capsys.readouterr().out


def test_a_reader_that_leaves():
    """As with ``crossdock devices | head -0``."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as closed:
        command = [sys.executable, '-m', 'crossdock', 'devices', '--json']
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert done.stderr == ''
    assert done.returncode == 1


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='there is no /dev/full here')
@pytest.mark.parametrize('command', [['devices'], ['devices', '--json'], ['--help']])
def test_a_full_disk_is_one_line(command):
    with open('/dev/full', 'w') as full:
        done = subprocess.run(
            [sys.executable, '-m', 'crossdock', *command], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == 'crossdock: No space left on device\n'


def test_the_table_keeps_specs_and_reasons_whole(capsys, monkeypatch):
    reason = 'pip install package[extra]'
    row = {'spec': '@thing:0', 'kind': 'thing', 'available': False, 'reason': reason, 'physical': ''}
    monkeypatch.setattr(xd, 'describe_devices', lambda: [row])
    assert main(['devices']) == 0
    assert reason in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, 'isatty', lambda: True)
    monkeypatch.setenv('COLUMNS', '50')
    assert main(['devices']) == 0
    out = capsys.readouterr().out
    assert '@thing:0' in out
    assert '…' not in out
    assert reason not in out
    assert reason in ' '.join(line[26:].strip() for line in out.splitlines()[1:]), out


def test_a_row_is_a_line_where_stdout_is_no_terminal(capsys, monkeypatch):
    reason = 'word ' * 100 + '[end]'
    rows = [
        {
            'spec': '@thing:0',
            'kind': 'thing',
            'available': False,
            'reason': reason.replace(' ', '\n', 1),
            'physical': '',
        },
        {'spec': '@numpy', 'kind': 'numpy', 'available': True, 'reason': '', 'physical': 'host'},
    ]
    monkeypatch.setattr(xd, 'describe_devices', lambda: rows)
    monkeypatch.setenv('COLUMNS', '50')
    assert main(['devices']) == 0
    assert capsys.readouterr().out.splitlines() == [
        'device    kind   works  memory  why not',
        f'@thing:0  thing  no             {reason}',
        '@numpy    numpy  yes    host',
    ]
