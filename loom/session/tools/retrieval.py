"""page_in and recall: what left the window, brought back. Their answers get no page of their own.

A guard against thrashing: when a text comes back a second time within TAU entries, the answer keeps
its detail for TAU more entries. A name that leads nowhere is answered with the nearest names, and
the second time with nothing to retry. A text that is in the window is shown once more when it is
asked for, because the next cut may take it out; that cut keeps one of the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from typing import Any

from loom.providers.render.neutral import neutral
from loom.providers.render.render import has_page_in_tool
from loom.providers.render.wording import MORE, OTHER_WORDS, WHOLE
from loom.reduce.lines import plural
from loom.session.archive.full_surfaces import surface_name
from loom.session.archive.page_in_by_name import changes_line, page_in, resolve_page_name
from loom.session.archive.page_reader import UNREADABLE, stand_in
from loom.session.archive.restore import entry_id_in_name
from loom.session.tools.answer import TEXT, Answer, answer_reduction, own_tool
from loom.session.working_edits import WorkingEdits
from loom_paging import MissingPage
from loom_partitions.message import Step, UserTurn
from loom_partitions.records import Brought, Faulted, Pinned, Record

TAU = 10  # entries: a working set's length, as long as errors count as recent
WAYS = ("lines", "grep", "pointer")
LEAST = 200  # characters of an answer
SHARE = 1 / 8  # of the capacity, for one recall: it is asked again, a page is not
FULL = 0.6  # of its room: a recall that takes more may have left places out
SHOWN = 4  # names of a file that are told, the newest
CHARS = 3  # of an answer's limit, that are counted as a token
DENSE = 2  # times that many characters a token of plain text may have


def _answer_page_in(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
    """Return the answer to a call of page_in: at most limit / CHARS tokens of a page, an entry or a
    surface."""
    ref = str(arguments["ref"])
    ways = {name: str(arguments[name]) for name in WAYS if arguments.get(name)}
    part = ", ".join(f"{way} {value}" for way, value in ways.items())
    try:
        attached = _attachment_entry(edits, ref, limit // CHARS, ways.get("lines", ""))
        if attached is not None:
            return _media_answer(edits, {"ref": ref, **ways}, attached)
        text, name = _paged_text(edits, ref, limit, ways)
    except UNREADABLE as error:
        page = getattr(error, "name", ref)
        if isinstance(error, MissingPage) and page not in edits.workspace.pager.table:
            return _unknown_name_answer(edits, ref, error)
        return _failed_answer(
            ref, f"page_in: {stand_in(page, error)}", f"{ref[:80]} cannot be read"
        )
    entry = edits.window.history.next_id - 1
    before = [
        fault for fault in edits.window.history.faults if (fault.ref, fault.part) == (name, part)
    ]
    recent = [fault for fault in before if fault.entry > entry - TAU]
    args = {"ref": ref, **ways}
    since = changes_line(edits.workspace, name)
    records: tuple[Record, ...] = (Faulted(name, part, 0),)
    if recent:
        records = (*records, Pinned(entry, entry + TAU))
    said = f"Paged in {name}" + (f" ({part})" if part else "")
    told = answer_reduction("page_in", args, said, name)
    return Answer(text, told, records=records, marked=bool(since))


def _paged_text(edits: WorkingEdits, ref: str, limit: int, ways: dict[str, str]) -> tuple[str, str]:
    """Return (text, full name) of the page, entry or surface `ref`. `ways` selects a part, as in
    `page_in`. The text takes at most limit / CHARS tokens or, if more, LEAST characters."""
    most, limit = limit // CHARS, DENSE * limit
    while True:
        text, name = page_in(edits.workspace, ref, limit, edits.window.working, **ways)
        tokens = edits.ingest.sizes.count(edits.ingest.clean(text))
        if tokens <= most or limit <= LEAST:
            return text, name
        limit = max(int(min(limit, len(text)) * 0.9 * most / tokens), LEAST)


def _attachment_entry(edits: WorkingEdits, ref: str, room: int, pages: str) -> UserTurn | None:
    """Return an entry that shows the image or document on the page `ref`; None for any other `ref`.
    The entry may take `room` tokens or, if more, what a fresh window has. `pages` selects pages of
    a PDF (`2-5`)."""
    from loom.session.attachments import page_attachment

    if surface_name(ref) is not None or entry_id_in_name(ref) is not None:
        return None
    name = resolve_page_name(edits.workspace, ref)
    found = page_attachment(name, edits.workspace.payload(name))
    if found is None:
        return None
    id, attach = edits.window.history.next_id, edits.attach()
    room = max(room, attach.room(edits.window))
    return attach.entry(found, id, room, own=True, page=name, pages=pages)


def _media_answer(edits: WorkingEdits, arguments: dict[str, Any], turn: UserTurn) -> Answer:
    """Return the answer to a page_in of an image or document, with the entry `turn` unless the
    window shows the page already or has no room."""
    page, text = turn.text.page, turn.text.body or ""
    stands = any(
        isinstance(item, UserTurn) and item.text.page == page and item.text.media is not None
        for item in edits.window.history.stream.entries_back
    )
    told = answer_reduction("page_in", arguments, f"Paged in {page}", page)
    if stands:
        return Answer(f"{text} stands in the window already", told)
    if turn.text.media is None:
        why = "" if text.endswith(")") else " is of no kind its model takes"
        return Answer(f"{text}{why}", told)
    return Answer(
        f"{text} is shown with this answer", told, records=(Faulted(page, "", 0), Brought(turn))
    )


def _unknown_name_answer(edits: WorkingEdits, ref: str, error: Exception) -> Answer:
    """Return the answer to a page_in of an unknown name, which says where to look instead."""
    names = list(edits.workspace.pager.table)
    shown = edits.workspace.index.file_history.places_of(ref)[-SHOWN:]
    near = get_close_matches(ref, names, 3, 0.5)
    steps = (item for item in edits.window.history.stream.entries_back if isinstance(item, Step))
    asked = (
        [c.arguments for c in step.calls if c.name == "page_in"] for step in islice(steps, TAU)
    )
    tried = sum(any(f'"{ref}"' in one for one in each) for each in asked)
    if tried > 1:
        text = f"page_in: {ref} does not exist, as you were told; recall(query) searches everything"
    elif shown:
        text = f"page_in: no page has the name of a file; {ref} was read as {', '.join(shown)}"
    else:
        hint = f"; near it: {', '.join(near)}" if near else ""
        text = f"page_in: {error}{hint}; recall(query) finds names by what they hold"
    return _failed_answer(ref, text[:600], f"no {ref[:80]}")


def _failed_answer(ref: str, text: str, why: str) -> Answer:
    """Return the answer to a page_in that failed. `why` is for the answer's short form."""
    return Answer(
        text, answer_reduction("page_in", {"ref": ref[:100]}, f"page_in failed: {why}"), True
    )


def capability_answers(recalled: Iterable[Callable[[str], object]], query: str) -> list[Answer]:
    """Return what capabilities answer to the query of a recall. Errors are ignored."""
    answers = []
    for one in recalled:
        with suppress(Exception):
            if isinstance(found := one(query), Answer):
                answers.append(found)
    return answers


def _answer_recall(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
    """Return the answer to a call of recall: the places (pages, entries) that a search finds, then
    the answers of capabilities."""
    query = str(arguments["query"])
    mark = edits.window.config.mark
    beside = capability_answers(edits.recalled, query)
    most = max(min(limit // CHARS, int(edits.window.limits.capacity * SHARE)), LEAST // CHARS)
    texts = [neutral(found.text, mark) for found in beside]
    text, hits = _recall_text(edits, query, most, texts)
    said = f"Recalled '{query[:80]}': {plural(hits, 'place')}"
    records = tuple(record for found in beside for record in found.records)
    told = answer_reduction("recall", {"query": query[:100]}, said)
    return Answer(text, told, records=records, marked=mark in text)


def _recall_text(
    edits: WorkingEdits, query: str, most: int, beside: Sequence[str]
) -> tuple[str, int]:
    """Return (text, number of places). The text has the places that a query finds, in at least
    LEAST characters, and the texts `beside`, in at most `most` tokens together."""
    from loom.session.archive.recall import recall

    ways = "; ".join([WHOLE] * has_page_in_tool(edits.window) + [OTHER_WORDS])
    more = MORE.format(ways=ways)
    limit = most * CHARS
    while True:
        room = limit - sum(len(text) + 1 for text in beside) - len(more) - 1
        text, hits = recall(edits.workspace, query, max(room, LEAST))
        full = hits > 0 and len(text) > FULL * room
        made = "\n".join([text, *([more] if full else []), *beside])
        tokens = edits.ingest.sizes.count(edits.ingest.clean(made))
        if tokens <= most or room <= LEAST:
            return made, hits
        limit = int(limit * 0.9 * most / tokens)


RETRIEVAL = (
    own_tool(
        "page_in",
        "Bring back what left the context by its name (step_0012, outputs/read_0007.json):"
        " whole, or lines (10-40, -20), grep (regex), pointer (/a/0/b).",
        {"ref": TEXT, **dict.fromkeys(WAYS, TEXT)},
        _answer_page_in,
        optional=WAYS,
    ),
    own_tool(
        "recall",
        "Search all that was ever in the context: passages and names.",
        {"query": TEXT},
        _answer_recall,
    ),
)
