"""Lines that stand twice: in two messages of a request, or in two blocks of one.

A line counts from 20 characters, blanks aside, by what it holds without its number. Left out are
lines the user typed, a client's reminders, and arguments of one line (a path, a command), which go
back with their call as they were. `again` counts, of these, the places a line has beyond those it
has in the transcript: that much the window made itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from loom.inputs import Event, Reply, Speech, User
from loom_bench.sessions.needle import strings, walked
from loom_bench.truth.lines import bare, bare_lines
from loom_bench.truth.shown import Piece, Ruling, ShownRequest
from loom_bench.truth.transcript import CallMade

LEAST = 20  # characters, blanks aside


class LinesTwice:
    """Judges how much of a request stands in it twice."""

    def __init__(self) -> None:
        self._typed: set[str] = set()
        self._places: Counter[str] = Counter()

    def take(self, event: Event, made: CallMade | None) -> None:
        """Note what the user typed, and in how many places the transcript has a line."""
        if isinstance(event, User):
            self._typed.update(map(bare, event.text.splitlines()))
        for place in _places(event):
            self._places.update({line for text in place for line in bare_lines(text)})

    def rule(self, request: ShownRequest) -> Ruling:
        """Count characters, and those of lines that stood in another place before."""
        ruling = Ruling()
        seen: Counter[str] = Counter()
        for piece in request.pieces:
            texts = _texts(piece)
            here = [line for text in texts for line in bare_lines(text)]
            ruling.sums["characters"] += sum(map(len, here))
            for line in dict.fromkeys(here):
                if line in seen and line not in self._typed:
                    ruling.sums["twice"] += len(line)
                    ruling.faults.append(("twice", line))
                    if seen[line] >= max(self._places[line], 1):
                        ruling.sums["again"] += len(line)
                        ruling.faults.append(("again", line))
            seen.update({line for text in texts for line in _counted(text)})
        return ruling


@lru_cache(maxsize=4096)
def _counted(text: str) -> frozenset[str]:
    """The lines of a text that count."""
    lines = bare_lines(text)
    return frozenset(line for line in lines if len(line) - line.count(" ") >= LEAST)


def _texts(piece: Piece) -> list[str]:
    """The texts of a piece; of a call the arguments of several lines, an edit's old text too."""
    if piece.kind != "call":
        return [piece.text]
    return [text for text in walked(piece.given) if "\n" in text]


def _places(event: Event) -> Iterator[list[str]]:
    """The texts of an event, those of one block together."""
    if not isinstance(event, Reply):
        yield [event.text]
        return
    for part in event.parts:
        if isinstance(part, Speech):
            yield [part.text]
    for call in event.calls:
        yield list(strings(call.arguments))
