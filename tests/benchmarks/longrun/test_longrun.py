"""The long run: what is planted, where it is found, what the command says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.longrun.command import figures, longrun, miss_line, told
from benchmarks.longrun.history import LongHistory, history, holders, texts_of
from benchmarks.longrun.judge import Judged, LongRunOutcome, driven, misses, tells
from benchmarks.longrun.planted import FACTS, OUTPUT, REMARKED, RULE, RULES, SAID, PlantedItem
from loom.bench.recorded.verdicts import LOST, PAGE_IN, RECALL, RESIDENT
from loom.inputs import Reply, Result, User
from loom.providers.counts import counter_for

TOKENS = 20_000
count = counter_for()


@pytest.fixture(scope="module")
def short() -> LongHistory:
    """A history as short as it can be with everything in it."""
    return history(7, TOKENS, count)


def test_one_seed_one_history(short: LongHistory) -> None:
    """The same seed makes the same events, another one others; the tokens are those counted."""
    assert history(7, TOKENS, count) == short != history(8, TOKENS, count)
    assert short.tokens == sum(count(text) for event in short.events for text in texts_of(event))
    assert short.tokens >= TOKENS


def test_everything_is_planted_once(short: LongHistory) -> None:
    """All rules and facts, a third of the facts of each kind; a remark is a second place."""
    kinds = [item.kind for item in short.planted]
    assert kinds.count(RULE) == len(RULES) == 13
    assert {kinds.count(kind) for kind in (SAID, REMARKED, OUTPUT)} == {10}
    assert len({item.about for item in short.planted}) == len(RULES) + len(FACTS)
    for item, number in zip(short.planted, holders(short), strict=True):
        assert number == 1 + (item.kind == REMARKED), item


def test_who_brings_what(short: LongHistory) -> None:
    """Rules and a third of the facts are the user's; the others stand in results of calls."""
    for item in short.planted:
        held = [e for e in short.events if any(map(item.stands_in, texts_of(e)))]
        first = User if item.kind in (RULE, SAID) else Result
        assert isinstance(held[0], first) and bool(item.phrases) == (first is Result)
        if item.kind == REMARKED:
            assert isinstance(held[1], Reply)
    said = [event.text for event in short.events if isinstance(event, User)]
    rules = [item.value for item in short.planted if item.kind == RULE]
    assert any(text in rules for text in said)
    assert any(rule in text and not text.startswith(rule) for rule in rules for text in said)


PATH = PlantedItem(OUTPUT, "2314", "port of the staging database", ("docs/notes.md",))
COMMAND = PlantedItem(OUTPUT, "2314", "port of the staging database", ("make report-04",))
SPOKEN = PlantedItem(SAID, "2314", "port of the staging database")
LINES = [
    (PATH, "read docs/notes.md → outputs/read_0003.txt", True),
    (PATH, "  docs/: other.md read_0001, notes.md read_0003", True),
    (PATH, "read_0003 and 4 more", False),
    (COMMAND, "make report-04 → shell_0004", True),
    (COMMAND, "make report-05 → shell_0004", False),
    (SPOKEN, "user_0007: the staging port …", True),
    (SPOKEN, "user_0007 … (9 lines)", False),
]


@pytest.mark.parametrize(("item", "line", "told"), LINES)
def test_what_tells_of_a_name(item: PlantedItem, line: str, told: bool) -> None:
    """The path or command it came from, or half of the words it is about."""
    assert tells(line, item) is told


def test_a_value_is_not_a_part_of_another() -> None:
    """A number within a longer one is not the value."""
    assert SPOKEN.stands_in("port 2314, as said") and SPOKEN.stands_in("=2314")
    assert not SPOKEN.stands_in("12314") and not SPOKEN.stands_in("2314ms")


def test_a_window_that_holds_everything(short: LongHistory) -> None:
    """Where nothing has to leave, all of it is in the request, whatever the strategy."""
    for strategy in ("loom", "tail"):
        outcome = driven(short, strategy, 4 * short.tokens)
        assert {one.place for one in outcome.judged} == {RESIDENT}
        assert not list(misses(outcome))


def test_a_window_that_is_full(short: LongHistory) -> None:
    """Loom loses nothing that a call does not bring back; a tail loses what it dropped."""
    places = {
        name: [one.place for one in driven(short, name, 8_000).judged] for name in ("loom", "tail")
    }
    assert set(places["tail"]) == {RESIDENT, LOST}
    assert places["loom"].count(RESIDENT) > places["tail"].count(RESIDENT)
    assert places["loom"].count(LOST) < places["tail"].count(LOST)


def test_figures_are_summed() -> None:
    """Rules apart from facts, facts by their kind, over all seeds."""
    items: list[tuple[Any, str]] = [(PATH, RECALL), (SPOKEN, PAGE_IN)]
    one = LongRunOutcome(tuple(Judged(item, place) for item, place in items), 9)
    found = figures([one, one])
    assert found["facts"] == {RESIDENT: 0, PAGE_IN: 2, RECALL: 2, LOST: 0}
    assert found["by_kind"][SAID][PAGE_IN] == 2 and not any(found["rules"].values())
    assert [miss.item for miss in misses(one)] == [PATH] and found["requests"] == [9, 9]


def test_what_was_missed_is_told(short: LongHistory) -> None:
    """Which rule or fact, how far away it is, and the entry it rests in."""
    outcome = driven(short, "loom", 3_000)
    for miss in misses(outcome):
        assert miss.rests.startswith(("user_", "step_"))
    item = PlantedItem(OUTPUT, "2314", "port of the staging database", ("docs/notes.md",))
    miss = told(Judged(item, LOST, ("read_0003",), "step_0007"))
    assert miss_line({"seed": 2, "capacity": 3_000, **miss}) == (
        "missed at 3,000, seed 2: output, port of the staging database (2314): lost; rests in"
        " step_0007 of docs/notes.md, which the request names (read_0003)"
    )
    far = told(Judged(SPOKEN, RECALL, (), "user_0004"))
    assert "one recall away; rests in user_0004" in miss_line({"seed": 1, "capacity": 1, **far})


def test_the_command_ends_with_one_json_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A table unless only JSON is asked for; it ends with 1 where something is further away."""
    code = longrun(capacity="100000", seeds=1, tokens=5_000, strategy=["loom"])
    out = capsys.readouterr().out
    report = json.loads(out.splitlines()[-1])
    assert "A long run at 100,000 tokens" in out and code == 0
    assert report["100000"]["loom"]["facts"][RESIDENT] == 30
    assert longrun(capacity="many") == longrun(seeds=0) == longrun(strategy=["no"]) == 2
    assert "--capacity 'many'" in capsys.readouterr().err
