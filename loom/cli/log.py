"""`loom log`: show the journal, a line for each record or request with its main fields."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from msgspec import Struct, json, structs
from rich.text import Text as Styled

from loom.cli.agents import open_workspace
from loom.cli.output import Folder, bytes_text, clip, line_width, print_result
from loom.cli.text_tables import table_lines
from loom.errors import BadInput
from loom.inspect.requests import RequestRow, folded_requests
from loom.reduce.lines import plural
from loom.session.archive.folded_journal import records_of
from loom.text import escape_invisible
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
        limit: Show only this many of the newest.
        kind: Only records of this kind (Replied, Compressed, …); may be given more than once.
        turns: A line for each request instead: its number, its commit, when it was made, its size
            and ρ (by the provider's count where the provider reported one), the level of the cut
            that came with the request, and its sha256. `loom show --turn` shows one of them.
        json: Print one JSON object instead: the records whole."""
    if unknown := [name for name in kind if name.lower() not in KINDS]:
        names = ", ".join(KINDS.values())
        raise BadInput(f"--kind {unknown[0]}: there is no such record; one of {names}")
    wanted = {KINDS[name.lower()] for name in kind}
    if limit is not None and limit < 1:
        raise BadInput(f"--limit {limit}: give 1 or more")
    if turns and kind:
        raise BadInput("--turns and --kind: requests have no kinds; give one of the two")
    workspace = open_workspace(folder)
    if turns:
        rows = folded_requests(workspace).rows[-(limit or 0) :]
        left = {row.commit for row in rows if workspace.index.is_commit_undone(row.commit)}
        found = {"requests": [_request_json(row, row.commit in left) for row in rows]}
        return print_result(found, _request_table(rows, left), json=json)
    told: Iterable[tuple[Commit, r.Record]] = (
        (commit, record)
        for commit in workspace.journal.scan()
        for record in records_of(commit)
        if not wanted or record_kind(record) in wanted
    )
    told = told if limit is None else deque(told, maxlen=limit)
    if not json:
        return print_result(None, _record_lines(told, wanted), json=False)
    whole = [{"commit": one.number, "at": one.at, "record": record} for one, record in told]
    return print_result({"records": whole}, (), json=True)


def _record_lines(told: Iterable[tuple[Commit, r.Record]], wanted: set[str]) -> Iterator[str]:
    """Yield a line for each record. If there is none, yield a line that says so and names the
    `wanted` kinds."""
    width, head = line_width(), ""
    for commit, record in told:
        head = f"{commit.number:5}  {local_time(commit.at)}  {record_kind(record):<14}  "
        yield clip(escape_invisible(head + record_summary(record)), width)
    if not head:
        yield f"none of its records is {' or '.join(sorted(wanted))}"


def _request_table(rows: Sequence[RequestRow], left: set[int]) -> Iterator[Styled]:
    """Yield the lines of a table of requests. `left` holds the numbers of undone commits."""
    columns = (
        "turn>", "commit>", "made at", "tokens>", "counted by", "ρ>", "cut", "since the last",
        "sha256",
    )  # fmt: skip
    cells = [
        (
            f"{row.turn}", f"{row.commit}", local_time(row.at), f"{row.size.total:,}",
            "provider" if row.size.reported else "Loom", f"{row.size.rho:.2f}",
            ", ".join(row.since.cuts), _arrivals_text(row, row.commit in left), row.sha256[:DIGITS],
        )
        for row in rows
    ]  # fmt: skip
    yield from table_lines(columns, cells)


def _request_json(row: RequestRow, undone: bool) -> dict[str, Any]:
    own = {name: getattr(row, name) for name in ("turn", "commit", "at", "level", "sha256", "anew")}
    size = {"tokens": row.size.total, "rho": row.size.rho, "times": row.size.times}
    more = {"undone": undone, "reported": row.size.reported > 0, "anew": row.anew}
    return own | size | structs.asdict(row.since) | more


def _arrivals_text(row: RequestRow, undone: bool) -> str:
    """Return a text on what entered the window since the previous request ("2 steps, 1 message"),
    and on whether the request was refused, sent again or undone."""
    since, times = row.since, row.size.times
    said = {
        "compacted by the client": since.compacted,
        f"back to {since.back_to}": since.back_to,
        plural(since.steps, "step"): since.steps,
        plural(since.messages, "message"): since.messages,
        f"sent {times} times": times > 1,
        "refused": not times,
        "told anew since" if row.anew else "undone": undone,
    }
    return ", ".join(text for text, holds in said.items() if holds)


def record_kind(record: r.Record) -> str:
    """Return the kind of a record as `loom log` names it: the name of its type, but "Pinned" for a
    Shelved record with pinned lines."""
    of_lines = isinstance(record, r.Shelved) and (record.partition, record.key) == PINS
    return (r.Pinned if of_lines else type(record)).__name__


def local_time(at: int) -> str:
    """Return a time (milliseconds since 1970) as a text in local time, "-" for 0."""
    return datetime.fromtimestamp(at / 1_000).strftime("%Y-%m-%d %H:%M:%S") if at else "-"


def record_summary(record: r.Record) -> str:
    """Return the most important fields of a record as a text of one line."""
    told = SUMMARIES.get(type(record))
    return told(record) if told else " ".join(filter(None, _field_texts(record)))


def entry_of_page(page: str, records: Sequence[r.Record]) -> str:
    """Return the name of the entry that a page was made for, found in the `records` of the page's
    commit. Return the record's kind and key if the record has no entry, "" if no record names the
    page."""
    name = page.encode()
    for record in records:
        if name in json.encode(record):
            entry = next(filter(None, (_entry_name(*field) for field in _field_values(record))), "")
            key, place = getattr(record, "key", getattr(record, "child", "")), record_kind(record)
            if isinstance(record, r.Shelved) and place == r.Shelved.__name__:
                place = record.partition
            return entry or f"{place.lower()} {key}".rstrip()
    return ""


def _field_values(record: r.Record) -> Iterator[tuple[str, Any]]:
    for name in record.__struct_fields__:
        if name != "notice":  # what the model is told of it
            yield name, getattr(record, name)


def _entry_name(name: str, value: Any) -> str:
    """Return the name of the entry in a record's field `name`, or "" for a field without an
    entry."""
    if isinstance(value, Step | UserTurn):
        return name_of(value)
    return f"step_{value:04d}" if name == "step" and value else ""


def _field_texts(record: r.Record) -> Iterator[str]:
    """Yield a short text for each field of a record, such as an entry's name, the beginning of a
    text, or the length of a list."""
    for name, value in _field_values(record):
        if entry := _entry_name(name, value):
            yield entry
            yield _text_preview(value.text) if isinstance(value, UserTurn) else ""
        elif isinstance(value, Text):
            yield _text_preview(value)
        elif isinstance(value, str):
            yield " ".join(value.split())[:TEXT]
        elif isinstance(value, dict):
            yield counts_text(value)
        elif isinstance(value, tuple | list):
            yield f"{len(value)} {name}" if value else ""
        elif isinstance(value, Struct):
            shown = structs.asdict(value).values()
            yield " ".join(f"{one}"[:TEXT] for one in shown if isinstance(one, str | int) and one)
        elif value:
            yield name if value is True else f"{name} {value:,}"


def counts_text(counts: Mapping[str, int]) -> str:
    """Return counts as a text: {"api-key": 2, "jwt": 1} → `api-key 2, jwt 1`."""
    return ", ".join(f"{name} {times}" for name, times in counts.items())


def _text_preview(text: Text) -> str:
    shown = text.page if text.body is None else " ".join(text.body[: 4 * TEXT].split())[:TEXT]
    return f"{bytes_text(text.size)} {shown}"


def _replied_summary(record: r.Replied) -> str:
    step = record.step
    calls = ", ".join(call.name for call in step.calls)
    said = next((_text_preview(part.text) for part in step.parts if isinstance(part, Said)), "")
    return f"{name_of(step)} {calls or said} ({step.tokens} tokens)"


def _returned_summary(record: r.Returned) -> str:
    outcome = record.outcome
    failed = "failed: " if outcome.error else ""
    page = f" → {outcome.reduction.outcome_ref}" if outcome.reduction.outcome_ref else ""
    return f"step_{record.step:04d} {failed}{outcome.reduction.compact}{page}"


def _cut_summary(record: r.Compressed | r.Renewed) -> str:
    cut, before, after = record.certificate, record.certificate.before, record.certificate.after
    name = record.level if isinstance(record, r.Compressed) else f"generation {record.generation}"
    size = f"{before.total:,} → {after.total:,} tokens, {cut.reusable:,} reusable"
    return f"{name} {size}, {len(record.edits)} edits"


def _limits_summary(record: r.Opened | r.Resized) -> str:
    limits = record.limits
    return f"window {limits.window:,}, reply {limits.reply:,} {record.model}".rstrip()


def _pinned_summary(record: r.Pinned) -> str:
    until = {0: "let go", FOREVER: "until it is unpinned"}
    return f"entry {record.entry} {until.get(record.until, f'until entry {record.until}')}"


def _sifted_summary(record: r.Sifted) -> str:
    names = [name.rpartition("/")[2].partition(".")[0] for name in record.pages]
    few = ", ".join([*names[:NAMED], *(["…"] if len(names) > NAMED else [])])
    freed = f" ({bytes_text(record.freed)})" if record.why != "kept" else ""
    return f"{plural(len(names), 'page')}{freed}, {record.why}: {few}"


def _redacted_summary(record: r.Redacted) -> str:
    kinds, places = (
        "off" if record.off else counts_text(record.counts),
        counts_text(record.places or {}),
    )
    return f"purged {kinds}: {places}" if places else kinds


# Kinds whose fields do not say it by themselves.
SUMMARIES: dict[type, Callable[[Any], str]] = {
    r.Opened: _limits_summary,
    r.Resized: _limits_summary,
    r.Replied: _replied_summary,
    r.Returned: _returned_summary,
    r.Compressed: _cut_summary,
    r.Renewed: _cut_summary,
    r.Pinned: _pinned_summary,
    r.Sifted: _sifted_summary,
    r.Turned: lambda record: f"turn {record.turn}{', dashboard' if record.notice else ''}",
    r.Undone: lambda record: (
        f"request {record.to}, entries {record.first} to {record.last} taken back"
    ),
    r.Redacted: _redacted_summary,
}
