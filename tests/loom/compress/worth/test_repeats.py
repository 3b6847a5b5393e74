"""Lines that stand already, and units less those lines."""

from msgspec.structs import replace

from loom.compress.worth.entry_units import EntryUnit, excerpt_parts_of
from loom.compress.worth.repeats import shown_marks, without_seen_lines
from loom.compress.worth.slices import lines_with_ends

LINES = [f"value_{n} = compute({n}, of_the_file)\n" for n in range(1, 41)]
TEXT = "".join(LINES)


def unit(text: str, kind: str = "read", first: int = 1) -> EntryUnit:
    """A slice of a page."""
    height = len(lines_with_ends(text))
    return EntryUnit(("outputs/p.txt", "", first), kind, "result", 0, 10 * height, text,
                first=first, last=first + height - 1)  # fmt: skip


def left(lines: list[str], kind: str = "read") -> str | None:
    """What of the file's lines is left beside others that stand; None when it is not shown."""
    found = without_seen_lines(unit(TEXT, kind), shown_marks(unit("".join(lines), kind)))
    return None if found is None else "".join(piece.text for piece in excerpt_parts_of([found]))


def test_lines_of_an_output_are_seen_one_by_one() -> None:
    """Code says a line in many places, where only its neighbour tells it; an output does not."""
    every = LINES[::2]
    assert left(every) == TEXT
    assert without_seen_lines(unit("".join(every), "search"), shown_marks(unit(TEXT))) is None


def test_what_cannot_be_divided_stays_or_goes() -> None:
    """Of an argument no part can be shown alone."""
    argument = replace(unit(TEXT, "new"), where="call", first=0, last=0)
    assert without_seen_lines(argument, shown_marks(unit("".join(LINES[:10])))) is argument
    assert without_seen_lines(argument, shown_marks(unit("".join(LINES[:38])))) is None
