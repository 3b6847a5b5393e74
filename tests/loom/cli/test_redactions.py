"""`loom stat` tells how many secrets were replaced, by place and by kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.capabilities.events import put
from loom.cli.app import main

KEY = "sk-ant-" + "a1b2c3d4" * 4
AWS = "AKIA" + "Q3EGRTHUVY7KLMN2"


def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, int]]:
    """What `stat --json` says of a workspace."""
    capsys.readouterr()
    assert main(["stat", str(folder), "--json"]) == 0
    found: dict[str, dict[str, int]] = json.decode(capsys.readouterr().out)["redacted"]
    return found


def test_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A workspace without secrets has none, and says so in one word."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("hello")
    assert told(tmp_path / "w", capsys) == {}
    assert main(["stat", str(tmp_path / "w")]) == 0
    assert "redacted    none" in capsys.readouterr().out


def test_by_place_and_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """User, arguments, result, guide, memory, bus and message each have a count of their own."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user(f"use {KEY} and {AWS}")
        ctx.reply(loom.Reply((loom.ToolCall("c", "Read", json.encode({"a": KEY}).decode()),)))
        ctx.result("c", f"{KEY}\n{KEY}")
        ctx.reply(loom.Reply((loom.Speech(f"it is {AWS}"),)))
        ctx.memory.remember("AGENTS.md", f"Use {KEY}.")
        ctx.memory.save(f"use {KEY}")
        ctx.agents.emit("agent.event", {"key": KEY})
        put(tmp_path / "w", f"use {KEY}")
        ctx.look()
    found = told(tmp_path / "w", capsys)
    assert found["user"] == {"api-key": 1, "aws-key": 1}
    assert found["arguments"] == {"api-key": 1}
    assert found["result"] == {"api-key": 2}
    assert found["reply"] == {"aws-key": 1}
    assert set(found) >= {"guide", "memory", "bus", "message"}
    assert main(["stat", str(tmp_path / "w")]) == 0
    out = capsys.readouterr().out
    assert "redacted    api-key " in out and "  where     arguments 1, bus 1" in out
