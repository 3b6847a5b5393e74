"""One request held against the disk: which rules are in force, what is said that is not so.

A rule is in force where the text that stands last for its guide, or for the file it is imported
from, has all its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from msgspec import Struct, field

from benchmarks.guides.disk import AppliedGuide, ProjectRule, rules_of
from benchmarks.guides.edits import GuideEdit
from benchmarks.guides.shown import ShownGuides

BUDGET = 32 * 1024  # bytes of guides, the default of Codex, which Loom has too: for the chain, and
# once more for what joined
TOLD = 1 / 8  # of the room: lines on conflicts, on where the rest of a guide is
TEXTS_KEPT = 4_096
HEADING = "# Memory: {path}\n\n\n\n\n"  # stands above each file, and the lines that part it

Count = Callable[[str], int]
PageIn = Callable[[str], str]


class GuideRoom(Struct, frozen=True):
    """The tokens a window has for guides, and how they are counted."""

    tokens: int
    count: Count

    def fits(self, guides: Iterable[AppliedGuide]) -> bool:
        """True when all of the guides stand whole, and leave room for what is told of them."""
        return self.needed(guides) <= self.tokens * (1 - TOLD)

    def needed(self, guides: Iterable[AppliedGuide]) -> int:
        """The tokens guides take whole, each file under a heading that says where it is from."""
        texts = [text for one in guides for text in (one.text, *map(_headed, one.files))]
        return sum(map(self.count, texts))


def within_bytes(guides: Iterable[AppliedGuide]) -> bool:
    """True when the chain takes no more bytes than guides may, and what joined does not either."""
    sizes = {True: 0, False: 0}
    for one in guides:
        sizes[one.standing] += len(one.text.encode()) + 2
    return max(sizes.values()) <= BUDGET


class CheckedRequest(Struct):
    """Counts of one request by name, and its faults, each (kind, path, what)."""

    fits: bool
    counts: dict[str, float] = field(default_factory=dict)
    faults: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, by: float = 1) -> None:
        """Count something."""
        self.counts[name] = self.counts.get(name, 0) + by

    def fault(self, kind: str, path: str, what: str) -> None:
        """Note a fault."""
        self.faults.append((kind, path, what))


def check_rules(
    shown: ShownGuides, guides: Sequence[AppliedGuide], room: GuideRoom
) -> CheckedRequest:
    """The rules that are in force, of those of the guides that apply."""
    found = CheckedRequest(room.fits(guides) and within_bytes(guides))
    for guide in guides:
        for rule in guide.rules:
            stands = in_force(shown, guide, rule)
            found.add("rules")
            found.add("in_force", stands)
            if found.fits:
                found.add("fit_rules")
                found.add("fit_in_force", stands)
                if not stands:
                    where = f"line {rule.line}: {rule.text[:80]}"
                    found.fault("missing", rule.path, f"{where} (of {guide.path})")
    found.add("guide_tokens", sum(map(room.count, shown.every)))
    return found


def check_ways_back(
    found: CheckedRequest, shown: ShownGuides, guides: Sequence[AppliedGuide], page_in: PageIn
) -> None:
    """Follow what is named for each guide of which something is missing."""
    for guide in guides:
        missing = [rule for rule in guide.rules if not in_force(shown, guide, rule)]
        if not missing:
            continue
        found.add("cut_guides")
        back = set[str]()
        for ref in dict.fromkeys(page for path in guide.files for page in shown.pages(path)):
            back |= _words(page_in(ref))
        found.add("missing_rules", len(missing))
        got = [rule for rule in missing if rule.text in back]
        found.add("back_by_page", len(got))
        in_file = len(missing) - len(got) if shown.in_file(guide.path) else 0
        found.add("back_by_file", in_file)
        if len(got) + in_file == len(missing):
            found.add("named_guides")
        else:
            lost = len(missing) - len(got) - in_file
            found.fault("unnamed", guide.path, f"{lost} of {len(guide.rules)} rules, nothing named")


def check_stale(
    found: CheckedRequest, shown: ShownGuides, guides: Sequence[AppliedGuide], known: set[str]
) -> None:
    """Count the rules shown as in force that do not apply; `known` are all there ever were."""
    own = {rule.text for guide in guides for rule in guide.rules}
    stale = {
        (path, words)
        for path, text in shown.texts.items()
        for words in _words(text)
        if words in known and words not in own
    }
    found.add("stale", len(stale))
    for path, words in sorted(stale):
        found.fault("stale", path, words[:100])


def _headed(path: str) -> str:
    return HEADING.format(path=path)


def in_force(shown: ShownGuides, guide: AppliedGuide, rule: ProjectRule) -> bool:
    """True when the request says the rule as one of its guide, or of the file it stands in."""
    return any(rule.text in shown.reads(path) for path in {guide.path, rule.path})


@lru_cache(TEXTS_KEPT)
def _words(text: str) -> frozenset[str]:
    return frozenset(rule.text for rule in rules_of("", text))


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
