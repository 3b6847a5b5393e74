"""The list of commands, those another distribution brings, and how a command ends."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from cyclopts import App

import loom
from loom.capabilities.events.inbox import Inbox
from loom.cli import main
from loom.cli.app import COMMANDS, command_summary
from loom.cli.plugin_commands import GROUP
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


@all_cases("place", COMMANDS)
def test_a_command_is_where_it_is_said_to_be(place: str) -> None:
    """The text in the list, read from its source, is the beginning of the command's own."""
    module, _, name = place.partition(":")
    command = getattr(import_module(f"loom.cli.{module}"), name)
    whole = command.help if isinstance(command, App) else inspect.getdoc(command)
    own = str(whole or "").partition("\n\n")[0]
    assert own.replace("\n", " ") == command_summary(place) != ""


def test_the_list_waits_for_no_engine() -> None:
    """Neither the engine nor numpy is imported for it."""
    listed = (
        "import sys\n"
        "from loom.cli import main\n"
        "main(['--help'])\n"
        "print([name for name in ('loom.session', 'numpy', 'loom.context') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    assert "replay" in ran.stdout and ran.stdout.splitlines()[-1] == "[]"


ROOT = Path(loom.__file__).parents[1]
PATHS = [str(ROOT), str(ROOT / "partitions"), str(ROOT / "paging")]


def ran(*words: str, paths: list[str]) -> subprocess.CompletedProcess[str]:
    """`loom` of this tree, where no distribution is seen but those in `paths`."""
    hidden = (
        "import sys, importlib.metadata as m; from loom.cli import main;"
        " real = m.entry_points;"
        " m.entry_points = lambda **named: [one for one in real(**named)"
        " if str(one.dist._path).startswith(sys.argv[1])];"
        " sys.exit(main(sys.argv[2:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", hidden, paths[0], *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*paths, *PATHS])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["bench"],
        ["bench", "run", "needle", "--seeds", "1"],
        ["bench", "--help"],
        ["fit", "a.jsonl"],
    ],
)
def test_without_its_distribution_a_command_says_what_to_install(
    words: list[str], tmp_path: Path
) -> None:
    """One line on stderr and exit code 2, whatever it was asked; its help says it, too."""
    run = ran(*words, paths=[str(tmp_path)])
    if "--help" in words:
        assert run.returncode == 0 and "loom-bench" in run.stdout
        return
    assert run.returncode == 2, run.stderr
    [said] = run.stderr.splitlines()
    assert f"loom {words[0]}" in said and "pip install ./benchmarks" in said


def test_an_installed_distribution_brings_the_command(tmp_path: Path) -> None:
    """Its entry point in the group is what `loom bench` runs."""
    (tmp_path / "brings.py").write_text(
        "def bench(word: str) -> int:\n    print(word)\n    return 0\n"
    )
    there = tmp_path / "brings-1.dist-info"
    there.mkdir()
    (there / "METADATA").write_text("Metadata-Version: 2.1\nName: brings\nVersion: 1\n")
    (there / "entry_points.txt").write_text(f"[{GROUP}]\nbench = brings:bench\n")
    run = ran("bench", "needle", paths=[str(tmp_path)])
    assert (run.returncode, run.stdout) == (0, "needle\n"), run.stderr


def test_a_message_reaches_a_workspace_that_is_open(run: Run, tmp_path: Path) -> None:
    """No lock is taken, nothing else is touched, and the inbox tells it."""
    folder = tmp_path / "w"
    with loom.open(folder, goal="Find it.", model="gpt-4o", window=8_000):
        code, out, err = run("signal", folder, "The build is red.", "--urgency", "high", "--json")
    told = json.loads(out)
    assert (code, err, told["urgency"]) == (0, "", "high")
    (signal,) = Inbox(folder).look()
    assert (signal.id, signal.summary) == (told["id"], "The build is red.")
    assert run("check", folder)[0] == 0


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, one line, and nothing on stdout."""
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert main(["mcp"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "pip install '.[mcp]' in a checkout of Loom" in err


WAITING = """
import signal
for one in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
    signal.signal(one, signal.SIG_DFL)  # a shell may have it ignored
import sys, time
from loom.cli.scratch import scratch_folder
with scratch_folder("loom-test-") as folder:
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
