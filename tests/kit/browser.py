"""A real Chromium, driven through its WebDriver on the loopback."""

import json
import os
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = "chromium", "chromedriver"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
)  # fmt: skip
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Home": "\ue011",
        "End": "\ue010", "PageUp": "\ue00e", "PageDown": "\ue00f", "Tab": "\ue004"}  # fmt: skip
WAIT = 60  # seconds until a driver that does not answer is given up


def need_chromium(*programs: str) -> None:
    """Skip where Chromium, or its driver when no program is named, is not there; fail where every
    package is to be there."""
    if missing := [name for name in programs or (CHROMIUM, DRIVER) if not shutil.which(name)]:
        if os.environ.get("EVERY_PACKAGE"):
            pytest.fail(f"not installed: {', '.join(missing)}")
        pytest.skip(f"no {' and no '.join(missing)} here")


def document(profile: Path, url: str, *more: str) -> str:
    """The document of a page as it stands when it has settled. `profile`: a folder of its own."""
    need_chromium(CHROMIUM)
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=8000"]
    command += [*more, "--dump-dom", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Browser:
    """One window of a browser."""

    def __init__(self, address: str, session: str) -> None:
        self._base = f"{address}/session/{session}"

    def open(self, page: Path, width: int = 1280, height: int = 800, dark: bool = False) -> None:
        """Open a page of the disk in a size and a colour scheme, and wait until it is drawn."""
        mobile = width < 500
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
        self.devtools("Emulation.setEmulatedMedia", features=scheme)
        self.call("POST", "/url", url=page.as_uri())
        waiting = """
            const [done] = arguments, root = document.documentElement;
            const look = () => root.dataset.ready ? done("yes") : requestAnimationFrame(look);
            look();"""
        self.call("POST", "/execute/async", script=waiting, args=[])

    def run(self, script: str, *args: Any) -> Any:
        """What a script returns."""
        return self.call("POST", "/execute/sync", script=script, args=list(args))

    def text(self, selector: str) -> str:
        """The text of an element as it is shown."""
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def click(self, selector: str) -> None:
        """Click on the first element that a selector finds."""
        element = self.call("POST", "/element", using="css selector", value=selector)[ELEMENT]
        self.call("POST", f"/element/{element}/click")

    def press(self, *keys: str) -> None:
        """Press keys one after the other: names of `KEYS`, or texts that are typed."""
        signs = [sign for key in keys for sign in ([KEYS[key]] if key in KEYS else key)]
        acts = [{"type": kind, "value": sign} for sign in signs for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", actions=[{"type": "key", "id": "keys", "actions": acts}])

    def wait(self, script: str) -> None:
        """Wait until an expression is true."""
        loop = f"""
            const [done] = arguments;
            const look = () => ({script}) ? done(true) : requestAnimationFrame(look);
            look();"""
        self.call("POST", "/execute/async", script=loop, args=[])

    def devtools(self, command: str, **params: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", cmd=command, params=params)

    def logged(self) -> list[str]:
        """What the console was told since it was asked last."""
        return [row["message"] for row in self.call("POST", "/se/log", type="browser")]

    def fetched(self) -> set[str]:
        """The addresses of all that was asked for since that was asked last."""
        rows = self.call("POST", "/se/log", type="performance")
        events = [json.loads(row["message"])["message"] for row in rows]
        sent = [each for each in events if each["method"] == "Network.requestWillBeSent"]
        return {each["params"]["request"]["url"].partition("#")[0] for each in sent}

    def call(self, method: str, path: str, **body: Any) -> Any:
        """One command of WebDriver. Raises AssertionError with what the driver says."""
        return _call(self._base + path, method, body)


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """Yield a window of a new browser, whose own files are in `folder`."""
    need_chromium()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    driver = subprocess.Popen(
        [str(shutil.which(DRIVER)), f"--port={port}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        for line in driver.stdout:  # it says when it listens
            if "started successfully" in line:
                break
        options = {"args": [*FLAGS, f"--user-data-dir={folder}"], "binary": shutil.which(CHROMIUM)}
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        body = {"capabilities": {"alwaysMatch": wanted}}
        browser = Browser(address, _call(f"{address}/session", "POST", body)["sessionId"])
        browser.call("POST", "/timeouts", script=WAIT * 1_000)
        yield browser
        with suppress(AssertionError):
            browser.call("DELETE", "")
    finally:
        driver.kill()
        driver.wait()
        driver.stdout.close()


def _call(address: str, method: str, body: dict[str, Any]) -> Any:
    data = json.dumps(body).encode() if method == "POST" else None
    asked = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    asked.get_method = lambda: method
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Told())
    with opener.open(asked, timeout=2 * WAIT) as answer:
        told = json.load(answer)["value"]
    assert not (isinstance(told, dict) and "error" in told), told
    return told


class _Told(urllib.request.HTTPErrorProcessor):
    """Lets answers that are errors through: they say in JSON what is wrong."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response
