"""Text of others that is not sent as a tool's result: under one of Loom's headings, and quoted.

The heading says who brought the text, since its rank depends on that. It carries the session's
mark, which no other text can contain. In a user message each line of such a text begins with "> ".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loom.providers.counts.message_sizes import JOINT
from loom.providers.render.naming import key_or_quoted, path_or_quoted, without_square_brackets
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import END, FOUND, RANK_KEPT, words_for_rank
from loom.text import one_line
from loom_partitions.message import PagedIn, UserTurn
from loom_partitions.shelf import ShelfText

PATH, ID = 200, 80  # characters of a path, and of a call's id, in a heading
FIELDS = {"said": "your words"}  # parts of an entry that no file or tool names
PAGED_IN = "[paged in {mark}: {what} of {ref}{path}]"
LATE = "[late result {mark} of call {call}{about}]"
OBSERVED = "[observation {mark}]"
# Above words that stand as they are: nobody typed them, and they are no tool's either.
TOLD = {
    "summary": (
        "[your client program's summary {mark}, not the user's words; what stands above may be"
        " newer]"
    ),
    "instructions": "[instructions {mark}]",
}
# Above the body of a skill that a client of the host brought, by what it came as.
GIVEN = "[skill {mark}: {key}, as your client program gave it]"
RESULTED = "[skill {mark}: {key}, a tool's result]"
BETWEEN = "\n\n"  # what a result and each text beside it are parted by


def read_ahead_block(paged: PagedIn, mark: str) -> str:
    """Return lines of a page that Loom paged in without being asked, under a heading that names the
    page."""
    heading = _paged_in_heading(mark, paged.ref, paged.text.lines, paged.field, paged.path)
    body = paged.text.body or ""
    return f"{heading}\n{body if paged.text.marked else neutral(body, mark)}"


def read_ahead_tokens(paged: PagedIn, mark: str, count: Callable[[str], int]) -> int:
    """Return the tokens that lines paged in without being asked add to a tool's result."""
    return JOINT + count(read_ahead_block(paged, mark))


def turn_heading(turn: UserTurn, mark: str) -> str:
    """Return the heading for a user message that the user did not type, such as a late result; ""
    for any other message, and for an image."""
    if turn.call:
        call, about = (
            without_square_brackets(one) for one in (one_line(turn.call, ID), turn.about)
        )
        call, about = neutral(call, mark), neutral(about, mark)
        return LATE.format(mark=mark, call=call, about=about)
    if turn.voice == "observation":
        return OBSERVED.format(mark=mark)
    if turn.ahead:
        return _paged_in_heading(mark, turn.source, turn.text.lines, turn.field, turn.about)
    return TOLD.get(turn.voice, "").format(mark=mark)


def quote_turn(turn: UserTurn, text: str, mark: str) -> str:
    """Return a user message's text as it is sent: unchanged if the user typed it, else with a
    heading and mostly as lines quoted with "> ". `text` is the message's text without the session's
    mark."""
    said = turn_heading(turn, mark)
    if not said:
        return text
    shown = text if is_unquoted(turn) else quote_lines(text)
    return f"{said}\n{shown}" if text else said


def is_unquoted(turn: UserTurn) -> bool:
    """Tell whether the lines of a user message are sent without "> "."""
    return turn.voice in TOLD or not turn_heading(turn, "")


def quote_lines(text: str) -> str:
    """Return a text with "> " before each line; ">" before a blank one."""
    # Split at all that ends a line for any reader, so that nothing stands unquoted.
    return "\n".join(f"> {line}" if line else ">" for line in text.splitlines())


def found_memory_heading(key: str, mark: str) -> str:
    """Return the heading for a memory text that Loom found while the agent was working."""
    return FOUND.format(
        key=neutral(key_or_quoted(key), mark), rank=words_for_rank(key, RANK_KEPT), mark=mark
    )


def text_behind_head(partition: str, held: ShelfText, text: str, mark: str) -> str:
    """Return the text of a user message, sent after the system message, with a memory or skill text
    under its heading. `text` is the memory or skill text without the session's mark."""
    said = heading_behind_head(partition, held, mark)
    return f"{said}\n{text}{END.format(mark=mark)}" if held.said else f"{said}\n{quote_lines(text)}"


def heading_behind_head(partition: str, held: ShelfText, mark: str) -> str:
    """Return the heading for a memory or skill text that has a user message of its own after the
    system message."""
    if partition == "memory":
        return found_memory_heading(held.key, mark)
    return (GIVEN if held.said else RESULTED).format(
        key=neutral(key_or_quoted(held.key), mark), mark=mark
    )


def _paged_in_heading(
    mark: str, ref: str, lines: Iterable[tuple[int, int]], field: str, path: str
) -> str:
    """Return the heading for a text that was paged in. `ref` is its page or entry, `path` its file.
    The text consists of the ranges `lines`, or of the part `field` of the entry."""
    ranges = ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in lines)
    many = "" if ranges.isdigit() else "s"
    argument = neutral(
        without_square_brackets(one_line(field.partition(".")[2], ID)), mark
    )  # a tool's own
    what = argument or FIELDS.get(field, field)
    if ranges:
        of = f"{argument or FIELDS.get(field, 'result')} " if field else ""
        what = f"{of}line{many} {ranges}"
    about = f" ({neutral(path_or_quoted(path, PATH), mark)})" if path else ""
    return PAGED_IN.format(mark=mark, what=what, ref=ref, path=about)
