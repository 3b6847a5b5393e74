"""`loom pin` and `loom compact`: asked of a session another process may have open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from tests.loom.cli.conftest import Run
from tests.loom.context.test_arrivals import worked


@pytest.mark.parametrize(
    ("what", "meant"),
    [
        (["step_0002"], "step_0002"),
        (["/p/a1.py"], "step_0004"),
        (["./a1.py"], "step_0004"),
        (["never delete the lock"], "never delete the lock"),
        (["/p/a1.py", "--line"], "/p/a1.py"),
    ],
)
def test_an_entry_a_path_or_a_line(run: Run, tmp_path: Path, what: list[str], meant: str) -> None:
    """A path means the newest entry that shows the file, `--line` the words themselves; it is done
    at the next turn."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        worked(ctx)
        code, out, err = run("pin", folder, *what, "--json")
        assert (code, err, json.loads(out)["what"]) == (0, "", meant)
        turn = ctx.turn()
        entry = int(meant[5:]) if meant.startswith("step_") else 0
        pinned = [one for one, _ in ctx.window.history.pins]
        assert pinned == ([entry] if entry else [])
        assert entry or meant in str(turn.request("openai")["messages"])
        run("pin", folder, *what, "--unpin")
        ctx.turn()
        assert not any(until for _, until in ctx.window.history.pins)


@pytest.mark.parametrize("asked", [("compact",), ("signal", "look"), ("pin", "never delete it")])
def test_a_damaged_journal_is_told(run: Run, tmp_path: Path, asked: tuple[str, ...]) -> None:
    """Nothing is left to wait for a turn that cannot come."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        worked(ctx)
    journal = next((folder / "journal").iterdir())
    held = journal.read_bytes()
    journal.write_bytes(held[:99] + b"?" + held[100:])
    code, _, err = run(asked[0], folder, *asked[1:])
    assert code == 1 and "damaged" in err
    assert not [*folder.glob("inbox/*"), *folder.glob("asked/*")]


def test_a_session_by_its_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the state folder, where two ask for one fresh window. Of one that is not there: where it
    was looked for, and which there are."""
    monkeypatch.setenv("LOOM_HOME", str(tmp_path))
    assert "none is there yet" in run("compact", "tuesday")[2]
    with loom.open(tmp_path / "serve" / "given-monday", window=20_000) as ctx:
        ctx.user("go")
        assert run("compact", "given-monday")[0] == run("compact", "serve/given-monday")[0] == 0
        ctx.turn()
        assert ctx.window.sent.generation == 2
    for command in (("compact", "tuesday"), ("pin", "tuesday", "step_0001")):
        code, out, err = run(*command)
        assert (code, out) == (2, "") and "'tuesday'" in err
        assert str(tmp_path) in err and "serve/given-monday" in err


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("src/gone.py", "bring it back"),
        ("nosuch", "bring it back"),
        ("step_0999", "step_0999"),
        ("outputs/read_0001.txt", "pages cannot be pinned"),
        ("word " * 900, "1 to 2,000"),
        ("   ", "empty"),
    ],
)
def test_what_must_fail_is_refused_here(run: Run, tmp_path: Path, what: str, why: str) -> None:
    """A file no entry shows, a name of nothing, a line too long: a sentence, and nothing waits."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        worked(ctx)
    code, out, err = run("pin", folder, what)
    assert (code, out) == (2, "") and why in err
    assert not (folder / "asked").exists()


def test_nothing_is_let_go_of_that_is_not_pinned(run: Run, tmp_path: Path) -> None:
    """An entry, a file and a line: each is named, exit 2."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        worked(ctx)
        for what in ("step_0002", "a1.py", "never delete the lock"):
            code, out, err = run("pin", folder, what, "--unpin")
            assert (code, out) == (2, "") and "is not pinned" in err
        run("pin", folder, "a1.py")
        assert run("pin", folder, "a1.py", "--unpin")[0] == 0  # it waits to be pinned
        ctx.turn()
        assert not any(until for _, until in ctx.window.history.pins)


@pytest.mark.parametrize("page", [False, True])
def test_what_left_is_refused_with_commands(run: Run, tmp_path: Path, page: bool) -> None:
    """The refusal names commands that can be typed, and each of them works."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        worked(ctx)
        ctx.renew(history=60)
        pages = [*folder.glob("outputs/*")]
        what = pages[0].stem if page else "step_0002"
        code, out, err = run("pin", folder, what)
        assert (code, out) == (2, "") and "ctx." not in err
        shown = err.partition("`loom ")[2].partition("`")[0].split()
        assert shown == ["cat", str(folder), what]
        assert run(*shown)[0] == 0
        kept = err.partition("`loom pin")[2].partition("`")[0]
        assert kept == f" {folder} --line 'the words'"
        assert run("pin", folder, "--line", "the words")[0] == 0
