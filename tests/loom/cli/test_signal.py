import json
from pathlib import Path

import loom
from loom.capabilities.events import Inbox
from tests.loom.cli.conftest import Run


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
