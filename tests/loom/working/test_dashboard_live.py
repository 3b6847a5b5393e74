"""The dashboard as it lives: a whole block after a cut, then a line when something changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.providers.counts import counter_for
from loom.replay.audit import message_tokens
from tests.kit.cases import all_cases

COUNT = counter_for()
GOAL = "make every test of the reader pass on both systems " * 19  # about 200 tokens
LINE, PLANNED, OVERHEAD, QUIET = 40, 120, 4, 400
Act = Callable[[loom.Context], object]


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context whose first request was made, at a low ρ."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=64_000, durable=False) as made:
        made.turn()
        step(made)
        made.turn()
        yield made


def step(
    ctx: loom.Context, text: str = "ok", *own: tuple[str, object], error: bool = False
) -> None:
    """A call of the host's and its result, perhaps beside calls of Loom's tools."""
    id = f"c{ctx.window.history.next_id}"
    tools = tuple(
        loom.ToolCall(f"{id}-{name}", name, json.encode(given).decode()) for name, given in own
    )
    ctx.reply(loom.Reply((loom.ToolCall(id, "Read", f'{{"path": "{id}"}}'), *tools)))
    ctx.result(id, text, error=error)


def boards(ctx: loom.Context) -> list[str]:
    """Every dashboard of the next request, oldest first."""
    messages = ctx.turn().request("openai")["messages"]
    said = [m["content"] for m in messages if m["role"] == "user"]
    return [text for text in said if text.startswith("[dashboard ")]


def frozen(ctx: loom.Context) -> list[str]:
    """The dashboards that were sent and stand where they were sent."""
    said = [getattr(item, "text", "") for item in ctx.window.history.stream]
    return [text for text in said if text.startswith("[dashboard ")]


def news(ctx: loom.Context) -> list[str]:
    """The dashboards that the next request, after one more step, adds to those sent before."""
    before = frozen(ctx)
    step(ctx)
    after = boards(ctx)
    assert after[: len(before)] == before
    return after[len(before) :]


def compacted(ctx: loom.Context) -> list[str]:
    """The dashboards after a cut."""
    chance = random.Random(4)
    for _ in range(4):
        step(ctx, " ".join(str(chance.randrange(10**6)) for _ in range(1_500)))
    cuts = ctx.window.sent.cuts
    step(ctx, "ok", ("compact_now", {}))
    found = boards(ctx)
    assert ctx.window.sent.cuts > cuts
    return found


def test_the_quiet_block_is_small(tmp_path: Path) -> None:
    """With a goal of 200 tokens at most 400, message overhead included."""
    assert 180 <= COUNT(GOAL) <= 215
    with loom.open(tmp_path, goal=GOAL, window=32_000, durable=False) as ctx:
        turn = ctx.turn()
        _, message = turn.request("openai")["messages"]
        assert message["content"].startswith(f"[dashboard {ctx.window.config.mark}]\n")
        assert message_tokens(message, COUNT) <= turn.pressure.tokens.working <= QUIET


def test_nothing_new_is_no_line(ctx: loom.Context) -> None:
    """Ten quiet steps add no dashboard at all."""
    assert [news(ctx) for _ in range(10)] == [[]] * 10


def test_a_step_of_the_plan_is_told_whole(ctx: loom.Context) -> None:
    """What a step says by its last words is told, whatever ρ and its advice take of the line."""
    step_of = "set the mirror of the billing exporter in the configuration to {}.example.net"
    ctx.working.plan([(step_of.format("kestrel-116"), "doing")])
    news(ctx)
    ctx.working.plan([(step_of.format("plover-862"), "doing")])
    (line,) = news(ctx)
    assert "plover-862.example.net" in line


CHANGES: list[tuple[Act, str]] = [
    (lambda ctx: ctx.events.signal("e-1", "the build broke"), "e-1"),
    (lambda ctx: ctx.events.signal("e-1", "x " * 2_000, urgency="critical"), "e-1"),
    (lambda ctx: ctx.working.plan([("read", "doing"), "write"]), "read"),
    (lambda ctx: ctx.working.ask("q-1", "which reader?"), "q-1"),
    (lambda ctx: ctx.working.ask("q-1", "why " * 2_000), "q-1"),
    (lambda ctx: ctx.working.evidence("v-1", "so it is"), "v-1"),
    (lambda ctx: [ctx.events.signal(f"e-{n}", "x", kind=f"k{n}") for n in range(12)], "e-"),
    (lambda ctx: [act(ctx) for act, _ in CHANGES[:1] + CHANGES[2:4]], "e-1"),
]


@all_cases(("act", "word"), CHANGES)
def test_a_change_by_the_host_is_one_line(ctx: loom.Context, act: Act, word: str) -> None:
    """At most forty tokens beside the message's overhead, more where the plan is told, once."""
    act(ctx)
    (line,) = news(ctx)
    assert word in line and len(line.splitlines()) == 1
    most = PLANNED if "plan [" in line else LINE
    assert COUNT(line) <= most
    assert message_tokens({"role": "user", "content": line}, COUNT) <= most + OVERHEAD + 4
    assert news(ctx) == []


OWN: list[tuple[str, object]] = [
    ("plan", {"items": ["[>] a", "[ ] b"]}),
    ("progress", {"text": "half"}),
    ("note", {"text": "kept"}),
    ("scratch", {"text": "kept"}),
    ("ask", {"id": "q-1", "question": "why?"}),
    ("evidence", {"id": "v-1", "summary": "so"}),
    ("acknowledge", {"id": "e-0", "disposition": "defer"}),
]


@all_cases(("name", "given"), OWN, ids=[name for name, _ in OWN])
def test_what_the_model_wrote_itself_is_not_told_back(
    ctx: loom.Context, name: str, given: object
) -> None:
    """Its own tool call is in its context already: no line. The next whole block has it."""
    ctx.events.signal("e-0", "it broke")
    assert len(news(ctx)) == 1
    working, before = ctx.window.working, frozen(ctx)
    step(ctx, "ok", (name, given))
    assert ctx.window.working != working
    assert boards(ctx) == before
    assert news(ctx) == []
    block = compacted(ctx)[-1]
    words = {"plan": "[>] a", "progress": "half", "ask": "q-1", "evidence": "v-1"}
    assert words.get(name, "risk e-0" if name == "acknowledge" else "kept") in block


def test_a_new_goal_is_a_whole_block(ctx: loom.Context) -> None:
    """The old goal must not stand as the last word on anything."""
    ctx.working.plan([("read", "doing")])
    news(ctx)
    ctx.working.set_goal("Port the reader.")
    (block,) = news(ctx)
    assert block.startswith(f"[dashboard {ctx.window.config.mark}]\n")
    assert "goal: Port the reader." in block and "plan [>] read" in block
    ctx.working.set_goal("Port the reader.")
    assert news(ctx) == []


def test_frozen_lines_stay_byte_for_byte(ctx: loom.Context) -> None:
    """Each request begins with every message of the one before, dashboards included."""
    before = ctx.turn().request("openai")["messages"]
    for number in range(12):
        ctx.events.signal(f"e-{number}", "x", kind=f"k{number}")
        if number % 3 == 0:
            ctx.working.set_goal(f"Goal {number}.")
        if number % 3 == 1:
            ctx.events.acknowledge(f"e-{number - 1}", "ignore")
        step(ctx)
        messages = ctx.turn().request("openai")["messages"]
        assert messages[: len(before)] == before
        before = messages
    assert ctx.window.sent.cuts == 0


def climb(path: Path) -> Iterator[tuple[float, list[str], str]]:
    """Small steps up to a renewal and past it: ρ, the new dashboards, the level of the turn."""
    policy = loom.Policy(snip_at=0.96, micro_at=0.97, collapse_at=0.98, auto_at=0.99)
    chance = random.Random(9)
    with loom.open(path, goal="Fix it.", window=8_192, policy=policy, durable=False) as ctx:
        before = boards(ctx)
        for _ in range(60):
            step(ctx, " ".join(str(chance.randrange(10**6)) for _ in range(40)))
            cuts, turn = ctx.window.sent.cuts, ctx.turn()
            after = boards(ctx)
            new = after if ctx.window.sent.cuts > cuts else after[len(before) :]
            yield turn.pressure.rho, new, turn.pressure.level or ""
            before = after


def test_a_tenth_of_rho_is_told_with_advice(tmp_path: Path) -> None:
    """A line comes when ρ moved by .1 since it was told, no earlier; from .6 on it has advice."""
    told, lines = -1.0, 0
    for rho, new, level in climb(tmp_path):
        if level:
            break
        if not new:
            assert told < 0 or rho - told < 0.115  # rounded, and the widest line counts
            continue
        (line,) = new
        found = re.search(r"ρ (\d\.\d\d)", line)
        assert found is not None and "tokens left" in line
        assert float(found[1]) - told > 0.095
        told, lines = float(found[1]), lines + 1
        advice = re.findall(r"[a-z]{4,}", line.partition(" left")[2])
        assert (len(advice) >= 4) == (told >= 0.6)
    assert lines >= 6


def test_a_renewal_hands_over(tmp_path: Path) -> None:
    """Its block says which generation this is and how older history comes back."""
    with loom.open(tmp_path, goal="Fix it.", window=8_192, durable=False) as ctx:
        chance = random.Random(3)
        assert "generation 1 ·" in boards(ctx)[0] and "page_in" not in boards(ctx)[0]
        while ctx.window.sent.generation == 1:
            step(ctx, " ".join(str(chance.randrange(10**6)) for _ in range(700)))
            ctx.turn()
        (block,) = boards(ctx)
        assert (
            block.startswith(f"[dashboard {ctx.window.config.mark}]\n") and "goal: Fix it." in block
        )
        handoff = [line for line in block.splitlines() if line.startswith("generation 2")]
        assert len(handoff) == 1 and "page_in" in handoff[0] and "recall" in handoff[0]


def test_a_cut_leaves_one_whole_block(ctx: loom.Context) -> None:
    """What stands now stands in one whole block, the last message of the request."""
    for number in range(4):
        ctx.events.signal(f"e-{number}", "x", kind=f"k{number}")
        news(ctx)
    block = compacted(ctx)[-1]
    assert block.startswith(f"[dashboard {ctx.window.config.mark}]\n")
    assert [n for n in range(4) if f"e-{n}" not in block] == []
    assert ctx.turn().request("openai")["messages"][-1]["content"] == block


def errors_of(ctx: loom.Context, goal: str) -> int:
    """The number of recent errors a fresh block gives."""
    ctx.working.set_goal(goal)
    found = re.search(r"errors (\d+)", boards(ctx)[-1])
    assert found is not None
    return int(found[1])


def test_errors_are_counted_and_decay(ctx: loom.Context) -> None:
    """Two failures are told; ten steps later none is recent."""
    assert errors_of(ctx, "a") == 0
    for _ in range(2):
        step(ctx, "it failed", error=True)
    assert errors_of(ctx, "b") == 2
    for _ in range(5):
        step(ctx)
    assert errors_of(ctx, "c") == 2
    for _ in range(6):
        step(ctx)
    assert errors_of(ctx, "d") == 0


def test_evidence_shows_what_speaks_against_it(ctx: loom.Context) -> None:
    """Conflicts, facts, confidence and citations stand in the block."""
    ctx.working.evidence(
        "v-1", "it is little endian", ("step_0001", "src/a.py"), 0.7, facts=("0x17",),
        conflicts=("the README says big",),
    )  # fmt: skip
    ctx.working.set_goal("b")
    (line,) = (one for one in boards(ctx)[-1].splitlines() if "v-1" in one)
    for part in ("0.7", "it is little endian", "0x17", "the README says big", "step_0001", "src/a"):
        assert part in line


def test_the_last_eight_decisions_are_shown(ctx: loom.Context) -> None:
    """The newest eight with their dispositions, the latest word on each id."""
    for number in range(12):
        ctx.events.signal(f"e-{number:02d}", "x")
        ctx.events.acknowledge(f"e-{number:02d}", "ignore" if number % 2 else "replan")
    ctx.events.acknowledge("e-10", "resolved")
    ctx.working.set_goal("b")
    (line,) = (one for one in boards(ctx)[-1].splitlines() if one.startswith("decided"))
    assert re.findall(r"e-\d\d", line) == [f"e-{n:02d}" for n in (4, 5, 6, 7, 8, 9, 11, 10)]
    assert "e-10 resolved" in line and "e-11 ignore" in line and "e-08 replan" in line
