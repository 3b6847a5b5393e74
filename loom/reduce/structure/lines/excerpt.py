"""Lines chosen by their worth within a budget, in order, under a line that tells of the whole.

A line is written with its number (`12: text`), unless the text numbers its lines itself; where
lines have no numbers, a marker line counts those left out between two others. The first line of an
excerpt says what the text is, how long, how much of it is shown, and where the whole rests. Lines
in runs stand without numbers, as they may be needed word for word; each run begins with its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from msgspec import Struct

from loom.lazy import lazy_re
from loom.text import cut

WIDEST = 240  # characters of a line shown
NARROWEST = 60
LINES_MOST = 10_000  # lines of an excerpt: a text of empty ones has room for a million
MISSES = 12  # lines that do not fit before the search for shorter ones ends
GAP = 18  # characters of a line that counts those left out

_ANSI = lazy_re(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
_OWN_NUMBER = lazy_re(r"[ ]{0,20}\d{1,9}[→\t]")

NUMBERS, GAPS, BARE, RUNS = "numbers", "gaps", "bare", "runs"


class CandidateLine(Struct, frozen=True):
    """A candidate: `number` orders it (the first line is 1), `note` is written after it."""

    number: float
    text: str
    worth: float
    note: str = ""


def split(text: str) -> list[str]:
    """The lines of a text as a terminal would leave them: no escapes, no overwritten progress."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    lines = text.removeprefix("\ufeff").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if "\r" not in text:
        return lines
    return [line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line for line in lines]


def numbers_itself(lines: Sequence[str]) -> bool:
    """True when a tool put line numbers before the lines."""
    sample = [line for line in lines[:40] if line.strip()]
    return len(sample) > 2 and sum(bool(_OWN_NUMBER.match(line)) for line in sample) * 4 > 3 * len(
        sample
    )


def number_of(line: str) -> int:
    """The number a tool put before a line; 0 where it put none."""
    found = _OWN_NUMBER.match(line)
    return int(found[0][:-1]) if found else 0


def unnumbered(line: str) -> str:
    """A line without the number a tool put before it."""
    found = _OWN_NUMBER.match(line)
    return line[found.end() :] if found else line


def width_of(limit: int) -> int:
    """The characters of a line shown within `limit`."""
    return max(NARROWEST, min(WIDEST, limit // 10))


def headline(what: str, shown: str, ref: str) -> str:
    """Say what a text is, how much of it is shown, and where the whole rests."""
    return f"… {what}; {shown}" + (f"; the whole rests in {ref}" if ref else "")


def excerpt(
    candidates: Iterable[CandidateLine],
    what: str,
    limit: int,
    ref: str,
    mode: str,
    closing: str = "",
) -> str:
    """The headline, the lines of most worth that fit in their order, and `closing`.

    `what` tells the whole (`log of 312 lines, 40,210 characters`). At most `limit` characters.
    """
    shown = f"{{}} lines shown{' by number' if mode == NUMBERS else ''}"
    closing = "\n" + closing if closing else ""
    widest = headline(what, shown.format("1,000,000"), ref)
    room = limit - len(widest) - 1 - len(closing)
    if room < NARROWEST:
        return cut(headline(what, shown.format(0), ref), limit)
    chosen = choose(candidates, room, mode, width_of(limit))
    body = _ordered(chosen, mode)
    return headline(what, shown.format(f"{len(chosen):,}"), ref) + "\n" + body + closing


def choose(
    candidates: Iterable[CandidateLine], room: int, mode: str, width: int
) -> dict[float, str]:
    """The written lines of most worth that fit into `room`, by their numbers."""
    # No more than this many lines can fit, however short they are.
    fit = min(room // 2 + 1, LINES_MOST)
    most = heapq.nsmallest(fit, candidates, key=lambda one: (-one.worth, one.number))
    chosen: dict[float, str] = {}
    apart = mode in (GAPS, RUNS)
    left = room - (GAP if apart else 0)
    misses = 0
    for line in most:
        if line.number in chosen:
            continue
        written = _written(line, mode, width)
        cost = len(written) + 1
        if apart and not (line.number - 1 in chosen or line.number + 1 in chosen):
            cost += GAP
        if cost <= left:
            chosen[line.number] = written
            left -= cost
        else:
            misses += 1
            if misses > MISSES:
                break
    return chosen


def _written(line: CandidateLine, mode: str, width: int) -> str:
    """A line as it stands in the excerpt."""
    text = line.text.rstrip()
    # What an error says may stand at its end: a cut line keeps both ends.
    if len(text) > width:
        text = text[: width * 2 // 3] + " … " + text[len(text) - width // 3 + 3 :]
    number = f"{line.number}: " if mode == NUMBERS else ""
    return f"{number}{text}{line.note}"


def _ordered(chosen: dict[float, str], mode: str) -> str:
    """The chosen lines in their order, those left out between them counted when asked for."""
    if mode not in (GAPS, RUNS):
        return "\n".join(chosen[number] for number in sorted(chosen))
    parts: list[str] = []
    last = 0.0
    for number in sorted(chosen):
        if number > last + 1 and mode == RUNS:
            parts.append(f"… line {int(number)}:")
        elif number > last + 1 and last:
            parts.append(f"… {int(number - last) - 1:,} lines")
        parts.append(chosen[number])
        last = number
    return "\n".join(parts)


def spread(number: int) -> float:
    """A rank that takes things from everywhere rather than in order: 0 for every 16th, up to 4."""
    return 4.0 - min(4, (number & -number).bit_length() - 1 if number else 4)
