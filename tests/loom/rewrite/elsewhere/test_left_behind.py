"""What a process leaves of a store that it has open: no thread that lives on, and no word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import loom
from tests.kit.cases import all_cases

pytest.importorskip("obstore", reason="needs obstore")

OPENED = """
import os, sys, time
import loom

address, how = sys.argv[1:]
ctx = loom.open(address + "?lease=1", window=8_192)
ctx.user("one")
ctx.turn()
"""
ENDS = {
    "returns": "",
    "exits while renewing": "time.sleep(1.2); sys.exit(0)",
    "raises": "import signal; signal.alarm(30); raise SystemExit(0)",
    "closes": "ctx.close()",
}
FORKED = """
child = os.fork()
if not child:
    status = 1
    try:
        ctx.user("of the child")
    except loom.errors.StoreReplaced:
        try:
            loom.open(address + "-child", window=8_192)
        except loom.BadInput as error:
            status = 0 if "spawn" in str(error) else 2
    ctx.close()
    sys.stdout.flush()
    os._exit(status)
_, status = os.waitpid(child, 0)
ctx.user("two")
print(os.waitstatus_to_exitcode(status), ctx.turn().number)
ctx.close()
"""


def run(code: str, address: str, how: str = "-") -> subprocess.CompletedProcess[str]:
    """A program in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-P", "-c", OPENED + code, address, how]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)


@all_cases("how", ENDS)
def test_a_lease_keeps_no_process_alive_and_says_nothing(tmp_path: Path, how: str) -> None:
    """However the process ends, it ends, with nothing printed; the next one goes on there."""
    address = f"file://{tmp_path}/agent"
    ended = run(ENDS[how], address, how)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    with loom.open(f"{address}?take=1") as ctx:
        assert ctx.window.sent.turn == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_is_told_and_ends_nothing(tmp_path: Path) -> None:
    """It can neither write nor open another store; the one that opened it goes on writing."""
    ended = run(FORKED, f"file://{tmp_path}/agent")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0 2\n", "")


def test_loom_does_not_import_obstore() -> None:
    """Not by being imported, nor by opening a folder, nor for a command that reads one."""
    code = (
        "import sys, tempfile, loom, loom.cli.app, loom.cli.address_mirrors\n"
        "loom.open(tempfile.mkdtemp()).close()\n"
        "assert 'obstore' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-P", "-c", code], check=True, env=environment, timeout=60)
