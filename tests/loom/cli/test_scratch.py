"""A command's folder for its work goes however the command ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

WAITING = """
import signal
for one in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
    signal.signal(one, signal.SIG_DFL)  # a shell may have it ignored
import sys, time
from loom.cli.scratch import scratch
with scratch("loom-test-") as folder:
    (folder / "text").write_text("what was said")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process at once")
@pytest.mark.parametrize("by", ["SIGTERM", "SIGHUP"])
def test_it_goes_with_a_signal(by: str) -> None:
    """A terminal that is closed, or a service that is stopped, leaves no session behind."""
    number = getattr(signal, by)
    with subprocess.Popen(
        [sys.executable, "-c", WAITING], stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None
        folder = Path(one.stdout.readline().strip())
        assert folder.is_dir()
        one.send_signal(number)
        assert one.wait(30) == 128 + number
    assert not folder.exists()
