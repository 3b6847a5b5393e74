"""A request read as a transcript: its calls with their results, and the lines of its texts.

A *block* is a text, or a call with its result; blocks stand in the order of time. What a later
block says counts. Within one block two statements that contradict each other leave the reader in
doubt, unless the later says itself that something changed, or numbered names tell which is later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from msgspec import Struct

from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock
from loom.reduce.aliases import canonical_tool
from loom_bench.sessions.needle import arguments
from loom_bench.simulated.cues import sentences

UNTOLD = "untold"
CONTRADICTORY = "contradictory"

NAME = re.compile(r"[\w-]+(?:\.\w+)+")
# A bracketed line that names lines of something heads an excerpt of it.
EXCERPT = re.compile(r"^\[[^\]\n]*\b(?:from )?lines? \d[^\]\n]*\]?$")
_ASIDE = re.compile(r"\([^()]*\)")
QUOTED = re.compile(r"^\[[^\]\n]*\w/\w[^\]\n]*\]$")


class TextLine(Struct, frozen=True):
    """A line of a text; `under` are the headings it stands under, the nearest last."""

    block: int
    text: str
    under: tuple[str, ...] = ()
    quoted: bool = False

    def inherited(self, cue: Callable[[str], str]) -> str:
        """What the nearest heading tells that tells anything; its parentheses only count."""
        told = (cue(_ASIDE.sub("", heading)) for heading in reversed(self.under))
        return next(filter(None, told), "")


class MadeCall(Struct, frozen=True):
    """A call and its result; `tool` is the canonical name."""

    block: int
    tool: str
    arguments: Mapping[str, Any]
    result: str  # its own; `shown` has what stands behind it too
    error: bool
    said: str  # what the same reply says
    shown: str


class Mention(Struct, frozen=True):
    """What one place says of a subject; `changed`: it says that something else was before.

    `order` tells places of one block apart where numbered names do, 0 where none is.
    """

    block: int
    value: str
    changed: bool = False
    order: int = 0


class Reading(Struct, frozen=True):
    """A request, read."""

    lines: list[TextLine]
    calls: list[MadeCall]
    named: dict[str, list[TextLine]]  # lines by the file names in them

    def about(self, words: str) -> Iterator[tuple[TextLine, str]]:
        """Every sentence outside quotes that holds these words, and its line."""
        pattern = re.compile(rf"(?<![\w-]){re.escape(words)}(?![\w-])", re.I)
        for line in self.lines:
            if not line.quoted and pattern.search(line.text):
                yield from ((line, one) for one in sentences(line.text) if pattern.search(one))


def settled(mentions: Iterable[Mention]) -> str:
    """What the mentions of a subject say for now, by the rules of this module."""
    found = sorted(mentions, key=lambda each: each.block)
    if not found:
        return UNTOLD
    last = [each for each in found if each.block == found[-1].block]
    changed = [at for at, each in enumerate(last) if each.changed]
    last = last[changed[-1] :] if changed else last
    if all(each.order for each in last):
        newest = max(each.order for each in last)
        last = [each for each in last if each.order == newest]
    return last[0].value if len({each.value for each in last}) == 1 else CONTRADICTORY


def read(messages: Sequence[Message]) -> Reading:
    """Read a request."""
    lines: list[TextLine] = []
    calls: list[MadeCall] = []
    numbers = count(1)
    for group in _grouped(messages):
        blocks = [block for message in group for block in message.blocks]
        results = {block.call_id: block for block in blocks if isinstance(block, ResultBlock)}
        said = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
        for block, at in zip(blocks, numbers, strict=False):
            if isinstance(block, TextBlock):
                lines += _lines(block.text, at)
            elif isinstance(block, CallBlock):
                result = results.get(block.id)
                shown, error = (result.text, bool(result.error)) if result else ("", False)
                tool, given = canonical_tool(block.name), arguments(block.arguments)
                calls.append(MadeCall(at, tool, given, _own(shown), error, said, shown))
    named: dict[str, list[TextLine]] = {}
    for line in lines:
        for name in set(NAME.findall(line.text)):
            named.setdefault(name, []).append(line)
    return Reading(lines, calls, named)


def _grouped(messages: Sequence[Message]) -> list[list[Message]]:
    """Each message, with the results that follow it."""
    groups: list[list[Message]] = []
    for message in messages:
        if message.role == "tool" and groups:
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _own(text: str) -> str:
    """A result without what a bracketed heading that names a file brings after it.

    One that begins with such a heading is an excerpt of itself.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        if not (QUOTED.match(line) or EXCERPT.match(line)):
            kept.append(line)
        elif any(kept):
            break
    return "\n".join(kept)


def _lines(text: str, block: int) -> Iterator[TextLine]:
    """The lines of a text, under their headings: `# …`, `…:` and `folder/` with less indent."""
    stack: list[tuple[int, str]] = []
    excerpt = False
    for raw in text.split("\n"):
        line = raw.strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            excerpt = bool(EXCERPT.match(line))
        indent = len(raw) - len(raw.lstrip())
        head = line.startswith("#")
        if head:
            indent = len(line) - len(line.lstrip("#")) - 10
        while stack and stack[-1][0] >= indent:
            stack.pop()
        under = tuple(heading for _, heading in stack)
        quoted = excerpt or line.startswith(">")
        yield TextLine(block, line, under, quoted)
        if head or line.endswith((":", "/")):
            stack.append((indent, line))
