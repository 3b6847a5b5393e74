"""What a host takes back is undone from that message on, and nothing before it."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from tests.kit.chat_lists import said, user
from tests.kit.journal import lawful


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room, whose tools Loom answers."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def standing(ctx: loom.Context) -> list[str]:
    """What the entries say that stand."""
    index = ctx._engine.workspace.index
    found = (ctx.history.restore(one) for one in index.commits if not index.is_undone(one))
    return [one.text or repr(one.reply) for one in found]


def test_a_repair_finds_its_way_back(tmp_path: Path) -> None:
    """Commits get other numbers when some are lost; what was undone stays undone."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        for at in range(3):
            ctx.user(f"word {at}")
        ctx.sync([user("A")])
        ctx.sync([user("A"), said("Yes."), user("B")])
        ctx.sync([user("A"), said("Yes."), user("B2")])
    [segment] = (tmp_path / "w" / "journal").iterdir()
    lines = segment.read_bytes().splitlines(keepends=True)
    lines[2] = b"x" * (len(lines[2]) - 1) + b"\n"
    segment.write_bytes(b"".join(lines))
    loom.repair(tmp_path / "w", tmp_path / "r")
    with loom.open(tmp_path / "r", durable=False) as ctx:
        said_now = standing(ctx)
        assert "B2" in said_now and "B" not in said_now
        assert sum("Yes." in one for one in said_now) == 1


def test_a_purge_keeps_the_way_back(tmp_path: Path) -> None:
    """A value that stands in the window gone back to is taken out of the record's window, too."""
    value = "tk-9f3Kd82mQzX1vB7n"
    with loom.open(tmp_path / "w", window=64_000, durable=False, redact=()) as ctx:
        ctx.sync([user(f"A {value}")])
        ctx.sync([user(f"A {value}"), said("Yes."), user("B")])
        ctx.sync([user(f"A {value}"), said("Yes."), user("B2")])
    assert loom.purge(tmp_path / "w", [value], durable=False).places
    assert all(value.encode() not in one.read_bytes() for one in (tmp_path / "w").rglob("*.jsonl"))
    with loom.open(tmp_path / "w", durable=False, redact=()) as ctx:
        assert "B2" in standing(ctx) and "B" not in standing(ctx) and lawful(ctx) == []
