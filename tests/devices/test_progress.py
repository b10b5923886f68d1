import sys

import numpy as np

import crossdock as xd
from crossdock.transfer import _bar

from ..accelerator import FIRST


def test_a_bar_on_a_terminal_for_a_long_transfer(monkeypatch, capfd):
    monkeypatch.setattr(_bar, 'DELAY_S', 0)
    monkeypatch.setenv('TERM', 'xterm')
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True)
    xd.get_device(FIRST).send([np.zeros(1), np.zeros(2)], progress=True)
    out, err = capfd.readouterr()
    assert out == ''
    assert 'send' in err
    assert '24/24 bytes' in err


def test_what_a_callback_raises_arrives():
    def stop(done, total):
        raise KeyboardInterrupt

    try:
        xd.get_device(FIRST).send(np.zeros(1), progress=stop)
    except KeyboardInterrupt:
        return
    raise AssertionError('it was swallowed')
