"""The laws of a window: each is a function that returns a line for each breach, [] when lawful.

The laws hold on every request. A cut is checked against them before it is applied; the tests check
them over arbitrary records, the sweep over real sessions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import json

from loom_partitions.edits import Edit, Folded, Shortened
from loom_partitions.message import Call, Digest, Entry, Notice, Step, Text, UserTurn, name_of
from loom_partitions.records import Record
from loom_partitions.state import PROTECTION
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window, fold

# All but the last, which compression touches; the tools stand in the skill partition.
PROTECTED = (*PROTECTION[:-1], "tools")
LEAST_PART = 60  # tokens of what came in beside the user's words, where not all of it fits


def paired(window: Window) -> list[str]:
    """Check that every call has exactly one result or is open, and that every result has a call.
    Return a line for each breach."""
    broken = []
    for item in window.history.stream:
        if not isinstance(item, Step):
            continue
        calls = [part.id for part in item.parts if isinstance(part, Call)]
        answered = [outcome.call_id for outcome in item.outcomes]
        if sorted(calls) != sorted([*answered, *item.open]):
            broken.append(f"step {item.id}: calls {calls}, results {answered}, open {item.open}")
        if item.open and item.id != window.history.waiting:
            broken.append(f"step {item.id}: calls {item.open} are open but nobody waits for them")
    return broken


def bounded(window: Window) -> list[str]:
    """Return a list with one line when a request exceeds the capacity, [] otherwise."""
    total, capacity = window.tokens.total, window.limits.capacity
    return [] if total <= capacity else [f"{total} tokens in a capacity of {capacity}"]


def protected(before: Window, after: Window) -> list[str]:
    """Check that a compression changed only the history. Return a line for each other partition
    whose stored state differs."""
    one, two = fingerprints(before), fingerprints(after)
    return [f"{name} changed" for name in PROTECTED if one[name] != two[name]]


def restorable(edits: Sequence[Edit], held: Callable[[str], bool]) -> list[str]:
    """Check that every text that `edits` remove can be brought back. Return a line for each that
    cannot.

    `held(ref)` must return True when the page or entry `ref` ("entry:7") can be brought back byte
    for byte."""
    broken = []
    for edit in edits:
        refs = [edit.digest.page] if isinstance(edit, Folded) else [f"entry:{edit.entry}"]
        refs += [edit.text.page] if isinstance(edit, Shortened) else []
        broken += [f"{ref} cannot be brought back" for ref in refs if not held(ref)]
    return broken


def shrinking(before: Window, after: Window) -> list[str]:
    """Return a list with one line when a cut does not make the request smaller, [] otherwise."""
    was, now = before.tokens.total, after.tokens.total
    return [] if now < was else [f"{was} tokens became {now}"]


def idempotent(window: Window, plan: Callable[[Window], Sequence[Edit]]) -> list[str]:
    """Check that `plan`, called for the window after its own edits, finds no more edits. Return a
    line for each edit that it finds."""
    return [f"planned again: {edit}" for edit in plan(window)]


def ordered(window: Window) -> list[str]:
    """Check that the ids of the entries rise and `next_id` is unused. Return a line for each
    breach."""
    broken = []
    before = last = 0
    for item in window.history.stream:
        if isinstance(item, Notice):
            continue
        # A digest stands where the first of its entries stood; some of its span may follow it.
        place = item.first if isinstance(item, Digest) else item.id
        if place <= before:
            broken.append(f"{place} follows {before}")
        before, last = place, max(last, item.id)
    if last >= window.history.next_id:
        broken.append(f"next id {window.history.next_id} is not above {last}")
    return broken


def newest(before: Window, after: Window, room: float) -> list[str]:
    """Check that a cut left the entries whole that came in since the model's last reply. Return a
    line for each entry that lost text.

    If these entries have more than `room` tokens in total, only messages typed by the user are
    checked."""
    came = before.history.stream.unanswered
    typed = [one for one in came if isinstance(one, UserTurn) and one.typed]
    others = sum(min(one.tokens, LEAST_PART) for one in came if one not in typed)
    # The user's words are not checked when they leave the others less than LEAST_PART each.
    kept = came if _token_sum(came) <= room else typed if _token_sum(typed) <= room - others else ()
    now = {entry.id: entry for entry in after.history.stream.entries}
    return [
        f"{name_of(one)} came in since the last reply, and lost what it said"
        for one in kept
        if one.id not in now or not _stands_whole(one, now[one.id])
    ]


def _token_sum(entries: Iterable[Entry]) -> int:
    return sum(entry.tokens for entry in entries)


def _stands_whole(one: UserTurn | Step, now: Entry) -> bool:
    """Return True when each incoming text of the entry `one` is unchanged in the entry's later form
    `now`, or is whole there, or shows more of its page."""
    before, after = _incoming_texts(one), _incoming_texts(now)
    pairs = zip(before, after, strict=False)
    return len(before) == len(after) and all(
        b == a or a.whole or (b.page and b.page == a.page and b.tokens < a.tokens) for b, a in pairs
    )


def _incoming_texts(entry: Entry) -> list[Text]:
    """Return the texts that came in with an entry: a message's text, or the results of a step."""
    if isinstance(entry, Step):
        return [outcome.text for outcome in entry.outcomes]
    return [] if isinstance(entry, Digest) else [entry.text]


def append_only(earlier: Sequence[bytes], later: Sequence[bytes]) -> list[str]:
    """Return a list with one line when the request `later` does not begin with all messages of the
    request `earlier`, [] otherwise. Both are lists of messages as bytes."""
    for number, (one, two) in enumerate(zip(earlier, later, strict=False)):
        if one != two:
            return [f"message {number} changed"]
    if len(later) < len(earlier):
        return [f"{len(earlier)} messages became {len(later)}"]
    return []


def renewed(before: Window, after: Window, target: int) -> list[str]:
    """Check a renewal: the request has at most `target` tokens, C_working is unchanged, the
    generation has grown by 1. Return a line for each breach."""
    broken = []
    if after.tokens.total > target:
        broken.append(f"{after.tokens.total} tokens after a renewal, target {target}")
    if after.working != before.working:
        broken.append("C_working changed")
    if after.sent.generation != before.sent.generation + 1:
        broken.append(f"generation {before.sent.generation} became {after.sent.generation}")
    return broken


def standing(
    messages: Iterable[tuple[str, str]], own: Iterable[str], headings: Iterable[str]
) -> list[str]:
    """Check that a request shows under the roles user and system only texts of the user, the host
    and Loom, and quotes. Return a line for each line of text that breaks this.

    `messages` are the (role, text) pairs of the request. `own` are the texts that are allowed.
    `headings` are the lines that Loom puts above a quote."""
    mine = {line for text in own for line in text.splitlines()} | {""}
    above = set(headings)
    broken = []
    for role, text in messages:
        quoting = False
        for line in text.splitlines() if role in ("user", "system") else ():
            quoting = line in above or (quoting and line.startswith(">"))
            if not quoting and line not in mine:
                broken.append(f"{role}: {line[:80]!r} is neither the user's nor quoted")
    return broken


def floor(before: Window, after: Window, moved: Collection[str] = ()) -> list[str]:
    """Check that quoted guides in memory do not push out the project's own texts. Return a line for
    each own text that changed or is gone. Texts with a key in `moved` may change."""
    if not any(held.quoted for held in after.memory.current):
        return []
    kept = {held.key: held for held in after.memory.current}
    return [
        f"{held.key} gave way to what was found while working"
        for held in before.memory.current
        if not held.quoted and held.key not in moved and kept.get(held.key) != held
    ]


def isolated(child: Window, parent: Window, granted: Iterable[str] = ()) -> list[str]:
    """Check that a child agent's window shows no text of its parent's window, except the parent's
    goal and the texts and page names in `granted`. Return a line for each text that breaks this."""
    theirs = set(_resident_texts(parent)) - set(granted)
    goal = parent.working.goal
    theirs -= {goal.body or goal.page} if goal else set()
    return [f"the child holds {text[:60]!r}" for text in _resident_texts(child) if text in theirs]


def deterministic(records: Sequence[Record]) -> list[str]:
    """Return a list with one line when two folds of these records differ, [] otherwise."""
    one, two = fold(records), fold(records)
    return (
        []
        if json.encode(_comparable_state(one)) == json.encode(_comparable_state(two))
        else ["two folds differ"]
    )


def counted(window: Window) -> list[str]:
    """Return a list with one line when the history's stored token total is wrong, [] otherwise."""
    history = runs = 0
    lowered = False
    for item in window.history.stream:
        if not isinstance(item, Notice):
            history += item.tokens
        runs += is_lowered(item) and not lowered
        lowered = is_lowered(item)
    recount = history + runs * window.limits.run
    known = window.history.stream.totals.history
    return [] if recount == known else [f"history is {recount} tokens, the totals say {known}"]


def fingerprints(window: Window) -> dict[str, str]:
    """Return a dict from the name of each part but the history (system, memory, skill, tools,
    working) to the sha256 of its stored state."""
    stored = {
        "system": window.system.current,
        "memory": window.memory.current,
        "skill": window.skill.bodies.current,
        "tools": window.skill.tools.current,
        "working": window.working,
    }
    return {name: hashlib.sha256(json.encode(state)).hexdigest() for name, state in stored.items()}


def _resident_texts(window: Window) -> list[str]:
    """Return the history's texts; the name of its page stands for a text without a body."""
    texts = []
    for item in window.history.stream:
        if isinstance(item, Step):
            texts += [o.text.body or o.text.page for o in item.outcomes]
            texts += [paged.text.body or "" for paged in item.beside]
        elif isinstance(item, Digest):
            texts.append(item.page)
        elif not isinstance(item, Notice):
            texts.append(item.text.body or item.text.page)
    return [text for text in texts if text]


def _comparable_state(window: Window) -> dict[str, object]:
    """Return the parts of a window, by name, that two folds of the same records must share."""
    return {
        "stream": list(window.history.stream),
        "tokens": window.tokens,
        "state": fingerprints(window),
        "next": window.history.next_id,
    }
