"""The calls of a session with their results, and the lines by which these are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from loom.inputs import Event, Reply, Result, Session, ToolCall
from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import path_in
from loom.reduce.commands import parsed
from loom.reduce.files import CONTENT_KEYS, pairs_of
from loom.reduce.lines import did_nothing, refusal, window
from loom.reduce.rule import ToolResult, tool_result
from loom.reduce.shell import command_of
from loom.reduce.verdict import failed, verdict

SIGNS = 8  # characters of a line that says something, at least
# A line in the results of more different calls than this share tells of none of them: what a client
# writes under each result, what a language repeats. Of few calls it is not known.
COMMON, FEW = 0.1, 6

_NUMBER = lazy_re(r"\A {0,20}\d{1,9}[→\t]")

Key = tuple[str, str]


class Called:
    """A call with its result, and where its reply and the result stand among the events."""

    def __init__(self, at: int, place: int, reply: Reply, call: ToolCall, result: Result) -> None:
        self.at, self.place, self.reply, self.call, self.result = at, place, reply, call, result
        text = window(result.text)
        self.given: ToolResult = tool_result(call.name, call.arguments, text, result.error)
        self.path = path_in(self.given.arguments)
        self.command = command_of(self.given.arguments)
        self.changes = self.given.tool in (EDIT, WRITE)  # a file
        self.common: frozenset[str] = frozenset()

    @cached_property
    def done(self) -> bool:
        """True unless the call failed, or the user refused it."""
        text, shell = self.given.text, self.given.tool == SHELL
        if shell and failed(verdict(parsed(self.command), text, None, self.result.error)):
            return False
        nothing = self.result.error or did_nothing(text, self.given.tool == READ)
        return refusal(text, shell) is None and (shell or not nothing)

    @cached_property
    def key(self) -> Key:
        """The key that two calls share which do the same."""
        if self.given.tool in (READ, EDIT, WRITE) and self.path:
            return READ, self.path
        if self.given.tool == SHELL and self.command:
            return SHELL, parsed(self.command).key
        return self.call.name, self.call.arguments

    @cached_property
    def swaps(self) -> tuple[tuple[str, str], ...]:
        """The texts it put into a file, each behind the text it took out."""
        held = self.given.arguments
        wrote = (held[key] for key in CONTENT_KEYS if isinstance(held.get(key), str))
        return tuple(pairs_of(held)) or tuple(("", text) for text in wrote) if self.changes else ()

    @cached_property
    def wrote(self) -> frozenset[str]:
        """The telling lines that were not in a file before."""
        old, new = (
            (telling(texts) for texts in zip(*self.swaps, strict=True)) if self.swaps else ((), ())
        )
        return frozenset(new).difference(old)

    @cached_property
    def lines(self) -> frozenset[str]:
        """The telling lines of what it showed, or put into a file."""
        return telling((self.result.text, *(new for _, new in self.swaps))) - self.common


def telling(texts: Iterable[str]) -> frozenset[str]:
    """The lines of texts that say something, without the numbers a tool put before them, perhaps
    behind words of its own."""
    lines = (_NUMBER.sub("", line).strip() for text in texts for line in text.split("\n"))
    return frozenset(line for line in lines if len(line) >= SIGNS)


def calls_of(session: Session) -> Sequence[Called]:
    """The calls of a session that have a result, in their order."""
    made = [*_called(session.events)]
    shown: dict[Key, set[str]] = {}
    for one in made:
        shown.setdefault(one.key, set()).update(telling((one.result.text,)))
    counts = Counter(line for lines in shown.values() for line in lines)
    common = frozenset(line for line, n in counts.items() if n > max(COMMON * len(shown), FEW))
    for one in made:
        one.common = common
    return made


def _called(events: Sequence[Event]) -> Iterator[Called]:
    reply, at = Reply(()), 0
    for number, event in enumerate(events):
        if isinstance(event, Reply):
            reply, at = event, number
        elif isinstance(event, Result):
            calls = {call.id: call for call in reply.calls}
            if (call := calls.get(event.call_id)) is not None:
                yield Called(at, number, reply, call, event)
