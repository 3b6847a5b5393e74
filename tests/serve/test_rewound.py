"""A client that goes back, through the proxy: the provider gets the list of now, no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from loom.serve.request_purpose import SUMMARY
from tests.kit.cases import each_value
from tests.serve.proxied import FORMATS, ListingAgent, Wire, proxy
from tests.serve.upstream import Recorded, Upstream

ROUNDS = 6


def numbered(request: Recorded, n: int) -> str:
    """A model whose every reply has a word of its own."""
    return f"answer{n}x: it is done."


def words(value: Any) -> set[str]:
    """The words that no two messages have, of those in a list or a request."""
    return {*re.findall(r"\b(?:ask|answer|summary)\d+x\b", json.dumps(value).replace("\\n", " "))}


class RewindingAgent:
    """A client with its list, and what the provider got of it."""

    def __init__(self, agent: ListingAgent, up: Upstream) -> None:
        self.agent, self._up, self._number = agent, up, 0

    def asks(self) -> set[str]:
        """Say something more: the words the provider was sent."""
        self._number += 1
        self.agent.ask(f"ask{self._number}x: go on with the ledger of the books, please.")
        return self.sent

    def compacts(self, kept: int, whole: int | None = None) -> None:
        """Ask for a summary of all, or of the first messages, and put one before the last ones."""
        listed = self.agent.list
        self.agent.list = [
            *listed[:whole],
            {"role": "user", "content": f"{SUMMARY[0]}. Sum it up."},
        ]
        self.agent.send()
        self._number += 1
        told = {"role": "user", "content": f"summary{self._number}x: all was booked."}
        self.agent.list = [told, *listed[len(listed) - kept :]]

    def back(self, listed: list[Wire]) -> None:
        """Go on from another list."""
        self.agent.list = [*listed]

    @property
    def listed(self) -> set[str]:
        """The words of the list, less the reply that came last."""
        return words(self.agent.list[:-1])

    @property
    def sent(self) -> set[str]:
        """The words of the request the provider got last."""
        return words(self._up.asked[-1].body)


@pytest.fixture(params=FORMATS)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RewindingAgent]:
    """A client of each wire API, a few rounds old."""
    with Upstream(numbered) as up, proxy(tmp_path, up.url) as url:
        named = {"x-loom-session": "a"}
        made = RewindingAgent(ListingAgent(request.param, url, lambda *_: "", headers=named), up)
        for _ in range(ROUNDS):
            made.asks()
        yield made
        assert up.faults == []


def test_a_rewind(client: RewindingAgent) -> None:
    """Nothing of what followed is sent; and back where it was, all of it is."""
    whole = [*client.agent.list]
    client.back(whole[:4])
    assert client.asks() == client.listed
    client.back(whole)
    assert client.asks() == client.listed


@pytest.mark.parametrize(("kept", "more"), each_value([2, 0, 3], [0, 2]))
def test_a_rewind_to_before_a_compaction(client: RewindingAgent, kept: int, more: int) -> None:
    """However much was kept and came since, the provider gets the list of then."""
    whole = [*client.agent.list]
    client.compacts(kept)
    assert client.asks() >= client.listed
    for _ in range(more):
        client.asks()
    client.back(whole[:4])
    assert client.asks() == client.listed


@pytest.mark.parametrize("asked", [True, False])
def test_a_rewind_about_a_compaction(client: RewindingAgent, asked: bool) -> None:
    """The user gives the summary up and edits a message; or goes back, and has that summed up."""
    whole, gone = [*client.agent.list], words(client.agent.list[4:])
    client.back(whole if asked else whole[:4])
    client.compacts(0)
    assert asked or not client.sent & gone
    client.back(whole[:4] if asked else client.agent.list)
    sent = client.asks()
    assert sent >= client.listed and not sent & gone
