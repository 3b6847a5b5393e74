"""What a reading tells of work: edits, commits, reports, tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loom.reduce.aliases import EDIT, WRITE
from loom_bench.simulated.cues import READ, deed, parts, segments, times, verdict
from loom_bench.simulated.reading import (
    CONTRADICTORY,
    NAME,
    UNTOLD,
    MadeCall,
    Mention,
    Reading,
    TextLine,
    settled,
)
from loom_bench.simulated.state import (
    DOING,
    DONE,
    EDITED,
    FAIL,
    PENDING,
    REFUSED,
    REVERTED,
    WROTE,
    Truth,
)
from loom_bench.simulated.telling import command, order_of

COMMITTED, CHANGED, UNCHANGED = "committed", "changed", "not changed"

_COMMIT = re.compile(r"\bcommit|\[main", re.IGNORECASE)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add) File: (\S+)$", re.MULTILINE)
_CHECKOUT = re.compile(r"\bgit (?:checkout|restore)\b.*?([\w./-]+\.\w+)")
_DONE = re.compile(r"\[[xX✓]\]|[✓✔✅☑]|\b(?:done|completed?|finished)\b")
_DOING = re.compile(r"\[[>~*-]\]|[▶◐→]|\b(?:in[ _]progress|doing|being done|current(?:ly)?|now)\b")
_PENDING = re.compile(r"\[ ?\]|[☐○]|\b(?:pending|todo|to do|open|next|later)\b")
_STATES = {"completed": DONE, "in_progress": DOING, "pending": PENDING}
_NUMBERED = re.compile(r"#(\d+)")
_LISTED = re.compile(r"(?:#|\b)(\d+)\b[^\d]*$")  # the number of a task before its text


def deeds(reading: Reading, path: str) -> list[tuple[Mention, int]]:
    """What was done to a file, in order, and how often; reads are left out."""
    found: list[tuple[Mention, int]] = []
    swaps: set[tuple[str, str]] = set()
    announced = set()
    for call in reading.calls:
        done = _deed_of(call, path, swaps)
        if done:
            found.append((Mention(call.block, done), 1))
            announced.add(call.said)
    base = path.rpartition("/")[2]
    bounded = re.compile(rf"(?<![\w-]){re.escape(base)}(?!\w)")
    for line in reading.named.get(base, ()):
        if line.quoted or any(line.text in said for said in announced):
            continue
        for part in parts(line.text, bounded, NAME):
            done = deed(part) or line.inherited(deed)
            if done and done != READ:
                verb = next((each for each in segments(part) if deed(each) == done), part)
                mention = Mention(line.block, done, order=order_of(part))
                found.append((mention, times(verb)))
    return sorted(found, key=lambda each: each[0].block)


def _deed_of(call: MadeCall, path: str, swaps: set[tuple[str, str]]) -> str:
    """What a call did to a file, "" for nothing."""
    if (found := _CHECKOUT.search(command(call))) and found[1] == path:
        return REVERTED
    if call.tool not in (EDIT, WRITE):
        return ""
    given = call.arguments
    patched = _PATCHED.findall(str(given.get("input") or given.get("patch") or ""))
    named = next((given[key] for key in ("file_path", "path", "target_file") if key in given), "")
    if path != named and path not in patched:
        return ""
    if call.error or deed(call.result) == REFUSED:
        return REFUSED
    if call.tool == WRITE:
        return WROTE
    old = str(given.get("old_string", given.get("old_str", given.get("old", ""))))
    new = str(given.get("new_string", given.get("new_str", given.get("new", ""))))
    if (new, old) in swaps or any(
        path in line and deed(line) == REVERTED for line in call.said.splitlines()
    ):
        return REVERTED
    swaps.add((old, new))
    return EDITED


def fate(reading: Reading, truth: Truth, path: str) -> str:
    """What became of a file: EDITED, WROTE, REFUSED, REVERTED."""
    found = [mention for mention, _ in deeds(reading, path)]
    if not found:
        return UNTOLD
    if reverted := [mention.block for mention in found if mention.value == REVERTED]:
        return REVERTED if found[-1].block == max(reverted) else EDITED
    values = [mention.value for mention in found]
    return next((value for value in (WROTE, EDITED) if value in values), REFUSED)


def changed(reading: Reading, truth: Truth, path: str) -> str:
    """CHANGED, or what else became of a file."""
    said = fate(reading, truth, path)
    return CHANGED if said in (EDITED, WROTE) else said


def unchanged(reading: Reading, truth: Truth, path: str) -> str:
    """The same of a file of which nothing should be told."""
    said = changed(reading, truth, path)
    return UNCHANGED if said == UNTOLD else said


def edit_count(reading: Reading, truth: Truth, path: str) -> str:
    """How many edits of a file took effect."""
    counts = [count for mention, count in deeds(reading, path) if mention.value == EDITED]
    return str(sum(counts) or UNTOLD)


def last_changed(reading: Reading, truth: Truth, about: str) -> str:
    """The file that was changed last: of the last block by numbered names, else the last line."""
    last = [
        (mention.block, mention.order, _place(reading, path, mention.block), path)
        for path, done in truth.deeds.items()
        if set(done) != {REFUSED}
        for mention, _ in deeds(reading, path)[-1:]
        if mention.value in (EDITED, WROTE, REVERTED)
    ]
    return max(last)[3] if last else UNTOLD


def _place(reading: Reading, path: str, block: int) -> int:
    """The number of the line in a block that names a file last."""
    base = path.rpartition("/")[2]
    lines = [line for line in reading.lines if line.block == block]
    return max((at for at, line in enumerate(lines) if base in line.text), default=0)


def commit(reading: Reading, truth: Truth, message: str) -> str:
    """COMMITTED or REFUSED: what became of a commit."""
    told: list[Mention] = []
    for call in reading.calls:
        text = command(call)
        if "git commit" in text and message in text:
            refused = call.error or (verdict(call.result) == FAIL and "[main" not in call.result)
            told.append(Mention(call.block, REFUSED if refused else COMMITTED))
    for line in reading.lines:
        if message not in line.text or line.quoted:
            continue
        rest = line.text.replace(message, " ")
        if _COMMIT.search(rest) or line.inherited(_commit_cue):
            bad = deed(rest) == REFUSED or (verdict(rest) or line.inherited(verdict)) == FAIL
            told.append(Mention(line.block, REFUSED if bad else COMMITTED))
    return settled(told)


def _commit_cue(text: str) -> str:
    return COMMITTED if _COMMIT.search(text) else ""


def report(reading: Reading, truth: Truth, asked: str) -> str:
    """What a command said that runs but once: its key, or a name that leads back to its output."""
    key, url = truth.reports[asked], asked.rpartition(" ")[2]
    lead = re.compile(r"\b[a-z]+_\d{3,}\b|\b[\w-]+/[\w.-]+\.\w+")
    told = any(
        key in call.shown or (url in command(call) and lead.search(call.shown))
        for call in reading.calls
    ) or any(
        key in line.text or (url in line.text and lead.search(line.text.replace(url, "")))
        for line in reading.lines
    )
    return key if told else UNTOLD


def tasks(reading: Reading, items: Iterable[str]) -> dict[str, str]:
    """The state of each task as it was told last; those that are not told are left out."""
    found: dict[str, Mention] = {}
    numbers: dict[str, str] = {}
    listed = list(items)
    places: list[MadeCall | TextLine] = [*reading.calls, *reading.lines]
    for place in sorted(places, key=lambda each: each.block):
        if isinstance(place, MadeCall):
            told = _from_call(place, numbers)
        else:
            told = _from_line(place, listed, numbers)
        for item, state in told.items():
            old = found.get(item)
            doubt = old and old.block == place.block and old.value != state
            found[item] = Mention(place.block, CONTRADICTORY if doubt else state)
    return {item: found[item].value for item in listed if item in found}


def _from_call(call: MadeCall, numbers: dict[str, str]) -> dict[str, str]:
    """The states a call of a task tool sets, whole lists or one task by its number."""
    given = call.arguments
    whole = given.get("todos") or given.get("plan")
    if isinstance(whole, list):
        rows = [row for row in whole if isinstance(row, dict)]
        return {
            str(row.get("content") or row.get("step")): _STATES.get(str(row.get("status")), "")
            for row in rows
        }
    if subject := given.get("subject"):
        made = _NUMBERED.search(call.result)
        numbers[made[1] if made else str(len(numbers) + 1)] = str(subject)
        return {str(subject): PENDING}
    if item := numbers.get(str(given.get("taskId", ""))):
        return {item: _STATES.get(str(given.get("status")), "")}
    return {}


def _from_line(line: TextLine, items: list[str], numbers: dict[str, str]) -> dict[str, str]:
    """The states a line tells of the tasks it names."""
    told: dict[str, str] = {}
    if line.quoted:
        return told
    for item in items:
        if item not in line.text:
            continue
        if number := _LISTED.search(line.text.partition(item)[0]):
            numbers[number[1]] = item
        for text in (line.text.replace(item, " "), *reversed(line.under)):
            marks = ((DONE, _DONE), (DOING, _DOING), (PENDING, _PENDING))
            if state := next((state for state, mark in marks if mark.search(text)), ""):
                told[item] = state
                break
    return told
