"""An agent at an address whose network is cut, or that is taken over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import loom
from loom_paging.remote.address import tree_at
from tests.kit.faulty_network import ANSWER_LOST, LOST, FaultyNetwork, faulty
from tests.kit.object_stores import BUCKET, S3Server
from tests.loom.elsewhere.worker import said

STEPS = 9
# Numbers are not given out again: the digest of a turn that failed has used one up.
DIGEST = re.compile(r"digest_\d{4}")
CLOCK = re.compile(r"\b\d\d:\d\d(?::\d\d)?\b|\d{4}-\d\d-\d\d")


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every workspace has the same key, which its own marks are made of."""
    monkeypatch.setattr("loom.opening.token_hex", lambda length: "5" * 2 * length)


def steps(ctx: loom.Context) -> Iterator[Callable[[], object]]:
    """The calls of a run, one after the other; those of a turn give the turn."""
    yield lambda: ctx.system("Be careful.")
    yield lambda: ctx.user("Read everything.")
    for number in range(1, STEPS + 1):
        yield ctx.turn
        function = {"name": "read", "arguments": json.dumps({"path": f"f{number}.txt"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        reply = {"role": "assistant", "content": None, "tool_calls": [call]}
        yield lambda reply=reply: ctx.reply(reply)  # type: ignore[misc]
        yield lambda number=number: ctx.result(f"c{number}", said(number))  # type: ignore[misc]
    yield ctx.turn


def sent(turn: object) -> list[str]:
    """A request as it is sent, but for time of day and numbers of digests; none of no turn."""
    if not isinstance(turn, loom.Turn):
        return []
    request = json.dumps(turn.request("openai"), sort_keys=True)
    return [DIGEST.sub("digest", CLOCK.sub("now", request))]


def undisturbed(folder: Path) -> list[str]:
    """The requests of a run that nothing befell."""
    with loom.open(f"file://{folder}/agent", window=8_192) as ctx:
        return [one for call in steps(ctx) for one in sent(call())]


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


@pytest.mark.parametrize("how", ["cut", LOST, ANSWER_LOST])
def test_a_turn_that_could_not_be_made_durable_has_not_happened(
    network: FaultyNetwork, tmp_path: Path, how: str
) -> None:
    """Made again once the network is back, the run sends what one sends that nothing befell."""
    made: list[str] = []
    failed: dict[str, int] = {}
    network._faults = (how,)
    address = f"s3://{BUCKET}/{uuid4().hex}/agent?cache=0"
    with loom.open(address, window=8_192) as ctx:
        for at, call in enumerate(steps(ctx)):
            if at % 3 != 1:
                network.cut, network.share = how == "cut", 0.0 if how == "cut" else 1.0
                try:
                    made += sent(call())
                    continue
                except loom.StoreUnreachable as error:
                    assert "nothing is lost" in str(error)
                    failed["turn" if call == ctx.turn else "other"] = at
                finally:
                    network.cut, network.share = False, 0.0
            made += sent(call())
    assert failed
    assert made == undisturbed(tmp_path)
    with loom.open(address) as ctx:
        for number in range(1, STEPS + 1):
            assert ctx.history.restore(number + 1).results == {f"c{number}": said(number)}
        assert ctx.window.history.next_id == STEPS + 2  # the user's message is the first


def test_each_turn_that_fails_can_be_made_again(network: FaultyNetwork, tmp_path: Path) -> None:
    """Every turn meets a cut network first, and is the one it would have been."""
    made: list[str] = []
    failed = 0
    with loom.open(f"s3://{BUCKET}/{uuid4().hex}/agent?cache=0", window=8_192) as ctx:
        for call in steps(ctx):
            network.cut = call == ctx.turn
            try:
                made += sent(call())
            except loom.StoreUnreachable:
                failed += 1
                network.cut = False
                made += sent(call())
    assert failed == STEPS + 1
    assert made == undisturbed(tmp_path)


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
    for call in list(steps(first))[: 3 + between]:
        call()
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
