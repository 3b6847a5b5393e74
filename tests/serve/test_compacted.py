"""A client that compacts its list as Claude Code 2.1 does, through the proxy: what its user said
stays, what the client wrote is nobody's word, and each request has a size of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from loom.cli import main
from loom.serve.request_purpose import SUMMARY
from tests.kit.scripted_server import said
from tests.serve.proxied import ListingAgent, Wire, proxy
from tests.serve.upstream import Answer, Recorded, Upstream

WINDOW = 12_000
RULE, AFTER = "Never touch config/secret.yaml, whatever happens.", "Now read the parser."
SUMMED = "The summary of what went before: the files were read. " * 20
READ = "Called the Read tool: b.py\nIts result:\n" + "".join(
    f"{at}\t# It must never be {at} again.\n" for at in range(200)
)


class ReadingModel:
    """A model that reads a file a turn, and a provider that counts what it gets by its length."""

    def __init__(self, calls: int) -> None:
        self.calls = calls  # before it is asked to sum up
        self.sizes: list[int] = []
        self.bodies: list[str] = []

    def __call__(self, request: Recorded, n: int) -> Answer:
        """The answer to a request, with its size as usage."""
        self.bodies.append(json.dumps(request.body))
        self.sizes.append(len(self.bodies[-1]) // 4)
        line = said(f"File {n}.", ("shell", {"command": f"cat {n}"}))
        asks = SUMMARY[0] in self.bodies[-1] or n == self.calls
        return Answer(said("All is read.") if asks else line, (self.sizes[-1], 20))


def read(name: str, given: Wire) -> str:
    """A file of some length."""
    return "".join(f"{given['command']} line {at} is as it was\n" for at in range(60))


def message(role: str, *texts: str) -> Wire:
    """A message of several texts."""
    return {"role": role, "content": [{"type": "text", "text": one} for one in texts]}


def compacted(reads: str) -> list[Wire]:
    """The list behind a compaction: the summary, the last reply, files read again, a question."""
    return [
        message("user", "<system-reminder>It is Monday.</system-reminder>", SUMMED),
        message("assistant", "All is read."),
        message("user", "Continue from where you left off."),
        {"role": "system", "content": reads},
        message("assistant", "No response requested."),
        message("user", AFTER),
    ]


@pytest.mark.parametrize("calls", [0, 20])
def test_what_the_user_forbade_outlasts_a_clients_compaction(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], calls: int
) -> None:
    """After `/compact` of a short session or a long one, and many cuts, with files listed otherwise
    than the first time; sizes are those the provider counted, a request's each, and the log says
    what was done."""
    model = ReadingModel(calls)
    with Upstream(model) as up, proxy(tmp_path, up.url, WINDOW) as url:
        agent = ListingAgent("anthropic", url, read, headers={"x-loom-session": "a"})
        agent.ask(RULE)
        whole = agent.list
        agent.list = [*whole[:-1], message("user", f"{SUMMARY[0]}. Sum it up.")]
        agent.send()
        first = len(model.bodies)
        agent.list = compacted(READ)
        reply = agent.send()
        agent.list += [
            {"role": "assistant", "content": reply["content"]},
            *results(reply),
        ]
        agent.list[3] = {"role": "system", "content": READ[: len(READ) // 2]}
        agent.list.append(message("user", "Read on."))
        for _ in range(30):
            reply = agent.send()
            agent.list += [{"role": "assistant", "content": reply["content"]}, *results(reply)]
    after = model.bodies[first:]
    assert len(after) > 30 and all(RULE in one for one in after)
    assert not any("undone" in one for one in after)
    told = after[-1].partition("the user said")[2].partition("\\n instructions")[0]
    assert "Continue from" not in told and "must never be" not in told

    capfd.readouterr()
    assert main(["log", str(tmp_path / "given-a"), "--turns", "--json"]) == 0
    turns: list[dict[str, Any]] = json.loads(capfd.readouterr().out)["requests"]
    assert [one["tokens"] for one in turns] == model.sizes
    assert [one["turn"] for one in turns if one["compacted"]] == [first + 1, first + 2]
    left = [one for one in turns if one["undone"]]
    assert [one["turn"] for one in left] == [first + 1] and all(one["anew"] for one in left)
    assert not any("undo" in one["cuts"] for one in turns)


def results(reply: Wire) -> list[Wire]:
    """The results of the calls of a reply."""
    used = [one for one in reply["content"] if one["type"] == "tool_use"]
    told = [
        {"type": "tool_result", "tool_use_id": one["id"], "content": read("", one["input"])}
        for one in used
    ]
    return [{"role": "user", "content": told}] if told else []
