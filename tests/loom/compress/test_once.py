"""No line stands twice after a cut, and nothing superseded stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.compress.auto import auto
from loom.compress.duplicates import micro
from loom.compress.snip import snip
from loom.compress.worth.repeats import StandingLines, lines_of_entry, shown_marks, unseen
from loom.compress.worth.slices import lines_of, marks
from loom.compress.worth.units import Unit, pieces_of
from loom_partitions.edits import carried_out
from loom_partitions.message import Entry, Step, Text, UserTurn
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import act, step

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


@all_cases(
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
    said = lines_of_entry(entry, page)
    for _ in range(2):
        seen = lines.of([entry], page)
        assert said and all(mark in seen for mark in said) and 1 not in seen
    assert len(read) == 2  # the first is the comparison's own
    lines.of([replace(entry, text=replace(entry.text, tokens=8))], page)
    assert len(read) == 3


def test_lines_stand_while_an_entry_shows_them() -> None:
    """What two entries say stands until both have left; what was added, in one answer alone."""
    lines = StandingLines()
    one, two = (UserTurn(id, Text(9, len(TEXT), TEXT), 9) for id in (1, 2))
    said = lines_of_entry(one, str)
    lines.of([one, two], str)
    seen = lines.of([two], str)
    assert all(mark in seen for mark in said)
    seen = lines.of([], str)
    assert not any(mark in seen for mark in said)
    seen.add(said)
    assert all(mark in seen for mark in said)
    assert not any(mark in lines.of([], str) for mark in said)


def after(ctx: loom.Context, share: float = 0.9) -> list[Entry]:
    """The entries as a cut by so much leaves them."""
    seen = scene(ctx, int(ctx.window.tokens.total * share))
    return [e for e in carried_out(ctx.window.history.stream, auto(seen), 0) if _entry(e)]  # type: ignore[misc]


def _entry(item: Any) -> bool:
    return isinstance(item, Step | UserTurn)


def standing(entries: list[Entry]) -> str:
    """What steps and messages say, arguments as they are decoded."""
    said: list[str] = []
    for entry in entries:
        if isinstance(entry, Step):
            said += [str(json.loads(call.arguments or "{}")) for call in entry.calls]
            said += [outcome.text.body or "" for outcome in entry.outcomes]
        elif isinstance(entry, UserTurn):
            said.append(entry.text.body or "")
    return "\n".join(said).replace("\\n", "\n")


def recent(ctx: loom.Context) -> None:
    """Steps that are newer than what is looked at."""
    for n in range(4):
        step(ctx, f"done {n}")


def test_a_reading_and_what_was_put_in_stand_once(opened: Open) -> None:
    """Of a slice that shows an edit's new text, and the call that says it, one stands."""
    ctx = opened(window=64_000)
    act(ctx, "Read", {"path": "a.py"}, TEXT)
    new = "".join(f"    other_{n} = made_anew({n})\n" for n in range(12))
    act(ctx, "Edit", {"path": "a.py", "old_string": LINES[7], "new_string": new}, "ok")
    for number in range(12):
        step(ctx, "".join(f"a line {n} of the output {number}\n" for n in range(150)))
    act(ctx, "Bash", {"command": "wc a.py"}, "ok")
    recent(ctx)
    text = standing(after(ctx))
    assert text.count("other_3 = made_anew(3)") == 1
    assert "value_8 = compute(8, of_the_file)" not in text


@pytest.mark.parametrize("strategy", [auto, micro, snip])
def test_no_level_leaves_what_is_superseded(opened: Open, strategy: Any) -> None:
    """What a later edit changed stands after no cut, be it in a step that is not lowered."""
    ctx = opened(window=64_000)
    put = "".join(f"    other_{n} = made_anew({n})\n" for n in range(60))
    act(ctx, "Write", {"path": "a.py", "content": put}, "ok")
    act(ctx, "Write", {"path": "a.py", "content": "x = 1\n"}, "ok")
    step(ctx, "".join(f"a line {n} of a long output\n" for n in range(200)))
    recent(ctx)
    seen = scene(ctx, ctx.window.tokens.total - 300)
    items = carried_out(ctx.window.history.stream, tuple(strategy(seen)), 0)
    assert "made_anew" not in standing([e for e in items if _entry(e)])  # type: ignore[misc]


def test_a_cut_made_again_changes_nothing(opened: Open) -> None:
    """What a cut leaves of overlapping readings it leaves as it is the next time."""
    ctx = opened(window=16_000)
    for start in range(1, 90, 10):
        body = "".join(f"line_{n} = compute({n}, {n})\n" for n in range(start, start + 60))
        act(ctx, "Read", {"path": "a.py", "offset": start, "limit": 60}, body)
    recent(ctx)
    ctx.renew()
    first = list(ctx.window.history.stream.entries)
    assert auto(scene(ctx, ctx.window.tokens.total)) == ()
    assert list(ctx.window.history.stream.entries) == first
