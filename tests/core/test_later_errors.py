"""Failures that an accelerator finds after the call: their class, their words, and that none is lost."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
import crossdock.core as cx
from crossdock.core import linalg
from crossdock.errors import AsyncDeviceError, AsyncIndexError, AsyncLinAlgError, CrossdockError, LinAlgError
from crossdock.serializers import save_npz

from ..accelerator import FIRST, KIND, SECOND, simulated


def singular(device: str) -> cx.Array:
    return linalg.inv(cx.zeros((3, 3), device=device))


def beyond(device: str) -> cx.Array:
    x = cx.arange(3, device=device)
    return cx.take(x, cx.asarray([0, 3], device=device))


def run(code: str) -> subprocess.CompletedProcess[str]:
    code = 'import crossdock.core as cx\n' + code
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=120)


def test_handlers_for_the_host_catch_them(device: str) -> None:
    with pytest.raises(np.linalg.LinAlgError, match='inv: the matrix is singular') as matrix:
        singular(device).device.synchronize()
    with pytest.raises(IndexError, match='index 3 is out of bounds for axis 0 with size 3') as index:
        beyond(device).device.synchronize()
    later = device != 'native:0'
    assert type(matrix.value) is (AsyncLinAlgError if later else LinAlgError)
    assert type(index.value) is (AsyncIndexError if later else IndexError)
    cx.device(device).synchronize()  # each came once


def test_classes_and_facts() -> None:
    assert issubclass(AsyncLinAlgError, AsyncDeviceError) and issubclass(AsyncLinAlgError, LinAlgError)
    assert issubclass(AsyncLinAlgError, np.linalg.LinAlgError)
    assert issubclass(AsyncIndexError, AsyncDeviceError) and issubclass(AsyncIndexError, IndexError)
    for make, op in ((singular, 'inv'), (beyond, 'gather')):
        with pytest.raises(AsyncDeviceError) as caught:
            make(SECOND).device.synchronize()
        again = pickle.loads(pickle.dumps(caught.value))
        for error in (caught.value, again):
            assert error.op == op and error.device == SECOND and isinstance(error, CrossdockError)
        assert type(again) is type(caught.value) and str(again) == str(caught.value)


def test_the_operation_is_named_once_and_how_to_find_it() -> None:
    with pytest.raises(AsyncLinAlgError) as caught:
        singular(FIRST).tolist()
    message = str(caught.value)
    assert message.startswith(f'an earlier operation failed on {FIRST}: inv: the matrix is singular (')
    assert message.count('inv') == 1 and "the device's synchronize() after each" in message


@simulated
def test_a_copy_that_is_waited_for_is_no_earlier_operation() -> None:
    x = cx.zeros(3, device=FIRST)
    cx.sim.inject('copy_error', index=0)
    with pytest.raises(AsyncDeviceError, match=rf'^download failed on {FIRST}: the copy failed'):
        x.tolist()
    cx.sim.clear_faults()
    assert x.tolist() == [0, 0, 0]


def test_another_array_is_not_blamed(tmp_path: Path) -> None:
    innocent = cx.zeros(3, device=FIRST)
    singular(FIRST)
    with pytest.raises(
        AsyncLinAlgError, match=rf"^found at \['a'\]: an earlier operation failed on {FIRST}: inv: the ma"
    ):
        save_npz(tmp_path / 'x.npz', {'a': innocent})
    singular(FIRST)
    with pytest.raises(np.linalg.LinAlgError, match=f'an earlier operation failed on {FIRST}: inv'):
        xd.to_numpy(innocent)
    assert innocent.tolist() == [0, 0, 0]


def test_another_device_says_where_it_began() -> None:
    x = singular(FIRST).to_device(SECOND)
    with pytest.raises(AsyncLinAlgError) as caught:
        x.device.synchronize()
    assert caught.value.op == 'inv' and caught.value.device == FIRST
    assert str(caught.value).startswith(f'an earlier operation failed on {FIRST}: inv: the matrix is singular (')
    with pytest.raises(AsyncLinAlgError):
        cx.device(FIRST).synchronize()


def test_what_nothing_waited_for_is_told_at_exit() -> None:
    out = run(f"z = cx.linalg.inv(cx.zeros((3, 3), device='{FIRST}'))")
    told = f'crossdock: inv failed on {FIRST}: the matrix is singular (nothing has waited for it)\n'
    assert (out.returncode, out.stdout, out.stderr) == (0, '', told)
    out = run(f"for i in '011': cx.linalg.inv(cx.zeros((3, 3), device='{KIND}:' + i))\nraise SystemExit(3)")
    assert (out.returncode, out.stderr) == (3, told + told.replace(FIRST, SECOND))


@pytest.mark.parametrize(
    'code',
    [
        f"z = cx.linalg.inv(cx.eye(3, device='{FIRST}'))",
        f"z = cx.linalg.inv(cx.zeros((3, 3), device='{FIRST}'))\ntry: z.tolist()\nexcept ValueError: pass",
        "x = cx.ones(3, device='sim:0')\ncx.sim.inject('device_lost', index=0)\n"
        'try: x.tolist()\nexcept RuntimeError: pass',
        f"import sys; z = cx.linalg.inv(cx.zeros((3, 3), device='{FIRST}')); sys.stderr = None",
        f"import sys; z = cx.linalg.inv(cx.zeros((3, 3), device='{FIRST}')); sys.stderr.close()",
    ],
)
def test_nothing_is_said_at_exit(code: str) -> None:
    out = run(code)
    assert (out.returncode, out.stdout, out.stderr) == (0, '', '')
