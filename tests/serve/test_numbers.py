"""The numbers that commands say of a proxied session are those of the provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from loom.cli import main
from loom.providers.counts import counter_for
from loom.providers.prices import prices_of
from loom.serve.request_purpose import SUMMARY
from tests.kit.cases import each_value
from tests.kit.scripted_server import ScriptedServer, said
from tests.serve.proxied import FORMATS, ListingAgent, Wire, proxy
from tests.serve.test_proxy import ledger
from tests.serve.upstream import Answer, Recorded, Upstream

WINDOW = 64_000
CALLS = 26
RULES = "\n".join(f"Rule {n}: a booking of kind {n} is never made twice." for n in range(900))
DONE = "All is booked."


class ClientWithRules(ListingAgent):
    """A client whose instructions and tools fill a good part of each request."""

    def body(self, **more: Any) -> Wire:
        """The next request, with the rules among its instructions and thirty more tools."""
        made = super().body()
        if self.format == "anthropic":
            made["system"] = [{"type": "text", "text": RULES}]
        elif self.format == "openai":
            made["messages"] = [{"role": "system", "content": RULES}, *made["messages"][1:]]
        else:
            made["instructions"] = RULES
        [tool] = made["tools"]
        others = [json.loads(json.dumps(tool).replace("shell", f"other_{n}")) for n in range(30)]
        return {**made, "tools": [tool, *others], **more}


class CountingProvider:
    """A model that books, and a provider that counts each request it gets by its own measure."""

    def __init__(self, rate: float, reports: bool = True) -> None:
        self.sizes: list[int] = []
        self._rate, self._reports, self._count = rate, reports, counter_for()

    def __call__(self, request: Recorded, n: int) -> Answer:
        """The answer to a request, with its size as usage."""
        self.sizes.append(round(self._rate * sum(self._count.many(list(texts(request.body))))))
        summed = SUMMARY[0] in json.dumps(request.body)
        line = said("Next.", ("shell", {"command": f"book {n}"})) if n < CALLS else said(DONE)
        usage = (self.sizes[-1] if self._reports else 0, 20)
        return Answer(said("It went well.") if summed else line, usage)


def texts(body: Wire) -> list[str]:
    """All that the model reads: instructions, tools as they are declared, what was said."""
    found: list[str] = [json.dumps(tool) for tool in body.get("tools") or ()]

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        for one in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            walk(one)

    for name in ("system", "instructions", "messages", "input"):
        walk(body.get(name))
    return found


def told(capfd: pytest.CaptureFixture[str], *tokens: object) -> Any:
    """What a command prints as JSON."""
    capfd.readouterr()
    assert main([str(token) for token in (*tokens, "--json")]) == 0
    return json.loads(capfd.readouterr().out)


def close(ours: float, theirs: float, within: float = 0.01) -> bool:
    """Whether two sizes differ by at most that share."""
    return abs(ours - theirs) <= within * theirs


@pytest.mark.parametrize(("format", "rate"), each_value(FORMATS, [1.35, 1.0, 0.7]))
def test_every_command_says_what_the_provider_was_sent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], format: str, rate: float
) -> None:
    """All requests, the largest, the last, and the dollars, whatever the provider counts by; the
    client's own part stands apart from the partitions."""
    script = CountingProvider(rate)
    with Upstream(script) as up, proxy(tmp_path, up.url, WINDOW) as url:
        agent = ClientWithRules(format, url, ledger, headers={"x-loom-session": "a"})
        assert agent.ask("Book all of it.") == DONE
    assert up.faults == [] and len(script.sizes) == CALLS + 1
    folder, sent, largest = tmp_path / "given-a", sum(script.sizes), max(script.sizes)

    [row] = told(capfd, "report", folder)["agents"]
    sums = row["sums"]
    assert (sums["requests"], row["window"]) == (len(script.sizes), WINDOW)
    assert (sums["sent"], sums["largest"]) == (sent, largest)
    assert [turn["total"] for turn in row["turns"]] == script.sizes
    assert all(turn["total"] <= turn["capacity"] <= WINDOW for turn in row["turns"])
    assert all(turn["reported"] and turn["client"] > 10_000 for turn in row["turns"])
    prices = prices_of(row["model"])
    new = sums["sent"] - sums["reusable"]
    assert sums["cost"] == pytest.approx(
        (prices.read * sums["reusable"] + prices.write * new) / 1e6
    )
    assert sums["reusable"] > 0.5 * sums["sent"]  # the rules and tools are in the cache too

    stat, top = told(capfd, "stat", folder), told(capfd, "top", folder, "--once")
    for one in (stat, top):
        assert close(one["sent"], sent) and close(one["largest"], largest)
        assert one["cost"] == pytest.approx(sums["cost"], abs=1e-6)
    assert stat["window"] == WINDOW and stat["tokens"]["client"] == row["turns"][-1]["client"]
    assert top["series"]["sent"] == [turn["total"] for turn in row["turns"]]
    assert top["series"]["tokens"]["client"] == [turn["client"] for turn in row["turns"]]

    logged = told(capfd, "log", folder, "--turns")["requests"]
    assert [one["tokens"] for one in logged] == [turn["total"] for turn in row["turns"]]
    for number in (1, CALLS // 2, CALLS + 1):
        shown = told(capfd, "show", folder, "--turn", number)
        assert close(shown["sent"], script.sizes[number - 1])
    held = told(capfd, "context", folder)
    assert held["window"] == WINDOW and held["partitions"][0]["name"] == "client"
    assert held["tokens"] == sum(part["tokens"] for part in held["partitions"])


@pytest.mark.parametrize("format", FORMATS)
def test_the_page_has_what_the_server_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], format: str
) -> None:
    """Request by request, to the token, through several cuts; what its cache held is counted in."""

    def script(_: list[Wire], step: int) -> Any:
        return said("Next.", ("shell", {"command": f"book {step}"})) if step < 40 else said(DONE)

    headers = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}
    with ScriptedServer(script) as server, proxy(tmp_path, server.url) as url:
        agent = ListingAgent(format, url, ledger, headers=headers)
        assert agent.ask("Book all of it.") == DONE
    [row] = told(capfd, "report", tmp_path)["agents"]
    counted = [exchange.tokens for exchange in server.accepted]
    assert server.refused == [] and len(row["cuts"]) > 2 and len(counted) == 41
    assert [turn["total"] for turn in row["turns"]] == counted
    assert row["sums"]["sent"] == sum(counted)


@pytest.mark.parametrize("format", FORMATS)
def test_without_a_report_the_clients_part_is_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], format: str
) -> None:
    """A provider that tells no size: Loom's own count has all that was sent, or a little more; a
    client's question for a summary, too, which is a request like others."""
    script = CountingProvider(1.0, reports=False)
    with Upstream(script) as up, proxy(tmp_path, up.url, WINDOW) as url:
        agent = ClientWithRules(format, url, ledger, headers={"x-loom-session": "a"})
        assert agent.ask("Book all of it.") == DONE
        agent.list.append({"role": "user", "content": SUMMARY[0] + ". Sum it up. " + RULES})
        agent.send()
    assert len(script.sizes) == CALLS + 2
    stat = told(capfd, "stat", tmp_path / "given-a")
    assert close(stat["sent"], sum(script.sizes), 0.05)
    assert close(stat["largest"], max(script.sizes), 0.05)
