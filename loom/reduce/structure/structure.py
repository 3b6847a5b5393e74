"""A large text reduced by its structure: what kind it is, and who reduces that kind.

Theory of operation. `kind_of` looks at a bounded prefix and a few samples, never at names of tools
or files; only JSON is read whole, because nothing less tells. Each kind has a function that chooses
what stays, and every one keeps the limit. A reducer that finds its kind was guessed wrongly answers
None, and the text is reduced as plain text, which always works.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from loom.reduce.budget import quote
from loom.reduce.budget import string as cut_string
from loom.reduce.structure.detect import TextSample, kind_of, sample_of
from loom.reduce.structure.html import reduce_html, reduce_markup
from loom.reduce.structure.lines.diffs import reduce_diff
from loom.reduce.structure.lines.logs import reduce_log
from loom.reduce.structure.lines.outline import reduce_text
from loom.reduce.structure.relevance import Objective, objective_of
from loom.reduce.structure.tables import reduce_table
from loom.reduce.structure.values.decode import decode, minified
from loom.reduce.structure.values.jsonl import reduce_lines
from loom.reduce.structure.values.objects import Sketch
from loom.text import cut

JSON = "json"
TIGHT = 8  # times its limit a text may be long for its blanks alone to make it too long


class Structural(Struct, frozen=True):
    """A text reduced: at most its limit of characters; `whole` when nothing was left out.

    `kind` is one of json, jsonl, log, table, html, text.
    """

    text: str
    kind: str
    whole: bool


Reducer = Callable[[str, int, str, Objective], str | None]

REDUCERS: dict[str, Reducer] = {
    "jsonl": reduce_lines,
    "log": reduce_log,
    "table": reduce_table,
    "html": reduce_html,
    "diff": reduce_diff,
    "markup": reduce_markup,
    "text": reduce_text,
}
TEXTS = {"diff": "text", "markup": "text"}  # kinds that are told as another


def structural(text: str, limit: int, ref: str = "", *, objective: str = "") -> Structural:
    """`text` reduced to at most `limit` characters that show its shape and what matters in it.

    `ref` names where the whole rests; `objective` is what the reader is about. JSON stays valid
    JSON from two characters on. Linear in the length of `text`, deterministic, never raises.
    """
    sample = sample_of(text)
    if len(text) <= limit:
        return Structural(text, _kind_of_small(text, sample), True)
    sought = objective_of(objective)
    sound, value = decode(text)
    if sound:
        return _json(text, value, limit, ref, sought)
    kind = kind_of(sample)
    reduced = REDUCERS[kind](text, limit, ref, sought) if limit > 0 else ""
    if reduced is None:
        kind, reduced = "text", reduce_text(text, limit, ref, sought)
    return Structural(cut(reduced or "", limit), TEXTS.get(kind, kind), False)


def _kind_of_small(text: str, sample: TextSample) -> str:
    """The kind of a text that fits."""
    kind = JSON if decode(text)[0] else kind_of(sample)
    return TEXTS.get(kind, kind)


def _json(text: str, value: Any, limit: int, ref: str, objective: Objective) -> Structural:
    """JSON of any kind within `limit`; without its blanks when that is enough."""
    if len(text.strip()) <= TIGHT * limit and len(tight := minified(text)) <= limit:
        return Structural(tight, JSON, True)
    where = f"rests in {ref}" if ref else "was longer"
    note = f"… shortened: the whole, {len(text):,} characters, {where}"
    if isinstance(value, str):
        return Structural(_string(value, limit, note), JSON, False)
    if len(quote(note)) + 12 > limit:
        note = "…"
    return Structural(Sketch(objective).root(value, limit, note)[:limit], JSON, False)


def _string(value: str, limit: int, note: str) -> str:
    """A text that is one JSON string, cut, with the note at its end."""
    room = limit - len(quote(note)) - 1
    shown = cut_string(value, room) if room > 0 else None
    if shown is not None:
        return shown[:-1] + " " + quote(note)[1:]
    return (cut_string(value, limit) or '""')[:limit]
