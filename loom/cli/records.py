"""Records as lines: what is telling of each kind, and which of them made a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from msgspec import json

from loom.cli.show import sized
from loom.reduce.lines import counted
from loom_partitions import records as r
from loom_partitions.history import FOREVER
from loom_partitions.memory import PINNED
from loom_partitions.message import Said, Text, name_of

TEXT = 60  # characters of a text in a line
NAMED = 4  # pages in a line


def kind_of(record: r.Record) -> str:
    """The kind of a record, as the journal names it; lines are pinned in C_memory, under a key."""
    of_lines = isinstance(record, r.Remembered | r.Forgotten) and record.key == PINNED
    return (r.Pinned if of_lines else type(record)).__name__


def when(at: int) -> str:
    """Milliseconds since 1970 as local time."""
    return datetime.fromtimestamp(at / 1_000).strftime("%Y-%m-%d %H:%M:%S") if at else "-"


def telling(record: r.Record) -> str:
    """The telling fields of a record on one line."""
    return LINES[type(record)](record)


def entry_that_made(page: str, records: Sequence[r.Record]) -> str:
    """The entry a page was made for: that of the first record of its commit that names it."""
    name = page.encode()
    for record in records:
        if name in json.encode(record):
            return MAKERS.get(type(record), lambda made: kind_of(made).lower())(record)
    return ""


def _text(text: Text | None) -> str:
    if text is None:
        return ""
    shown = text.page if text.body is None else " ".join(text.body[: 4 * TEXT].split())[:TEXT]
    return f"{sized(text.size)} {shown}"


def _replied(record: r.Replied) -> str:
    step = record.step
    calls = ", ".join(f"{call.name}" for call in step.calls)
    said = next((part.text for part in step.parts if isinstance(part, Said)), None)
    return f"{name_of(step)} {calls or _text(said)} ({step.tokens} tokens)"


def _returned(record: r.Returned) -> str:
    outcome = record.outcome
    failed = "failed: " if outcome.error else ""
    page = f" → {outcome.reduction.outcome_ref}" if outcome.reduction.outcome_ref else ""
    return f"{_step(record.step)} {failed}{outcome.reduction.compact}{page}"


def _cut(name: str, certificate: r.Certificate, edits: int) -> str:
    before, after = certificate.before.total, certificate.after.total
    return f"{name} {before:,} → {after:,} tokens, {certificate.reusable:,} reusable, {edits} edits"


def _resized(record: r.Opened | r.Resized) -> str:
    limits = record.limits
    return f"window {limits.window:,}, reply {limits.reply:,} {record.model}".rstrip()


def _shelved(record: Any) -> str:
    return f"{record.key}: {_text(record.text)}"


def _dropped(record: Any) -> str:
    return str(record.key)


def _step(id: int) -> str:
    return f"step_{id:04d}"


def _until(entry: int) -> str:
    """How long a pin holds."""
    if entry == FOREVER:
        return "until it is unpinned"
    return f"until entry {entry}" if entry else "let go"


def _retired(record: r.Retired) -> str:
    pages = counted(len(record.pages), "page")
    return f"{pages} ({sized(record.freed)}), {record.why}: {_few(record)}"


def _few(record: r.Retired | r.Promoted) -> str:
    names = [name.rpartition("/")[2].partition(".")[0] for name in record.pages]
    return ", ".join([*names[:NAMED], *(["…"] if len(names) > NAMED else [])])


# Kind → its line. Every kind the journal knows is here: `--kind` takes its names from it.
LINES: dict[type, Callable[[Any], str]] = {
    r.Opened: _resized,
    r.Tasked: lambda record: _text(record.goal),
    r.Instructed: _shelved,
    r.Declared: lambda record: f"{record.name}, {record.text.tokens} tokens",
    r.Remembered: _shelved,
    r.Forgotten: _dropped,
    r.SkillActivated: _shelved,
    r.SkillDropped: _dropped,
    r.SkillUsed: lambda record: record.key,
    r.SkillBrought: lambda record: (
        f"{record.skill.key} → {record.skill.text.page}{', left' if record.skill.left else ''}"
    ),
    r.Saved: lambda record: f"memory {record.id} from {record.source}",
    r.Recalled: lambda record: f"memories {', '.join(map(str, record.ids))}",
    r.CarriedOn: lambda record: f"generation {record.generation}, from {record.next_id} on",
    r.Heard: lambda record: f"{name_of(record.turn)} {_text(record.turn.text)}",
    r.Belated: lambda record: f"{name_of(record.turn)} {record.call_id} came late",
    r.Prefetched: lambda record: f"{record.turn.source} {_text(record.turn.text)}",
    r.Enclosed: lambda record: f"{_step(record.step)} {record.paged.ref}",
    r.Expanded: lambda record: f"{_step(record.step)} {record.text.page} whole",
    r.Replied: _replied,
    r.Rethought: lambda record: f"{_step(record.step)} as the host's list has it",
    r.Returned: _returned,
    r.Planned: lambda record: counted(len(record.items), "item"),
    r.Replanned: lambda record: f"{len(record.items)} of {counted(record.size, 'item')} changed",
    r.Progressed: lambda record: record.text[:TEXT],
    r.Noted: lambda record: _text(record.text),
    r.Appended: lambda record: record.words[:TEXT],
    r.Questioned: lambda record: f"{record.id}: {record.text[:TEXT] or 'answered'}",
    r.Evidenced: lambda record: f"{record.evidence.id}: {record.evidence.summary[:TEXT]}",
    r.Signalled: lambda record: f"{', '.join(record.event.ids)} ({record.event.urgency})",
    r.Acknowledged: lambda record: f"{record.id}: {record.disposition}",
    r.Metered: lambda record: f"{record.whole or record.prompt_tokens:,} tokens {record.model}",
    r.Beside: lambda record: f"{record.tokens:,} tokens of the client's own",
    r.Requested: lambda record: record.what,
    r.Informed: lambda record: "the model wrote itself",
    r.Pinned: lambda record: f"entry {record.entry} {_until(record.until)}",
    r.Overflowed: lambda record: (
        f"limit {record.limit:,}"
        + (f", though {record.taken:,} were taken before" if record.taken else "")
    ),
    r.Resized: _resized,
    r.Spawned: lambda record: f"{record.child}: {record.goal} → {record.page}",
    r.Resulted: lambda record: f"{record.child} {record.status or record.left or 'open again'}",
    r.Joined: lambda record: f"{record.child} {record.status}",
    r.Delivered: lambda record: record.status,
    r.Answered: lambda record: f"{record.page}: {' '.join(record.lines)[:TEXT]}",
    r.Finished: lambda record: record.outcome[:TEXT],
    r.Redacted: lambda record: (
        "off" if record.off else ", ".join(f"{k} {n}" for k, n in record.counts.items())
    ),
    r.Retired: _retired,
    r.Promoted: lambda record: f"{counted(len(record.pages), 'page')}: {_few(record)}",
    r.Purged: lambda record: ", ".join(f"{place} {n}" for place, n in record.places.items()),
    r.Repaired: lambda record: (
        f"requests go on after {record.turn}, {len(record.requests)} of them lost"
    ),
    r.Compressed: lambda record: _cut(record.level, record.certificate, len(record.edits)),
    r.Renewed: lambda record: _cut(
        f"generation {record.generation}", record.certificate, len(record.edits)
    ),
    r.Synced: lambda record: (
        f"of the host's list {record.keep:,} stand, {counted(len(record.messages), 'message')} more"
    ),
    r.Undone: lambda record: (
        f"request {record.to}, entries {record.first} to {record.last} taken back"
    ),
    r.Turned: lambda record: f"turn {record.turn}{', dashboard' if record.notice else ''}",
    r.SentAgain: lambda record: counted(record.times, "time") + " more",
    r.Faulted: lambda record: f"{record.ref} {record.part} ({record.tokens} tokens)",
}

# Kind → the entry its pages belong to; other kinds are named themselves.
MAKERS: dict[type, Callable[[Any], str]] = {
    r.CarriedOn: lambda record: f"generation {record.generation}, from {record.next_id} on",
    r.Heard: lambda record: name_of(record.turn),
    r.Belated: lambda record: name_of(record.turn),
    r.Replied: lambda record: name_of(record.step),
    r.Returned: lambda record: _step(record.step),
    r.Compressed: lambda record: f"cut ({record.level})",
    r.Renewed: lambda record: f"generation {record.generation}",
    r.Instructed: lambda record: f"system {record.key}",
    r.Remembered: lambda record: f"memory {record.key}",
    r.Spawned: lambda record: f"agent {record.child}",
    r.SkillActivated: lambda record: f"skill {record.key}",
}
