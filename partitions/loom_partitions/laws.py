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
    """Check that every call either has exactly one result or is open (waits for it), and that every
    result has a call. Return a line of text for each breach, [] when there is none."""
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
    """Check that a request made from the window does not exceed the capacity. Return one line in a
    list when it does, [] otherwise."""
    total, capacity = window.tokens.total, window.limits.capacity
    return [] if total <= capacity else [f"{total} tokens in a capacity of {capacity}"]


def protected(before: Window, after: Window) -> list[str]:
    """Check a compression: only the history may change. Return a line for each other partition
    whose stored state differs between `before` and `after`."""
    one, two = fingerprints(before), fingerprints(after)
    return [f"{name} changed" for name in PROTECTED if one[name] != two[name]]


def restorable(edits: Sequence[Edit], held: Callable[[str], bool]) -> list[str]:
    """Check that every text that `edits` remove can be brought back. Return a line for each that
    cannot.

    `held(ref)` must return True when the page or entry `ref` can be brought back byte for byte. An
    entry is given as "entry:7"."""
    broken = []
    for edit in edits:
        refs = [edit.digest.page] if isinstance(edit, Folded) else [f"entry:{edit.entry}"]
        refs += [edit.text.page] if isinstance(edit, Shortened) else []
        broken += [f"{ref} cannot be brought back" for ref in refs if not held(ref)]
    return broken


def shrinking(before: Window, after: Window) -> list[str]:
    """Check that a cut makes the request smaller. Return one line in a list when it does not, []
    otherwise."""
    was, now = before.tokens.total, after.tokens.total
    return [] if now < was else [f"{was} tokens became {now}"]


def idempotent(window: Window, plan: Callable[[Window], Sequence[Edit]]) -> list[str]:
    """Check that a plan is complete. `window` is the window after the edits of `plan` were applied,
    so a second call of `plan` must find no edits. Return a line for each edit that it finds."""
    return [f"planned again: {edit}" for edit in plan(window)]


def ordered(window: Window) -> list[str]:
    """Check that the ids of the entries rise. Return a line for each entry whose id is not above
    that of the entry before it, and a line when `next_id` is already used."""
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
    """Check a cut: entries that came in since the model's last reply must keep their whole text.
    Return a line for each that lost text.

    If these entries together have more than `room` tokens, only messages typed by the user are
    checked. Even these are not checked when they leave the other entries less than LEAST_PART
    tokens each."""
    came = before.history.stream.unanswered
    typed = [one for one in came if isinstance(one, UserTurn) and one.typed]
    others = sum(min(one.tokens, LEAST_PART) for one in came if one not in typed)
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
    """Return True when no incoming text of the entry `one` lost anything in its later form `now`.
    Each text must be unchanged, or whole, or show more of its page than before."""
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
    """Check two requests with no cut between them, each a list of messages as bytes. `later` must
    begin with all messages of `earlier`. Return one line in a list when it does not, [] otherwise.
    """
    for number, (one, two) in enumerate(zip(earlier, later, strict=False)):
        if one != two:
            return [f"message {number} changed"]
    if len(later) < len(earlier):
        return [f"{len(earlier)} messages became {len(later)}"]
    return []


def renewed(before: Window, after: Window, target: int) -> list[str]:
    """Check a renewal: the request has at most `target` tokens, C_working is unchanged, and the
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
    """Check what a request shows under the roles user and system: only texts of the user, the host
    and Loom, and quotes. Return a line for each line of other text.

    `messages` are the (role, text) pairs of the request. `own` are the texts that are allowed.
    `headings` are the lines that Loom puts above a quote: each line after a heading must be quoted.
    """
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
    """Check that guides found while working (memory shows them quoted) do not push out the
    project's own texts in memory. Return a line for each own text that changed or is gone.

    `before` and `after` are windows of one size, or those around a cut. Nothing is checked when
    memory has no quoted text. Texts with a key in `moved` may change: their file was edited, or
    another file that shares its space."""
    if not any(held.quoted for held in after.memory.current):
        return []
    kept = {held.key: held for held in after.memory.current}
    return [
        f"{held.key} gave way to what was found while working"
        for held in before.memory.current
        if not held.quoted and held.key not in moved and kept.get(held.key) != held
    ]


def isolated(child: Window, parent: Window, granted: Iterable[str] = ()) -> list[str]:
    """Check that a child agent's window shows no text of its parent's window. Return a line for
    each that it shows. The parent's goal is allowed, and so are the texts and page names in
    `granted`."""
    theirs = set(_resident_texts(parent)) - set(granted)
    goal = parent.working.goal
    theirs -= {goal.body or goal.page} if goal else set()
    return [f"the child holds {text[:60]!r}" for text in _resident_texts(child) if text in theirs]


def deterministic(records: Sequence[Record]) -> list[str]:
    """Check that folding the same records twice gives equal windows. Return one line in a list when
    it does not, [] otherwise."""
    one, two = fold(records), fold(records)
    return (
        []
        if json.encode(_comparable_state(one)) == json.encode(_comparable_state(two))
        else ["two folds differ"]
    )


def counted(window: Window) -> list[str]:
    """Check that the stored token total of the history equals a recount. Return one line in a list
    when it does not, [] otherwise."""
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
    """Return the texts that the history of a window shows. A text without a body is given by the
    name of its page."""
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
