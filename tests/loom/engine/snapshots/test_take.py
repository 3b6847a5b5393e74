"""What a snapshot says: every surface with its texts whole, and what stood around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.engine.snapshots.document import FINISH, RENEWAL, BadSnapshot, Snapshot, read, written
from loom.engine.snapshots.take import taken
from loom_partitions.records import Finished, Renewed
from loom_partitions.window import Window, apply
from tests.kit.cases import all_cases
from tests.kit.journal import records
from tests.kit.opened import plain
from tests.kit.step import step

GOAL = "Make the login tests pass, one by one. " * 80
PAD = "the cache is cold until the second call; " * 120
QUESTION = "which of the many branches is meant? " * 12
ITEMS = [f"item {number}" for number in range(20)]
LINE = "Never push to main."


def filled(ctx: loom.Context) -> None:
    """Put more onto every surface than it shows."""
    ctx.pin(LINE)
    ctx.working.plan([*ITEMS, QUESTION])
    ctx.working.progress("half of them")
    ctx.working.scratch(PAD)
    for number in range(11):
        ctx.working.ask(f"q{number}", f"{number} {QUESTION if number == 2 else 'why?'}")
    for number in range(13):
        summary = QUESTION if number == 4 else "known"
        ctx.working.evidence(f"p{number}", summary, ["a.py"], number / 20)
    for number in range(16):
        ctx.events.signal(f"e{number}", f"it happened {number}", kind="ci")
    ctx.events.signal("urgent", "the disk is full", urgency="critical")
    for number in range(10):
        ctx.events.signal(f"r{number}", f"risky {number}")
        ctx.events.acknowledge(f"r{number}", "defer")
    step(ctx, 300, error=True)
    ctx.turn()


def saved(folder: Path) -> list[Snapshot]:
    """Return the snapshots of a workspace, in order."""
    made = [read(path.read_bytes()) for path in sorted((folder / "snapshots").iterdir())]
    assert all(isinstance(one, Snapshot) for one in made)
    return [one for one in made if isinstance(one, Snapshot)]


def test_every_surface_is_whole(tmp_path: Path) -> None:
    """What was cut short, or found no room, stands there in full."""
    with plain(tmp_path / "w", window=12_000, goal=GOAL, model="gpt-4o") as ctx:
        filled(ctx)
        before = ctx.working.dashboard
        ctx.renew()
        digest = next(iter(ctx.window.history.stream.entries))
        table = ctx._engine.workspace.pager.table
    (made,) = saved(tmp_path / "w")
    assert (made.reason, made.goal, made.scratchpad) == (RENEWAL, GOAL, PAD)
    assert [item.text.strip() for item in made.plan] == [*ITEMS, QUESTION.strip()]
    questions = {one.id: one.text for one in made.knowledge_surface.active_questions}
    assert len(questions) == 11 and questions["q2"].strip() == f"2 {QUESTION}".strip()
    packs = {one.id: one for one in made.knowledge_surface.evidence_packs}
    assert len(packs) == 13 and packs["p4"].summary.strip() == QUESTION.strip()
    events = {one.id: one for one in made.event_surface.pending_events}
    assert len(events) == 17 and events["urgent"].urgency == "critical"
    assert events["e3"].summary == "it happened 3"
    assert {one.id for one in made.event_surface.active_risks} == {f"r{n}" for n in range(10)}
    assert made.pins == (LINE,) and made.model == "gpt-4o"
    values = made.dashboard
    assert (values.rho, values.token_budget) == (before.rho, before.token_budget)
    assert (values.goal_progress, values.error_count) == ("half of them", 1)
    assert values.interrupt_requested and values.depth == 0 and values.last_hb_ts > 0
    pages = {name: ref.sha256 for name, ref in table.items() if name.startswith("outputs/")}
    assert {page.name: page.sha256 for page in made.pages}.items() <= pages.items()
    assert len(made.pages) + made.others == len(pages)
    assert made.pages[-1].name == list(pages)[-1]  # the newest: its number is the highest
    goal = made.working.goal
    assert goal is not None and goal.page in {page.name for page in made.pages}
    if made.digest is not None:
        assert made.digest.text == digest.text and made.digest.page in table


def test_the_same_journal_makes_the_same_bytes(tmp_path: Path) -> None:
    """Each snapshot can be made again from the journal, to the byte: no clock is asked."""
    with plain(tmp_path / "w", window=8_000, goal=GOAL) as ctx:
        filled(ctx)
        for _ in range(2):
            step(ctx, 80)
            ctx.renew()
            ctx.turn()
        ctx.finish("done")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        engine, window, number = ctx._engine, Window(), 0
        for record in records(ctx):
            after = apply(window, record)
            if isinstance(record, Renewed | Finished):
                number += 1
                beside = after if isinstance(record, Renewed) else window
                values = engine.notices.values(window, record.beat)
                reason = RENEWAL if isinstance(record, Renewed) else FINISH
                made = taken(engine.workspace, engine.read, window, beside, values, reason)
                kept = read((tmp_path / "w" / record.snapshot).read_bytes())
                assert isinstance(kept, Snapshot)
                # Pages that came later, and what was said later of an event, came later.
                assert set(made.pages[:-1]) <= set(kept.pages)
                again = replace(made, pages=kept.pages, others=kept.others)
                assert written(again) == (tmp_path / "w" / record.snapshot).read_bytes()
            window = after
        assert number == 3


@all_cases(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"\xff\x00", "no JSON"),
        (b"[]", "no members"),
        (b'{"messages": []}', "'messages', which no snapshot has"),
        (b'{"loom_snapshot": 99}', "version 99"),
        (b'{"loom_snapshot": 1}', "not as it should be"),
    ],
)
def test_what_is_none_is_refused(data: bytes, why: str) -> None:
    """A typed error that says what is the matter and what to do."""
    with pytest.raises(BadSnapshot, match=why):
        read(data)


def test_a_changed_one_is_refused(tmp_path: Path) -> None:
    """A snapshot holds its own sha256: another goal in it does not pass."""
    with plain(tmp_path / "w", window=8_000, goal="Mend it.") as ctx:
        ctx.finish("done")
    (path,) = (tmp_path / "w" / "snapshots").iterdir()
    with pytest.raises(BadSnapshot, match="changed since"):
        read(path.read_bytes().replace(b'"goal": "Mend it."', b'"goal": "Bend it."'))
