"""`loom serve` as a process of its own, and what it uses."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from loom.lazy import lazy_re

ADDRESS = lazy_re(r"http://127\.0\.0\.1:\d+")


class ServingProcess(Struct, frozen=True):
    """A proxy that runs: its address and process id."""

    url: str
    pid: int

    @property
    def resident(self) -> float:
        """Megabytes of memory it holds (Linux)."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * mmap.PAGESIZE / 1e6

    @property
    def seconds(self) -> float:
        """CPU seconds it has used, its own and the system's for it (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(folder: Path, provider: str, window: int) -> Iterator[ServingProcess]:
    """A proxy before a provider, ended when this is left. Raises RuntimeError when it does not
    start."""
    command = [sys.executable, "-m", "loom", "serve", "--port", "0", "--window", str(window)]
    command += ["--folder", str(folder), "--anthropic", provider]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            found = ADDRESS.search(said)
            if found is None:
                process.kill()
                raise RuntimeError(f"loom serve did not start: {said}{process.stderr.read()}")
            yield ServingProcess(found[0], process.pid)
        finally:
            process.terminate()
