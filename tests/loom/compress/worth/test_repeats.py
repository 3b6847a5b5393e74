"""Lines that stand already, and units less those lines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from loom.compress.worth.repeats import StandingLines, shown_marks, unseen
from loom.compress.worth.slices import lines_of, marks
from loom.compress.worth.units import Unit, pieces_of
from loom_partitions.message import Text, UserTurn

LINES = [f"value_{n} = compute({n}, of_the_file)\n" for n in range(1, 41)]
TEXT = "".join(LINES)


def unit(text: str, kind: str = "read", first: int = 1) -> Unit:
    """A slice of a page."""
    height = len(lines_of(text))
    return Unit(("outputs/p.txt", "", first), kind, "result", 0, 10 * height, text,
                first=first, last=first + height - 1, marks=marks(text))  # fmt: skip


def left(lines: list[str], kind: str = "read") -> str | None:
    """What of the file's lines is left beside others that stand; None when it is not shown."""
    found = unseen(unit(TEXT, kind), shown_marks(unit("".join(lines), kind)))
    return None if found is None else "".join(piece.text for piece in pieces_of([found]))


@pytest.mark.parametrize(
    ("standing", "shown"),
    [
        ([], LINES),
        (["something quite different\n"], LINES),
        (LINES, None),
        (LINES[:31], LINES[31:]),
        (LINES[:38], None),
        (LINES[:10], LINES[10:]),
        (LINES[30:], LINES[:30]),
        (LINES[10:20], [*LINES[:10], *LINES[20:]]),
        (LINES[10:12], LINES),
        ([LINES[3], "another line of that text\n", LINES[9]], LINES),
        ([f"{n:5d}→  {line}" for n, line in enumerate(LINES[:10], 1)], LINES[10:]),
        ([f"src/a.py:{n}:{line}" for n, line in enumerate(LINES[:10], 1)], LINES[10:]),
        ([f"+{line}" for line in LINES[:10]], LINES[10:]),
    ],
)
def test_a_slice_less_what_stands(standing: list[str], shown: list[str] | None) -> None:
    """Runs of lines leave, whatever stands before them there; a crumb is not shown at all."""
    assert left(standing) == (None if shown is None else "".join(shown))


def test_lines_of_an_output_are_seen_one_by_one() -> None:
    """Code says a line in many places, where only its neighbour tells it; an output does not."""
    every = LINES[::2]
    assert left(every) == TEXT
    assert unseen(unit("".join(every), "search"), shown_marks(unit(TEXT))) is None


def test_what_cannot_be_divided_stays_or_goes() -> None:
    """Of an argument no part can be shown alone."""
    argument = replace(unit(TEXT, "new"), where="call", first=0, last=0)
    assert unseen(argument, shown_marks(unit("".join(LINES[:10])))) is argument
    assert unseen(argument, shown_marks(unit("".join(LINES[:38])))) is None


def test_an_entry_is_read_once() -> None:
    """The lines of an entry are found when it is first seen, and again when it has changed."""
    read: list[str] = []

    def page(name: str) -> str:
        read.append(name)
        return TEXT

    lines = StandingLines()
    entry = UserTurn(1, Text(9, 9, None, "outputs/a.txt"), 9)
    said = set(shown_marks(unit(TEXT)))
    for _ in range(2):
        seen = lines.of([entry], page)
        assert said and all(mark in seen for mark in said) and 1 not in seen
    assert len(read) == 1
    lines.of([replace(entry, text=replace(entry.text, tokens=8))], page)
    assert len(read) == 2


def test_lines_stand_while_an_entry_shows_them() -> None:
    """What two entries say stands until both have left; what was added, in one answer alone."""
    lines = StandingLines()
    one, two = (UserTurn(id, Text(9, len(TEXT), TEXT), 9) for id in (1, 2))
    said = set(shown_marks(unit(TEXT)))
    lines.of([one, two], str)
    seen = lines.of([two], str)
    assert all(mark in seen for mark in said)
    seen = lines.of([], str)
    assert not any(mark in seen for mark in said)
    seen.add(said)
    assert all(mark in seen for mark in said)
    assert not any(mark in lines.of([], str) for mark in said)
