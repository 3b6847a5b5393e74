"""A storm of events, evidence and questions: the dashboard stays small, and nothing is lost."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import loom
from loom.providers.counts import counter_for
from loom.replay.audit import message_tokens
from loom_partitions.working import URGENCIES, Working

COUNT = counter_for()
EVENTS, PACKS, QUESTIONS, RISKS = 2_000, 500, 100, 60
KINDS = ("files", "process", "memory", "disk", "timer", "inbox", "build", "deploy")
SHARE = 0.15  # of the capacity, for all of C_working
CRITICAL = "e0777"
PAD = "\n".join(f"line {number:05d} " + "x" * 90 for number in range(10_000))


class Storm(NamedTuple):
    """A context after the storm, with what was raised: id → urgency, and the ids decided on."""

    ctx: loom.Context
    urgency: dict[str, str]
    decided: list[str]

    @property
    def working(self) -> Working:
        """C_working as it stands."""
        return self.ctx.window.working

    @property
    def pending(self) -> set[str]:
        """Ids raised and not decided on."""
        return set(self.urgency) - set(self.decided)


def raised(ctx: loom.Context, seed: int) -> dict[str, str]:
    """Signal events of mixed kinds and urgencies, one of them critical: id → urgency."""
    chance = random.Random(seed)
    urgencies = {}
    for number in range(EVENTS):
        id = f"e{number:04d}"
        urgency = "critical" if id == CRITICAL else chance.choice(URGENCIES[:3])
        ctx.events.signal(id, f"summary-of-{id}", kind=chance.choice(KINDS), urgency=urgency)
        urgencies[id] = urgency
    return urgencies


def fill(ctx: loom.Context, seed: int) -> tuple[dict[str, str], list[str]]:
    """Everything at once; id → urgency of the events, and the ids decided on."""
    urgency = raised(ctx, seed)
    ctx.working.scratch(PAD)
    for number in range(PACKS):
        id = f"v{number:03d}"
        ctx.working.evidence(
            id,
            f"known-{id} " * 6,
            citations=(f"src/{id}.py",),
            confidence=number % 97 / 100,
            facts=(f"fact-{id}",),
            conflicts=(f"against-{id}",),
        )
    for number in range(QUESTIONS):
        ctx.working.ask(f"q{number:03d}", f"why-q{number:03d} " * 10)
    decided = [f"e{number:04d}" for number in range(0, RISKS * 7, 7)]
    for id in decided:
        ctx.events.acknowledge(id, "defer")
    return urgency, decided


@pytest.fixture(scope="module", params=[8_192, 32_000], ids=["8k", "32k"])
def storm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Storm]:
    """The storm before the first request of a window of either size; its tests only look."""
    path = tmp_path_factory.mktemp("storm")
    with loom.open(path, goal="Fix the parser.", window=request.param, durable=False) as ctx:
        yield Storm(ctx, *fill(ctx, request.param))


@pytest.fixture
def few(tmp_path: Path) -> Iterator[loom.Context]:
    """A context of its own for a test that changes things: fourteen events of one kind."""
    with loom.open(tmp_path / "w", goal="Fix the parser.", window=8_192, durable=False) as ctx:
        for number in range(14):
            id = f"e{number:02d}"
            urgency = "critical" if number == 3 else "low"
            ctx.events.signal(id, f"summary-of-{id}", kind="build", urgency=urgency)
        yield ctx


def board(ctx: loom.Context) -> str:
    """The last message of the next request: the dashboard."""
    return str(ctx.turn().request("openai")["messages"][-1]["content"])


def line_of(text: str, id: str) -> str:
    """The one line a surface has for an id."""
    (line,) = (line for line in text.splitlines() if re.match(rf"(- )?{id}\b", line))
    return line


# Small
def whole(ctx: loom.Context) -> tuple[int, int]:
    """Tokens of the dashboard block a fresh generation begins with, and of the partition."""
    turn = ctx.turn()
    message = turn.request("openai")["messages"][-1]
    return message_tokens(message, COUNT), turn.pressure.tokens.working


def test_a_text_however_long_is_bounded(tmp_path: Path) -> None:
    """One surface item of 100 kB each widens the dashboard no further than its share."""
    long = "word " * 20_000
    with loom.open(tmp_path, goal="Fix it.", window=8_192, durable=False) as ctx:
        ctx.events.signal("e", long, urgency="high")
        ctx.events.acknowledge("e", "defer")
        ctx.events.signal("f", long, kind="k" * 100)
        ctx.working.ask("q", long)
        ctx.working.evidence("v", long, facts=(long,), conflicts=(long,), citations=(long,))
        ctx.working.progress(long)
        ctx.working.plan([long])
        message, working = whole(ctx)
        assert message <= working <= SHARE * ctx.pressure.capacity
        for surface in ("questions", "evidence", "plan", "risks", "events"):
            assert "word" in ctx.page_in(f"working/{surface}.md").text


def test_every_surface_answers_in_full(storm: Storm) -> None:
    """Packs with facts, conflicts and citations, questions, risks and decisions by their words."""
    evidence, questions, risks, decisions = (
        storm.ctx.page_in(f"working/{surface}.md").text
        for surface in ("evidence", "questions", "risks", "decisions")
    )
    for number in range(PACKS):
        id = f"v{number:03d}"
        for part in (f"known-{id}", f"fact-{id}", f"against-{id}", f"src/{id}.py"):
            assert part in evidence
    assert [f"q{n:03d}" for n in range(QUESTIONS) if f"why-q{n:03d}" not in questions] == []
    assert [id for id in storm.decided if f"summary-of-{id}" not in line_of(risks, id)] == []
    assert [id for id in storm.decided if id not in decisions] == []


# True
def test_counts_are_true(storm: Storm) -> None:
    """Every id stands in exactly one entry, and the counts add up."""
    ids = [id for event in storm.working.events for id in event.ids]
    assert len(ids) == len(set(ids)) == EVENTS - RISKS
    assert set(ids) == storm.pending
    assert sum(event.count for event in storm.working.events) == EVENTS - RISKS
    for event in storm.working.events:
        if event.count > 1:
            assert event.summary.startswith(f"{event.count} ")
    evidence = [
        *(pack.id for pack in storm.working.evidence),
        *storm.working.overflow_ids("evidence"),
    ]
    assert sorted(evidence) == [f"v{number:03d}" for number in range(PACKS)]
    asked = [*(id for id, _ in storm.working.questions), *storm.working.overflow_ids("questions")]
    assert sorted(asked) == [f"q{number:03d}" for number in range(QUESTIONS)]
    risks = [*(risk.id for risk in storm.working.risks), *storm.working.overflow_ids("risks")]
    assert sorted(risks) == sorted(storm.decided)


def test_the_top_urgency_of_an_aggregate_is_true(storm: Storm) -> None:
    """While nothing more urgent was taken out of it, an entry is as urgent as its worst event."""
    for event in storm.working.events:
        worst = max((storm.urgency[id] for id in event.ids), key=URGENCIES.index)
        assert URGENCIES.index(event.urgency) >= URGENCIES.index(worst)
    (holder,) = (event for event in storm.working.events if CRITICAL in event.ids)
    assert holder.urgency == "critical"
    assert storm.working.interrupt


def told_count(block: str) -> int:
    """How many events a block accounts for."""
    counted = 0
    for line in block.splitlines():
        if line.startswith("event "):
            many = re.search(r" ×([\d,]+)", line)
            counted += int(many[1].replace(",", "")) if many else 1
        elif more := re.search(r"\b([\d,]+) (?:more )?events", line):
            counted += int(more[1].replace(",", ""))
    return counted


def test_the_dashboard_accounts_for_every_event(storm: Storm) -> None:
    """The numbers a block gives, those it leaves out included, add up to what is pending; the
    entry with the critical event is shown, however little room there is."""
    text = board(storm.ctx)
    assert told_count(text) == len(storm.pending)
    assert "interrupt requested" in text
    assert [line for line in text.splitlines() if "(critical)" in line and "event" in line]


def test_settled_risks_are_gone(few: loom.Context) -> None:
    """Off the surface, off its page, off the dashboard; what is not settled stays."""
    ids = [f"e{number:02d}" for number in range(14)]
    for id in ids:
        few.events.acknowledge(id, "defer")
    for number, id in enumerate(ids[:12]):
        few.events.acknowledge(id, ("resolved", "ignore")[number % 2])
    left = few.window.working
    assert [*(risk.id for risk in left.risks), *left.overflow_ids("risks")] == ids[12:]
    assert [id for id in ids if id in few.page_in("working/risks.md").text] == ids[12:]
    told = [line for line in board(few).splitlines() if line.startswith("risk")]
    assert len(told) == len(left.risks) >= 1
    assert ("more risks" in board(few)) == bool(left.overflow_ids("risks"))
    assert not left.interrupt and left.events == ()


# Kept, and cheap
def test_the_journal_grows_by_what_is_new(tmp_path: Path) -> None:
    """A thousand events more cost what the first thousand did: no entry repeats the surface."""
    sizes = []
    with loom.open(tmp_path / "w", window=8_192, durable=False) as ctx:
        for half in range(2):
            for number in range(1_000):
                ctx.events.signal(f"e{half}{number:04d}", "it changed", kind=KINDS[number % 8])
            files = (tmp_path / "w").rglob("*.jsonl")
            sizes.append(sum(path.stat().st_size for path in files))
    assert 0 < sizes[1] - sizes[0] <= sizes[0] * 1.1
