"""A request is held against the guides that apply: missing, stale, edited, and the score."""

from __future__ import annotations

from pathlib import Path

from loom.bench.guides.change_check import check_edit
from loom.bench.guides.ground_truth import AppliedGuide
from loom.bench.guides.guide_edits import GuideEdit
from loom.bench.guides.request_check import (
    CheckedRequest,
    GuideRoom,
    applying,
    check_rules,
    check_stale,
    check_ways_back,
)
from loom.bench.guides.rule_text import rules_of
from loom.bench.guides.shown_guides import ShownGuides

ROOT = Path("/repo")
EDIT = GuideEdit("content", "AGENTS.md")


def words(text: str) -> int:
    """Tokens that can be counted by hand."""
    return len(text.split())


def guide(path: str, *rules: str) -> AppliedGuide:
    """A guide of these rules."""
    text = "\n".join(f"- {rule}" for rule in rules)
    folder = (ROOT / path).parent
    return AppliedGuide(path, folder, text, rules_of(path, text), (path,), folder == ROOT)


TOP = guide("AGENTS.md", "One rule of the root.", "Two rules of the root.")
SUB = guide("sub/AGENTS.md", "One rule of the sub.", "Two rules of the sub.")


def showing(*guides: AppliedGuide) -> ShownGuides:
    """A request that shows these guides whole."""
    shown = ShownGuides()
    for one in guides:
        shown.add(one.path, one.text)
    return shown


def checked(shown: ShownGuides, *guides: AppliedGuide, room: int = 100) -> CheckedRequest:
    """The check of a request while work goes on in `sub`."""
    return check_rules(shown, applying(guides, GuideRoom(room, words), ROOT / "sub", ""))


def test_where_nothing_applies_nothing_is_counted() -> None:
    """No rules, no faults, and all fits."""
    found = checked(ShownGuides())
    assert (found.fits, found.faults, found.counts.get("rules", 0)) == (True, [], 0)


def test_a_rule_that_is_not_shown_is_a_fault_where_all_fits() -> None:
    """Its file and line are told."""
    assert checked(showing(TOP, SUB), TOP, SUB).faults == []
    found = checked(showing(TOP), TOP, SUB)
    assert found.counts["fit_rules"] - found.counts["fit_in_force"] == 2
    assert [(kind, path) for kind, path, _ in found.faults] == [("missing", "sub/AGENTS.md")] * 2


def test_the_score_prefers_the_closest_guide_where_not_all_fits() -> None:
    """The guide beside the work weighs twice the root's; the best use of the room has it first."""
    close = checked(showing(SUB), TOP, SUB, room=12)
    far = checked(showing(TOP), TOP, SUB, room=12)
    assert not close.fits and close.faults == []
    assert close.counts["score"] == 2 / 3 and far.counts["score"] == 1 / 3
    assert close.counts["best"] == far.counts["best"] == 2 / 3


def test_a_page_that_is_named_brings_missing_rules_back() -> None:
    """One that is named but lacks a rule is no way back."""
    shown = ShownGuides()
    shown.add(SUB.path, f"[{SUB.path}, in part; whole in outputs/memory_0001.md]")
    found = checked(shown, SUB)
    check_ways_back(found, shown, [SUB], lambda page: SUB.text)
    assert (found.counts["cut_guides"], found.counts["named_guides"]) == (1, 1)
    found = checked(shown, SUB)
    check_ways_back(found, shown, [SUB], lambda page: "- One rule of the sub.")
    assert found.counts.get("named_guides", 0) == 0
    assert found.faults[-1][:2] == ("unnamed", SUB.path)


def test_a_rule_that_does_not_apply_is_stale() -> None:
    """Known rules alone are judged, and none that another guide says too."""
    known = {rule.text for one in (TOP, SUB) for rule in one.rules}
    for shown, stale in ((showing(TOP), 0), (showing(TOP, SUB), 2)):
        found = checked(shown, TOP)
        check_stale(found, shown, [TOP], known)
        assert found.counts["stale"] == stale


def test_an_edit_is_in_force_when_the_new_stands_and_the_old_is_gone() -> None:
    """Either one missing is a fault; an edit that changes no rule is not counted."""
    new = guide("AGENTS.md", "One rule of the root.", "Three rules of the root.")
    both = guide("AGENTS.md", *(rule.text for rule in (*TOP.rules, *new.rules)))
    for shown, held in ((new, 1), (TOP, 0), (both, 0)):
        found = checked(showing(shown), new)
        check_edit(found, showing(shown), EDIT, [TOP], [new])
        assert (found.counts["fit_edits"], found.counts["fit_edits_in_force"]) == (1, held)
    found = checked(showing(TOP), TOP)
    check_edit(found, showing(TOP), EDIT, [TOP], [TOP])
    assert "edits" not in found.counts
