"""What a step costs the catalog does not grow with what is known: work is counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import loom
from loom.compress.worth.ahead import Residents, touched_since
from loom.compress.worth.catalog import Catalog
from loom.compress.worth.fitted import fitted
from loom.compress.worth.focus import COMMON, relevance
from loom.compress.worth.worth import Worths
from loom_partitions.message import Step
from loom_partitions.working import Working
from tests.kit.opened import Open
from tests.kit.step import act

FEW, MANY = 20, 160
RATIO = 1.2
LATE = ("Bash", {"command": "wc shared_name src/a.py src/late.py"}, "count of shared_name " * 9)


def work_of(do: Callable[[], object]) -> int:
    """The instructions Python runs in the catalog's files: a loop that calls nothing counts too."""
    made = 0

    def note(frame: FrameType, event: str, _given: Any) -> Any:
        nonlocal made
        if "/compress/worth/" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        frame.f_trace_opcodes = True
        made += event == "opcode"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        do()
    finally:
        sys.settrace(before)
    return made


def known(ctx: loom.Context, number: int) -> Catalog:
    """A catalog of so many outputs that say one word, and as many readings of one file."""
    for n in range(number):
        said = "".join(f"shared_name own_{n}_{line}\n" for line in range(30))
        act(ctx, "Bash", {"command": f"run {n}"}, said)
        lines = "".join(f"{n * 50 + line:6d}→value_{n}_{line} = {line}\n" for line in range(1, 31))
        act(ctx, "Read", {"path": "src/a.py", "offset": n * 50 + 1}, lines)
    act(ctx, "Read", {"path": "src/late.py"}, "def shared_name():\n    return late_value\n" * 9)
    made = Catalog(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step)
        made.note(entry, ctx._engine.workspace.read)
    return made


@pytest.fixture
def catalogs(opened: Open) -> list[tuple[loom.Context, Catalog]]:
    """Two contexts and their catalogs, one of FEW entries and one of MANY."""
    sessions = [opened("few", window=2_000_000), opened("many", window=2_000_000)]
    return [(ctx, known(ctx, number)) for ctx, number in zip(sessions, (FEW, MANY), strict=True)]


def test_a_touch(catalogs: list[tuple[loom.Context, Catalog]]) -> None:
    """A step that names a file, and a word all units say, is noted at the same cost; each of the
    units is touched all the same."""
    works = []
    for ctx, made in catalogs:
        step = act(ctx, *LATE)
        works.append(work_of(lambda: made.note(step, ctx._engine.workspace.read)))  # noqa: B023
        assert {made.hit[key] for key in made.file("src/a.py")} == {step.id}
        assert len(made.units) > FEW
    assert 0 < works[1] <= RATIO * works[0]


def test_what_was_touched(catalogs: list[tuple[loom.Context, Catalog]]) -> None:
    """Units touched of late are found without a look at any other."""
    works = []
    for ctx, made in catalogs:
        step = act(ctx, "Bash", {"command": "wc src/late.py"}, LATE[2])
        made.note(step, ctx._engine.workspace.read)
        works.append(work_of(lambda: touched_since(made, step.id)))  # noqa: B023
        touched = touched_since(made, step.id)
        assert set(made.file("src/late.py")) <= set(touched)
        assert set(touched) == {key for key in made.units if made.hit[key] == step.id}
    assert 0 < works[1] <= RATIO * works[0]


def test_worth(catalogs: list[tuple[loom.Context, Catalog]]) -> None:
    """The worth of one unit costs the same among many; it is worked out once."""
    works = []
    for _, made in catalogs:
        key = next(iter(made.file("src/late.py")))

        def one(made: Catalog = made, key: tuple[str, str, int] = key) -> None:
            worths = Worths(made, Working(), fitted(), 10_000)
            assert worths.of(key) == worths.of(key) > 0

        works.append(work_of(one))
    assert 0 < works[1] <= RATIO * works[0]


def test_what_stands(catalogs: list[tuple[loom.Context, Catalog]]) -> None:
    """An entry that stands as it did is not looked through again, a new one is."""
    ctx, made = catalogs[1]
    found = Residents()
    first = found.of(made, ctx.window.history.stream.entries)
    assert first == set(made.units)
    looked = made.looked.looked
    assert found.of(made, ctx.window.history.stream.entries) == first
    assert made.looked.looked == looked >= 2 * MANY
    made.note(act(ctx, *LATE), ctx._engine.workspace.read)
    assert found.of(made, ctx.window.history.stream.entries) == set(made.units)
    assert made.looked.looked == looked + 1


def test_relevance_is_the_sum_over_the_terms(
    catalogs: list[tuple[loom.Context, Catalog]],
) -> None:
    """Terms that few units hold make those units relevant, and no other; a common one none."""
    _, made = catalogs[0]
    wanted = {"shared_name": 3.0, "own_1_2": 1.0, "value_2_3": 0.5, "own_1_3": 0.7}
    found = relevance(made, wanted).found()
    most = COMMON * len(made.units)
    rare = {term for term in wanted if made.frequency[term] <= most}
    assert rare == wanted.keys() - {"shared_name"}
    assert set(found) == {key for term in rare for key in made.postings[term]}
    assert len(found) == len(dict(found)) == 2
