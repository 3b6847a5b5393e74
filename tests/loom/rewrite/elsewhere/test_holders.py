"""Who has a workspace open, and until when, as `loom ps` and `loom stat` tell it."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.cli.app import main
from loom_paging.remote.lease import LONGEST
from tests.kit.cases import all_cases
from tests.loom.rewrite.elsewhere.test_commands import say
from tests.loom.rewrite.elsewhere.worker import work


def found(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A workspace of a few turns."""
    place = f"file://{tmp_path}/objects/agent"
    work(place, 3)
    return place


def test_a_lease_is_told(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By `ps` and `stat`, as text and as JSON: process and machine, and how long it runs yet."""
    name = f"process {os.getpid()} on {socket.gethostname()}"
    with loom.open(f"{address}?lease=25"):
        for command in ("ps", "stat"):
            told = found(capsys, command, address)
            assert told["process"] == os.getpid() and told["holder"] == name
            assert 0 < told["lease_seconds"] <= 25
            text = say(capsys, command, address)[1]
            assert f"{name}, lease 2" in text.replace("\n", " ")
        assert found(capsys, "ps", address)["state"] == "running"
        row = say(capsys, "ps", address)[1]
        assert row.index("lease") < 80 and "Read everything." in row  # whole, off a terminal


@all_cases(
    "holder",
    ["process ² on x", "process", "", "process 99999999999999999999 on y", "\x1b[2Jx" * 99],
)
def test_a_hostile_lease_steers_nothing(
    holder: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands there: the agent is told as running, by a process unknown, for a time; by
    none where the lease has ended or is none."""
    note = {"writer": "w", "epoch": 9, "until": 1e300, "holder": holder}
    (tmp_path / "objects/agent/lease").write_text(json.dumps(note))
    for command in ("ps", "stat"):
        told = found(capsys, command, address)
        assert told["process"] == 0 and len(told["holder"]) <= 200 and told["holder"]
        assert told["lease_seconds"] == LONGEST
        assert "\x1b" not in say(capsys, command, address)[1]
    assert found(capsys, "ps", address)["state"] == "running"
    ended = {**note, "until": 1.0}
    for data in (b"\xff", json.dumps(ended).encode()):
        (tmp_path / "objects/agent/lease").write_bytes(data)
        told = found(capsys, "stat", address)
        assert (told["process"], told["holder"], told["lease_seconds"]) == (None, "", None)


def test_the_lease_of_an_agent_below_is_its_own(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each has a writer of its own."""
    with loom.open(address) as ctx, ctx.agents.spawn("Look.", name="look", window=8_192) as below:
        below.user("Go.")
        below.turn()
        root = found(capsys, "ps", address)
        assert root["holder"] and root["agents"][0]["holder"]
        assert root["agents"][0]["lease_seconds"] > 0
        assert found(capsys, "stat", f"{address}/agents/look")["lease_seconds"] > 0


def test_a_folder_has_a_holder_without_a_lease(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is locked for as long as the process lives."""
    work(str(tmp_path / "agent"), 2)
    with loom.open(tmp_path / "agent"):
        for command in ("ps", "stat"):
            told = found(capsys, command, str(tmp_path / "agent"))
            assert told["holder"] == f"process {os.getpid()}" and told["lease_seconds"] is None
        assert f"process {os.getpid()}" in say(capsys, "stat", str(tmp_path / "agent"))[1]
