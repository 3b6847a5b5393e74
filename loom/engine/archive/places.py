"""What a recall says of the places it found: names with matching lines, or slices in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from loom.engine.archive.units import HEARD, PAGE, SAID
from loom.providers.render.wording import UNSEARCHED
from loom.search.index import Passage
from loom.search.matching import matching
from loom.search.rank import runs
from loom.search.terms import Terms
from loom.text import cut, one_line

PLACES_MAX = 8
LINES_MAX = 4  # of each place
# (places, lines of each), tried in this order until they fit.
SHAPES = (
    *((PLACES_MAX, lines) for lines in range(LINES_MAX, 0, -1)),
    *((places, 1) for places in range(PLACES_MAX - 1, 0, -1)),
)
ASKED_CHARS = 200  # of a query that found nothing
NO_WORDS = "recall: the query has no words; give words, names or paths to look for"

Lines = Sequence[tuple[int, str]]


def nothing(query: str, limit: int) -> str:
    """What is said when no place holds any of the words."""
    return cut(f"nothing holds {one_line(query, ASKED_CHARS)}", limit)


def unsearched(names: Iterable[str]) -> str:
    """What is said of places that could not be read; "" for none."""
    known = list(names)
    more = [f"and {len(known) - LINES_MAX} more"] if len(known) > LINES_MAX else []
    pages = ", ".join([*known[:LINES_MAX], *more])
    return UNSEARCHED.format(pages=pages) if pages else ""


def beside(note: str, limit: int, size: Callable[[str], int]) -> int:
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


def lines_of(unit: Passage, text: str, wanted: Terms) -> Lines:
    """The matching lines of a unit, best first; its first line when the match is not in one."""
    found = matching(text, unit.first, wanted)
    return found or [(unit.first, one_line(text, 80))]


def told(
    found: Iterable[tuple[Passage, str]], wanted: Terms, limit: int, size: Callable[[str], int]
) -> tuple[str, int]:
    """(at most `limit` as `size` counts, places): each name with as many lines as there is room."""
    held: dict[str, dict[str, str]] = {}  # name → line → how it is shown; equal lines say no more
    for unit, text in found:
        name = title(unit)
        if name not in held and len(held) == PLACES_MAX:
            break
        lines = held.setdefault(name, {})
        for number, line in lines_of(unit, text, wanted):
            lines.setdefault(line, f"  {number}: {line}" if numbered(unit) else f"  {line}")
    shown = {name: list(lines.values()) for name, lines in held.items()}
    for places, most in SHAPES:
        blocks = ["\n".join([name, *lines[:most]]) for name, lines in shown.items()][:places]
        text = "\n".join(blocks)
        if size(text) <= limit:
            return text, len(blocks)
    while size(text) > limit:
        text = cut(text, min(limit, len(text) * 3 // 4))
    return text, bool(text)


def title(unit: Passage) -> str:
    """The name of the place; a message of the user on a page has the entry's name behind it."""
    return f"{unit.name} (user_{unit.entry:04d})" if unit.source == HEARD else unit.name


def heading(run: Sequence[Passage]) -> str:
    """The title of a run of slices, and which lines it has."""
    said = title(run[0])
    return f"{said} lines {run[0].first}–{run[-1].last}" if numbered(run[0]) else said


def block(run: Sequence[Passage], texts: Mapping[int, str]) -> str:
    """A run of slices in full, under its heading."""
    text = "".join(texts[unit.id] for unit in run).rstrip()
    return f"{heading(run)}\n{text}\n"


def whole(units: Sequence[Passage], texts: Mapping[int, str]) -> str:
    """Slices in full, the best first, those that follow on each other together."""
    return "\n".join(block(run, texts) for run in runs(units)).rstrip("\n")
