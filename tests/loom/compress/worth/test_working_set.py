"""The catalog: what is known, what was used, what is superseded."""

import sys
from collections import Counter
from typing import Any

import pytest

from loom.compress.worth.working_set import WorkingSet
from loom_partitions.message import Step
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act


def numbered(first: int, last: int, word: str = "value") -> str:
    """Lines of a file as a tool numbers them."""
    return "".join(f"{n:5d}→{word}_{n} = compute({n})\n" for n in range(first, last + 1))


PLAIN = "".join(f"line {n} of an ordinary text\n" for n in range(90))


@pytest.mark.parametrize("files", [4, 10])
def test_the_oldest_are_forgotten(
    opened: Open, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    """The catalog keeps the newest units, and its indexes hold nothing of the others."""
    monkeypatch.setattr("loom.compress.worth.working_set.MOST", 20)
    ctx = opened(window=200_000)
    for number in range(20):
        text = "".join(f"{number}_{n} word_{number}\n" for n in range(90))
        act(ctx, "Read", {"path": f"file_{number % files}.py"}, text)
    made = WorkingSet(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step)
        made.note(entry, ctx._engine.workspace.read)
        assert len(made.units) <= 20
    assert len(made.units) > 10
    held = [set(made.columns.rows), {u.key for us in made.of_entry.values() for u in us}]
    assert all(keys == set(made.units) for keys in held)
    terms = Counter(term for unit in made.units.values() for term in unit.terms)
    assert "word_0" not in terms
    numbers = made.columns.terms
    assert {term: numbers.held[number] for term, number in numbers.of.items()} == terms
    assert set(made.stale) <= set(made.units)
    assert all(set(keys) <= set(made.units) for keys in made._index.by_file.values())


def test_what_repeats_is_held_by_the_units_that_stand(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of runs that were repeated, of the entries of units, of long arguments nothing is held that
    no unit needs."""
    monkeypatch.setattr("loom.compress.worth.working_set.MOST", 20)
    ctx = opened(window=200_000)
    for number in range(20):
        text = "".join(f"{number}_{n} word\n" for n in range(90))
        act(ctx, "Bash", {"command": "make"}, text)
        act(ctx, "lookup", {"query": f"{number} " * 2_000}, text)
    made = WorkingSet(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step)
        made.note(entry, ctx._engine.workspace.read)
    assert set(made._entry) <= set(made.units)
    questions = [part for question in made._asked for part in question]
    assert sum(map(sys.getsizeof, questions)) < 200 * len(made._asked)


@pytest.mark.parametrize("second", ["view", "create"])
def test_a_tool_with_several_faces(opened: Open, second: str) -> None:
    """A view of the same lines and a file created anew supersede the view before."""
    ctx = opened()
    tool = "str_replace_based_edit_tool"
    one = act(ctx, tool, {"command": "view", "path": "a.py"}, numbered(1, 100)).id
    faces: dict[str, dict[str, Any]] = {
        "view": {"view_range": [1, 100]},
        "create": {"file_text": PLAIN},
    }
    more = faces[second]
    result = numbered(1, 100) if second == "view" else "ok"
    act(ctx, tool, {"command": second, "path": "a.py", **more}, result)
    made = catalog(ctx)
    assert all(unit.key in made.stale for unit in made.of_entry[one])


def test_a_check_is_outdated_by_its_next_run_whatever_cuts_its_output(opened: Open) -> None:
    """The failing run of before must not outlive the passing one; what another command shows of
    the same file does stand."""
    ctx = opened()
    failed = "--- FAIL: TestEmblem (0.01s)\nFAIL\n" * 20
    runs = {
        command: act(ctx, "Bash", {"command": command}, output).id
        for command, output in (
            ("cd edge && go test ./...", failed),
            ("make notes | head -50", PLAIN),
            ("cd edge && go test ./... 2>&1 | tail -20", "ok  \tedge\t0.02s\n" * 20),
            ("make notes | tail -50", numbered(1, 90)),
        )
    }
    made = catalog(ctx)
    assert {made._entry[key] for key in made.stale} == {runs["cd edge && go test ./..."]}
