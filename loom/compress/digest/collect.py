"""The facts of entries, each with the entry it is of, in the order in which they came."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from loom.reduce.aliases import READ
from loom.reduce.files import span_of
from loom_partitions.message import Digest, Entry, Fact, Step, UserTurn, name_of

SPOKEN = ("user", "rule", "question", "heading", "code", "told", "observation")
TYPED = ("user", "rule", "question", "heading", "code")
LATEST = "the latest up to here"  # what marks the message that says what is asked for now
# Names the window itself gives: to list them among the names of the work would be noise.
_OWN = re.compile(
    r"(?:user|step|digest|read|shell|search|list|edit|write|page|tool|message|text)_\d{3,}"
)


def collected(entries: Iterable[Entry]) -> list[Fact]:
    """All facts, oldest first; a digest's stand where the entries it stands for stood."""
    found = [fact for entry in entries for fact in _facts(entry)]
    return sorted(found, key=lambda fact: fact.at)


def name_at(fact: Fact) -> str:
    """The name of the entry a fact is of, "" when it is not known."""
    if not fact.at:
        return ""
    return f"{'user' if fact.kind in SPOKEN else 'step'}_{fact.at:04d}"


def latest_marked(facts: Sequence[Fact], later: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts to be shown, those of the user's latest message marked; none where a later one
    stands in the window."""
    said = max((fact.at for fact in facts if fact.kind in TYPED), default=0)
    if not said or any(fact.kind in TYPED and fact.at > said for fact in later):
        return tuple(facts)
    return tuple(
        replace(fact, came=LATEST) if fact.at == said and fact.kind in TYPED else fact
        for fact in facts
    )


def _facts(entry: Entry) -> Iterator[Fact]:
    # What Loom put there itself repeats what is known; only what it counts as a result says more.
    own = isinstance(entry, UserTurn) and bool(entry.source)
    spans = _spans(entry) if isinstance(entry, Step) else {}
    for fact in entry.facts:
        if fact.kind == "name":
            left = " ".join(name for name in fact.text.split() if not _OWN.fullmatch(name))
            fact = replace(fact, text=left)
        elif fact.kind == "read" and not isinstance(entry, Digest):
            # One without a page is found by the name of its step.
            span = spans.get(fact.refs, "")
            refs = fact.refs or name_of(entry)
            fact = replace(fact, refs=f"{refs}({span})" if span else refs)
        if isinstance(entry, Digest):
            yield fact
        elif not (own and fact.kind in SPOKEN):
            yield replace(fact, at=entry.id)


def _spans(step: Step) -> dict[str, str]:
    """The lines that the pages of partial reads hold, by the name of the page."""
    made = (outcome.reduction for outcome in step.outcomes)
    spans = {
        one.outcome_ref.rpartition("/")[2].partition(".")[0]: span_of(one.minimal_args)
        for one in made
        if one.tool == READ and one.outcome_ref
    }
    return {name: span for name, span in spans.items() if span}
