"""The focus: who spoke of a term last, and which units share it."""

from __future__ import annotations

from loom.compress.worth.fitted import fitted
from loom.compress.worth.focus import focus, relevance
from loom_partitions.working import Working
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

FILLER = "".join(f"ordinary line number {n}\n" for n in range(30))


def test_nothing_is_in_focus_at_the_start(opened: Open) -> None:
    """An empty session has no terms and no relevant units."""
    made = catalog(opened())
    assert focus(made, Working(), fitted()) == {}
    assert relevance(made, {"anything": 1.0}).found() == {}


def test_who_said_it_last(opened: Open) -> None:
    """The last reply outweighs those before, they the user; older words are forgotten."""
    ctx = opened()
    ctx.user("look at user_term")
    act(ctx, "Bash", {"command": "forgotten_term"}, "ok")
    act(ctx, "Bash", {"command": "earlier_term"}, "heard_before")
    for number in range(4):
        act(ctx, "Bash", {"command": f"between {number}"}, "heard_last")
    act(ctx, "Read", {"path": "last_term.py"}, "inside_term")
    found = focus(catalog(ctx), Working(), fitted())
    assert found["last_term"] > found["earlier_term"] > found["user_term"] > 0
    assert found["heard_last"] == fitted().output
    assert not {"forgotten_term", "heard_before", "inside_term"} & set(found)


def test_the_plan_is_in_focus(opened: Open) -> None:
    """The goal and what is still to be done count, what is done does not."""
    ctx = opened(goal="mend goal_term")
    ctx.working.plan(
        [("read done_term", "done"), ("write doing_term", "doing"), ("test todo_term", "todo")]
    )
    found = focus(catalog(ctx), ctx.window.working, fitted())
    assert {"goal_term", "doing_term", "todo_term"} <= set(found)
    assert "done_term" not in found


@all_cases(
    ("wanted", "holders", "best"),
    [
        ({}, 1, None),
        ({"unheard_of": 1.0}, 1, None),
        ({"rare_term": 1.0}, 1, "rare_term"),
        ({"rare_term": 1.0}, 20, None),
        ({"rare_term": 1.0, "ordinary": 9.0}, 1, "rare_term"),
    ],
)
def test_relevance(opened: Open, wanted: dict[str, float], holders: int, best: str) -> None:
    """Units that hold a wanted rare term are relevant; what nearly all hold says nothing."""
    ctx = opened()
    for number in range(20):
        more = "rare_term here\n" if number < holders else ""
        act(ctx, "Bash", {"command": f"run {number}"}, FILLER + more)
    made = catalog(ctx)
    found = relevance(made, wanted).found()
    assert set(found) == (set(made.postings[best]) if best else set())
    assert all(worth > 0 for worth in found.values())


def test_rare_and_short_count_more(opened: Open) -> None:
    """Of two units the shorter is worth more by the same term; of two terms the rarer."""
    ctx = opened()
    act(ctx, "Bash", {"command": "a"}, "alpha_term\n" + FILLER)
    act(ctx, "Bash", {"command": "b"}, "alpha_term\n" + FILLER[: len(FILLER) // 3])
    act(ctx, "Bash", {"command": "c"}, "omega_term\n" + FILLER)
    for number in range(12):
        act(ctx, "Bash", {"command": f"run {number}"}, FILLER)
    made = catalog(ctx)
    found = relevance(made, {"alpha_term": 1.0, "omega_term": 1.0}).found()
    long, short, rare = (found[made.of_entry[id][0].key] for id in (1, 2, 3))
    assert short > long
    assert rare > long
