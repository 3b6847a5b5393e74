"""Entries without the names of pages that were retired since.

A digest keeps more facts than it shows, and the next one may show them; a step that is lowered
names the page of its result. What can no longer be brought back is then found by the name of its
entry alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from loom_partitions.message import Entry, Fact, Outcome, Step


def without_retired(entries: Sequence[Entry], retired: Collection[str]) -> tuple[Entry, ...]:
    """The entries, their facts and results less the names of `retired` pages (given in full)."""
    if not retired:
        return tuple(entries)
    stems = {name.rpartition("/")[2].partition(".")[0] for name in retired}
    return tuple(_without(entry, retired, stems) for entry in entries)


def _without(entry: Entry, retired: Collection[str], stems: set[str]) -> Entry:
    facts = tuple(_less(fact, stems) for fact in entry.facts)
    if facts != entry.facts:
        entry = replace(entry, facts=facts)
    if isinstance(entry, Step):
        outcomes = tuple(_unnamed(outcome, retired) for outcome in entry.outcomes)
        if outcomes != entry.outcomes:
            entry = replace(entry, outcomes=outcomes)
    return entry


def _unnamed(outcome: Outcome, retired: Collection[str]) -> Outcome:
    """The outcome, its page named by no line; it goes on showing the page it stands for."""
    made = outcome.reduction
    if made.outcome_ref not in retired:
        return outcome
    return replace(outcome, reduction=replace(made, outcome_ref=""))


def _less(fact: Fact, stems: set[str]) -> Fact:
    names = fact.refs.split()
    kept = [name for name in names if name.partition("(")[0] not in stems]
    return fact if len(kept) == len(names) else replace(fact, refs=" ".join(kept))
