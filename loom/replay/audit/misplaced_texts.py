"""Checks the law *standing* in requests of every format: which text may appear under which role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loom.providers.formats import FORMATS
from loom.providers.formats.blocks import RESUMES
from loom.providers.render.quotes import (
    heading_behind_head,
    is_unquoted,
    text_behind_head,
    turn_heading,
)
from loom.providers.render.render import ReadPageText, lowered_line, render_text
from loom.providers.render.wording import (
    BLANK,
    CONTINUE,
    CUT_SHORT,
    CUT_TIMES,
    head_section,
    mark_explanation,
    run_heading,
)
from loom.session.turn import Turn
from loom_partitions import laws
from loom_partitions.message import Digest, Notice, Text, UserTurn
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window

NO_MODEL = "unnamed"  # every provider wants a model; a replay may know none
SYSTEM = ("system", "instructions")  # members of a request beside its messages
MESSAGES = ("messages", "input", "contents")
RESULTS = {"tool_result", "function_call_output"}  # types of what a tool said …
RESPONSES = {"functionResponse", "function_response"}  # … and members that hold it


def find_misplaced(turn: Turn, window: Window, mine: Iterable[str]) -> Iterator[str]:
    """Yield a line for each text that has no right to its role in the turn's request, checked in
    every format. `mine` holds the texts that may appear under the roles user and system."""
    mine = list(mine)
    above = list(quote_headings(window))
    for format in FORMATS:
        request = turn.request(format, model=turn.model or NO_MODEL)
        for line in laws.standing(texts_by_role(request), mine, above):
            yield f"{format}: {line}"


def rightful_texts(window: Window, read: ReadPageText) -> Iterator[str]:
    """Yield the texts of the user, the host program, and Loom itself in a window. Only these texts
    may appear under the roles user and system."""
    mark = window.config.mark
    config = window.config
    told = mark_explanation(mark, config.ways, config.files)
    yield from (run_heading(mark), told, CONTINUE.format(mark=mark), BLANK, RESUMES)
    for times in range(2, CUT_TIMES + 1):
        yield CUT_SHORT.format(mark=mark, times=times)
    for partition, shelf in window.head:
        for held in shelf.shown:
            for text in (
                () if held.quoted else text_forms(held.text, read, mark if held.said else "")
            ):
                said = text_behind_head(partition, held, text, mark) if held.said else ""
                yield said or head_section(partition, held.key, text)
    for item in window.history.stream:
        if isinstance(item, Notice):
            yield item.text.partition("\n")[0] if item.quoted else item.text
        elif isinstance(item, Digest) or is_lowered(item):
            yield lowered_line(item, mark)
        elif isinstance(item, UserTurn) and is_unquoted(item):
            yield from text_forms(item.text, read, mark)


def text_forms(text: Text, read: ReadPageText, mark: str = "") -> Iterator[str]:
    """Yield each form in which a request may show a text. A text whose page is lost has several
    forms."""
    yield render_text(text, read, mark=mark)
    lost = read.lost(text.page) if text.body is None or text.media is not None else None
    yield from lost.forms if lost is not None else ()


def quote_headings(window: Window) -> Iterator[str]:
    """Yield the heading lines that Loom puts above quoted texts in a window."""
    for partition, held in window.behind_head:
        if held.quoted:
            yield heading_behind_head(partition, held, window.config.mark)
    for item in window.history.stream:
        if isinstance(item, Notice) and item.quoted:
            yield item.text.partition("\n")[0]
        elif isinstance(item, UserTurn) and not is_lowered(item):
            yield turn_heading(item, window.config.mark)


def texts_by_role(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (role, text) for every text in a request of any format."""
    for name in SYSTEM:
        yield from _texts_within(request.get(name), "system")
    yield from _texts_within(request.get("config", {}).get("system_instruction"), "system")
    for name in MESSAGES:
        for message in request.get(name, ()):
            role = message.get("role", "tool")
            yield from _texts_within(message, "system" if role == "developer" else role)


def _texts_within(value: object, role: str) -> Iterator[tuple[str, str]]:
    """Yield (role, text) for every text inside a JSON value of a message. `role` is the message's
    role; texts in tool results get the role "tool"."""
    if isinstance(value, str):
        yield role, value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts_within(one, role)
    elif isinstance(value, dict):
        said = "tool" if value.get("type") in RESULTS or RESPONSES & value.keys() else role
        for name in ("content", "parts", "text"):
            yield from _texts_within(value.get(name), said)
