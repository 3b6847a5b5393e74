"""Records as lines: what is telling of each kind, and which of them made a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, get_args

from msgspec import Struct, json, structs

from loom.cli.show import sized
from loom.reduce.lines import counted
from loom_partitions import records as r
from loom_partitions.history import FOREVER
from loom_partitions.message import Said, Step, Text, UserTurn, name_of
from loom_partitions.shelf import PINNED

TEXT = 60  # characters of a text in a line
NAMED = 4  # pages in a line
PINS = "memory", PINNED
KINDS: dict[str, str] = {kind.__name__.lower(): kind.__name__ for kind in get_args(r.Record)}


def kind_of(record: r.Record) -> str:
    """The kind of a record, as the journal names it; lines are pinned in C_memory, under a key."""
    of_lines = isinstance(record, r.Shelved) and (record.partition, record.key) == PINS
    return (r.Pinned if of_lines else type(record)).__name__


def place_of(record: r.Record) -> str:
    """One word for the place of a record: the partition of a text of the head, else its kind."""
    kind = kind_of(record)
    if isinstance(record, r.Shelved) and kind == r.Shelved.__name__:
        return record.partition
    return kind.lower()


def when(at: int) -> str:
    """Milliseconds since 1970 as local time."""
    return datetime.fromtimestamp(at / 1_000).strftime("%Y-%m-%d %H:%M:%S") if at else "-"


def telling(record: r.Record) -> str:
    """The telling fields of a record on one line."""
    told = LINES.get(type(record))
    return told(record) if told else " ".join(filter(None, _fields(record)))


def entry_that_made(page: str, records: Sequence[r.Record]) -> str:
    """The entry a page was made for: that of the first record of its commit that names it."""
    name = page.encode()
    for record in records:
        if name in json.encode(record):
            entry = next(filter(None, map(_entry, _values(record))), "")
            key = getattr(record, "key", getattr(record, "child", ""))
            return entry or f"{place_of(record)} {key}".rstrip()
    return ""


def _values(record: r.Record) -> Iterator[tuple[str, Any]]:
    for name in record.__struct_fields__:
        if name != "notice":  # what the model is told of it
            yield name, getattr(record, name)


def _entry(field: tuple[str, Any]) -> str:
    """The entry that a field is, or names; "" for another."""
    name, value = field
    if isinstance(value, Step | UserTurn):
        return name_of(value)
    return f"step_{value:04d}" if name == "step" and value else ""


def _fields(record: r.Record) -> Iterator[str]:
    """What each field says: of entries their names, of texts how they begin, of lists how long
    they are; nothing of what is empty."""
    for name, value in _values(record):
        if entry := _entry((name, value)):
            yield entry
            yield _text(value.text) if isinstance(value, UserTurn) else ""
        elif isinstance(value, Text):
            yield _text(value)
        elif isinstance(value, str):
            yield " ".join(value.split())[:TEXT]
        elif isinstance(value, dict):
            yield ", ".join(f"{key} {times}" for key, times in value.items())
        elif isinstance(value, tuple | list):
            yield f"{len(value)} {name}" if value else ""
        elif isinstance(value, Struct):
            shown = structs.asdict(value).values()
            yield " ".join(f"{one}"[:TEXT] for one in shown if isinstance(one, str | int) and one)
        elif value is True:
            yield name
        elif value:
            yield f"{name} {value:,}"


def _text(text: Text) -> str:
    shown = text.page if text.body is None else " ".join(text.body[: 4 * TEXT].split())[:TEXT]
    return f"{sized(text.size)} {shown}"


def _replied(record: r.Replied) -> str:
    step = record.step
    calls = ", ".join(call.name for call in step.calls)
    said = next((_text(part.text) for part in step.parts if isinstance(part, Said)), "")
    return f"{name_of(step)} {calls or said} ({step.tokens} tokens)"


def _returned(record: r.Returned) -> str:
    outcome = record.outcome
    failed = "failed: " if outcome.error else ""
    page = f" → {outcome.reduction.outcome_ref}" if outcome.reduction.outcome_ref else ""
    return f"step_{record.step:04d} {failed}{outcome.reduction.compact}{page}"


def _cut(record: r.Compressed | r.Renewed) -> str:
    cut, before, after = record.certificate, record.certificate.before, record.certificate.after
    name = record.level if isinstance(record, r.Compressed) else f"generation {record.generation}"
    size = f"{before.total:,} → {after.total:,} tokens, {cut.reusable:,} reusable"
    return f"{name} {size}, {len(record.edits)} edits"


def _limited(record: r.Opened | r.Resized) -> str:
    limits = record.limits
    return f"window {limits.window:,}, reply {limits.reply:,} {record.model}".rstrip()


def _pinned(record: r.Pinned) -> str:
    until = f"until entry {record.until}" if record.until else "let go"
    return f"entry {record.entry} {'until it is unpinned' if record.until == FOREVER else until}"


def _pages(record: r.Sifted) -> str:
    names = [name.rpartition("/")[2].partition(".")[0] for name in record.pages]
    few = ", ".join([*names[:NAMED], *(["…"] if len(names) > NAMED else [])])
    freed = f" ({sized(record.freed)})" if record.why != "kept" else ""
    return f"{counted(len(names), 'page')}{freed}, {record.why}: {few}"


def _redacted(record: r.Redacted) -> str:
    kinds = "off" if record.off else ", ".join(f"{k} {n}" for k, n in record.counts.items())
    places = ", ".join(f"{place} {n}" for place, n in (record.places or {}).items())
    return f"purged {kinds}: {places}" if places else kinds


# Kinds whose fields do not say it by themselves.
LINES: dict[type, Callable[[Any], str]] = {
    r.Opened: _limited,
    r.Resized: _limited,
    r.Replied: _replied,
    r.Returned: _returned,
    r.Compressed: _cut,
    r.Renewed: _cut,
    r.Pinned: _pinned,
    r.Sifted: _pages,
    r.Turned: lambda record: f"turn {record.turn}{', dashboard' if record.notice else ''}",
    r.Undone: lambda record: (
        f"request {record.to}, entries {record.first} to {record.last} taken back"
    ),
    r.Redacted: _redacted,
}
