"""A headless Chromium that is driven over its debugging pipe: what a page shows, says to its console, and asks of whom."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.parts import paths

_SECONDS = 60.0
_NAVIGATED = "Inspected target navigated"
_START = (
    "import fcntl, os, sys; a, b = (fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]); "
    "os.dup2(a, 3); os.dup2(b, 4); os.execvp(sys.argv[3], sys.argv[3:])"
)


@dataclass
class Browser:
    """One page. `console` are errors and warnings of it, `asked` the addresses that it asked for."""

    to: int
    back: int
    session: str = ""
    console: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _number: int = 0
    _rest: bytes = b""

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol, and its answer. Raises RuntimeError for what the browser refuses."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            told = self._read(_SECONDS)
            if told.get("id") == message["id"]:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                result: dict[str, Any] = told["result"]
                return result
            self._hear(told)

    def run(self, script: str) -> Any:
        """The value of a script, awaited; what it throws is a RuntimeError."""
        told = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in told:
            raise RuntimeError(str(told["exceptionDetails"]))
        return told["result"].get("value")

    def go(self, address: str) -> None:
        """Open an address, and wait until it is loaded."""
        self.send("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def until(self, script: str, *, seconds: float = 30.0) -> None:
        """Wait until a script is true. Raises TimeoutError with what the page says."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            try:
                if self.run(f"Boolean({script})"):
                    return
            except RuntimeError as error:  # a page that a click leaves answers nobody; the next one is asked
                if _NAVIGATED not in str(error):
                    raise
            time.sleep(0.05)
        raise TimeoutError(f"{script}\nconsole: {self.console}\npage: {self.run('document.body.innerText')[:2000]}")

    def hear(self, seconds: float) -> None:
        """Take in what the page does for a while."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                self._hear(self._read(left))

    def wide(self, width: int, height: int, *, dark: bool = False) -> None:
        """Width and height of the window in pixels, and light or dark."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def press(self, key: str) -> None:
        """Press a key: Tab, Enter, or a letter."""
        codes = {"Tab": 9, "Enter": 13}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0])), **more
            )

    def point_at(self, selector: str) -> tuple[float, float]:
        """Move the pointer over the first element of a selector, and where that is."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}}); const b = e.getClientRects()[0];"
            "return [b.left + b.width / 2, b.top + b.height / 2] })()"
        )
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, selector: str) -> None:
        """Click the first element of a selector, as a pointer does."""
        x, y = self.point_at(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, *, whole: bool = False) -> bytes:
        """What is shown, as PNG; with `whole` all of the page."""
        return base64.b64decode(
            self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole=whole))[
                "data"
            ]
        )

    def _clip(self, *, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def _read(self, seconds: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self.back], [], [], seconds)
            if not ready:
                raise TimeoutError("the browser says nothing")
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser has gone")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(line)
        return told

    def _hear(self, told: dict[str, Any]) -> None:
        method, what = told.get("method"), told.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append(str(what["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.console.append(str([one.get("value", one.get("description")) for one in what["args"]]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.console.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.asked.append(what["request"]["url"])


@contextlib.contextmanager
def browsing(until: Callable[[], None] = lambda: None) -> Iterator[Browser]:
    """A browser with one empty page, which lives as long as the block."""
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        flags = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
        )
        command = [
            str(paths.find("chromium")),
            *flags,
            "--remote-debugging-pipe",
            f"--user-data-dir={folder}",
            "about:blank",
        ]
        # The browser reads commands from its descriptor 3 and answers on 4.
        starter = [sys.executable, "-c", _START, str(their_in), str(their_out)]
        process = subprocess.Popen(
            [*starter, *command],
            pass_fds=(their_in, their_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        try:
            yield _opened(Browser(our_out, our_in))
        finally:
            until()
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)
            os.close(our_out)
            os.close(our_in)


def _opened(browser: Browser) -> Browser:
    pages = [one for one in browser.send("Target.getTargets")["targetInfos"] if one["type"] == "page"]
    target = pages[0]["targetId"] if pages else browser.send("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.send(f"{domain}.enable")
    return browser
