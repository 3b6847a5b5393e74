"""From facts in order to what holds now: what belongs together becomes one fact, the last word.

A failure is closed by a later success of the same command, or of one that covers it; an edit adds
to those before it; a task list written anew replaces the old one; a value or a decision that was
taken back leaves. Bringing facts together twice gives the same as once, so digests can be folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from loom.compress.digest.takeback import standing_words
from loom.compress.worth.file_names import FileNames
from loom.reduce.commands import covers, parsed, targets_in
from loom.reduce.deeds import DELETED, LOST, REVERTED
from loom.reduce.verdict import DONE, PASSES, failed
from loom_partitions.message import Fact

SWAPS = 64  # replacements of one file that are remembered; with more it is not seen to be undone
PAGES = 4  # names kept of one thing, the newest
NAMES = 200  # names that are carried
FAILED_BEFORE, PASSED_BEFORE = "; failed before", "; passed before"
FILES = ("edit", "write", "read")

_DELTA = re.compile(r"\+(\d+) −(\d+)")


class Key(NamedTuple):
    """What facts have in common that are brought together."""

    kind: str
    about: str


def brought_together(facts: Iterable[Fact]) -> list[Fact]:
    """What holds of facts that come in order, each where it was said or done last."""
    files = FileNames()
    found: dict[Key, Fact] = {}
    facts = list(facts)
    for fact in facts:
        if fact.kind == "task" or (fact.kind == "name" and not fact.text):
            continue
        key = _key(fact, files)
        before = found.pop(key, None)
        found[key] = MERGED.get(fact.kind, _latest)(before, fact) if before else fact
    held = standing_words(list(found.values()))
    return [*_open(_newest(held)), *_tasks(fact for fact in facts if fact.kind == "task")]


def as_it_is(facts: Sequence[Fact], later: Sequence[Fact]) -> list[Fact]:
    """The facts with what entries that stay in the window (`later`) make of them.

    Nothing is added: what those entries say stands in the window itself.
    """
    files = FileNames()
    mine = {_key(fact, files): fact for fact in facts}
    together = brought_together(sorted((*facts, *later), key=lambda fact: fact.at))
    kept = []
    for fact in together:
        one = mine.get(_key(fact, files))
        if fact.kind == "task":
            kept.append(fact)
        elif one is not None:
            # How often, and how much, is said of what left: the rest can be seen.
            came = one.came if fact.kind in FILES else fact.came
            kept.append(replace(fact, times=one.times, came=came))
    if any(fact.kind == "task" and fact.about == "*" for fact in later):
        kept = [fact for fact in kept if fact.kind != "task"]  # the list stands there
    return _covered(kept, [fact for fact in together if fact.kind == "ran"])


def _key(fact: Fact, files: FileNames) -> Key:
    if fact.kind in FILES:
        lost = " (lost)" if fact.came == LOST else ""
        return Key(fact.kind, files.name(fact.about or fact.text) + lost)
    if fact.kind == "error":
        return Key("error", f"{fact.about}\n{fact.text}")
    if fact.kind in ("ran", "call"):
        return Key(fact.kind, fact.about or fact.text)
    if fact.kind in ("heading", "code"):
        return Key(fact.kind, f"{fact.at} {fact.about}")
    if fact.kind in ("user", "rule", "question"):
        return Key("said", " ".join(fact.text.split()))
    if fact.kind in ("name", "more"):
        return Key(fact.kind, fact.text if fact.kind == "more" else "")
    return Key(fact.kind, fact.text)


def _latest(before: Fact, now: Fact) -> Fact:
    return now


def _ran(before: Fact, now: Fact) -> Fact:
    came = base_of(now.came)
    if failed(came):
        passed = base_of(before.came) in (PASSES, DONE) or before.came.endswith(PASSED_BEFORE)
        came += PASSED_BEFORE if passed else ""
    elif failed(before.came) or before.came.endswith(FAILED_BEFORE):
        came += FAILED_BEFORE
    return _again(before, replace(now, came=came))


def _edit(before: Fact, now: Fact) -> Fact:
    swaps = _composed((*(before.refs or "?").split(), *(now.refs or "?").split()))
    if before.kind == "edit" and now.came not in (REVERTED, DELETED) and not swaps:
        now = replace(now, came=REVERTED)
    if now.came in (REVERTED, DELETED):
        return replace(now, times=before.times + now.times, refs="")
    one, two = _DELTA.search(before.came), _DELTA.search(now.came)
    if one and two:
        added, removed = (int(one[n]) + int(two[n]) for n in (1, 2))
        now = replace(now, came=f"+{added} −{removed}")
    elif one:
        now = replace(now, came=before.came)
    return replace(
        now,
        times=before.times + now.times,
        refs=" ".join(["?", *swaps][-SWAPS:] if len(swaps) >= SWAPS else swaps),
    )


def _composed(swaps: Iterable[str]) -> list[str]:
    """What is left of replacements in order: `a>b` and then `b>a` leave nothing."""
    left: list[str] = []
    for swap in swaps:
        old, _, new = swap.partition(">")
        before = next((one for one in left if one.endswith(f">{old}")), "")
        if before:
            left.remove(before)
            old = before.partition(">")[0]
        if old != new or swap == "?":
            left.append(f"{old}>{new}" if new else swap)
    return left


def _again(before: Fact, now: Fact) -> Fact:
    """The newer fact, with how often it was in all and the newest names of both."""
    mine = now.refs.split()
    names = [*(name for name in before.refs.split() if name not in mine), *mine]
    return replace(now, times=before.times + now.times, refs=" ".join(names[-PAGES:]))


def _names(before: Fact, now: Fact) -> Fact:
    mine = now.text.split()
    seen = set(mine)
    names = [*(name for name in before.text.split() if name not in seen), *mine]
    return replace(now, text=" ".join(names[-NAMES:]))


def _counted(before: Fact, now: Fact) -> Fact:
    return replace(now, times=before.times + now.times)


MERGED: dict[str, Callable[[Fact, Fact], Fact]] = {
    "ran": _ran,
    "edit": _edit,
    "write": _again,
    "read": _again,
    "call": _again,
    "name": _names,
    "more": _counted,
}


def base_of(came: str) -> str:
    """What came of the last run, without what came of those before."""
    return came.partition(";")[0]


def _open(facts: list[Fact]) -> list[Fact]:
    """The facts without the errors that a later success, or a later failure, took the place of."""
    newest: dict[str, int] = {}
    for fact in facts:
        if fact.kind == "ran" or fact.kind == "call":
            newest[fact.about] = fact.at + (not failed(fact.came))
        elif fact.kind in FILES and fact.came != LOST:
            newest[f"{fact.kind} {fact.about}"] = fact.at + 1
    for fact in facts:
        if fact.kind == "error":
            newest[fact.about] = max(newest.get(fact.about, 0), fact.at)
    return [f for f in facts if f.kind != "error" or f.at >= newest[f.about]]


def _newest(facts: list[Fact]) -> list[Fact]:
    """The facts, of a plan in prose and of a client's summary the newest alone."""
    last = dict.fromkeys(("plan", "told"), 0)
    last |= {fact.kind: fact.at for fact in facts if fact.kind in last}
    return [fact for fact in facts if fact.at >= last.get(fact.kind, 0)]


def _covered(facts: list[Fact], runs: Sequence[Fact]) -> list[Fact]:
    """Failures that a later success of a wider command closes are told so, and their errors leave;
    so does an error of which a later success of a narrower command speaks."""
    passed = [(parsed(run.about), run) for run in runs if base_of(run.came) in (PASSES, DONE)]
    if not passed:
        return facts
    done = []
    for fact in facts:
        if fact.kind not in ("ran", "error") or (fact.kind == "ran" and not failed(fact.came)):
            done.append(fact)
            continue
        mine = parsed(fact.about)
        wider = next((r for c, r in passed if r.at > fact.at and covers(c, mine)), None)
        if fact.kind == "ran":
            came = f"{PASSES} in `{wider.text}`{FAILED_BEFORE}" if wider else fact.came
            done.append(replace(fact, came=came, at=wider.at if wider else fact.at))
        elif wider is None and not any(
            run.at > fact.at and covers(mine, command) and targets_in(command, fact.text)
            for command, run in passed
        ):
            done.append(fact)
    return done


def _tasks(facts: Iterable[Fact]) -> list[Fact]:
    """The items of a task list as they are now, under the sign that it was written whole."""
    whole: Fact | None = None
    items: dict[str, Fact] = {}
    for fact in facts:
        if fact.about == "*":
            whole, items = fact, {}
        elif fact.about not in items:
            items[fact.about] = fact
        else:
            before = items[fact.about]
            items[fact.about] = replace(
                before, text=fact.text or before.text, came=fact.came or before.came
            )
    left = [item for item in items.values() if item.came != "gone"]
    return [whole, *left] if whole else left
