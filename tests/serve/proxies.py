"""`loom serve` as its users run it: a process of its own, that can be killed and started again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import loom
from loom_paging import MissingPage
from loom_partitions.message import Step

ROOT = Path(__file__).parents[2]
MAIN = "import sys; from loom.cli import main; sys.exit(main())"
STARTED = 60.0  # seconds a proxy may take to answer
DIRECT = build_opener(ProxyHandler({}))


class ServedProxy:
    """The proxy before an upstream, from `with` on; `folder` has its workspaces."""

    def __init__(self, upstream: str, folder: Path, window: int = 128_000) -> None:
        self.folder, self.window = folder, window
        self._upstream = upstream
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._log = folder.with_suffix(".log")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._process is not None:
            self.end()

    def command(self, *more: str | Path) -> list[str | Path]:
        """Its command line, with any further words."""
        given = ["--window", str(self.window), "--folder", self.folder]
        bases = ["--anthropic", self._upstream, "--openai", self._upstream]
        return [sys.executable, "-P", "-c", MAIN, "serve", *given, *bases, *more]

    def start(self) -> None:
        """Start it on its port, and wait until it answers."""
        with self._log.open("ab") as log:
            command = self.command("--port", str(self._port))
            self._process = subprocess.Popen(command, env=environment(), stderr=log)
        end = time.monotonic() + STARTED
        while self._process.poll() is None and time.monotonic() < end:
            try:
                self.health()
            except URLError:
                time.sleep(0.02)  # nothing tells when another process listens
            else:
                return
        raise RuntimeError(f"loom serve did not start: {self.said}")

    def kill(self) -> None:
        """End it as a power cut does."""
        self.end(signal.SIGKILL)

    def end(self, by: signal.Signals = signal.SIGTERM) -> int:
        """End it by a signal; its exit code."""
        assert self._process is not None
        process, self._process = self._process, None
        process.send_signal(by)
        return process.wait(STARTED)

    def send(self, which: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(which)

    def wait(self, seconds: float) -> int:
        """Its exit code. Raises TimeoutExpired while it runs on."""
        assert self._process is not None
        return self._process.wait(seconds)

    def health(self) -> dict[str, Any]:
        """What it tells of itself."""
        with DIRECT.open(f"{self.url}/loom/health", timeout=STARTED) as answer:
            told: dict[str, Any] = json.load(answer)
        return told

    @property
    def counts(self) -> dict[str, int]:
        """The requests it had since it was started, by what became of them."""
        counted: dict[str, int] = self.health()["requests"]
        return counted

    @property
    def said(self) -> str:
        """What it wrote to standard error."""
        return self._log.read_text()

    @property
    def workspaces(self) -> list[Path]:
        """The workspaces in its folder."""
        return sorted(path for path in self.folder.iterdir() if path.is_dir())


def environment() -> dict[str, str]:
    """The environment of a process that runs this Loom."""
    parts = [str(ROOT), str(ROOT / "partitions"), str(ROOT / "paging")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(parts)}


class Kept:
    """What a workspace holds, read after the proxy that wrote it has ended."""

    def __init__(self, workspace: Path) -> None:
        with loom.open(workspace, policy=loom.Policy(own_tools=("page_in", "recall"))) as ctx:
            sent = ctx.window.sent
            self.requests, self.cuts = sent.turn, sent.cuts
            standing = {item.id for item in ctx.window.history.stream if isinstance(item, Step)}
            found = [*_results(ctx)]
            self.results = [text for _, text in found]
            left = [(entry, text) for entry, text in found if entry not in standing]
            self.left = len(left)
            self.unreachable = [
                text for entry, text in left if text not in ctx.page_in(f"step_{entry:04}").text
            ]


def _results(ctx: loom.Context) -> Iterator[tuple[int, str]]:
    for entry in range(1, ctx.window.history.next_id):
        try:
            restored = ctx.history.restore(entry)
        except MissingPage:  # a digest, which was never said
            continue
        yield from ((entry, text) for text in restored.results.values())


def missing(texts: Sequence[str], kept: Sequence[Kept]) -> list[str]:
    """Those of the texts that no result in any of the workspaces holds."""
    held = [text for one in kept for text in one.results]
    return [text for text in texts if not any(text in one for one in held)]
