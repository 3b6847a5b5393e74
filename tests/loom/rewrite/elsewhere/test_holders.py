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
