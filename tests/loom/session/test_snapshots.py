"""What a snapshot says, and what opening says of one that is damaged or untrue."""

import re
import shutil
import warnings
from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.cli import main
from loom.errors import BadInput
from loom.session.archive.snapshot_document import (
    FINISH,
    RENEWAL,
    Snapshot,
    parse_snapshot,
    snapshot_bytes,
)
from loom.session.snapshots import take_snapshot
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
    made = [parse_snapshot(path.read_bytes()) for path in sorted((folder / "snapshots").iterdir())]
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
                made = take_snapshot(engine.workspace, engine.read, window, beside, values, reason)
                kept = parse_snapshot((tmp_path / "w" / record.snapshot).read_bytes())
                # Pages that came later, and what was said later of an event, came later.
                assert set(made.pages[:-1]) <= set(kept.pages)
                again = replace(made, pages=kept.pages, others=kept.others)
                assert snapshot_bytes(again) == (tmp_path / "w" / record.snapshot).read_bytes()
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
    with pytest.raises(BadInput, match=why):
        parse_snapshot(data)


SCHEMA_1 = Path(__file__).parents[2] / "golden" / "schema-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace that was renewed twice."""
    with plain(tmp_path / "w", window=8_000, goal="Mend it.") as ctx:
        for number in range(2):
            ctx.working.plan([f"item {number}"])
            step(ctx, 200)
            ctx.turn()
            ctx.renew()
    return tmp_path / "w"


def opened(folder: Path) -> list[loom.LoomWarning]:
    """Return what opening a workspace warns of; the plan is that of the journal in any case."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with loom.open(folder, durable=False) as ctx:
            assert ctx.window.working.plan[0].text == "item 1"
    return [one.message for one in told if getattr(one.message, "kind", "") == "snapshot"]


def test_one_of_an_earlier_schema_opens_silently(tmp_path: Path) -> None:
    """Its snapshots are C_working alone."""
    shutil.copytree(SCHEMA_1, tmp_path / "w")
    (tmp_path / "w" / "journal").chmod(0o700)  # as Loom makes it; a checkout goes by the umask
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loom.open(tmp_path / "w", durable=False).close()


def test_a_damaged_snapshot_is_told(folder: Path) -> None:
    """The warning names file and commit; the workspace opens; the check finds the file."""
    newest = sorted((folder / "snapshots").iterdir())[-1]
    newest.write_bytes(newest.read_bytes().replace(b"item 1", b"item 7"))
    (told,) = opened(folder)
    assert re.search(rf"snapshots/{newest.name} and commit [1-9]\d* of the journal", str(told))
    assert main(["check", str(folder)]) == 1


def test_a_snapshot_that_says_other_than_the_journal_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole, but of another C_working: told by the members that differ, with exit 1."""
    with loom.open(folder, durable=False) as ctx:
        engine = ctx._engine
        plan = ctx.window.working.plan
        other = replace(ctx.window, working=replace(ctx.window.working, goal=None, plan=()))
        engine.commit(Finished("x", *engine.snapshot(other, other, "finish")))
        engine.workspace.acknowledge()
        ctx.working.plan([(item.text, item.state) for item in plan])
    (told,) = opened(folder)
    assert "goal, plan are not as the journal folds" in str(told)
    capsys.readouterr()
    assert main(["check", str(folder)]) == 1
    assert "goal, plan" in capsys.readouterr().out
