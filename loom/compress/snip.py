"""Snip: long results and texts that are no longer recent keep head and tail, and name their page.

The level reactive does the same with a lower limit. A text that was snipped at a higher limit is
snipped again from its whole, so true sizes are never lost and nothing is cut twice."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import json
from msgspec.structs import replace

from loom.compress.cut_input import CutInput
from loom.compress.entry_line import texts_by_place
from loom.compress.media import without_media
from loom.compress.slicing import SAID_KINDS, edits_without_superseded
from loom.inputs import Reply, Speech
from loom.providers.counts.message_sizes import CALL
from loom.providers.render.neutral import neutral
from loom.providers.render.render import render_text
from loom.providers.render.standin import StandIn
from loom.reduce.preview import PREVIEW, SNIP, minimal_arguments, shorten
from loom_partitions.edits import Edit, Shortened, Where, apply_edits
from loom_partitions.message import (
    Call,
    Detail,
    Digest,
    Entry,
    Notice,
    Step,
    Text,
    UserTurn,
    name_of,
)

KEPT = 0.4  # share of the limit that is shown of a snipped text
LEAST = 80  # characters, though the limit is lower: of nothing at all no page could be named


REQUEST = 4_000  # characters that stay of the user's last request: its own words have room in them


def snip(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the compression level snip. They shorten texts of old entries longer than
    `policy.tuning.snip_chars`, the oldest first, until the request is within the target."""
    edits: list[Edit] = []
    excess = cut_input.excess
    for entry in cut_input.old:
        if excess <= 0:
            break
        current = dict(edits_without_superseded(cut_input, [entry], SAID_KINDS))
        said = {edit.at for edit in current}
        for edit, freed in edits_to_shorten(cut_input, entry, cut_input.policy.tuning.snip_chars):
            again = edit.where == "call" and edit.at in said
            if not again and not _shows_chosen_lines(entry, edit):
                current[edit] = freed
        edits += current
        excess -= sum(current.values())
    return tuple(edits)


def snip_long_texts(
    cut_input: CutInput, edits: tuple[Edit, ...], limit: int
) -> tuple[Shortened, ...]:
    """Return edits that shorten all texts of old entries still longer than `limit` characters after
    `edits`."""
    old = {entry.id: entry for entry in cut_input.old}
    done: list[Shortened] = []
    for left in apply_edits(cut_input.entries, edits, 0):
        entry = None if isinstance(left, Notice) else old.get(left.id)
        if entry is None or isinstance(left, Notice | Digest):
            continue
        if isinstance(left, Step) and isinstance(entry, Step) and entry.beside:
            left = replace(left, beside=entry.beside)  # by the places they have now
        done += (edit for edit, _ in edits_to_shorten(cut_input, left, limit))
    return tuple(done)


def _shows_chosen_lines(entry: Entry, edit: Shortened) -> bool:
    """Return True if the text that `edit` would shorten shows chosen lines of a larger text."""
    if isinstance(entry, UserTurn):
        return bool(_is_brought_by_loom(entry) or entry.text.lines)
    if isinstance(entry, Step) and edit.where == "result":
        return bool(entry.outcomes[edit.at].text.lines)
    return edit.where == "beside"


def _is_brought_by_loom(turn: UserTurn) -> bool:
    """Return True for a user turn whose text Loom copied from a page or an entry."""
    return bool(turn.source) and not turn.call


def edits_to_shorten(
    cut_input: CutInput, entry: Entry, limit: int, largest: bool = False
) -> tuple[tuple[Shortened, int], ...]:
    """Return (edit, tokens freed) for each text of an entry longer than `limit` characters. A text
    is shortened to the fraction KEPT of the limit, or to the whole limit if `largest` is True."""
    if not largest and entry.id == cut_input.request:
        limit, largest = max(limit, REQUEST), True
    made_with = ("snip", limit, largest, cut_input.window.config.mark)
    return cut_input.memo.of(
        entry, made_with, lambda: tuple(_make_edits_to_shorten(cut_input, entry, limit, largest))
    )


def _make_edits_to_shorten(
    cut_input: CutInput, entry: Entry, limit: int, largest: bool
) -> Iterator[tuple[Shortened, int]]:
    """Yield the same as `edits_to_shorten`, without using the memo."""
    if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
        return
    room = limit if largest else int(limit * KEPT)
    room, ends = max(room, LEAST), PREVIEW if largest else SNIP
    for where, at, text in texts_by_place(entry):
        if where == "beside":
            short, tokens = replace(text, tokens=0, body="", lines=()), text.tokens
        elif text.media is not None:  # what stays is the line that describes it
            short, tokens = without_media(text), text.media.tokens
        elif made := _shorter_text(cut_input, entry, where, at, text, limit, room, ends):
            short, tokens = made, text.tokens - made.tokens
        else:
            continue
        yield Shortened(entry.id, where, at, short), tokens
    if isinstance(entry, Step):
        for at, part in enumerate(entry.parts):
            if isinstance(part, Call) and len(part.arguments) > limit:
                yield from edits_to_shorten_call(cut_input, entry, at, part, room)


def _shorter_text(
    cut_input: CutInput,
    entry: UserTurn | Step,
    where: Where,
    at: int,
    text: Text,
    limit: int,
    room: int,
    ends: tuple[int, int],
) -> Text | None:
    """Return a text of an entry shortened to about `room` characters; None if the text is within
    `limit` characters or no tokens would be saved. `ends` are the percentages kept of the text's
    beginning and end. `where` and `at` are the kind and index of the text's place."""
    if text.size <= limit or (text.body is not None and len(text.body) <= limit):
        return None
    view = f"history/{name_of(entry)}.json"
    whole = _text_to_shorten(cut_input, entry, at, text, view)
    if len(whole) <= limit or isinstance(whole, StandIn):
        return None
    ref = text.page or view
    mark = "" if where == "said" else cut_input.window.config.mark
    if not (text.marked and whole == text.body):
        whole = neutral(whole, mark)
    printed = where == "result" or (isinstance(entry, UserTurn) and entry.call)
    body = shorten(whole, room, ref, ends, spoken=not printed)
    outcome = entry.outcomes[at] if where == "result" and isinstance(entry, Step) else None
    if outcome is not None and outcome.error:  # its words stay, wherever in the text they stood
        body += f"\n[{neutral(outcome.reduction.observation, mark)} {mark}]"
    tokens = cut_input.sent_tokens(entry, body)
    return Text(tokens, text.size, body, ref, marked=bool(mark)) if tokens < text.tokens else None


def _text_to_shorten(cut_input: CutInput, entry: Entry, at: int, text: Text, view: str) -> str:
    """Return the text to shorten: chosen lines as the window shows them, otherwise the original
    from its page. `at` is the index of the text in a step, `view` the file with the whole entry."""
    if text.lines or (isinstance(entry, UserTurn) and _is_brought_by_loom(entry)):
        return text.body or ""  # what was chosen of it is what may be shortened further
    if text.page in ("", view):
        return render_text(text, cut_input.read)
    whole = cut_input.read(text.page)
    if isinstance(whole, StandIn):
        return whole if text.body is None else text.body
    if isinstance(entry, Step) and text.page == entry.page:
        part = json.decode(whole, type=Reply).parts[at]
        return part.text if isinstance(part, Speech) else text.body or ""
    return whole


def edits_to_shorten_call(
    cut_input: CutInput, entry: Step, at: int, call: Call, limit: int
) -> Iterator[tuple[Shortened, int]]:
    """Yield at most one (edit, tokens freed) pair, which shortens the arguments of the call at
    index `at` to `limit` characters."""
    view = f"history/{name_of(entry)}.json"
    body = minimal_arguments(call.arguments, limit, view)
    tokens = CALL + sum(cut_input.sizes.count.many((call.id, call.name, body)))
    if tokens < call.tokens:
        text = Text(tokens, len(call.arguments.encode("utf-8", "replace")), body, view)
        yield Shortened(entry.id, "call", at, text), call.tokens - tokens
