"""Other packages' reducers, each in a process and an environment of its own.

Their dependencies conflict with ours and each other's, so `peer_worker.py` is run by an interpreter
that has the package, in isolated mode, and asked by lines of JSON. It says first that it is ready.
A worker that does not answer in time is ended, and a fresh one is asked next.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from types import TracebackType
from typing import Any, Self

from benchmarks.reduction.material import Large
from loom_bench.errors import BadBench

PEERS = {"headroom": "headroom-ai", "distil": "distil-llm"}  # name → package to install
WORKER = Path(__file__).with_name("peer_worker.py")
STARTING = 300.0  # seconds to import a package and warm it up
PATIENCE = 60.0  # seconds for one answer
# Nothing is fetched at run time: the way out is a port where nobody listens, and models that are
# not there are done without.
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE),
}


def _failed(name: str, why: str) -> BadBench:
    """A peer's process could not be started, ended, was too slow, or said what went wrong."""
    return BadBench(f"{name}: {why}")


class PeerProcess:
    """A strategy that asks the worker of a package; closed, it leaves nothing behind.

    `command` runs the worker and `patience` are the seconds one answer may take. Raises BadBench
    when the package cannot be run there.
    """

    def __init__(self, name: str, command: Sequence[str], patience: float = PATIENCE) -> None:
        self._name = name
        self._command = [*command]
        self._patience = patience
        self._folder = TemporaryDirectory(prefix="loom-reduction-")  # its home, to write in
        self._process: subprocess.Popen[str] | None = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __call__(self, large: Large, limit: int) -> tuple[str, list[str]]:
        """One reduction; the limit is not told, as these packages take none."""
        if self._process is None:
            self._start()
        made = self._ask({"text": large.text, "objective": large.objective}, self._patience)
        if "error" in made:
            raise _failed(self._name, str(made["error"]))
        return made["text"], made["names"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process and remove what it wrote."""
        self._end()
        self._folder.cleanup()

    def _start(self) -> None:
        home = self._folder.name
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=home,
                env={**os.environ, **OFFLINE, "HOME": home, "XDG_CACHE_HOME": home},
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise _failed(self._name, f"its interpreter cannot be run: {error}") from error
        ready = self._ask({}, STARTING)
        if "error" in ready:
            raise _failed(self._name, str(ready["error"]))

    def _ask(self, question: Mapping[str, str], patience: float) -> dict[str, Any]:
        """The worker's answer to one line. Raises BadBench, its process ended, without one."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        clock = Timer(patience, process.kill)
        clock.start()
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            clock.cancel()
        if line.endswith("\n"):
            made: dict[str, Any] = json.loads(line)
            return made
        self._end()
        raise _failed(
            self._name, f"no answer; its process ended (or was ended after {patience:g} s)"
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def peer(name: str, python: str) -> PeerProcess:
    """The peer of that name, run by an interpreter that has its package. Raises BadBench."""
    return PeerProcess(name, [python, "-I", str(WORKER), name])


def pythons(given: Sequence[str]) -> dict[str, str]:
    """The options NAME=PATH as a table. Raises ValueError for another shape or name."""
    found = {}
    for option in given:
        name, equals, path = option.partition("=")
        if not equals or not path or name not in PEERS:
            raise ValueError(f"--peer-python {option!r}: give {'=PATH or '.join(PEERS)}=PATH")
        found[name] = path
    return found
