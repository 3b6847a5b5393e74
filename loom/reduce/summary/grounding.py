"""Grounding: everything a summary names must stand in its payload.

Names, numbers, URLs, paths, identifiers, addresses, hashes, dates and quotations are looked for,
recognised by their form (`loom.reduce.summary.forms`) and searched on their bounds
(`loom.reduce.summary.payload`). What is said of them is not judged: a false verb passes, an
invented id does not.
"""

from __future__ import annotations

import unicodedata

from loom.lazy import lazy_re
from loom.reduce.arguments import parse
from loom.reduce.lines import count_lines, counted, human
from loom.reduce.summary.forms import Claim, claims
from loom.reduce.summary.payload import PayloadText, readings
from loom.search.terms import asked
from loom.text import size_of

MOST = 16  # ungrounded things told
FIRM = ("exact", "url", "quote")  # kinds of claims that no text has by chance
LISTS = 8  # lists of an object that are counted
_BULLET = lazy_re(r"\s*(?:[-*•+]\s+)?")


def ungrounded(summary: str, payload: str, allowed: str = "") -> tuple[str, ...]:
    """The things a summary names that are neither in `payload` nor in `allowed`; at most MOST.

    Empty for a summary that is grounded, or names nothing. `allowed` is what else may be named: the
    tool, the objective, `counts`. Time grows with the size of the payload and with the number of
    different things named; 8 MB take some milliseconds for each.
    """
    if not summary.strip():
        return ()
    texts = (*readings(payload), *(readings(allowed) if allowed else ()))
    lines = unicodedata.normalize("NFC", summary).split("\n")
    missing = _missing(lines, texts)
    # A line that stands in the payload as it is needs no looking into, whatever its forms. The
    # first line with a missing thing is enough: if that is no line of a text, the thing is missing.
    while own := {at for one in missing for at in _first(one, lines) if _is_own(lines[at], texts)}:
        lines = [line for at, line in enumerate(lines) if at not in own]
        missing = _missing(lines, texts)
    return missing


def is_about(summary: str, payload: str) -> bool:
    """True for a summary that names an id, a URL or a quotation of its payload, or half of whose
    words stand there. An error's text or an apology in its place speaks of something else."""
    texts = readings(payload)
    firm = (claim for claim in claims(summary) if claim.kind in FIRM)
    if any(text.holds(claim.kind, claim.text) for claim in firm for text in texts):
        return True
    words = asked(summary).words
    return 2 * sum(any(_says(text, word) for text in texts) for word in words) >= len(words)


def _says(text: PayloadText, word: str) -> bool:
    return text.holds("word" if word.isascii() else "part", word)


def _missing(lines: list[str], texts: tuple[PayloadText, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for claim in dict.fromkeys(claims("\n".join(lines))):
        if len(found) >= MOST:
            break
        if not _holds(claim, texts):
            found[claim.text] = None
    return tuple(found)


def _first(missing: str, lines: list[str]) -> list[int]:
    """The first line that holds a missing thing; none when it goes over several."""
    return next(([at] for at, line in enumerate(lines) if missing in line), [])


def _is_own(line: str, texts: tuple[PayloadText, ...]) -> bool:
    """True when a line is one of a text's own, with or without its bullet."""
    ways = {line.strip(), _BULLET.sub("", line, count=1).strip()} - {""}
    return any(text.holds("line", way) for text in texts for way in ways)


def _holds(claim: Claim, texts: tuple[PayloadText, ...]) -> bool:
    """True when a thing is in one of the texts, whole or by all its parts."""
    if any(text.holds(claim.kind, claim.text) for text in texts):
        return True
    return bool(claim.parts) and all(_holds(part, texts) for part in claim.parts)


def counts(payload: str) -> str:
    """Loom's own counts of a payload, which a summary may state: characters, bytes, lines, items.

    Of JSON the items of the list or the keys of the object it is, and the items of the lists that
    are its members. Of other text with several lines also those below a line of headings.
    """
    size = size_of(payload)
    said = [counted(len(payload), "character"), f"{size} bytes"]
    if size >= 1024:
        said.append(human(size))
    value = parse(payload)
    if isinstance(value, list):
        said.append(counted(len(value), "item"))
    elif isinstance(value, dict):
        said.append(counted(len(value), "key"))
        # Without their names: those are the payload's, and counts stand outside its fence.
        lists = [len(one) for one in value.values() if isinstance(one, list)]
        said += [f"{counted(items, 'item')} in a list of it" for items in lists[:LISTS]]
    lines = count_lines(payload)
    said.append(counted(lines, "line"))
    if lines > 1 and value is None:
        said.append(f"{lines - 1} below the first")
    if pages := payload.count("\f"):
        said.append(counted(pages + 1, "page"))
    return ", ".join(said)
