"""Changes between two requests: are new rules in force, old ones gone?"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measures.guides.ground_truth import AppliedGuide
from benchmarks.measures.guides.guide_edits import GuideEdit
from benchmarks.measures.guides.request_check import CheckedRequest, in_force
from benchmarks.measures.guides.rule_text import ProjectRule
from benchmarks.measures.guides.shown_guides import ShownGuides

Guides = Sequence[AppliedGuide]


def check_edit(
    found: CheckedRequest, shown: ShownGuides, edit: GuideEdit, before: Guides, after: Guides
) -> None:
    """Hold an edit of a guide that applies against the next request.

    It is in force when each rule it brought stands (where the guides fit; else when the guide is
    shown at all as it now is) and none it took away does.
    """
    old, new = _rules(before), _rules(after)
    came, went = new.keys() - old.keys(), old.keys() - new.keys()
    if not came and not went:
        return
    stands = [in_force(shown, *new[one]) for one in came]
    still = {words for _, words in went} - {words for _, words in new}
    kept = [one for one in went if one[1] in still and in_force(shown, *old[one])]
    held = not kept and (all(stands) or (not found.fits and (any(stands) or not came)))
    found.add("edits")
    found.add("edits_in_force", held)
    if found.fits:
        found.add("fit_edits")
        found.add("fit_edits_in_force", held)
        if not held:
            missing = len(stands) - sum(stands)
            said = f"{edit.kind}: {missing} of {len(came)} new missing, {len(kept)} old shown"
            found.fault("edit", edit.path, said)


def _rules(guides: Guides) -> dict[tuple[str, str], tuple[AppliedGuide, ProjectRule]]:
    """(path, words) of each rule, and the guide it is of."""
    return {(rule.path, rule.text): (guide, rule) for guide in guides for rule in guide.rules}
