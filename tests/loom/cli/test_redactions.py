"""`loom stat` tells how many secrets were replaced, by their kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.capabilities.events.inbox import put_message
from loom.cli.app import main

KEY = "sk-ant-" + "a1b2c3d4" * 4
AWS = "AKIA" + "Q3EGRTHUVY7KLMN2"


def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, int]]:
    """What `stat --json` says of a workspace."""
    capsys.readouterr()
    assert main(["stat", str(folder), "--json"]) == 0
    found: dict[str, dict[str, int]] = json.decode(capsys.readouterr().out)
    return found


def test_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What came in by each door, the inbox and the bus among them."""
    doors: dict[str, Callable[[loom.Context], object]] = {
        "user": lambda ctx: ctx.user(f"use {KEY} and {AWS}"),
        "reply": lambda ctx: ctx.reply(
            loom.Reply((loom.ToolCall("c", "Read", json.encode({"a": KEY}).decode()),))
        ),
        "result": lambda ctx: ctx.result("c", f"{KEY}\n{KEY}"),
        "guide": lambda ctx: ctx.memory.remember("AGENTS.md", f"Use {KEY}."),
        "note": lambda ctx: ctx.memory.save(f"use {KEY}"),
        "bus": lambda ctx: ctx.agents.emit("agent.event", {"key": KEY}),
        "inbox": lambda ctx: (put_message(tmp_path / "w", f"use {KEY}"), ctx.look()),
    }
    with loom.open(tmp_path / "w", durable=False) as ctx:
        counts = [0]
        for door, come in doors.items():
            come(ctx)
            found = told(tmp_path / "w", capsys)["redacted"]
            counts.append(found["api-key"])
            assert counts[-1] - counts[-2] >= (2 if door == "result" else 1), door
    assert found["aws-access-token"] == 1
    assert main(["stat", str(tmp_path / "w")]) == 0
    assert f"redacted    api-key {counts[-1]}, aws-access-token 1" in capsys.readouterr().out


def test_a_purge_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many were purged, and where they had stood, beside those replaced as they came."""
    work = tmp_path / "w"
    with loom.open(work, durable=False, redact=()) as ctx:
        ctx.user(f"use {KEY}")
        ctx.agents.emit("agent.event", {"key": KEY})
    for value in (KEY, "nothing here"):
        report = loom.purge(work, [value], durable=False)
    assert not report.places
    out = told(work, capsys)
    assert out["redacted"] == {} and out["purged"]["purged"] >= 2
    assert main(["stat", str(work)]) == 0
    assert "purged      values " in capsys.readouterr().out


def test_redaction_that_is_off_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once in the journal, however often it is opened so, and also where some were replaced."""
    work = tmp_path / "w"
    for rules in ((), (), loom.SECRETS):
        with loom.open(work, durable=False, redact=rules) as ctx:
            ctx.user(f"use {KEY}")
    assert main(["stat", str(work)]) == 0
    out = capsys.readouterr().out
    assert "redacted    api-key 1; redaction was off (redact=())" in out
    assert main(["log", str(work), "--kind", "Redacted"]) == 0
    assert capsys.readouterr().out.count(" off") == 1
    with loom.open(tmp_path / "later", durable=False):
        pass
    with loom.open(tmp_path / "later", durable=False, redact=()):
        pass
    assert main(["stat", str(tmp_path / "later")]) == 0
    assert "redacted    redaction was off" in capsys.readouterr().out
