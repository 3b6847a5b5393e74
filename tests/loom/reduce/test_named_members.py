"""What a goal names of the lists in large JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.named_members import MOST, pick_named
from loom.reduce.preview import preview

REF = "outputs/tool_0003.json"
ROWS = [{"id": n, "archived": n == 31, "url": f"/repos/{n}"} for n in range(49)]


def test_members_by_the_fields_that_tell() -> None:
    """The member stays whose field differs from the others', also of a list within an object; the
    first and the last stay too, and what is left out is counted."""
    made = pick_named({"repos": ROWS}, "Which of the repos is archived?")["repos"]
    assert made == [ROWS[0], "… 30 left out", ROWS[31], "… 16 left out", ROWS[48]]


def test_a_value_deep_in_a_member() -> None:
    """A word of the goal is found within the objects and lists of a member."""
    rows = [{"run": {"checks": [{"state": "failed" if n == 7 else "passed"}]}} for n in range(20)]
    assert rows[7] in pick_named(rows, "which runs failed")


def test_the_best_of_many() -> None:
    """Of more members than are taken, those stay that hold more of the goal's words."""
    rows = ["nothing"] * 1_000 + [f"timeout {n}" for n in range(60)] + ["timeout of the scheduler"]
    made = pick_named(rows, "why the scheduler hits a timeout")
    kept = [row for row in made if not row.startswith("…")]
    assert len(kept) == MOST + 1 and kept[-1] == rows[-1]


def test_a_preview_with_what_is_named() -> None:
    """A preview for a goal is valid JSON with the member it names, a mark of the bytes' order in
    front or none."""
    text = json.dumps({"repos": ROWS * 4}, indent=1)
    for given_text in (text, "\ufeff" + text):
        shown = preview(given_text, 600, REF, "Which is archived?")
        assert len(shown) <= 600 and REF in shown
        assert ROWS[31] in json.loads(shown)["repos"]


@given(st.recursive(st.text(max_size=9) | st.booleans(), st.lists), st.integers(2, 400))
def test_within_the_limit(value: object, limit: int) -> None:
    """Whatever is named, JSON stays JSON within the limit."""
    made = preview(json.dumps([value] * 9), limit, REF, "true or false")
    assert len(made) <= limit
    json.loads(made)
