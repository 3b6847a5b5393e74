"""`loom log`: the journal, a line for each record or request; and what is telling of each kind."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from msgspec import Struct, json, structs
from rich.text import Text as Styled

from loom.cli.agents import opened
from loom.cli.columns import table
from loom.cli.show import Folder, clip, end, fitting, sized
from loom.errors import BadInput
from loom.inspect.requests import RequestRow, folded
from loom.reduce.lines import counted
from loom.session.archive.folded import records_of
from loom.text import visible
from loom_paging import Commit
from loom_partitions import records as r
from loom_partitions.history import FOREVER
from loom_partitions.message import Said, Step, Text, UserTurn, name_of
from loom_partitions.shelf import PINNED

TEXT = 60  # characters of a text in a line
NAMED = 4  # pages in a line
DIGITS = 12  # of a sha256, for people
PINS = "memory", PINNED
KINDS: dict[str, str] = {kind.__name__.lower(): kind.__name__ for kind in get_args(r.Record)}


def log(
    folder: Folder,
    /,
    *,
    limit: int | None = None,
    kind: tuple[str, ...] = (),
    turns: bool = False,
    json: bool = False,
) -> int:
    """Show the journal, a line for each record, oldest first; or the requests that were made.

    Args:
        limit: Only the newest so many.
        kind: Only records of this kind (Replied, Compressed, …); may be given more than once.
        turns: A line for each request instead: its number, its commit, when it was made, its size
            and ρ (by the provider's count where it reported one), the level of the cut that came
            with it, and its sha256. `loom show --turn` shows one of them.
        json: Print one JSON object instead: the records whole.
    """
    if unknown := [name for name in kind if name.lower() not in KINDS]:
        names = ", ".join(KINDS.values())
        raise BadInput(f"--kind {unknown[0]}: there is no such record; one of {names}")
    wanted = {KINDS[name.lower()] for name in kind}
    if limit is not None and limit < 1:
        raise BadInput(f"--limit {limit}: give 1 or more")
    if turns and kind:
        raise BadInput("--turns and --kind: requests have no kinds; give one of the two")
    workspace = opened(folder)
    if turns:
        rows = folded(workspace).rows[-(limit or 0) :]
        left = {row.commit for row in rows if workspace.index.is_left(row.commit)}
        found = {"requests": [_request(row, row.commit in left) for row in rows]}
        return end(found, _requests(rows, left), json=json)
    told: Iterable[tuple[Commit, r.Record]] = (
        (commit, record)
        for commit in workspace.journal.scan()
        for record in records_of(commit)
        if not wanted or kind_of(record) in wanted
    )
    told = told if limit is None else deque(told, maxlen=limit)
    if not json:
        return end(None, _records(told, wanted), json=False)
    whole = [{"commit": one.number, "at": one.at, "record": record} for one, record in told]
    return end({"records": whole}, (), json=True)


def _records(told: Iterable[tuple[Commit, r.Record]], wanted: set[str]) -> Iterator[str]:
    width, head = fitting(), ""
    for commit, record in told:
        head = f"{commit.number:5}  {when(commit.at)}  {kind_of(record):<14}  "
        yield clip(visible(head + telling(record)), width)
    if not head:
        yield f"none of its records is {' or '.join(sorted(wanted))}"


def _requests(rows: Sequence[RequestRow], left: set[int]) -> Iterator[Styled]:
    columns = (
        "turn>", "commit>", "made at", "tokens>", "counted by", "ρ>", "cut", "since the last",
        "sha256",
    )  # fmt: skip
    cells = [
        (
            f"{row.turn}", f"{row.commit}", when(row.at), f"{row.size.total:,}",
            "provider" if row.size.reported else "Loom", f"{row.size.rho:.2f}",
            ", ".join(row.since.cuts), _since(row, row.commit in left), row.sha256[:DIGITS],
        )
        for row in rows
    ]  # fmt: skip
    yield from table(columns, cells)


def _request(row: RequestRow, undone: bool) -> dict[str, Any]:
    own = {name: getattr(row, name) for name in ("turn", "commit", "at", "level", "sha256", "anew")}
    size = {"tokens": row.size.total, "rho": row.size.rho, "times": row.size.times}
    more = {"undone": undone, "reported": row.size.reported > 0, "anew": row.anew}
    return own | size | structs.asdict(row.since) | more


def _since(row: RequestRow, undone: bool) -> str:
    """What came in before a request, in a few letters, and if it was undone."""
    since, times = row.since, row.size.times
    said = {
        "compacted by the client": since.compacted,
        f"back to {since.back_to}": since.back_to,
        counted(since.steps, "step"): since.steps,
        counted(since.messages, "message"): since.messages,
        f"sent {times} times": times > 1,
        "refused": not times,
        "told anew since" if row.anew else "undone": undone,
    }
    return ", ".join(text for text, holds in said.items() if holds)


def kind_of(record: r.Record) -> str:
    """The kind of a record, as the journal names it; lines are pinned in C_memory, under a key."""
    of_lines = isinstance(record, r.Shelved) and (record.partition, record.key) == PINS
    return (r.Pinned if of_lines else type(record)).__name__


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
            entry = next(filter(None, (_entry(*field) for field in _values(record))), "")
            key, place = getattr(record, "key", getattr(record, "child", "")), kind_of(record)
            if isinstance(record, r.Shelved) and place == r.Shelved.__name__:
                place = record.partition
            return entry or f"{place.lower()} {key}".rstrip()
    return ""


def _values(record: r.Record) -> Iterator[tuple[str, Any]]:
    for name in record.__struct_fields__:
        if name != "notice":  # what the model is told of it
            yield name, getattr(record, name)


def _entry(name: str, value: Any) -> str:
    """The entry that a field is, or names; "" for another."""
    if isinstance(value, Step | UserTurn):
        return name_of(value)
    return f"step_{value:04d}" if name == "step" and value else ""


def _fields(record: r.Record) -> Iterator[str]:
    """What each field says: of entries their names, of texts how they begin, of lists how long
    they are; nothing of what is empty."""
    for name, value in _values(record):
        if entry := _entry(name, value):
            yield entry
            yield _text(value.text) if isinstance(value, UserTurn) else ""
        elif isinstance(value, Text):
            yield _text(value)
        elif isinstance(value, str):
            yield " ".join(value.split())[:TEXT]
        elif isinstance(value, dict):
            yield listed(value)
        elif isinstance(value, tuple | list):
            yield f"{len(value)} {name}" if value else ""
        elif isinstance(value, Struct):
            shown = structs.asdict(value).values()
            yield " ".join(f"{one}"[:TEXT] for one in shown if isinstance(one, str | int) and one)
        elif value:
            yield name if value is True else f"{name} {value:,}"


def listed(counts: Mapping[str, int]) -> str:
    """Counts by name: `api-key 2, jwt 1`."""
    return ", ".join(f"{name} {times}" for name, times in counts.items())


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
    until = {0: "let go", FOREVER: "until it is unpinned"}
    return f"entry {record.entry} {until.get(record.until, f'until entry {record.until}')}"


def _pages(record: r.Sifted) -> str:
    names = [name.rpartition("/")[2].partition(".")[0] for name in record.pages]
    few = ", ".join([*names[:NAMED], *(["…"] if len(names) > NAMED else [])])
    freed = f" ({sized(record.freed)})" if record.why != "kept" else ""
    return f"{counted(len(names), 'page')}{freed}, {record.why}: {few}"


def _redacted(record: r.Redacted) -> str:
    kinds, places = "off" if record.off else listed(record.counts), listed(record.places or {})
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
