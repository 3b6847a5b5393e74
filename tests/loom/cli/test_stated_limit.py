"""What a request was: a limit that a refusal set, and how often it was sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from loom.inspect.requests import folded_requests, request_bill
from loom.session.archive.workspace import Workspace
from tests.kit.cases import all_cases
from tests.kit.opened import PLAIN, Open, opened_with, plain
from tests.kit.step import step
from tests.loom.cli.conftest import Run

opened = opened_with("work", window=16_000, model="gpt-5", policy=PLAIN)


def filled(ctx: loom.Context, steps: int) -> None:
    """Give it a message of the user and some steps."""
    ctx.user("Build every part.")
    for _ in range(steps):
        step(ctx, 60)


class Stated(Exception):
    """A refusal that states a limit, or none, and no size."""

    status_code = 400

    def __init__(self, limit: int) -> None:
        length = f": the maximum context length is {limit} tokens" if limit else ""
        super().__init__(f"prompt is too long{length}")


def answered(ctx: loom.Context, size: int) -> None:
    """One more request, that the provider counts so large."""
    ctx.user("more " * 40)
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech("ok"),), prompt_tokens=size))


@all_cases("lift", ["answer", "resize", "reopened", "model"])
def test_a_stated_limit_is_lifted(opened: Open, run: Run, lift: str) -> None:
    """`loom stat` says which request's refusal set it; answers within it leave it, one to a larger
    request lifts it, and so does the host; what the journal holds is the same."""
    ctx = opened(lift)
    folder = ctx._engine.folder
    assert folder is not None
    filled(ctx, 3)
    for size in (900, 1_000):
        answered(ctx, size)
    before = ctx.window.limits
    ctx.user("more")
    ctx.turn()
    ctx.overflowed(Stated(12_000))
    for size in (1_100, 11_900):
        answered(ctx, size)
        assert ctx.window.limits.window == 12_000
        _, out, _ = run("stat", folder)
        assert "set by the provider's refusal at request 3, 16,000 before: ctx.resize lifts" in out
    if lift == "reopened":
        ctx = opened(lift, window=16_000)
        assert ctx.window.limits.window == 12_000
    if lift in ("resize", "model"):
        ctx.resize(16_000, model="gpt-5" if lift == "resize" else "claude-sonnet-5")
    else:
        answered(ctx, 12_400)
    now = ctx.window.limits
    assert (now.window, now.stated) == (16_000, 0)
    assert now.reply == before.reply
    assert "refusal" not in run("stat", folder)[1].replace("1 refused", "")


def test_a_refusal_without_a_limit_is_told_too(opened: Open, run: Run) -> None:
    """The window is the host's, but a request stays below the one that was refused."""
    ctx = opened()
    filled(ctx, 6)
    ctx.turn()
    ctx.overflowed(Stated(0))
    ctx.turn()
    assert "; less by the provider's refusal at request" in run("stat", ctx._engine.folder)[1]
    ctx.resize(16_000)
    assert "provider's refusal" not in run("stat", ctx._engine.folder)[1]


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
        request_bill(folded_requests(Workspace.at_path(folder, write=False)).rows).sent,
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
