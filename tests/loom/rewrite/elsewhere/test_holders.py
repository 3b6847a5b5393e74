"""Who has a store open, and an agent whose network is cut."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import loom
from loom.cli.app import main
from loom_paging.remote.lease import LONGEST
from loom_paging.remote.open_address import open_tree
from tests.kit.cases import all_cases
from tests.kit.faulty_network import FaultyNetwork, faulty
from tests.kit.object_stores import BUCKET, S3Server
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


@pytest.fixture
def network(
    moto: S3Server, monkeypatch: pytest.MonkeyPatch, impatient: None
) -> Iterator[FaultyNetwork]:
    """A network to a server of S3 that `s3://` addresses lead through."""
    for name, value in moto.environment().items():
        monkeypatch.setenv(name, value)
    with faulty(moto.address, 3, 0.0) as network:
        monkeypatch.setenv("AWS_ENDPOINT", network.address)
        yield network


def test_closing_while_the_network_is_cut_raises_nothing(network: FaultyNetwork) -> None:
    """What was acknowledged is there, and the next opening takes over when it is told to."""
    address = f"s3://{BUCKET}/{uuid4().hex}/agent?cache=0"
    ctx = loom.open(address, window=8_192)
    ctx.user("one")
    number = ctx.turn().number
    network.cut = True
    ctx.close()
    network.cut = False
    with loom.open(f"{address}&take=1") as ctx:
        assert ctx.window.sent.turn == number


@pytest.mark.parametrize("between", range(3))
def test_a_writer_taken_over_within_a_turn_writes_nothing_more(
    tmp_path: Path, between: int
) -> None:
    """Everything afterwards raises StoreReplaced, `close` nothing, the log is the other's."""
    address = f"file://{tmp_path}/agent"
    first = loom.open(address, window=8_192)
    first.user("Read everything.")
    first.turn()
    if between:
        first.reply(loom.Reply((loom.ToolCall("c1", "read", "{}"),)))
    if between == 2:
        first.result("c1", "a line\n" * 40)
    with loom.open(f"{address}?take=1") as second:
        second.user("two")
        for call in second.calls:
            second.result(call.id, "two")
        second.turn()
        with pytest.raises(loom.errors.StoreReplaced, match="took it over"):
            first.user("stale")  # it may only be gathered
            if between == 1:
                first.result("c1", "stale")
            first.turn()
        for call in (lambda: first.user("stale"), first.renew):
            with pytest.raises(loom.errors.StoreReplaced, match="took it over"):
                call()
        before = log(tmp_path)
        first.close()
        first.close()
        assert log(tmp_path) == before
        second.user("three")
        assert second.window.sent.turn
    journal = open_tree(address, write=False).get("journal/000001.jsonl")
    assert b"stale" not in journal and b"two" in journal


def log(folder: Path) -> list[tuple[str, bytes]]:
    """Every object of the log of the agent, by name."""
    return [(path.name, path.read_bytes()) for path in sorted((folder / "agent/log").iterdir())]
