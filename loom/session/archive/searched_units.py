"""The units of a journal that a recall searches: slices of every page, of all that was said and
thought, of arguments, of small results; each once.

A unit says where its text is stored, and is read from there when it is shown. Some texts are not
searched, because they stand elsewhere already: the pages of digests, equal pages after the first,
text that was read ahead, and what page_in and recall were asked and answered."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from msgspec import json

from loom.inputs import Reasoning, Speech
from loom.search.index import Passage
from loom.search.matching import split_spans
from loom.session.archive.folded_journal import records_of
from loom.session.archive.page_reader import full_text
from loom.session.archive.restore import whole_reply
from loom.session.archive.workspace import Workspace
from loom.text import encodable
from loom_paging import PageRef, PagingError
from loom_partitions.records import Heard, Record, Replied, Returned

# Where a text rests: on a page, on the page of a user's message, or in the journal as a user's
# message, a reply, what the model reasoned before it, or the result of the call named behind it.
PAGE, HEARD, SAID, MADE, THOUGHT, RESULT = "page", "heard", "said", "made", "thought", "result "
RETRIEVAL = ("page_in", "recall")
LISTINGS = "outputs/digest_"
RecordsOf = Callable[[int], Sequence[Record]]


def commit_units(
    workspace: Workspace, number: int, lost: dict[str, None] | None = None
) -> Iterator[tuple[Passage, str]]:
    """Yield (passage, text) for each searched passage in commit `number`; nothing for an unreadable
    commit. Names of unreadable texts are added to `lost` as keys."""
    lost = {} if lost is None else lost
    try:
        commit = workspace.journal.read(number)
    except PagingError:  # reported by check; the other commits still answer
        return
    records = records_of(commit)
    for ref in commit.pages:
        if _is_searched(ref, records):
            yield from _text_units(workspace, lost, ref.name, *_page_owner(records, ref.name))
    for record in records:
        for name, source, entry in _pageless_texts(record):
            yield from _text_units(workspace, lost, name, source, entry, record)


def _is_searched(ref: PageRef, records: Sequence[Record]) -> bool:
    """False for a page that is not searched by itself: the page of a digest or whole reply, a
    snapshot, a page with the same bytes as an earlier page."""
    if ref.alias or not ref.name.startswith("outputs/") or ref.name.startswith(LISTINGS):
        return False
    # The parts of a long reply are searched as the entry they make.
    replies = (record.step.page for record in records if isinstance(record, Replied))
    return ref.name not in replies


def _page_owner(records: Sequence[Record], page: str) -> tuple[str, int]:
    """Return (kind of text, entry id) of a page, given the `records` of the commit that names the
    page. The kind is HEARD for a user's message, else PAGE. The id is 0 for a page without an
    entry."""
    for record in records:
        if isinstance(record, Heard) and record.turn.text.page == page:
            return HEARD, record.turn.id
        if isinstance(record, Returned):
            outcome = record.outcome
            if page in (outcome.text.page, outcome.reduction.outcome_ref):
                return PAGE, record.step
    return PAGE, 0


def _pageless_texts(record: Record) -> Iterator[tuple[str, str, int]]:
    """Yield (entry's name, kind of text, entry id) for each text of a record that is on no page."""
    if isinstance(record, Heard):
        if not record.turn.text.page:
            yield f"user_{record.turn.id:04d}", SAID, record.turn.id
    elif isinstance(record, Replied):
        for source in (THOUGHT, MADE):
            yield f"step_{record.step.id:04d}", source, record.step.id
    elif isinstance(record, Returned):
        outcome = record.outcome
        if not outcome.text.page and outcome.reduction.tool not in RETRIEVAL:
            yield f"step_{record.step:04d}", RESULT + outcome.call_id, record.step


def _text_units(
    workspace: Workspace,
    lost: dict[str, None],
    name: str,
    source: str,
    entry: int,
    record: Record | None = None,
) -> Iterator[tuple[Passage, str]]:
    """Yield (passage, text) for each slice of one text: a record's text if `record` is given, else
    the text of the page `name`. The name of an unreadable text is added to `lost`."""
    try:
        text = workspace.read(name) if record is None else _record_text(workspace, record, source)
    except (PagingError, OSError):
        lost[name] = None
        return
    for part in split_spans(text):
        unit = Passage(name, source, entry, part.start, part.end, part.first, part.last)
        yield unit, text[part.start : part.end]


def _record_text(workspace: Workspace, record: Record, source: str) -> str:
    """Return the text of a record. Of a reply, the source THOUGHT selects the reasoning, any other
    source the spoken text and the calls."""
    if isinstance(record, Heard):
        return encodable(full_text(workspace, record.turn.text))
    if isinstance(record, Returned):
        return encodable(full_text(workspace, record.outcome.text))
    assert isinstance(record, Replied)
    texts: list[str] = []
    for part in whole_reply(workspace, record.step).parts:
        if isinstance(part, Reasoning):
            texts += [part.text] if source == THOUGHT else []
        elif source == THOUGHT:
            continue
        elif isinstance(part, Speech):
            texts.append(part.text)
        elif part.name not in RETRIEVAL:
            texts += [part.name, *argument_texts(part.arguments)]
    return encodable("\n".join(texts))


def argument_texts(arguments: str) -> list[str]:
    """Return the texts and numbers in a call's JSON arguments as strings. Arguments that are no
    JSON are returned as one string."""
    try:
        left: list[Any] = [json.decode(arguments or "{}")]
    except (ValueError, RecursionError):
        return [arguments]
    found: list[str] = []
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left += reversed(value.values())
        elif isinstance(value, list):
            left += reversed(value)
        elif value is not None and not isinstance(value, bool):
            found.append(str(value))
    return found


def whole_unit_text(workspace: Workspace, unit: Passage, records_in: RecordsOf) -> str | None:
    """Return the whole text that a passage is cut from; None when the text is damaged or gone.

    `records_in` takes a commit's number and returns its records. Raises sqlite3.DatabaseError when
    the journal has no such text, because the index is wrong."""
    with suppress(PagingError, OSError):
        known = unit.name in workspace.pager.table
        if unit.source == PAGE and known and (not unit.entry or unit.entry in workspace.index):
            return workspace.read(unit.name)
        for number in workspace.index.commits.get(unit.entry, ()):
            records = records_in(number)
            if unit.source == HEARD and _page_owner(records, unit.name) == (HEARD, unit.entry):
                return workspace.read(unit.name)
            for record in records:
                if (unit.name, unit.source, unit.entry) in _pageless_texts(record):
                    return _record_text(workspace, record, unit.source)
        raise sqlite3.DatabaseError(
            f"nothing of the journal is {unit.name}, {unit.source}, entry {unit.entry}"
        )
    return None


def unit_slice(text: str | None, unit: Passage) -> str:
    """Return the passage `unit` cut out of its whole text; "" if `text` is None. Raises
    sqlite3.DatabaseError if the text has no such slice."""
    if text is None:
        return ""
    start, end = unit.start, unit.end
    if not start < end <= len(text):
        raise sqlite3.DatabaseError(f"a text of {len(text)} characters has no {start} to {end}")
    first = 1 + text.count("\n", 0, start)
    last = first + text.count("\n", start, end) - (text[end - 1] == "\n")
    if (unit.first, unit.last) != (first, last):
        raise sqlite3.DatabaseError(f"lines {unit.first} to {unit.last} are {first} to {last}")
    return text[start:end]
