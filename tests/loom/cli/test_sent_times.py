"""What was sent is what the provider was sent: once more after a kill, not what it refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from loom.engine.archive.workspace import Workspace
from loom.inspect.requests import billed, folded
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.loom.cli.conftest import Run


class Refused(Exception):
    """A provider's answer with an error status."""

    def __init__(self, status: int, said: str = "") -> None:
        self.status_code = status
        super().__init__(said)


class Provider:
    """A provider that answers, and adds up what it was sent and did not refuse."""

    def __init__(self, format: str) -> None:
        self.format, self.sent, self.calls = format, 0, 0

    def takes(self, turn: loom.Turn) -> int:
        """Take a request in, and count it."""
        turn.request(self.format)
        size = turn.pressure.tokens.total + 100
        self.sent, self.calls = self.sent + size, self.calls + 1
        return size

    def answers(self, ctx: loom.Context) -> None:
        """One request with its reply."""
        size = self.takes(ctx.turn())
        ctx.reply(loom.Reply((loom.Speech("Well."),), prompt_tokens=size))
        ctx.user("Go on. " * 50)


def told(run: Run, folder: Path) -> list[int]:
    """The tokens sent in all, by every command that says them."""
    said = [
        json.loads(run(*words, "--json")[1])
        for words in (("stat", folder), ("top", folder, "--once"))
    ]
    log = json.loads(run("log", folder, "--turns", "--json")[1])["requests"]
    made = sum(one["tokens"] * one["times"] for one in log)
    return [
        said[0]["sent"],
        said[1]["sent"],
        made,
        billed(folded(Workspace.at_path(folder, write=False)).rows).sent,
    ]


@all_cases("format", ["openai", "responses", "anthropic", "gemini"])
def test_every_command_says_what_the_provider_counted(
    run: Run, tmp_path: Path, format: str
) -> None:
    """Requests sent again after kills, a failure in between and refusals are in every sum as the
    provider has them; `loom stat` says how many there were."""
    folder, provider = tmp_path / format, Provider(format)
    ctx = plain(folder, window=16_000)
    ctx.user("Go on.")
    for _ in range(3):
        provider.answers(ctx)
    for _ in range(2):  # killed before the reply came, twice
        provider.takes(ctx.turn())
        ctx.close()
        ctx = plain(folder)
    provider.answers(ctx)
    ctx.turn().request(format)
    with pytest.raises(Refused):
        ctx.overflowed(Refused(500, "try again"))
    provider.answers(ctx)  # what failed was counted by nobody
    provider.takes(ctx.turn())  # its stream broke: it was counted
    provider.answers(ctx)
    for status, said in ((413, ""), (400, "prompt is too long: 17000 tokens > 16000 maximum")):
        ctx.turn().request(format)
        ctx.overflowed(Refused(status, said))
        provider.answers(ctx)
    assert ctx.turn().pressure == ctx.turn().pressure  # looked at, not sent
    ctx.reply(loom.Reply((loom.Speech("Done."),), prompt_tokens=provider.takes(ctx.turn())))
    ctx.close()
    assert told(run, folder) == [provider.sent] * 4
    _, out, _ = run("stat", folder)
    assert "3 requests sent again; 2 refused, not counted" in out
    stat, top, report = (
        json.loads(run(*words, "--json")[1])
        for words in (("stat", folder), ("top", folder, "--once"), ("report", folder))
    )
    row = report["agents"][0]
    assert row["sums"]["requests"] == stat["requests"] == provider.calls
    assert stat["turns"] == provider.calls - 3
    assert sum(bool(turn["times"]) for turn in row["turns"]) == stat["turns"]
    assert sum(top["series"]["sent"]) == provider.sent
