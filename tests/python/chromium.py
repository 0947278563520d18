"""A headless Chromium that tests drive over a pipe, with Chrome's own protocol."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["Page", "chromium"]

#: Seconds after which a page that does not answer has failed.
_PATIENCE = 60.0
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
)


class Page:
    """A page of the browser.

    Attributes:
        errors: errors and exceptions of its console.
        requests: the addresses that it asked for.
    """

    def __init__(self, to: BinaryIO, of: BinaryIO) -> None:
        """Opens an empty page."""
        self._to, self._of = to, of
        self._number = 0
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """Sends a command and returns its result; events on the way are noted."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": given}
        if self._session is not None:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _read(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self._of.read(1)) != b"\0":
            if not byte:
                raise AssertionError("Chromium ended")
            data += byte
        message: dict[str, Any] = json.loads(data)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(given["exceptionDetails"])[:600])
        elif event.get("method") == "Runtime.consoleAPICalled" and given["type"] == "error":
            self.errors.append(json.dumps(given["args"])[:600])
        elif event.get("method") == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"]["text"])

    def open(self, address: str) -> None:
        """Opens an address."""
        self.call("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        """Returns the value of an expression of JavaScript; it may be a promise."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise AssertionError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def until(self, expression: str) -> Any:
        """Returns the value of an expression as soon as it is true."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            # The browser polls, so that nothing waits here.
            if found := self.value(
                f"new Promise(done => requestAnimationFrame(() => done({expression})))"
            ):
                return found
        raise AssertionError(f"never true: {expression}; console: {self.errors}")

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """Sets the size of the window and the colours that its user prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def mouse(self, kind: str, x: float, y: float) -> None:
        """Sends an event of the mouse: mousePressed, mouseMoved or mouseReleased."""
        buttons = 0 if kind == "mouseReleased" else 1
        self.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button="left",
            buttons=buttons,
            clickCount=1,
        )

    def click(self, x: float, y: float) -> None:
        """Clicks at a place of the window."""
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def key(self, key: str) -> None:
        """Presses a key by its name, such as ArrowRight."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Writes a PNG of the page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def chromium(program: str = "chromium") -> Iterator[Page]:
    """Yields a page of a new browser, which ends with the block."""
    to_read, to_write = os.pipe()
    of_read, of_write = os.pipe()
    with tempfile.TemporaryDirectory(
        prefix="pantala-chromium-", ignore_cleanup_errors=True
    ) as profile:
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
        line = 'exec "$0" "$@" 3<&"$PANTALA_IN" 4>&"$PANTALA_OUT"'
        process = subprocess.Popen(
            ["bash", "-c", line, program, *_FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(to_read, of_write),
            env=os.environ | {"PANTALA_IN": str(to_read), "PANTALA_OUT": str(of_write)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # its helper processes end with it
        )
        os.close(to_read)
        os.close(of_write)
        try:
            with os.fdopen(to_write, "wb") as to, os.fdopen(of_read, "rb") as of:
                yield Page(to, of)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
