"""What a recall says of the places it found: passages in full, then names with matching lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.providers.render.wording import UNSEARCHED
from loom.search.index import Passage
from loom.search.matching import GAP, Sought
from loom.search.rank import packed, runs
from loom.session.archive.units import HEARD, PAGE, SAID, THOUGHT
from loom.text import cut, one_line

PLACES_MAX = 8
LINES_MAX = 4  # of each place
STEPS_MAX = 3  # entries that changed a file, behind the name of a place
# (places, lines of each), tried in this order until they fit.
SHAPES = (
    *((PLACES_MAX, lines) for lines in range(LINES_MAX, 0, -1)),
    *((places, 1) for places in range(PLACES_MAX - 1, 0, -1)),
)
ASKED_CHARS = 200  # of a query that found nothing
NO_WORDS = "recall: the query has no words; give words, names or paths to look for"

NAMED = 12  # the part of the room that is kept for names with a line, at most
PART = 3  # the part of the room one passage may take
# A line; of a long one a sentence, as half of one may say the opposite; of a longer one a part.
PIECE = lazy_re(
    r"[^\n]{0,199}(?:\n|$)|[^\n]{1,400}?(?:[.!?][ \t]|[。！？；])|[^\n]{0,99}\s|[^\n]{100}"
)

Size = Callable[[str], int]
Behind = Callable[[str], str]  # the mark behind the name of a place, and what befell it since
TextOf = Callable[[Passage], str]
Lines = Sequence[tuple[int, str]]


def nothing(query: str, limit: int) -> str:
    """The answer when no place holds any of the words."""
    return cut(f"nothing holds {one_line(query, ASKED_CHARS)}", limit)


def unsearched(names: Iterable[str], form: str = UNSEARCHED) -> str:
    """The line about places that could not be read, or were let go; "" for none."""
    known = list(names)
    more = [f"and {len(known) - LINES_MAX} more"] if len(known) > LINES_MAX else []
    pages = ", ".join([*known[:LINES_MAX], *more])
    return form.format(pages=pages) if pages else ""


def room_beside(note: str, limit: int, size: Callable[[str], int]) -> int:
    """The room of `limit` that is left beside a note; all of it when the note would take half."""
    taken = size(f"\n{note}") if note else 0
    return limit - taken if 2 * taken < limit else limit


def noted(text: str, note: str, limit: int, size: Callable[[str], int]) -> str:
    """The text with a note behind it, where both fit."""
    both = f"{text}\n{note}"
    return both if note and size(both) <= limit else text


def numbered(unit: Passage) -> bool:
    """True when page_in counts the lines of this text as they stand here; a reply's are JSON."""
    return unit.source in (PAGE, HEARD, SAID)


def lines_of(unit: Passage, text: str, sought: Sought) -> Lines:
    """The matching lines of a unit, best first; its first line when the match is not in one."""
    found = sought.matching(text, unit.first)
    return found or [(unit.first, one_line(text, 80))]


class RankedPassages(Struct, frozen=True):
    """What a search found: passages by worth for their room, those named by score, what is
    sought.

    `since` gives what is said behind the name of a place whose file was changed.
    """

    ordered: list[Passage]
    named: list[Passage]
    sought: Sought
    since: Behind


def passages(found: RankedPassages, texts: TextOf, limit: int, size: Size) -> tuple[str, int]:
    """(at most `limit` as `size` counts, places): the best passages, then names with a line.

    1/NAMED of the room is kept for names, as far as they fill it. No passage takes more than
    1/PART of it: a larger one is shown about its best line.
    """
    held: dict[int, tuple[Passage, str]] = {}  # as they are shown
    most = limit // PART

    def cost(unit: Passage) -> int:
        text, id = texts(unit), unit.id
        if text and size(block([unit], {id: text}, found.since)) > most:
            whole_unit = unit, text
            unit, text = narrowed(*whole_unit, found, most, size)
            if not text:  # one piece of it alone is larger
                unit, text = narrowed(*whole_unit, found, limit - kept, size)
        held[id] = unit, text
        return size(block([unit], {id: text}, found.since)) if text else limit + 1

    kept = size(told(found, found.named, texts, limit // NAMED, size)[0] + "\n\n")
    units = packed(found.ordered, cost, limit - kept)
    while True:
        shown = [held[unit.id][0] for unit in units]
        text = whole(shown, {id: text for id, (_, text) in held.items()}, found.since)
        if not units or size(text) <= limit:  # tokens may be more where texts meet
            break
        units.pop()
    names = {title(unit) for unit in units}
    others = [unit for unit in found.named if title(unit) not in names]
    room = limit - size(text + "\n\n") if text else limit
    lines, more = told(found, others, texts, room, size)
    if not (text or lines):
        return clipped(found, texts, limit, size)
    both = f"{text}\n\n{lines}" if text and lines else text or lines
    return (both, len(names) + more) if size(both) <= limit else (text, len(names))


def narrowed(
    unit: Passage, text: str, among: RankedPassages, room: int, size: Size
) -> tuple[Passage, str]:
    """A passage about what was asked for, as much of it as fits the room; "" when nothing does.

    What stands far apart is shown in several parts, the best ones where not all of them fit.
    """
    pieces = [match.span() for match in PIECE.finditer(text) if match[0]]
    ends = [end for _, end in pieces]
    cores = [
        (bisect_right(ends, start), bisect_left(ends, end))
        for start, end in among.sought.stretches(text)
    ] or [(0, 0)]

    def about(reach: int, many: int) -> tuple[Passage, str]:
        parts: list[tuple[int, int]] = []
        for first, last in sorted(cores[:many]):
            start = pieces[max(first - reach, 0)][0]
            end = pieces[min(last + reach, len(pieces) - 1)][1]
            if parts and start <= parts[-1][1]:
                start, before = parts.pop()
                end = max(end, before)
            parts.append((start, end))
        (start, _), (_, end) = parts[0], parts[-1]
        first, last = (unit.first + text.count("\n", 0, at) for at in (start, end - 1))
        part = replace(unit, start=unit.start + start, end=unit.start + end, first=first, last=last)
        return part, GAP.join(text[start:end] for start, end in parts)

    def fits(reach: int, many: int) -> bool:
        part, shown = about(reach, many)
        return size(block([part], {unit.id: shown}, among.since)) <= room

    many = next((many for many in range(len(cores), 0, -1) if fits(0, many)), 0)
    if not many:
        return unit, ""
    least, most = 0, len(pieces)  # `least` fits, `most` need not be tried
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle, many) else (least, middle)
    return about(least, many)


def told(
    among: RankedPassages, found: Iterable[Passage], texts: TextOf, limit: int, size: Size
) -> tuple[str, int]:
    """(at most `limit` as `size` counts, places): each name with as many lines as there is room.

    The text is "" when not even one fits.
    """
    held: dict[str, dict[str, str]] = {}  # name → line → how it is shown; equal lines say no more
    for unit in found:
        name = title(unit) + among.since(unit.name)
        if name not in held and len(held) == PLACES_MAX:
            break
        if len(held.get(name, ())) >= LINES_MAX or not (text := texts(unit)):
            continue
        lines = held.setdefault(name, {})
        for number, line in lines_of(unit, text, among.sought):
            lines.setdefault(line, f"  {number}: {line}" if numbered(unit) else f"  {line}")
    shown = {name: list(lines.values()) for name, lines in held.items()}
    for places, most in SHAPES:
        blocks = ["\n".join([name, *lines[:most]]) for name, lines in shown.items()][:places]
        text = "\n".join(blocks)
        if size(text) <= limit:
            return text, len(blocks)
    return "", 0


def clipped(found: RankedPassages, texts: TextOf, limit: int, size: Size) -> tuple[str, int]:
    """The best place with its best line, cut to the limit."""
    best = next(((unit, texts(unit)) for unit in found.named if texts(unit)), None)
    if best is None:
        return "", 0
    text = f"{title(best[0])}{found.since(best[0].name)}\n  {lines_of(*best, found.sought)[0][1]}"
    while size(text) > limit:
        text = cut(text, min(limit, len(text) * 3 // 4))
    return text, bool(text)


def title(unit: Passage) -> str:
    """The name of the place; behind it what it is where the name alone does not say so."""
    if unit.source == HEARD:  # a message of the user on a page
        return f"{unit.name} (user_{unit.entry:04d})"
    return f"{unit.name} (your reasoning)" if unit.source == THOUGHT else unit.name


def heading(run: Sequence[Passage]) -> str:
    """The title of a run of slices, and which lines it has if its text has several."""
    said = title(run[0])
    lined = numbered(run[0]) and run[-1].last > 1
    return f"{said} lines {run[0].first}–{run[-1].last}" if lined else said


def block(run: Sequence[Passage], texts: Mapping[int, str], since: Behind) -> str:
    """A run of slices in full, under its heading."""
    text = "".join(texts[unit.id] for unit in run).rstrip()
    return f"{heading(run)}{since(run[0].name)}\n{text}\n"


def whole(units: Sequence[Passage], texts: Mapping[int, str], since: Behind) -> str:
    """Slices in full, the best first, those that follow on each other together."""
    return "\n".join(block(run, texts, since) for run in runs(units)).rstrip("\n")
