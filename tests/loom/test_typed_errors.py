"""What the host does wrong at the edges has a type of its own, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from tests.kit.cases import all_cases


@pytest.mark.parametrize("name", ["nope", "", "OpenAI"])
def test_an_unknown_format(tmp_path: Path, name: str) -> None:
    """It is a LoomError and a KeyError that names the known ones; the turn stays good."""
    with loom.open(tmp_path, durable=False) as ctx:
        ctx.user("hi")
        turn = ctx.turn()
        with pytest.raises(loom.UnknownFormat, match=r"openai.*anthropic|anthropic.*openai"):
            turn.request(name)
        with pytest.raises(KeyError):
            turn.request(name)
        assert issubclass(loom.UnknownFormat, loom.LoomError)
        assert turn.request("openai")["messages"]
        assert turn.request("anthropic")["messages"]


def test_a_file_is_no_workspace(tmp_path: Path) -> None:
    """loom.open on a file says so, and the file is as it was."""
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(loom.LoomError, match=r"notes\.txt"):
        loom.open(file)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_an_unknown_preset_makes_no_folder(tmp_path: Path) -> None:
    """A new workspace is not begun with a preset nobody knows."""
    with pytest.raises(loom.LoomError, match="greedy"):
        loom.open(tmp_path / "w", policy="greedy")
    assert list(tmp_path.iterdir()) == []
    loom.open(tmp_path / "w", policy="eager", durable=False).close()


@pytest.mark.parametrize(("window", "reply"), [(16_000, -5), (16_000, 16_000), (8_192, 20_000)])
def test_a_reply_no_window_can_have(tmp_path: Path, window: int, reply: int) -> None:
    """resize(), a new opening and a reopening refuse it alike, and record nothing."""
    with loom.open(tmp_path / "w", window=32_000, durable=False) as ctx:
        before = ctx.window
        with pytest.raises(loom.OverCapacity):
            ctx.resize(window, reply=reply)
        assert ctx.window is before
    with pytest.raises(loom.OverCapacity):
        loom.open(tmp_path / "w", window=window, reply=reply)
    with pytest.raises(loom.OverCapacity):
        loom.open(tmp_path / "new", window=window, reply=reply)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert ctx.window.limits == before.limits


@all_cases("opened", [8_192, 16_000, 128_000])
@all_cases(
    ("window", "reply"),
    [(16_000, None), (8_192, None), (6_000, None), (200_000, None), (8_192, 1_000), (64_000, 900)],
)
def test_resized_or_reopened_is_the_same(
    tmp_path: Path, opened: int, window: int, reply: int | None
) -> None:
    """resize(window) and loom.open(window=…) of a known workspace lead to the same limits."""
    for name in ("resized", "reopened"):
        loom.open(tmp_path / name, window=opened, durable=False).close()
    with loom.open(tmp_path / "resized", durable=False) as ctx:
        ctx.resize(window, reply=reply)
        limits = ctx.window.limits
        assert limits.window == window
        assert reply is None or limits.reply == reply
    with loom.open(tmp_path / "reopened", window=window, reply=reply, durable=False) as ctx:
        assert ctx.window.limits == limits
        ctx.user("hi")
        assert ctx.turn().pressure.rho <= 1.0
