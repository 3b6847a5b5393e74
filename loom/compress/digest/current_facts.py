"""From facts in order to facts that hold now: facts that belong together become one, the last word.

A later success of the same command, or of its program on everything, closes a failure; an edit adds
to the edits before it; a task list written anew replaces the old one. Merging twice gives the same
as merging once, so digests can be folded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from loom.compress.digest.check_facts import (
    FAILED_BEFORE,
    PASSED_BEFORE,
    close_failures,
    is_check_fact,
    last_outcome,
    outcome_with_rerun_note,
    rerun_note,
    without_rerun_note,
)
from loom.compress.digest.entry_facts import AT, FILES, entry_name_of
from loom.compress.worth.file_names import FileNames
from loom.lazy import lazy_re
from loom.reduce.result_facts import LOST, REVERTED, TOUCHED
from loom.reduce.verdict import DONE, PASSES, STARTED, UNKNOWN, is_failed
from loom_partitions.message import Fact

SWAPS = 64  # replacements of one file that are remembered; with more it is not seen to be undone
PAGES = 8  # names kept of one thing, the newest
NAMES = 200  # names, and ids, that are carried
USED = 40  # ids that are known to have been used by a call
QUOTES = '-*•"“” '  # around what a summary quotes
# Kinds in journals of earlier versions: what a command did to a file, that it committed, that a
# failure was over.
FORMER = ("undo", "commit", "closed")
APART = ("task", *FORMER)  # kinds that no key is for
SAID = ("user", "rule", "question")
ALONE = 20  # characters of a sentence that is understood without those beside it

_DELTA = lazy_re(r"\+(\d+) −(\d+)")


Key = tuple[str | int, ...]  # what facts have in common that become one; () of what never does


def merge_facts(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts that hold now, with facts about the same thing merged. `facts` are oldest
    first. (A fact is something an entry tells, such as a command with its outcome.)"""
    listed, files = list(facts), FileNames()
    found = _merge_by_key((_merge_key(fact, files), fact) for fact in listed)
    return [*_without_outdated(found).values(), *_current_tasks(listed)]


def _merge_by_key(facts: Iterable[tuple[Key, Fact]]) -> dict[Key, Fact]:
    """Return one fact for each key. MERGED has a function for each kind, to merge facts with equal
    keys; without a function the later fact replaces the earlier. Facts with key () are dropped."""
    found: dict[Key, Fact] = {}
    for key, fact in facts:
        before = found.pop(key, None)
        merge = before and MERGED.get(fact.kind)
        found[key] = merge(before, fact) if before and merge else fact
    found.pop((), None)
    return found


def _current_tasks(facts: Iterable[Fact]) -> list[Fact]:
    """Return one fact for each item of the current task list, after a fact with `about` "*" if a
    call wrote the whole list."""
    whole: Fact | None = None
    items: dict[str, Fact] = {}
    for fact in facts:
        if fact.kind != "task":
            continue
        if fact.about == "*":
            whole, items = fact, {}
        elif fact.about in items:
            before = items[fact.about]
            text, came = fact.text or before.text, fact.came or before.came
            # Dated anew: a change that stands in the window may be older than one that left.
            items[fact.about] = replace(before, text=text, came=came, at=fact.at)
        else:
            items[fact.about] = fact
    left = [item for item in items.values() if item.came != "gone"]
    left.sort(key=lambda item: int(item.about) if item.about.isdigit() else 0)
    return [whole, *left] if whole else left


def update_facts(facts: Sequence[Fact], later: Sequence[Fact]) -> list[Fact]:
    """Return `facts`, from entries that leave the window, brought up to date by the facts `later`,
    from entries that stay. The facts in `later` are not returned."""
    known, files, theirs = sorted((*facts, *later), key=AT), FileNames(), set(map(id, later))
    keyed = [(_merge_key(fact, files), fact) for fact in known]
    mine = {key: fact for key, fact in keyed if id(fact) not in theirs}
    found = _merge_by_key(keyed)
    kept = [
        now if now is mine[key] else _updated_fact(mine[key], now)
        for key, now in _without_outdated(found).items()
        if key in mine
    ]
    if not any(fact.kind == "task" and fact.about == "*" for fact in later):
        kept += _current_tasks(known)  # else the list stands there
    return close_failures(kept, [fact for fact in found.values() if fact.kind == "ran"])


def _updated_fact(one: Fact, now: Fact) -> Fact:
    """Return the fact `one` brought up to date by the merged fact `now`. The counts and sizes of
    changes stay the same, because the window still shows the later changes."""
    if now.kind in SAID:
        return one
    if now.kind in FILES and now.came != REVERTED:
        return replace(now, times=one.times, came=one.came, at=one.at)
    return replace(now, times=one.times)


def _merge_key(fact: Fact, files: FileNames) -> Key:
    """Return the key of a fact, equal for facts about the same thing. () is the key of a fact of a
    task list."""
    kind = fact.kind
    if kind in FILES:
        return kind, files.name(fact.about or fact.text), fact.came == LOST
    if kind == "ran" or kind == "call":
        return kind, fact.about or fact.text
    if kind in SAID:
        # A short one ("No.") says something only beside what it answers: it stays in its place.
        return "said", fact.text if len(fact.text) >= ALONE else id(fact)
    if kind == "error":
        return kind, fact.about, fact.text
    if kind == "heading" or kind == "code":
        return kind, fact.at, fact.about
    if kind in APART:
        return ()
    return (kind,) if kind == "id" else (kind, fact.text)


def _merge_runs(before: Fact, now: Fact) -> Fact:
    """Return one fact for two runs of the same command, with a note of an opposite earlier outcome
    or of a later outcome that nobody saw."""
    came = last_outcome(now.came)
    if is_failed(before.came) and came in (UNKNOWN, STARTED, LOST):
        return _merge_calls(now, replace(before, came=outcome_with_rerun_note(before, now)))
    if is_failed(came):
        earlier = without_rerun_note(before.came)
        passed = last_outcome(earlier) in (PASSES, DONE) or earlier.endswith(PASSED_BEFORE)
        came += (PASSED_BEFORE if passed else "") + rerun_note(now.came)
    elif is_failed(before.came) or before.came.endswith(FAILED_BEFORE):
        came += FAILED_BEFORE
    return _merge_calls(before, replace(now, came=came))


def _merge_edits(before: Fact, now: Fact) -> Fact:
    """Return two edits of one file as one fact with their summed counts. The outcome is REVERTED if
    the replacements undo each other."""
    swaps = _net_swaps((*(before.refs or "?").split(), *(now.refs or "?").split()))
    if not swaps:
        return replace(now, times=before.times + now.times, came=REVERTED, refs="")
    one, two = _DELTA.search(before.came), _DELTA.search(now.came)
    if one and two:
        added, removed = (int(one[n]) + int(two[n]) for n in (1, 2))
        now = replace(now, came=f"+{added} −{removed}")
    elif now.came == TOUCHED and before.times:
        first = before.came.partition(", then ")[0]
        now = replace(now, came=f"{first}, then {now.came}" if first else now.came)
    return replace(
        now,
        times=before.times + now.times,
        refs=" ".join(["?", *swaps][-SWAPS:] if len(swaps) >= SWAPS else swaps),
    )


def _net_swaps(swaps: Iterable[str]) -> list[str]:
    """Return the replacements, each a string `old>new`, without those that undo each other: `a>b`,
    `b>a` → []; `a>b`, `b>c` → [`a>c`]."""
    left: list[str] = []
    for swap in swaps:
        old, _, new = swap.partition(">")
        before = next((one for one in left if one.endswith(f">{old}")), "")
        if before:
            left.remove(before)
            old = before.partition(">")[0]
        if old != new or not new:
            left.append(f"{old}>{new}" if new else swap)
    return left


def _merge_repeats(before: Fact, now: Fact) -> Fact:
    """Return `now` with the sum of both counts, and with the newest page names of both facts."""
    refs = _newest_words(before.refs, now.refs, PAGES)
    return replace(now, times=before.times + now.times, refs=refs)


def _merge_calls(before: Fact, now: Fact) -> Fact:
    """Return one fact for two equal calls or commands, with the sum of their counts and their
    newest page names."""
    pages = [name for name in before.refs.split() if not name.startswith("step_")]
    own = now.refs
    if pages and not own and now.at and not is_check_fact(now):
        own = entry_name_of(now)
    return _merge_repeats(replace(before, refs=" ".join(pages)), replace(now, refs=own))


def _newest_words(before: str, now: str, most: int) -> str:
    """Return the last `most` words of two texts, each word once: ("a b", "b c") → "a b c"."""
    mine, seen = now.split(), set(now.split())
    return " ".join([*(word for word in before.split() if word not in seen), *mine][-most:])


def _merge_ids(before: Fact, now: Fact) -> Fact:
    """Return one fact with the ids of both facts, the newest last."""
    text = _newest_words(before.text, now.text, NAMES)
    return replace(now, text=text, refs=_newest_words(before.refs, now.refs, USED))


def _merge_counts(before: Fact, now: Fact) -> Fact:
    """Return the newer fact, with the sum of both counts."""
    return replace(now, times=before.times + now.times)


MERGED: dict[str, Callable[[Fact, Fact], Fact]] = {
    "ran": _merge_runs,
    "edit": _merge_edits,
    "write": _merge_repeats,
    "read": _merge_repeats,
    "call": _merge_calls,
    "id": _merge_ids,
    "more": _merge_counts,
}


def _without_outdated(found: dict[Key, Fact]) -> dict[Key, Fact]:
    """Return the facts without those that no longer hold, such as an error whose call later
    succeeded. Sentences of a client summary that repeat the user's words are dropped too."""
    of: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in found.values():
        of[fact.kind].append(fact)
    over = _recovered_error_ids(found.values(), of["error"]) if of["error"] else set[int]()
    over |= _settled_deed_ids([fact for kind in FILES for fact in of[kind]])
    for kind in ("plan", "told"):
        over |= {id(fact) for fact in of[kind] if fact.at < of[kind][-1].at}
    if of["told"]:
        said = {fact.text for kind in SAID for fact in of[kind]}
        over |= {id(fact) for fact in of["told"] if fact.text.strip(QUOTES) in said}
    return {key: fact for key, fact in found.items() if id(fact) not in over} if over else found


def _recovered_error_ids(facts: Iterable[Fact], errors: Sequence[Fact]) -> set[int]:
    """Return the Python `id()` of each error fact whose call later succeeded or failed again."""
    newest = {fact.about: 0 for fact in errors}
    for fact in facts:
        kind = fact.kind
        if kind == "ran" or kind == "call":
            if fact.about in newest:
                newest[fact.about] = fact.at + (not is_failed(fact.came))
        elif kind in FILES and fact.came != LOST and (name := f"{kind} {fact.about}") in newest:
            newest[name] = fact.at + 1
    for fact in errors:
        newest[fact.about] = max(newest[fact.about], fact.at)
    return {id(fact) for fact in errors if fact.at < newest[fact.about]}


def _settled_deed_ids(files: Sequence[Fact]) -> set[int]:
    """Return the Python `id()` of each file fact whose call got no result, if the same file was
    read or changed later."""
    lost = [fact for fact in files if fact.came == LOST]
    seen: dict[str, int] = {}
    for fact in files if lost else ():
        if fact.came != LOST:
            seen[fact.about] = max(seen.get(fact.about, 0), fact.at)
    return {id(fact) for fact in lost if fact.at < seen.get(fact.about, 0)}
