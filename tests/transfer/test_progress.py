"""What `progress=` promises, of everything that takes it."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import threading

import numpy as np
import pytest

import crossdock as xd
from crossdock import serializers
from crossdock.devices import cuda
from crossdock.errors import CorruptFileError, DtypeError, ProgressError
from crossdock.serializers import _stage
from crossdock.serializers.archive import _gulp
from crossdock.serializers.formats._npz import NpzReader
from crossdock.transfer import _steps

from ..accelerator import FIRST
from .progress_works import WORKS

LARGEST_STEP = 9_000_000  # bytes of 20 million
FORMATS = ['', '_npz', '_safetensors', '_hdf5', '_zarr']
NEEDS = {'hdf5': 'h5py', 'zarr': 'numcodecs'}


@pytest.fixture(params=[name for name in WORKS if not name.startswith('load into')])
def work(request, tmp_path, monkeypatch):
    return prepared(request.param, tmp_path, monkeypatch)


@pytest.fixture(params=WORKS)
def any_work(request, tmp_path, monkeypatch):
    return prepared(request.param, tmp_path, monkeypatch)


def prepared(name, folder, monkeypatch):
    monkeypatch.setattr(_steps, 'STEP_NBYTES', LARGEST_STEP)
    monkeypatch.setattr(_gulp, '_WINDOW', 2**22)
    for word, library in NEEDS.items():
        if word in name.lower():
            pytest.importorskip(library)
    return WORKS[name](folder)


def test_tells_of_all_bytes_step_by_step(any_work):
    told, threads = [], set()

    def progress(done, total):
        told.append((done, total))
        threads.add(threading.get_ident())

    any_work.run(progress)
    done = [row[0] for row in told]
    assert len({row[1] for row in told}) == 1
    assert told[-1][0] == told[-1][1] > 0
    assert all(before < after for before, after in itertools.pairwise(done))
    assert max(np.diff([0, *done])) <= LARGEST_STEP
    assert threads == {threading.get_ident()}
    any_work.run(False)


class Cancelled(Exception):
    pass


#: Some are such as the work itself raises, and would say more of there.
RAISED = [
    (KeyboardInterrupt, 'at once'),
    (OSError, 'at once'),
    (CorruptFileError, 'at once'),
    (DtypeError, 'at once'),
    (Cancelled, 'in the middle'),
    (Cancelled, 'in the end'),
]


def test_what_it_raises_ends_the_work_and_comes_out(work):
    for kind, when in RAISED:
        error = kind('no')
        expected = KeyError('what it was handling')

        def progress(done, total, error=error, when=when, expected=expected):
            reached = {'at once': True, 'in the middle': 2 * done >= total, 'in the end': done == total}
            if reached[when]:
                try:
                    raise expected
                except KeyError:
                    raise error  # noqa: B904

        with pytest.raises(kind) as caught:
            work.run(progress)
        assert caught.value is error
        assert error.args == ('no',) and vars(error) == {}
        assert getattr(error, 'filename', None) is None
        assert error.__context__ is expected and error.__cause__ is None
        assert work.untouched()
    work.run(False)


def test_reading_ends_with_what_it_raises_though_that_is_kept(tmp_path, monkeypatch):
    """Not when it is collected, perhaps by the very thread that reads ahead, and after the file was closed."""
    path = tmp_path / 'large.npz'
    serializers.save(path, {'W': np.zeros(4_000_000)})
    ended = []

    def watched(reader, key, pieces=NpzReader.pieces):
        try:
            yield from pieces(reader, key)
        finally:
            ended.append(key)

    def progress(done, total):
        raise Cancelled

    monkeypatch.setattr(NpzReader, 'pieces', watched)
    with pytest.raises(Cancelled) as kept:
        serializers.load(path, device=FIRST, progress=progress)
    assert ended == ['W'], kept


@pytest.mark.parametrize('name', [name for name in WORKS if name.startswith('load into')])
@pytest.mark.parametrize('held', [True, False])
def test_what_it_raises_while_a_target_is_loaded(name, held, tmp_path, monkeypatch):
    if not held:
        monkeypatch.setattr(_stage, 'STAGED_NBYTES', 1000)
    work = prepared(name, tmp_path, monkeypatch)
    # What is read a second time is in its place as soon as it comes: the second half of the work.
    for last in (False, *([True] if held else [])):

        def progress(done, total, last=last):
            if done == total or not last:
                raise Cancelled

        with pytest.raises(Cancelled):
            work.run(progress)
        assert work.untouched()
    work.run(False)
    assert not work.untouched()


def test_what_nothing_can_be_told_by_is_refused_before_anything_moves(any_work, capfd):
    for wrong in ('yes', 3, None, 1, [], np.arange(2)):
        with (
            xd.trace_transfers() as log,
            pytest.raises(ProgressError, match=r'True shows a bar .*function\(done, total\)') as caught,
        ):
            any_work.run(wrong)
        assert caught.value.progress is wrong
        assert isinstance(caught.value, TypeError)
        assert not log.nbytes_moved
        assert any_work.untouched()
    any_work.run(True)
    assert capfd.readouterr() == ('', ''), 'standard error is no terminal'


def test_a_trace_has_the_same_rows(any_work):
    with xd.trace_transfers() as log:
        any_work.run(False)
    with xd.trace_transfers() as followed:
        any_work.run(lambda done, total: None)

    def rows(log):
        return [(row.nbytes, row.source, row.target, row.op, row.route, row.path, row.failed) for row in log]

    if any('there' in row.path for row in log):  # saved in pieces, as the file takes them
        assert log.nbytes_moved == followed.nbytes_moved
    else:
        assert sorted(rows(log)) == sorted(rows(followed))
    assert all(row.seconds is not None and row.seconds > 0 for row in followed)


def test_what_the_function_moves_is_its_own(any_work):
    small = np.ones(3)
    calls = []

    def progress(done, total):
        xd.get_device(FIRST).send({'mine': small})
        calls.append(done)

    with xd.trace_transfers() as log:
        any_work.run(progress)
    mine = [row for row in log if row.path == "['mine']"]
    assert len(mine) == len(calls)
    assert len({row.batch for row in mine}) == len(mine)
    assert not {row.batch for row in mine} & {row.batch for row in log if row.path != "['mine']"}
    assert {row.filename for row in mine} == {__file__}
    assert {row.nbytes for row in mine} == {24}


def test_work_in_the_function_is_followed_by_itself(any_work, tmp_path):
    outer, inner = [], []
    inside = tmp_path / 'inside'
    inside.mkdir()

    def progress(done, total):
        if not outer:
            xd.save(inside / 'y.npz', {'a': np.ones(10)}, progress=lambda done, total: inner.append((done, total)))
            xd.load(inside / 'y.npz', progress=True)
            (inside / 'y.npz').unlink()
            inside.rmdir()
        outer.append((done, total))

    any_work.run(progress)
    assert inner == [(80, 80)]
    assert outer[-1][0] == outer[-1][1]


def test_nothing_to_move():
    told = []

    def progress(done, total):
        told.append((done, total))

    x = np.ones(3)
    assert xd.to_numpy(x, progress=progress) is x
    xd.get_device('native:0').send([x, None], progress=progress)
    xd.get_device(FIRST).send([], progress=progress)
    xd.get_device(FIRST).send(np.zeros((0, 3)), progress=progress)
    xd.copyto(x, x, where=False, progress=progress)
    xd.copyto(np.zeros(0), np.zeros(0), progress=progress)
    assert told == [(0, 0)] * 6


@pytest.mark.parametrize('where', ['@numpy', 'native:0', FIRST])
@pytest.mark.parametrize('rows', [1, 3, 700])  # to a step: less than one, one, several
def test_what_is_broadcast_is_the_same_in_steps(where, rows, monkeypatch):
    monkeypatch.setattr(_steps, 'STEP_NBYTES', 8000)
    shape = (rows, 1000) if rows < 10 else (rows, 3)
    send = xd.get_device(where).send
    full = np.arange(float(shape[0] * shape[1])).reshape(shape)
    sources = [2.0, full[0], full[:, :1], full[:1], full[:1, :1], full]
    masks = [True, full % 3 == 0, full[0] % 3 == 0, full[:, :1] % 2 == 0, np.array(True)]
    for source, mask in itertools.product(sources, masks):
        expected = -full
        np.copyto(expected, source, where=mask)
        dst = send(-full)
        src = send(source) if isinstance(source, np.ndarray) else source
        xd.copyto(dst, src, where=send(mask) if mask is not True else True, progress=lambda done, total: None)
        np.testing.assert_array_equal(xd.to_numpy(dst), expected)


def test_files_of_nothing(tmp_path):
    told = []
    xd.save(tmp_path / 'x.npz', {'none': None}, progress=lambda done, total: told.append((done, total)))
    xd.load(tmp_path / 'x.npz', progress=lambda done, total: told.append((done, total)))
    xd.load(tmp_path / 'x.npz', {'none': None}, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 0)] * 3


def test_bools_of_numpy_are_bools():
    assert xd.to_numpy(np.ones(2), progress=np.False_).sum() == 2
    assert xd.to_numpy(np.ones(2), progress=np.True_).sum() == 2


def test_failed_work_is_never_all_done(tmp_path):
    told = []
    path = tmp_path / 'x.npz'
    xd.save(path, {'a': np.arange(9.0), 'b': np.ones(9)})
    data = bytearray(path.read_bytes())
    data[data.index(np.ones(9).tobytes()) + 70] ^= 1
    path.write_bytes(data)
    for target in (None, {'a': np.zeros(9), 'b': np.zeros(9)}):
        with contextlib.suppress(CorruptFileError):
            xd.load(path, target, progress=lambda done, total: told.append((done, total)))
    assert told == [(72, 144)] * 2


def test_overlapping_copyto_is_right_and_told_of():
    told = []
    x = np.arange(8_000_000.0)
    xd.copyto(x[1:], x[:-1], progress=lambda done, total: told.append((done, total)))
    np.testing.assert_array_equal(x[1:], np.arange(7_999_999.0))
    assert told == [(63_999_992, 63_999_992)]


def test_a_broadcast_copyto_is_right(monkeypatch):
    monkeypatch.setattr(_steps, 'STEP_NBYTES', 2**20)
    x, row = np.zeros((300, 2000)), np.arange(2000.0)
    xd.copyto(x, row, progress=lambda done, total: None)
    np.testing.assert_array_equal(x, np.broadcast_to(row, x.shape))


@pytest.mark.parametrize('shape', [(7, 100_000), (100_000, 7), (3, 5, 70_000), (1, 1, 900_000), (2, 2, 3, 60_000)])
def test_steps_of_every_shape(shape, monkeypatch):
    monkeypatch.setattr(_steps, 'STEP_NBYTES', 2**18)
    x = np.random.default_rng(0).standard_normal(shape)
    for source in (x, x[..., ::-1], np.asfortranarray(x), np.asfortranarray(x)[..., ::2]):
        sizes = [source[index].nbytes for index in _steps.steps(source.shape, 8)]
        assert sum(sizes) == source.nbytes and max(sizes) <= 2**18
        there = xd.get_device(FIRST).send(source, progress=lambda done, total: None)
        np.testing.assert_array_equal(xd.to_numpy(there, progress=lambda done, total: None), source)


FOLLOWED = [
    *(xd.Device.send, xd.DeviceResident.to_device, xd.to_numpy, xd.to_cpu, xd.to_gpu, xd.copyto),
    *(cuda.to_gpu, cuda.to_cpu, cuda.copy),
    *(getattr(serializers, f'{verb}{name}') for verb in ('save', 'load') for name in FORMATS),
    *(serializers.convert, serializers.LazyArray.read, serializers.LazyArray.to),
    *(serializers.NpzDeserializer, serializers.HDF5Deserializer),
    *(serializers.HDF5Serializer, serializers.DictionarySerializer),
]


@pytest.mark.parametrize('function', FOLLOWED, ids=lambda function: f'{function.__module__}.{function.__qualname__}')
def test_it_is_the_same_everywhere(function):
    parameter = inspect.signature(function).parameters['progress']
    assert parameter.kind is parameter.KEYWORD_ONLY
    assert parameter.default is False
    assert parameter.annotation == 'Progress'
    words = ' '.join(inspect.getdoc(function).split())
    said = 'progress : bool or callable True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.'
    elsewhere = 'parameters are those of `save`', 'parameters are those of `load`'
    assert any(text in words for text in (said, *elsewhere))


@pytest.mark.parametrize('spec', ['@torch:cpu', '@jax:cpu:0'])
def test_other_libraries(spec, monkeypatch):
    pytest.importorskip(spec[1:].partition(':')[0])
    monkeypatch.setattr(_steps, 'STEP_NBYTES', 2**20)
    x = np.arange(900_000, dtype='float32').reshape(3, -1)
    told = []

    def progress(done, total):
        told.append(done)

    there = xd.get_device(spec).send(x, copy=True, progress=progress)
    assert told[-1] == x.nbytes
    assert spec == '@jax:cpu:0' or len(told) > 3, 'JAX makes its arrays in one call'
    told.clear()
    np.testing.assert_array_equal(xd.to_numpy(there, copy=True, progress=progress), x)
    assert len(told) > 3 and told[-1] == x.nbytes
    told.clear()
    far = xd.get_device(FIRST).send(there, progress=progress)
    assert len(told) > 3 and told[-1] == x.nbytes
    np.testing.assert_array_equal(xd.to_numpy(xd.get_device(spec).send(far, progress=progress)), x)
