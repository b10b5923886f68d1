"""``crossdock inspect`` and ``crossdock convert``: what they print, their exit codes, what they leave behind."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.cli import main
from crossdock.cli._inspect import heading, show_table
from crossdock.serializers import convert
from crossdock.serializers._registry import format_named
from crossdock.serializers._report import Report, Row

from ..serializers.faults.formats import EACH
from ..serializers.faults.formats import suffix_of as suffix

TREE = {
    'enc': {'W': np.arange(12, dtype='float32').reshape(3, 4), 'bf': np.ones(5, ml_dtypes.bfloat16), 'none': None},
    'layers': [np.zeros((0, 2)), {'b': np.array([True, False])}],
    'step': 7,
    'F': np.asfortranarray(np.arange(6.0).reshape(2, 3)),
}
METADATA = {'epoch': 3, 'note': 'é', 'format': 'pt', 'nested': {'list': [1, None]}}


def flat(path):
    return xd.load(path, flat=True)


def same(got, want):
    assert got.keys() == want.keys()
    for key, value in want.items():
        if value is None:
            assert got[key] is None, key
        else:
            assert (got[key].dtype, got[key].shape) == (value.dtype, value.shape), key
            assert got[key].tobytes() == value.tobytes(), key


def metadata_of(path):
    with xd.open_archive(path) as archive:
        return dict(archive.metadata)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'm.npz'
    xd.save(path, TREE, metadata=METADATA)
    return path


@pytest.mark.parametrize('there', EACH)
@pytest.mark.parametrize('here', EACH)
def test_every_format_into_every_other(tmp_path, here, there, capsys):
    source, target = tmp_path / f'a{suffix(here)}', tmp_path / f'b{suffix(there)}'
    xd.save(source, TREE, metadata=METADATA)
    assert main(['convert', str(source), str(target)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f'{target}: ')
    assert err == ''
    same(flat(target), flat(source))
    assert metadata_of(target) == METADATA


@pytest.mark.parametrize('name', EACH)
def test_inspect_every_format(tmp_path, name, capsys):
    path = tmp_path / f'm{suffix(name)}'
    xd.save(path, TREE, metadata=METADATA)
    assert main(['inspect', str(path), '--check']) == 0
    out = capsys.readouterr().out
    for words in (name, 'epoch: 3', 'note: é', 'enc/W', 'float32', '(3, 4)', 'bfloat16', '(0, 2)', 'None', '7 keys'):
        assert words in out, words
    assert main(['inspect', str(path), '--json']) == 0
    found = json.loads(capsys.readouterr().out)
    assert found['format'] == name
    assert found['metadata'] == METADATA
    assert found['damaged'] is None
    assert found['nbytes'] == sum(row['nbytes'] for row in found['arrays'])
    rows = {row['key']: row for row in found['arrays']}
    row = {'key': 'enc/W', 'dtype': 'float32', 'shape': [3, 4], 'nbytes': 48, 'unreadable': None}
    assert rows['enc/W'] == row
    assert found['error'] is None
    row = {'key': 'enc/none', 'dtype': None, 'shape': None, 'nbytes': 0, 'unreadable': None}
    assert rows['enc/none'] == row


@pytest.mark.parametrize('name', EACH)
def test_inspect_names_what_is_empty(tmp_path, name, capsys):
    path = tmp_path / f'm{suffix(name)}'
    xd.save(path, {'W': np.ones(2), 'act': {}, 'rest': {'\x1b[2J': []}})
    assert main(['inspect', str(path)]) == 0
    assert capsys.readouterr().out.endswith('\n2 empty containers: act, rest/\\x1b[2J\n')
    assert main(['inspect', str(path), '--json']) == 0
    assert json.loads(capsys.readouterr().out)['empty'] == ['act', 'rest/\x1b[2J']
    xd.save(path, {'W': np.ones(2), 'act': ()})
    assert main(['inspect', str(path)]) == 0
    assert capsys.readouterr().out.endswith('\n1 empty container: act\n')


def test_inspect_reads_no_data(tmp_path, capsys):
    path = tmp_path / 'm.npz'
    xd.save(path, {'a': np.zeros(1000), 'b': np.ones(1000)})
    data = bytearray(path.read_bytes())
    for value in (np.zeros(1000), np.ones(1000)):
        data[data.index(value.tobytes()[:4000]) + 9] ^= 1
    path.write_bytes(data)
    assert main(['inspect', str(path)]) == 0
    capsys.readouterr()
    assert main(['inspect', str(path), '--check', '--json']) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row['key'] for row in found['damaged']] == ['a', 'b']
    assert main(['inspect', str(path), '--check']) == 1
    out = capsys.readouterr().out
    assert '2 of 2 keys are damaged:\n  a: its CRC-32' in out


def test_inspect_says_how_a_file_is_compressed(tmp_path, capsys):
    path = tmp_path / 'm.npz'
    xd.save(path, {'a': np.zeros(1000)}, compression='deflate')
    main(['inspect', str(path)])
    assert 'npz, ' in (out := capsys.readouterr().out)
    assert ' bytes, deflate, checksum CRC-32' in out


def test_a_damaged_file_is_exit_code_1(file, capsys):
    file.write_bytes(file.read_bytes()[:-5])
    for arguments in (['inspect', str(file)], ['convert', str(file), str(file.with_name('b.npz'))]):
        assert main(arguments) == 1
        out, err = capsys.readouterr()
        assert out == ''
        assert err.startswith(f'crossdock: {file}: ')
        assert err.count('\n') == 1
    assert os.listdir(file.parent) == ['m.npz']


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['inspect', 'nope.npz'], 'nope.npz: No such file'),
        (['inspect', 'm.xyz'], 'names no file format'),
        (['inspect', 'm.npz', '--format', 'xyz'], "no file format 'xyz'"),
        (['inspect', '.', '--format', 'npz'], '.: Is a directory'),
        (['convert', 'nope.npz', 'b.npz'], 'nope.npz: No such file'),
        (['convert', 'm.npz', 'b.xyz'], 'names no file format'),
        (['convert', 'm.npz', 'no/b.npz'], 'no/b.npz: No such file'),
        (['convert', 'm.npz', 'm.npz'], 'the same file'),
        (['convert', 'm.npz', 'link.npz'], 'the same file'),
        (['convert', 'm.npz', 'b.npz', '--compression', 'xyz'], "no compression 'xyz'"),
        (['convert', 'm.npz'], 'TARGET'),
    ],
)
def test_requests_that_cannot_be_served(file, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(file.parent)
    Path('link.npz').symlink_to('m.npz')
    before = file.read_bytes()
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ''
    assert words in err
    assert err.startswith('crossdock: ')
    assert err.count('\n') == 1
    assert file.read_bytes() == before
    assert sorted(os.listdir()) == ['link.npz', 'm.npz']


def test_what_the_target_cannot_hold_is_listed_before_anything_is_written(tmp_path, capsys):
    source, target = tmp_path / 'a.npz', tmp_path / 'b.safetensors'
    times = np.array([1, 2], 'M8[s]')
    xd.save(
        source, {'good': np.ones(3), 'when': times, 'x': {'later': times, 'W': np.ones(2)}, 'l': np.array(1, 'm8[h]')}
    )
    target.write_bytes(b'old')
    assert main(['convert', str(source), str(target)]) == 2
    out, err = capsys.readouterr()
    assert out == ''
    first, *others = err.splitlines()
    assert first == f'crossdock: {source} holds what a safetensors file cannot; nothing has been written'
    assert [line.split(':')[0] for line in others] == ["  'when'", "  'x/later'", "  'l'"]
    assert target.read_bytes() == b'old'
    assert sorted(os.listdir(tmp_path)) == ['a.npz', 'b.safetensors']
    with pytest.raises(xd.errors.FormatError) as caught:
        convert(source, target)
    assert len(caught.value.refusals) == 3


def test_a_source_with_damaged_data_leaves_the_old_target(tmp_path, capsys):
    source, target = tmp_path / 'a.npz', tmp_path / 'b.npz'
    value = np.arange(5000.0)
    xd.save(source, {'first': np.ones(3), 'last': value})
    data = bytearray(source.read_bytes())
    data[data.index(value.tobytes()) + 39_999] ^= 1
    source.write_bytes(data)
    xd.save(target, {'old': 1})
    assert main(['convert', str(source), str(target)]) == 1
    assert "'last'" in capsys.readouterr().err
    assert list(xd.load(target)) == ['old']
    assert sorted(os.listdir(tmp_path)) == ['a.npz', 'b.npz']


@pytest.mark.parametrize('there', EACH)
def test_no_writer_takes_the_last_piece_of_damaged_data(tmp_path, there):
    source, target = tmp_path / 'a.npz', tmp_path / f'b{suffix(there)}'
    value = np.arange(1_200_000.0)  # more than a piece
    xd.save(source, {'a': value})
    data = bytearray(source.read_bytes())
    data[data.index(value[-9:].tobytes())] ^= 1
    source.write_bytes(data)
    for compression in (None, *format_named(there).compressions):
        with pytest.raises(xd.errors.CorruptFileError, match='CRC-32'):
            convert(source, target, compression=compression)
        assert os.listdir(tmp_path) == ['a.npz']


def test_convert_tells_how_far_it_is_and_says_what_it_swaps(tmp_path):
    source, target = tmp_path / 'a.npz', tmp_path / 'b.npz'
    np.savez(source, a=np.arange(3, dtype='>i4'), b=np.zeros(2_000_000))
    seen = []
    with pytest.warns(UserWarning, match='native byte order'):
        convert(source, target, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (16_000_012, 16_000_012)
    assert len(seen) > 2
    np.testing.assert_array_equal(flat(target)['a'], np.arange(3, dtype='i4'), strict=True)


CODE = """
import sys, crossdock.cli
def peak():
    return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])
small, large, suffix = sys.argv[1:]
def convert(path):
    assert crossdock.cli.main(['convert', path, path + suffix]) == 0
convert(small)
open('/proc/self/clear_refs', 'w').write('5')
before = peak()
convert(large)
print(peak() - before)
"""


@pytest.mark.parametrize('there', EACH)
@pytest.mark.parametrize('here', EACH)
def test_convert_holds_little_in_memory(tmp_path, here, there):
    small, large = tmp_path / f'small{suffix(here)}', tmp_path / f'large{suffix(here)}'
    xd.save(small, {'a': np.ones(300_000)})
    xd.save(large, {'a': np.ones(30_000_000), 'b': np.ones((5_000, 1_000), 'float32')})
    words = [sys.executable, '-c', CODE, str(small), str(large), suffix(there)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) < 64 * 1024


def test_names_from_a_file_do_not_steer_the_terminal(tmp_path, capsys):
    path = tmp_path / 'm.npz'
    xd.save(path, {'\x1b[2J': 1, 'two\nlines': 2, '[bold]x[/bold]': 3}, metadata={'\x1b]0;title\x07': 'a\rb'})
    main(['inspect', str(path)])
    out = capsys.readouterr().out
    assert '\x1b' not in out
    assert '\r' not in out
    assert len(out.splitlines()) == 7
    for words in (r'\x1b[2J', r'two\nlines', '[bold]x[/bold]', r'\x1b]0;title\x07', r'a\rb'):
        assert words in out


@pytest.mark.parametrize('columns', [40, 80, 120])
def test_the_table_fits_the_terminal(monkeypatch, columns):
    monkeypatch.setenv('COLUMNS', str(columns))
    out = io.StringIO()
    monkeypatch.setattr(sys, 'stdout', out)
    shape = (2, 3, 4, 5, 6)
    show_table(
        [Row('a/' * 100 + 'W', 'float32', shape, 2880), Row('[red]b', 'int64', (), 8), Row('none', None, None, 0)]
    )
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert sum(line.count('/') for line in lines) == 100
    assert '[red]b' in out.getvalue()
    assert '2,880' in out.getvalue()


def test_long_metadata_is_cut():
    made = Report('m.npz', 'npz', 1, None, None, {'x': 'y' * 10_000}, ())
    first, second = heading(made)
    assert first == 'm.npz: npz, 1 bytes, not compressed, no checksum'
    assert len(second) < 400
    assert '10,000' in second
