"""Obligations as the fold keeps them: bounded, one an id, the due shown before the done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.limits import OBLIGATIONS_MAX, OBLIGATIONS_SHOWN
from loom_partitions.obligations import DONE, DROPPED, DUE, Obligation, shown, visible
from loom_partitions.window import Window, apply, fold

ids = (st.integers(0, 3) | st.integers(0, 90)).map(lambda number: f"id-{number}")
texts = st.sampled_from(["run a", "run b"])
places = st.sampled_from(["", "AGENTS.md:1", "AGENTS.md:2"])
made = st.builds(Obligation, ids, texts, places, listed=st.booleans())
records = st.lists(
    st.builds(r.Obliged, made)
    | st.builds(r.Ticked, ids, st.booleans())
    | st.builds(r.Released, ids, st.booleans()),
    max_size=150,
)


def held(window: Window) -> dict[str, Obligation]:
    """The obligations by id."""
    return {one.id: one for one in window.working.obligations}


def test_nothing_changes() -> None:
    """A tick or a release of what is not there, and a tick that says what is so already."""
    window = apply(Window(), r.Obliged(Obligation("a", "run a")))
    same = (r.Ticked("b"), r.Released("b"), r.Ticked("a", done=False), r.Obliged(held(window)["a"]))
    assert fold(same, window).working == window.working


def test_one_that_only_moved_keeps_its_state() -> None:
    """Another place of the same words is no new obligation; other words are."""
    met = fold((r.Obliged(Obligation("a", "run a")), r.Ticked("a")))
    moved = apply(met, r.Obliged(Obligation("a", "run a", "AGENTS.md:9")))
    assert (held(moved)["a"].state, held(moved)["a"].where) == (DONE, "AGENTS.md:9")
    assert held(apply(moved, r.Obliged(Obligation("a", "run b"))))["a"].state == DUE


@given(records)
def test_any_life(life: list[r.Record]) -> None:
    """Whatever happens: bounded, ids once, states true, nothing shown that was dropped."""
    window = Window()
    for record in life:
        before, window = held(window), apply(window, record)
        now = held(window)
        assert len(now) == len(window.working.obligations) <= OBLIGATIONS_MAX
        if isinstance(record, r.Ticked) and record.id in before:
            assert now[record.id].state == (DONE if record.done else DUE)
        if isinstance(record, r.Obliged):
            one = record.obligation
            old = before.get(one.id)
            kept = old.state if old is not None and old.text == one.text else DUE
            assert now[one.id].state == kept and now[one.id].where == one.where
        if isinstance(record, r.Released) and record.id in before:
            listed = record.ruled and before[record.id].listed
            assert (record.id in now) == listed and (not listed or now[record.id].state == DROPPED)
        seen, all_seen = shown(now.values()), visible(now.values())
        assert len(seen) == min(len(all_seen), OBLIGATIONS_SHOWN)
        assert set(seen) <= set(all_seen) and all(one.state != DROPPED for one in all_seen)
        left = [one for one in all_seen if one not in seen]
        if any(one.state == DUE for one in left):
            assert all(one.state == DUE for one in seen[1:])
    assert laws.deterministic(life) == []
