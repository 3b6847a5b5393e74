"""Edits after which an entry shows only some of its units (pieces that stay or leave on their own).

A result keeps its slices in use and says which lines are left out and on which page they rest; the
long arguments of a call leave one by one; a text of the model becomes its first words. The new text
is put together from the units, so no page is read. Superseded units leave so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from loom.compress.cut_input import CutInput
from loom.compress.worth.ahead import paged_in_lines
from loom.compress.worth.entry_units import (
    EntryUnit,
    UnitKey,
    excerpt_parts_of,
    object_with_field,
    units_by_place,
)
from loom.compress.worth.residency import ParsedCalls, is_unit_shown
from loom.compress.worth.slices import ExcerptPart, excerpt_text, merge_ranges
from loom.providers.formats.wire import compact_json
from loom.providers.render.neutral import neutral
from loom.providers.render.quotes import read_ahead_tokens
from loom.reduce.arguments import json_object
from loom.reduce.clauses import beginning_or_notice
from loom.text import encodable, provider_tool_name
from loom_partitions.edits import Edit, Shortened, Where
from loom_partitions.message import (
    Call,
    Detail,
    Digest,
    Entry,
    PagedIn,
    Said,
    Step,
    Text,
    UserTurn,
    name_of,
)

Cut = tuple[Shortened, int]  # an edit, and the tokens it frees
SAID_KINDS = ("old", "new")  # kinds of units that a call said: no other level shortens them
FILE_KINDS = (*SAID_KINDS, "read", "edit")
SAID = 120  # characters of a text of the model that is left out


def edits_to_show_only(
    cut_input: CutInput, entry: UserTurn | Step, may: Iterable[EntryUnit]
) -> tuple[Cut, ...]:
    """Return (edit, tokens freed) pairs, after which the entry shows only the units in `may`.
    (Units are pieces of an entry.)"""
    keep = {unit.key: unit for unit in may}
    units = [keep.get(unit.key, unit) for unit in cut_input.catalog.of(entry)]
    view = f"history/{name_of(entry)}.json"
    if isinstance(entry, Step):
        return tuple(_step_edits(cut_input, entry, units, keep, view))
    if entry.ahead:
        paged = PagedIn(entry.source, entry.text, entry.about, entry.field)
        return tuple(_read_ahead_edits(cut_input, entry, 0, paged, units, keep))
    text = entry.text
    return tuple(_text_edits(cut_input, entry, "user", 0, text, units, keep, text.page or view))


def _step_edits(
    cut_input: CutInput,
    step: Step,
    units: Sequence[EntryUnit],
    keep: Collection[UnitKey],
    view: str,
) -> Iterator[Cut]:
    """Yield (edit, tokens freed) pairs, after which a step shows only the units (pieces) whose keys
    are in `keep`. `view` is the file with the whole step."""
    places, parsed = units_by_place(units), ParsedCalls()
    for at, part in enumerate(step.parts):
        mine = places.get(("said" if isinstance(part, Said) else "call", at), ())
        out = {u.field for u in mine if u.key not in keep and is_unit_shown(step, u, parsed)}
        if isinstance(part, Said) and out:
            body = beginning_or_notice(part.text.body or "", SAID)
            short = Text(cut_input.sizes.count(body), part.text.size, body, part.text.page or view)
            if short.tokens < part.text.tokens:
                yield Shortened(step.id, "said", at, short), part.text.tokens - short.tokens
        elif isinstance(part, Call) and out:
            left = [unit for unit in mine if unit.field in out and unit.key in keep]
            sizes = {unit.field: unit.last for unit in mine}
            yield from _call_edits(
                cut_input, step, at, part, {f: sizes[f] for f in sorted(out)}, left, view
            )
    for at, outcome in enumerate(step.outcomes):
        mine = places.get(("result", at), ())
        text, observed = outcome.text, outcome.reduction.observation
        yield from _text_edits(
            cut_input, step, "result", at, text, mine, keep, text.page or view, observed
        )
    for at, paged in enumerate(step.beside):
        yield from _read_ahead_edits(
            cut_input, step, at, paged, places.get(("beside", at), ()), keep
        )


def _read_ahead_edits(
    cut_input: CutInput,
    entry: UserTurn | Step,
    at: int,
    paged: PagedIn,
    units: Sequence[EntryUnit],
    keep: Collection[UnitKey],
) -> Iterator[Cut]:
    """Yield at most one (edit, tokens freed) pair, which cuts a read-ahead text to the units
    (pieces) whose keys are in `keep`."""
    old = paged.text
    kept = [unit for unit in units if unit.key in keep]
    mark = cut_input.window.config.mark
    if kept and len(kept) == len(units):
        return
    new = paged_in_lines(paged, kept, mark).text
    where: Where = "beside"
    tokens = read_ahead_tokens(replace(paged, text=new), mark, cut_input.sizes.count) if kept else 0
    if isinstance(entry, UserTurn):
        where, tokens = "user", cut_input.sent_tokens(replace(entry, text=new), new.body or "")
    if kept or where == "beside":
        yield Shortened(entry.id, where, at, replace(new, tokens=tokens)), old.tokens - tokens


def _text_edits(
    cut_input: CutInput,
    entry: UserTurn | Step,
    where: Where,
    at: int,
    text: Text,
    units: Sequence[EntryUnit],
    keep: Collection[UnitKey],
    ref: str,
    observed: str = "",
) -> Iterator[Cut]:
    """Yield at most one (edit, tokens freed) pair, which cuts a text to the slices whose keys are
    in `keep`. `where` and `at` are the kind and index of the text's place in the entry. If no slice
    stays, `observed` (the result's observation) and `ref` (the text's page) replace the text."""
    kept = [unit for unit in units if unit.key in keep]
    mark = cut_input.window.config.mark
    anew = has_line_numbers(text, units)
    whole = len(kept) == len(units) and not any(unit.shown for unit in kept)
    if not units or (whole and not anew):
        return
    ranges = merge_ranges(lines for unit in kept for lines in unit.shown_ranges)
    if ranges == text.lines and ranges:
        return
    if kept:
        body = excerpt_text(excerpt_parts_of(kept), units[-1].last, ref, mark)
    else:
        said = neutral(observed, mark) if observed else "rests"
        body = f"[{said} {mark} → {ref}]"
    tokens = cut_input.sent_tokens(entry, body)
    if anew or tokens < text.tokens:
        short = Text(tokens, text.size, body, ref, ranges, marked=True)
        yield Shortened(entry.id, where, at, short), text.tokens - tokens


def has_line_numbers(text: Text, units: Iterable[EntryUnit]) -> bool:
    """Return True if a whole text shows the line numbers that a file tool wrote."""
    return not text.lines and any(unit.numbered for unit in units)


def _call_edits(
    cut_input: CutInput,
    step: Step,
    at: int,
    call: Call,
    fields: dict[str, int],
    left: Sequence[EntryUnit],
    view: str,
) -> Iterator[Cut]:
    """Yield (edit, tokens freed) for each edit that shortens an argument of the call at index `at`.
    `fields` holds the number of lines of each argument that may be shortened. `left` are the pieces
    that stay. `view` is the file with the whole step."""
    members = json_object(call.arguments)
    if not members:
        return
    mark = cut_input.window.config.mark
    pieces: dict[str, list[ExcerptPart]] = {}
    for unit in left:
        pieces.setdefault(unit.field, []).extend(unit.pieces)
    words = f"[moved {mark} → {view}]"
    for field, total in fields.items():
        some = pieces.get(field)
        held, key = object_with_field(members, field)
        left_out = words if len(words) < len(held.get(key, "")) else f"[left {mark}]"
        held[key] = excerpt_text(some, total, view, mark) if some else left_out
    body = encodable(compact_json(members))
    tokens = cut_input.sizes.call(call.id, provider_tool_name(call.name), body)
    if tokens < call.tokens:
        size = len(call.arguments.encode("utf-8", "replace"))
        yield Shortened(step.id, "call", at, Text(tokens, size, body, view)), call.tokens - tokens


def current_units_of(cut_input: CutInput, entry: UserTurn | Step) -> tuple[EntryUnit, ...]:
    """Return the units (pieces) that an entry shows or could show again, without outdated units."""
    here = cut_input.catalog.shown(entry).available
    return tuple(unit for unit in here if unit.key not in cut_input.catalog.stale)


def edits_without_superseded(
    cut_input: CutInput, entries: Iterable[Entry], kinds: Collection[str] = ()
) -> Iterator[Cut]:
    """Yield (edit, tokens freed) pairs that remove outdated units (pieces) from these entries.
    `kinds` limits the kinds of units; empty means all."""
    for entry in entries:
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
            continue
        here = cut_input.catalog.shown(entry).available
        stale = cut_input.catalog.stale
        may = [u for u in here if u.key not in stale or (kinds and u.kind not in kinds)]
        if hides_some(here, may):
            yield from edits_to_show_only(cut_input, entry, may)


def edits_to_kept_entries(cut_input: CutInput, lowered: Iterable[Entry]) -> tuple[Edit, ...]:
    """Return the edits that remove outdated text of files from entries not in `lowered`."""
    last = next((e.id for e in reversed(cut_input.entries) if isinstance(e, Step)), 0)
    other = {entry.id for entry in lowered} | cut_input.pinned | cut_input.unanswered | {last}
    kept = (entry for entry in cut_input.entries if entry.id not in other)
    return tuple(edit for edit, _ in edits_without_superseded(cut_input, kept, FILE_KINDS))


def hides_some(here: Sequence[EntryUnit], may: Sequence[EntryUnit]) -> bool:
    """Return True if showing the units `may` of an entry instead of `here` hides any lines."""
    return len(may) < len(here) or any(unit.shown for unit in may)
