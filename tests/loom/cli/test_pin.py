"""`loom pin` and `loom compact`: asked of a session another process may have open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from tests.loom.context.test_asked import worked

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("what", "meant"),
    [
        ("step_0002", "step_0002"),
        ("/p/a1.py", "step_0004"),
        ("a1.py", "step_0004"),
        ("./a1.py", "step_0004"),
        ("never delete the lock", "never delete the lock"),
    ],
)
def test_an_entry_a_path_or_a_line(run: Run, tmp_path: Path, what: str, meant: str) -> None:
    """A path means the newest entry that shows the file; it is done at the next turn."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        worked(ctx)
        code, out, err = run("pin", folder, what, "--json")
        assert (code, err, json.loads(out)["what"]) == (0, "", meant)
        turn = ctx.turn()
        entry = int(meant[5:]) if meant.startswith("step_") else 0
        pinned = [one for one, _ in ctx.window.history.pins]
        assert pinned == ([entry] if entry else [])
        assert entry or meant in str(turn.request("openai")["messages"])
        run("pin", folder, what, "--unpin")
        ctx.turn()
        assert not any(until for _, until in ctx.window.history.pins)


def test_a_session_by_its_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the state folder; one that is not there is exit 2."""
    monkeypatch.setenv("LOOM_HOME", str(tmp_path))
    with loom.open(tmp_path / "serve" / "given-monday", window=20_000) as ctx:
        ctx.user("go")
        assert run("compact", "given-monday")[0] == run("compact", "serve/given-monday")[0] == 0
        ctx.turn()
        assert ctx.window.sent.generation == 3
    code, _, err = run("compact", "tuesday")
    assert code == 2 and "tuesday" in err


def test_an_entry_that_is_none_is_exit_2(run: Run, tmp_path: Path) -> None:
    """It is named, and nothing waits."""
    with loom.open(tmp_path / "w", window=20_000) as ctx:
        worked(ctx)
    code, _, err = run("pin", tmp_path / "w", "step_0999")
    assert code == 2 and "step_0999" in err and not (tmp_path / "w" / "asked").exists()
