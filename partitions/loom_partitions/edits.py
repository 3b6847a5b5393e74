"""Edits: what a cut does to the stream, as data. Only `window.apply` carries edits out.

A digest repeats most facts of the digest that it replaces. So the journal records the facts of a
folded digest as runs of the earlier digests' facts (`FactRuns`), with only the new facts in full:
repeated facts would otherwise be most of what a long journal holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import (
    Call,
    Detail,
    Digest,
    Entry,
    Fact,
    Item,
    Notice,
    Part,
    Said,
    Step,
    Text,
    Thought,
    UserTurn,
)

FRESH = -1


class FactRuns(Struct, frozen=True, array_like=True):
    """A sequence of facts, stored by reference to an earlier sequence of facts that it mostly
    repeats.

    Each run is a pair of numbers. (first, count) means `count` facts of the earlier sequence, from
    index `first` on. (FRESH, count) means the next `count` facts of `fresh`."""

    runs: tuple[tuple[int, int], ...]
    fresh: tuple[Fact, ...]


def facts_as_runs(facts: Sequence[Fact], before: Sequence[Fact]) -> FactRuns:
    """Return `facts` as a FactRuns that refers to the facts in `before`."""
    before = tuple(before)
    places = {fact: at for at, fact in reversed([*enumerate(before)])}
    runs: list[tuple[int, int]] = []
    fresh: list[Fact] = []
    for fact in facts:
        at = places.get(fact, FRESH)
        first, count = runs[-1] if runs else (0, 0)
        if first == FRESH == at:
            runs[-1] = FRESH, count + 1
        elif count and first != FRESH and before[first + count : first + count + 1] == (fact,):
            runs[-1] = first, count + 1
        else:
            runs.append((at, 1))
        if runs[-1][0] == FRESH:
            fresh.append(fact)
    return FactRuns(tuple(runs), tuple(fresh))


def facts_from_runs(told: FactRuns, before: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts that the FactRuns `told` describes. `before` must be the sequence given to
    `facts_as_runs`. Raises ValueError when it does not fit."""
    facts: list[Fact] = []
    fresh = 0
    for first, count in told.runs:
        if first == FRESH:
            facts += told.fresh[fresh : fresh + count]
            fresh += count
        else:
            facts += before[first : first + count]
    if len(facts) != sum(count for _, count in told.runs) or fresh != len(told.fresh):
        raise ValueError(f"{len(facts)} facts where {told.runs} tells of others")
    return tuple(facts)


Where = Literal["user", "said", "call", "result", "beside"]


class Shortened(Struct, frozen=True, tag="shortened"):
    """Edit: one text of the entry with the id `entry` is replaced by `text`, a shorter form that
    names the page with the whole.

    `where` and `at` choose the text:

    - "user": the text of a user turn; `at` is 0.
    - "said" and "call": part number `at` of a step's reply. For a call, `text.body` holds the new
      arguments, and `text.tokens` counts the whole call.
    - "result": result number `at` of a step.
    - "beside": number `at` of the texts shown after the results; removed if its new body is ""."""

    entry: int
    where: Where
    at: int
    text: Text


class Lowered(Struct, frozen=True, tag="lowered"):
    """Edit: the entry with the id `entry` is shown as the single text `line`, of `tokens` tokens.
    `detail` is its new level of detail, REDUCED or COMPACT. For a digest `line` is its new text."""

    entry: int
    detail: Detail
    line: str
    tokens: int


class Folded(Struct, frozen=True, omit_defaults=True, tag="folded"):
    """Edit: the entries `first` to `last`, except those in `kept`, are replaced by the `digest`.

    In the journal, the facts of the digest may be in `drawn` instead (see `edits_for_journal`)."""

    first: int
    last: int
    digest: Digest
    kept: tuple[int, ...] = ()
    drawn: FactRuns | None = None

    def takes(self, entry: int) -> bool:
        """Return True when this edit removes the entry with the id `entry` from the stream."""
        return self.first <= entry <= self.last and entry not in self.kept


Edit = Shortened | Lowered | Folded


def edits_for_journal(edits: tuple[Edit, ...], items: Iterable[Item]) -> tuple[Edit, ...]:
    """Return the edits as the journal stores them: new digests refer to the facts of the digests
    that they replace instead of repeating them. `items` is the stream before the edits."""
    standing = [item for item in items if isinstance(item, Digest)]
    return tuple(
        replace(edit, digest=replace(edit.digest, facts=()), drawn=told)
        if isinstance(edit, Folded)
        and edit.drawn is None
        and (
            told := facts_as_runs(edit.digest.facts, _facts_of_folded_digests(edit, standing))
        ).runs
        else edit
        for edit in edits
    )


def _facts_of_folded_digests(fold: Folded, items: Iterable[Item]) -> tuple[Fact, ...]:
    """Return the facts of all digests among `items` that a Folded edit removes, in order."""
    left = (item for item in items if isinstance(item, Digest) and fold.takes(item.id))
    return tuple(fact for digest in left for fact in digest.facts)


def _digest_with_facts(fold: Folded, items: Iterable[Item]) -> Digest:
    """Return a Folded edit's digest with all its facts; `items` is the stream before the edit."""
    if fold.drawn is None:
        return fold.digest
    return replace(
        fold.digest, facts=facts_from_runs(fold.drawn, _facts_of_folded_digests(fold, items))
    )


def apply_edits(
    items: Iterable[Item], edits: tuple[Edit, ...], start: int, thinking: int = 0
) -> list[Item]:
    """Return the items of a stream after a cut made these edits.

    Items before index `start` stay as they are. From `start` on, all notices are removed, and all
    reasoning that depends on earlier text. The step with the id `thinking` (0 for none) keeps its
    reasoning. A digest takes the place of the first entry that it replaces."""
    shortened: dict[int, list[Shortened]] = {}
    lowered: dict[int, Lowered] = {}
    items = [*items]
    folds = sorted((e for e in edits if isinstance(e, Folded)), key=lambda fold: fold.first)
    for edit in edits:
        if isinstance(edit, Shortened):
            shortened.setdefault(edit.entry, []).append(edit)
        elif isinstance(edit, Lowered):
            lowered[edit.entry] = edit
    open_folds: list[Folded] = []
    done: list[Item] = []
    for number, item in enumerate(items):
        if number < start:
            done.append(item)
            continue
        if isinstance(item, Notice):
            continue
        while folds and item.id >= folds[0].first:
            fold = folds.pop(0)
            open_folds.append(fold)
            done.append(_digest_with_facts(fold, items))
        if any(fold.takes(item.id) for fold in open_folds):
            continue
        # The text before it has changed. The provider demands the reasoning of step `thinking`.
        if isinstance(item, Step) and item.id != thinking:
            item = without_text_bound_thoughts(item)
        done.append(_apply_to_entry(item, shortened.get(item.id, ()), lowered.get(item.id)))
    done.extend(_digest_with_facts(left, items) for left in folds)
    return done


def _apply_to_entry(entry: Entry, texts: Iterable[Shortened], line: Lowered | None) -> Entry:
    """Return an entry after its edits: `line` replaces all its text; without `line`, each edit in
    `texts` shortens one text."""
    if isinstance(entry, Digest):
        return replace(entry, text=line.line, tokens=line.tokens) if line else entry
    if line is not None:
        return _lower(entry, line)
    for edit in texts:
        entry = _shorten(entry, edit)
    if isinstance(entry, Step) and entry.beside:
        return replace(entry, beside=tuple(one for one in entry.beside if one.text.body))
    return entry


def _lower(entry: UserTurn | Step, edit: Lowered) -> UserTurn | Step:
    """Return the entry shown as one line: its texts are emptied, its facts stay."""
    form = {"detail": edit.detail, "line": edit.line, "tokens": edit.tokens}
    if isinstance(entry, UserTurn):
        return replace(entry, text=replace(entry.text, body="", tokens=0), **form)
    outcomes = tuple(
        replace(outcome, text=replace(outcome.text, body="", tokens=0))
        for outcome in entry.outcomes
    )
    calls = tuple(replace(call, arguments="", tokens=0) for call in entry.calls)
    return replace(entry, parts=calls, outcomes=outcomes, beside=(), **form)


def _shorten(entry: UserTurn | Step, edit: Shortened) -> UserTurn | Step:
    """Return an entry with one text shortened. Raises TypeError for an edit of reasoning."""
    text, at, changes = edit.text, edit.at, dict[str, Any]()
    was: Text | Call
    if isinstance(entry, UserTurn):
        was, changes["text"] = entry.text, text
    elif edit.where in ("result", "beside"):
        field = "outcomes" if edit.where == "result" else "beside"
        one = getattr(entry, field)[at]
        was, changes[field] = (
            one.text,
            _with_item_at(getattr(entry, field), at, replace(one, text=text)),
        )
    else:
        part: Part = entry.parts[at]
        if isinstance(part, Call):
            was, arguments = part, text.body or ""
            part = replace(part, arguments=arguments, tokens=text.tokens, page=text.page)
        elif isinstance(part, Said):
            was, part = part.text, Said(text)
        else:
            raise TypeError(f"entry {entry.id}: part {at} is reasoning, which is never shortened")
        changes["parts"] = _with_item_at(entry.parts, at, part)
    tokens = entry.tokens + text.tokens - was.tokens
    return replace(entry, tokens=tokens, detail=Detail.SNIPPED, **changes)


def without_text_bound_thoughts(step: Step) -> Step:
    """Return the step with an empty Thought for each thought that depends on earlier text."""
    # Removed parts leave an empty Thought, so that the other parts keep their numbers.
    bound = {
        at: part
        for at, part in enumerate(step.parts)
        if isinstance(part, Thought) and not part.unbound
    }
    spent = sum(part.tokens for part in bound.values())
    if not spent and not any(part.opaque for part in bound.values()):
        return step
    parts = tuple(Thought() if at in bound else part for at, part in enumerate(step.parts))
    return replace(step, parts=parts, tokens=step.tokens - spent)


def _with_item_at(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])
