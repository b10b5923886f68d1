import sys

import numpy as np

import crossdock as xd
from crossdock.devices import _send

from ..accelerator import FIRST


def test_a_bar_on_a_terminal_for_a_long_transfer(monkeypatch, capfd):
    monkeypatch.setattr(_send, 'SECOND_NBYTES', 8)
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True)
    xd.get_device(FIRST).send([np.zeros(1), np.zeros(2)], progress=True)
    out, err = capfd.readouterr()
    assert out == ''
    assert 'sending' in err
    assert '24/24 bytes' in err


def test_what_a_callback_raises_arrives():
    def stop(done, total):
        raise KeyboardInterrupt

    try:
        xd.get_device(FIRST).send(np.zeros(1), progress=stop)
    except KeyboardInterrupt:
        return
    raise AssertionError('it was swallowed')
