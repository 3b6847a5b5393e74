"""The text of a recall's answer: the best passages in full, then names of further places, each with
the lines of it that match."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.search.index import Passage
from loom.search.matching import GAP, SoughtTerms
from loom.search.rank import adjacent_runs, units_that_fit
from loom.session.archive.searched_units import HEARD, PAGE, SAID, THOUGHT
from loom.text import clip_text, one_line

PLACES_MAX = 8
LINES_MAX = 4  # of each place
# (places, lines of each), tried in this order until they fit.
SHAPES = (
    *((PLACES_MAX, lines) for lines in range(LINES_MAX, 0, -1)),
    *((places, 1) for places in range(PLACES_MAX - 1, 0, -1)),
)

NAMED = 12  # the part of the room that is kept for names with a line, at most
PART = 3  # the part of the room one passage may take
# A line; of a long one a sentence, as half of one may say the opposite; of a longer one a part.
PIECE = lazy_re(
    r"[^\n]{0,199}(?:\n|$)|[^\n]{1,400}?(?:[.!?][ \t]|[。！？；])|[^\n]{0,99}\s|[^\n]{100}"
)

Size = Callable[[str], int]


class FoundPlaces(Struct, frozen=True):
    """The passages that a search found, and the text that shows them. A place is the page or entry
    that holds a passage.

    `ordered` has the passages in the order in which they get room. `named` has, best first, the
    passages whose places may be listed by name only. `texts(passage)` returns a passage's text, ""
    for an unreadable passage. `behind(name)` returns the words to add after a place's name.
    `size(text)` measures a text, and every limit and room is in its unit."""

    ordered: list[Passage]
    named: list[Passage]
    sought: SoughtTerms
    texts: Callable[[Passage], str]
    behind: Callable[[str], str]
    size: Size

    def passages(self, limit: int) -> tuple[str, int]:
        """Return (text, number of places in it). The text, at most `limit` in size, has the best
        passages in full, and after them names of further places with their matching lines.

        A passage longer than 1/PART of the room is cut down to the parts around its matches."""
        size = self.size
        held: dict[int, tuple[Passage, str]] = {}  # as they are shown
        most = limit // PART

        def cost(unit: Passage) -> int:
            """Return the size of a passage as shown; more than `limit` if no part of it fits."""
            shown = unit, self.texts(unit)
            if shown[1] and size(self._passage_block([shown])) > most:
                shown = self._narrow_to_matches(unit, shown[1], most)
                if not shown[1]:  # one piece of it alone is larger
                    shown = self._narrow_to_matches(unit, self.texts(unit), limit - kept)
            held[unit.id] = shown
            return size(self._passage_block([shown])) if shown[1] else limit + 1

        kept = size(self._named_lines(self.named, limit // NAMED)[0] + "\n\n")
        units = units_that_fit(self.ordered, cost, limit - kept)
        while True:
            shown = {held[unit.id][0]: held[unit.id][1] for unit in units}
            together = ([(one, shown[one]) for one in run] for run in adjacent_runs([*shown]))
            text = "\n".join(map(self._passage_block, together)).rstrip("\n")
            if not units or size(text) <= limit:  # tokens may be more where texts meet
                break
            units.pop()
        names = {place_title(unit) for unit in units}
        others = [unit for unit in self.named if place_title(unit) not in names]
        lines, more = self._named_lines(others, limit - size(text + "\n\n") if text else limit)
        if not (text or lines):
            return self._best_line(limit)
        both = f"{text}\n\n{lines}" if text and lines else text or lines
        return (both, len(names) + more) if size(both) <= limit else (text, len(names))

    def _narrow_to_matches(self, unit: Passage, text: str, room: int) -> tuple[Passage, str]:
        """Return (passage, text), cut down to the best parts around the matches that fit `room`.
        The text is "" if not even one match fits."""
        pieces = [match.span() for match in PIECE.finditer(text) if match[0]]
        ends = [end for _, end in pieces]
        cores = [
            (bisect_right(ends, start), bisect_left(ends, end))
            for start, end in self.sought.stretches(text)
        ] or [(0, 0)]

        def about(reach: int, many: int) -> tuple[Passage, str]:
            """Return (passage, text) with the `many` best matches and `reach` pieces of text on
            both sides of each match."""
            parts: list[tuple[int, int]] = []
            for first, last in sorted(cores[:many]):
                start = pieces[max(first - reach, 0)][0]
                end = pieces[min(last + reach, len(pieces) - 1)][1]
                if parts and start <= parts[-1][1]:
                    start, before = parts.pop()
                    end = max(end, before)
                parts.append((start, end))
            start, end = parts[0][0], parts[-1][1]
            first, last = (unit.first + text.count("\n", 0, at) for at in (start, end - 1))
            part = replace(
                unit, start=unit.start + start, end=unit.start + end, first=first, last=last
            )
            return part, GAP.join(text[start:end] for start, end in parts)

        def fits(reach: int, many: int) -> bool:
            return self.size(self._passage_block([about(reach, many)])) <= room

        many = next((many for many in range(len(cores), 0, -1) if fits(0, many)), 0)
        if not many:
            return unit, ""
        least, most = 0, len(pieces)  # `least` fits, `most` need not be tried
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if fits(middle, many) else (least, middle)
        return about(least, many)

    def _named_lines(self, found: Iterable[Passage], limit: int) -> tuple[str, int]:
        """Return (text, number of places in it). The text, at most `limit` in size, has the name of
        each place and the matching lines that fit. Return ("", 0) if nothing fits."""
        held: dict[str, dict[str, str]] = {}  # name → line → how it is shown, equal lines once
        for unit in found:
            name = place_title(unit) + self.behind(unit.name)
            if name not in held and len(held) == PLACES_MAX:
                break
            if len(held.get(name, ())) >= LINES_MAX or not (text := self.texts(unit)):
                continue
            lines = held.setdefault(name, {})
            for number, line in self._matching_lines(unit, text):
                lines.setdefault(
                    line, f"  {number}: {line}" if has_page_line_numbers(unit) else f"  {line}"
                )
        shown = {name: list(lines.values()) for name, lines in held.items()}
        for places, most in SHAPES:
            blocks = ["\n".join([name, *lines[:most]]) for name, lines in shown.items()][:places]
            text = "\n".join(blocks)
            if self.size(text) <= limit:
                return text, len(blocks)
        return "", 0

    def _best_line(self, limit: int) -> tuple[str, int]:
        """Return (name and best line of the best place, cut to `limit`; 1), or ("", 0) if nothing
        fits."""
        for unit in self.named:
            if held := self.texts(unit):
                line = self._matching_lines(unit, held)[0][1]
                text = f"{place_title(unit)}{self.behind(unit.name)}\n  {line}"
                while self.size(text) > limit:
                    text = clip_text(text, min(limit, len(text) * 3 // 4))
                return text, bool(text)
        return "", 0

    def _matching_lines(self, unit: Passage, text: str) -> Sequence[tuple[int, str]]:
        """Return (line number, line) for each matching line of a passage, the best first. If no
        single line matches, return only the passage's beginning."""
        return self.sought.matching_lines(text, unit.first) or [(unit.first, one_line(text, 80))]

    def _passage_block(self, run: Sequence[tuple[Passage, str]]) -> str:
        """Return the text of consecutive passages under one heading. `run` has pairs (passage,
        text)."""
        first, last = run[0][0], run[-1][0].last
        lines = f" lines {first.first}–{last}" if has_page_line_numbers(first) and last > 1 else ""
        text = "".join(text for _, text in run).rstrip()
        return f"{place_title(first)}{lines}{self.behind(first.name)}\n{text}\n"


def has_page_line_numbers(unit: Passage) -> bool:
    """True when page_in shows a passage's lines under the same line numbers as the passage."""
    # page_in shows a reply or a small result within its whole entry, under other line numbers.
    return unit.source in (PAGE, HEARD, SAID)


def place_title(unit: Passage) -> str:
    """Return the name under which a passage is listed, such as `name (user_0003)` for a user's
    message on a page or `step_0007 (your reasoning)`."""
    if unit.source == HEARD:  # a message of the user on a page
        return f"{unit.name} (user_{unit.entry:04d})"
    return f"{unit.name} (your reasoning)" if unit.source == THOUGHT else unit.name
