"""An agent at an address whose network is cut, or that is taken over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import loom
from loom_paging.remote.opening import tree_at
from tests.kit.faulty_network import FaultyNetwork, faulty
from tests.kit.object_stores import BUCKET, S3Server


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
    """Everything afterwards raises StaleWriter, `close` raises nothing, the log is the other's."""
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
        with pytest.raises(loom.StaleWriter, match="took it over"):
            first.user("stale")  # it may only be gathered
            if between == 1:
                first.result("c1", "stale")
            first.turn()
        for call in (lambda: first.user("stale"), first.renew):
            with pytest.raises(loom.StaleWriter):
                call()
        before = log(tmp_path)
        first.close()
        first.close()
        assert log(tmp_path) == before
        second.user("three")
        assert second.window.sent.turn
    journal = tree_at(address, write=False).get("journal/000001.jsonl")
    assert b"stale" not in journal and b"two" in journal


def log(folder: Path) -> list[tuple[str, bytes]]:
    """Every object of the log of the agent, by name."""
    return [(path.name, path.read_bytes()) for path in sorted((folder / "agent/log").iterdir())]
