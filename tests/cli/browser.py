"""A headless Chromium that tests steer: open a page, look at it, click. Only the standard library is needed."""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
PATIENCE_S = 60
FLAGS = (
    *('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'),
    *('--hide-scrollbars', '--disable-background-networking', '--remote-debugging-pipe'),
)


def find() -> str | None:
    """The browser's path; None if none is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _out_of_the_way(descriptor: int) -> int:
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)
    os.close(descriptor)
    return moved


class Browser:
    """Speaks the DevTools protocol over two pipes, one message after another."""

    def __init__(self, path: str, folder: Path) -> None:
        command_in, self._commands = os.pipe()
        self._answers, answer_out = os.pipe()
        # The browser reads from descriptor 3 and writes to 4; ours must not be in the way of that.
        command_in, answer_out = _out_of_the_way(command_in), _out_of_the_way(answer_out)

        def place() -> None:
            os.dup2(command_in, 3)
            os.dup2(answer_out, 4)

        self._process = subprocess.Popen(
            [path, *FLAGS, f'--user-data-dir={folder}', 'about:blank'],
            pass_fds=(3, 4),
            preexec_fn=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_in)
        os.close(answer_out)
        self._numbers = itertools.count(1)
        self._buffer = b''
        self.events: list[dict[str, Any]] = []
        self._session = ''
        try:
            self._attach()
        except BaseException:
            self.__exit__()
            raise

    def _attach(self) -> None:
        target = self._ask('Target.createTarget', url='about:blank')['targetId']
        self._session = self._ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self._ask(f'{domain}.enable')

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *error: object) -> None:
        self._session = ''
        try:
            self._ask('Browser.close')
            self._process.wait(PATIENCE_S)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def open(self, file: Path, *, width: int, scheme: str) -> None:
        """Show a file in a window of that width, to somebody who prefers 'light' or 'dark'."""
        self.events.clear()
        self._ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self._ask('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=False)
        self._ask('Page.navigate', url=file.absolute().as_uri())
        end = time.monotonic() + PATIENCE_S
        while not any(event['method'] == 'Page.loadEventFired' for event in self.events):
            self._take(end)

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression on the page."""
        done = self._ask('Runtime.evaluate', expression=script, returnByValue=True)
        assert 'exceptionDetails' not in done, done['exceptionDetails']
        return done['result'].get('value')

    def complaints(self) -> list[dict[str, Any]]:
        """What the console, or the page's policy, had to say since the page was opened."""
        self.run('0')  # what came before its answer has been read
        said = ('Log.entryAdded', 'Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Page.javascriptDialogOpening')
        return [event for event in self.events if event['method'] in said]

    def requests(self) -> list[str]:
        """The addresses that were asked for since."""
        self.run('0')
        sent = [event for event in self.events if event['method'] == 'Network.requestWillBeSent']
        return [event['params']['request']['url'] for event in sent]

    def photograph(self, file: Path) -> None:
        """A picture of the whole page."""
        done = self._ask('Page.captureScreenshot', captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(done['data']))

    def _ask(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        message: dict[str, Any] = {'id': number, 'method': method, 'params': parameters}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._commands, json.dumps(message).encode() + b'\0')
        end = time.monotonic() + PATIENCE_S
        while True:
            answer = self._take(end)
            if answer.get('id') == number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']

    def _take(self, end: float) -> dict[str, Any]:
        while b'\0' not in self._buffer:
            if not select.select([self._answers], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError('the browser does not answer')
            read = os.read(self._answers, 1 << 16)
            if not read:
                raise EOFError('the browser is gone')
            self._buffer += read
        text, _, self._buffer = self._buffer.partition(b'\0')
        message: dict[str, Any] = json.loads(text)
        if 'method' in message:
            self.events.append(message)
        return message
