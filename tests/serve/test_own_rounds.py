"""Replies that call Loom's tools alone: answered inside, a bounded number of times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

import httpx2

from loom.adapters.asking import ENDLESS, MOST
from tests.kit.scripted_server import said
from tests.providers.serving.script import Line
from tests.serve.proxied import FORMATS, PATHS, ListingAgent, proxy
from tests.serve.test_proxy import DONE, ledger
from tests.serve.upstream import Answer, Recorded, Upstream

LOOK = said("Let me look.", ("recall", {"query": "ledger"}))
ENDED = ("message_stop", 'finish_reason":"', "response.completed")


def opened(url: str, format: str, *, stream: bool) -> httpx2.Response:
    """The answer to a first message."""
    agent = ListingAgent(format, url, ledger, stream=stream)
    agent.list.append({"role": "user", "content": "Look it up."})
    headers = {"x-loom-session": "a"}
    return httpx2.post(url + PATHS[format], json=agent.body(), headers=headers, timeout=120)


@pytest.mark.parametrize("format", FORMATS)
def test_a_model_that_never_stops_is_stopped(tmp_path: Path, format: str) -> None:
    """After so many rounds the client is told, and the provider is asked no more."""
    with Upstream(lambda request, n: LOOK) as up, proxy(tmp_path, up.url) as url:
        answer = opened(url, format, stream=False)
    assert answer.status_code == 502 and ENDLESS in answer.json()["error"]["message"]
    assert up.faults == [] and MOST <= len(up.asked) <= MOST + 1


@pytest.mark.parametrize("format", FORMATS)
def test_a_stream_that_never_stops_has_no_end(tmp_path: Path, format: str) -> None:
    """It is not given part of an answer as the whole: the message is not ended."""
    with Upstream(lambda request, n: LOOK) as up, proxy(tmp_path, up.url) as url:
        answer = opened(url, format, stream=True)
    assert not any(end in answer.text for end in ENDED)
    assert "recall" not in answer.text
    assert up.faults == [] and MOST <= len(up.asked) <= MOST + 1


@pytest.mark.parametrize("format", FORMATS)
def test_a_second_round_that_breaks_off(tmp_path: Path, format: str) -> None:
    """What the first round said is shown, no end is made up, and the same list asked again is
    answered."""

    def script(request: Recorded, n: int) -> Line | str | Answer:
        rounds = {0: LOOK, 1: Answer(said("It is booked under seven."), cut=2)}
        return rounds.get(n, DONE)

    with Upstream(script) as up, proxy(tmp_path, up.url) as url:
        try:
            text = opened(url, format, stream=True).text
        except httpx2.TransportError:
            text = ""
        again = opened(url, format, stream=True)
    assert not any(end in text for end in ENDED)
    assert again.status_code == 200 and "All is booked." in _joined(again.text)
    assert up.faults == []


def _joined(stream: str) -> str:
    """The text of a stream's deltas."""
    said: list[str] = []
    for line in stream.splitlines():
        if not line.startswith("data: {"):
            continue
        data = json.loads(line[6:])
        delta = data.get("delta")
        if isinstance(delta, dict):
            said.append(str(delta.get("text") or ""))
        elif isinstance(delta, str):
            said.append(delta)
        choices = data.get("choices") or ()
        said.extend(str(choice["delta"].get("content") or "") for choice in choices)
    return "".join(said)
