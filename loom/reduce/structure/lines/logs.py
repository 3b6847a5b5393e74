"""Logs and the output of tools: what repeats is shown once, what is rare or failed stays.

Every template (see `templates`) stands at its first line, verbatim, with how often it occurs and
where last. Worth falls with the rank in each class of lines, so that no class takes all the room:
a log of a thousand different errors still shows its first line and what it mostly consists of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from loom.lazy import lazy_re
from loom.reduce.structure.lines.excerpt import (
    BARE,
    NUMBERS,
    CandidateLine,
    excerpt,
    numbers_itself,
    split,
    spread,
)
from loom.reduce.structure.lines.line_templates import LineTemplate, group
from loom.reduce.structure.lines.listings import reduce_listing
from loom.reduce.structure.relevance import ERROR, Objective, matching

_Make = Callable[[int, float], CandidateLine]

HEAD, TAIL = 3, 6  # first and last lines that are worth most
AROUND = 2  # lines after an error that may explain it
MATCHES = 400  # lines that match the objective
FRAMES = 3  # innermost frames of a trace, in lines a frame

_SECTION = lazy_re(r"\s*(?:[=_#*-]{3,}[^=_#*-].{0,200}|#{1,4} \S.{0,200}|\[\d+/\d+\] .{0,200})$")
_TRACE = lazy_re(
    r"\s*(?:\|\s*)?Traceback \(most recent call last\)|\s*panicked at|goroutine \d+ \["
)
_FRAME = lazy_re(r"\s+(?:at |File \"|\.{3} \d+ (?:more|common))|\s+\S+\.go:\d+")
_VERDICT = lazy_re(r"E  |FAILED |--- FAIL|FAIL\b|error(?:\[\w+\])?:|npm ERR!|Caused by:")


def reduce_log(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """The telling lines of a log within `limit`, with their numbers."""
    lines = split(text)
    listed = reduce_listing(lines, text, limit, ref, objective)
    if listed is not None:
        return listed
    groups, of_line = group(lines)
    templates = len({place for place in of_line if place >= 0})
    what = f"log of {len(lines):,} lines, {len(text):,} characters, {templates:,} templates"
    mode = BARE if numbers_itself(lines) else NUMBERS
    return excerpt(candidates(lines, groups, of_line, objective), what, limit, ref, mode)


def candidates(
    lines: Sequence[str],
    groups: Sequence[LineTemplate],
    of_line: Sequence[int],
    objective: Objective,
) -> Iterator[CandidateLine]:
    """The lines that may be shown, some of them for several reasons."""
    live = sorted({place for place in of_line if place >= 0})
    notes = {groups[place].first: _note(groups[place]) for place in live}

    def line(at: int, worth: float) -> CandidateLine:
        return CandidateLine(at + 1, lines[at], worth, notes.get(at, ""))

    filled = [at for at, place in enumerate(of_line) if place >= 0]
    for rank, at in enumerate(filled[:HEAD]):
        yield line(at, 96 - 2 * rank)
    for rank, at in enumerate(reversed(filled[-TAIL:])):
        yield line(at, 95 - 3 * rank)
    yield from _failures(lines, groups, of_line, line)
    seen: dict[int, int] = {}
    for rank, (_, at) in enumerate(matching(lines, objective, MATCHES)):
        again = seen[of_line[at]] = seen.get(of_line[at], -1) + 1
        yield line(at, max(90 - 1.5 * rank - 6 * again, 25.0))
    frequent = sorted((p for p in live if groups[p].count > 1), key=lambda p: -groups[p].count)
    for rank, place in enumerate(frequent):
        yield line(groups[place].first, max(30.0, 80 - 3 * rank))
    for rank, place in enumerate(p for p in live if groups[p].count == 1):
        section = 16 if _SECTION.match(lines[groups[place].first]) else 0
        yield line(groups[place].first, 50 + section + groups[place].severity - spread(rank))
    # What is left of the room shows what templates leave out: lines whose words are not those of
    # their first. More of the same would take tokens and tell nothing.
    for rank, at in enumerate(filled):
        if lines[at] != lines[groups[of_line[at]].first]:
            yield line(at, 9 - spread(rank))


def _note(one: LineTemplate) -> str:
    """The count of a template and its last line; "" for one that occurs once."""
    return f"  [×{one.count:,}, last at {one.last + 1}]" if one.count > 1 else ""


def _failures(
    lines: Sequence[str], groups: Sequence[LineTemplate], of_line: Sequence[int], line: _Make
) -> Iterator[CandidateLine]:
    """Errors and warnings, the first of each template before others, with the lines around them."""
    seen: dict[int, int] = {}
    errors = warnings = 0
    for at, place in enumerate(of_line):
        if place < 0:
            continue
        verdict = _VERDICT.match(lines[at].lstrip()[:12]) is not None
        if _TRACE.match(lines[at]):
            yield from _trace(lines, at, 91 - errors, line)
            continue
        level = ERROR if verdict else groups[place].severity
        if not level:
            continue
        again = seen[place] = seen.get(place, -1) + 1
        if again > FRAMES:
            continue
        if level == ERROR:
            worth = 92.0 - 0.8 * errors - 12 * again + 2 * verdict
            errors += 1
            yield line(at, max(worth, 20.0))
            for near in range(at + 1, min(at + 1 + AROUND, len(lines))):
                # What stands everywhere explains no error.
                if of_line[near] >= 0 and 20 * groups[of_line[near]].count < len(lines) + 60:
                    yield line(near, max(worth - 12 - near + at, 10.0))
            if at + 1 < len(lines) and _FRAME.match(lines[at + 1]):
                yield from _trace(lines, at, worth, line)
            elif at:
                yield line(at - 1, max(worth - 16, 10.0))
        else:
            warnings += 1
            yield line(at, max(64.0 - warnings - 12 * again, 10.0))


def _trace(lines: Sequence[str], at: int, worth: float, line: _Make) -> Iterator[CandidateLine]:
    """The head of a trace and its innermost frames, which stand first or (Python) last."""
    end = at + 1
    while end < len(lines) and end - at < 400 and lines[end][:1] in (" ", "\t", "|"):
        end += 1
    yield line(at, worth)
    if _TRACE.match(lines[at]) and "Traceback" in lines[at]:
        inner = range(max(at + 1, end - 2 * FRAMES), min(end + 1, len(lines)))
    else:
        inner = range(at + 1, min(at + 1 + FRAMES, end))
    for frame in inner:
        yield line(frame, worth - 0.1)
