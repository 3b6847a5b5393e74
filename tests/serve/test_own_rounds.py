"""Replies that call Loom's tools alone: answered inside, a bounded number of times."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2

import loom
from loom.adapters.asking import ENDLESS, MOST
from loom.providers.counts import counter_for
from tests.kit.cases import all_cases, each_value
from tests.kit.scripted_server import said
from tests.providers.serving.script import Line
from tests.serve.proxied import FORMATS, PATHS, ListingAgent, proxy
from tests.serve.test_proxy import DONE, ledger, worked
from tests.serve.upstream import Answer, Recorded, Refused, Upstream, too_long

LOOK = said("Let me look.", ("recall", {"query": "ledger"}))
# What a coding agent sets down: a good part of each request that is no part of the window.
RULES = " ".join(
    f"Rule {n}: book what is due by the {n} of the month, and say so." for n in range(600)
)
NAMES = re.compile(r"shell_\d{4}")
ENDED = ("message_stop", 'finish_reason":"', "response.completed")


def opened(url: str, format: str, *, stream: bool) -> httpx2.Response:
    """The answer to a first message."""
    agent = ListingAgent(format, url, ledger, stream=stream)
    agent.list.append({"role": "user", "content": "Look it up."})
    headers = {"x-loom-session": "a"}
    return httpx2.post(url + PATHS[format], json=agent.body(), headers=headers, timeout=120)


def counted(script: Any, sizes: list[int]) -> Any:
    """A script whose answers tell how many tokens their requests have, as a provider does."""
    count = counter_for("gpt-4o")

    def answers(request: Recorded, n: int) -> Answer | Refused:
        sizes.append(count(json.dumps(request.body)))
        line = script(request, n)
        line = said(line) if isinstance(line, str) else line
        return line if isinstance(line, Refused) else Answer(line, (sizes[-1], 20))

    return answers


def read(name: str, given: dict[str, Any]) -> str:
    """A file of nine thousand characters."""
    return "\n".join(f"{given['command']} has {n} at line {n * 7}" for n in range(320))


def work(url: str, format: str, run: Any = ledger, *, stream: bool) -> None:
    """A client with long instructions has all of it booked."""
    agent = ListingAgent(format, url, run, stream=stream, headers={"x-loom-session": "a"})
    agent.list.append({"role": "system", "content": RULES})
    assert agent.ask("Book all of it.").endswith(DONE)


@pytest.mark.parametrize(("format", "stream"), each_value(FORMATS, [True, False]))
def test_a_round_inside_is_measured_as_any_other(tmp_path: Path, format: str, stream: bool) -> None:
    """What the provider says of its size is taken in less the client's instructions and tools,
    so the pressure grows by what came in; a result after it stands as it was printed. It is counted
    apart from the client's."""
    own = {
        4: LOOK,
        5: LOOK,
        6: said("Both.", ("recall", {"query": "8"}), ("shell", {"command": "b"})),
    }
    sizes: list[int] = []
    with Upstream(counted(worked(9, own), sizes)) as up, proxy(tmp_path, up.url, 96_000) as url:
        work(url, format, read, stream=stream)
        counts = httpx2.get(f"{url}/loom/health").json()["requests"]
    assert up.faults == [] and len(sizes) == 10
    assert (counts["main"], counts["inside"]) == (8, 2)
    with loom.open(tmp_path / "given-a") as ctx:
        samples = ctx.window.sent.samples
        assert ctx.window.sent.cuts == 0
    assert len({size - one.reported for size, one in zip(sizes, samples, strict=True)}) == 1
    last = json.dumps(up.asked[-1].body)
    for n in (0, 1, 2, 3, 7, 8):
        assert json.dumps(read("", {"command": f"book {n}"}))[1:-1] in last


@all_cases(("format", "stream"), each_value(FORMATS, [True, False]))
def test_a_page_asked_for_stands_in_the_request_that_follows(
    tmp_path: Path, format: str, stream: bool
) -> None:
    """Whole, also where a renewal comes at that moment."""
    asked: dict[int, str] = {}

    def script(request: Recorded, n: int) -> Line | str:
        names = sorted({*NAMES.findall(json.dumps(request.body))})
        if n % 3 == 2 and names:
            asked[n] = names[n % len(names)]
            return said("Let me look.", ("page_in", {"ref": asked[n]}))
        return said("Next.", ("shell", {"command": f"book {n}"})) if n < 43 else DONE

    with Upstream(counted(script, [])) as up, proxy(tmp_path, up.url, 36_000) as url:
        work(url, format, read, stream=stream)
    assert up.faults == []
    with loom.open(tmp_path / "given-a") as ctx:
        pages = {name: json.dumps(ctx.page_in(name).text)[1:-1] for name in asked.values()}
        assert ctx.window.sent.generation > 1
    for n, name in asked.items():
        assert pages[name] in json.dumps(up.asked[n + 1].body), (n, name)
    assert len(asked) > 5


def test_a_refusal_s_numbers_are_of_the_whole_request(tmp_path: Path) -> None:
    """The window becomes what they leave beside the client's instructions and tools."""
    sizes: list[int] = []

    def script(request: Recorded, n: int) -> Line | str | Refused:
        return too_long(sizes[-1], 30_000) if n == 8 else worked(12)(request, n)

    with Upstream(counted(script, sizes)) as up, proxy(tmp_path, up.url, 60_000) as url:
        work(url, "anthropic", stream=True)
    with loom.open(tmp_path / "given-a") as ctx:
        limits = ctx.window.limits
        fixed = {
            size - one.reported for size, one in zip(sizes, ctx.window.sent.samples, strict=True)
        }
    assert fixed == {30_000 - limits.stated} and limits.window == limits.stated
    assert up.faults == [] and max(sizes[9:]) < 30_000


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_never_stops_is_stopped(tmp_path: Path, format: str, stream: bool) -> None:
    """After so many rounds the client is told, and the provider is asked no more; a stream gives no
    part of an answer as the whole: its message is not ended."""
    with Upstream(lambda request, n: LOOK) as up, proxy(tmp_path, up.url) as url:
        answer = opened(url, format, stream=stream)
    if stream:
        assert not any(end in answer.text for end in (*ENDED, "recall"))
    else:
        assert answer.status_code == 502 and ENDLESS in answer.json()["error"]["message"]
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
