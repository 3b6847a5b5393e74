"""The tool calls of a session with their results, and functions to compare them line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from loom.compress.worth.file_names import FileNames
from loom.inputs import Event, Reply, Result, Session, ToolCall
from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import path_argument
from loom.reduce.effects import touched_paths
from loom.reduce.file_rules import CONTENT_KEYS, patched_paths, replacement_pairs
from loom.reduce.lines import both_ends, refusal_reason, says_file_call_failed
from loom.reduce.programs import is_reader
from loom.reduce.rule import ToolResult, parse_tool_result
from loom.reduce.shell_commands import parse_command
from loom.reduce.shell_rule import command_of_call
from loom.reduce.verdict import is_check_command, is_failed, verdict

_NUMBER = lazy_re(r"\A {0,20}\d{1,9}[→\t]")

URL = "://"  # in the name of what is no file
Key = tuple[str, str]


class CallWithResult:
    """A tool call with its result. `paths` are the files it read or changed, each with the same
    name in all calls. `at` is the index of the reply in the session's events, `place` the result's
    index."""

    def __init__(
        self, at: int, place: int, reply: Reply, call: ToolCall, result: Result, names: FileNames
    ) -> None:
        self.at, self.place, self.reply, self.call, self.result = at, place, reply, call, result
        text = both_ends(result.text)
        self.given: ToolResult = parse_tool_result(call.name, call.arguments, text, result.error)
        self.command = command_of_call(self.given.arguments)
        self.changes = self.given.tool in (EDIT, WRITE)  # a file
        line = parse_command(self.command) if self.given.tool == SHELL else None
        asks = (
            line is None
            or is_check_command(line)
            or all(is_reader(each.words) for each in line.programs)
        )
        wrote = line is not None and bool(touched_paths(self.command))
        self.acts = self.changes or wrote or not asks  # it may have changed a file
        paths = patched_paths(self.given) or [path_argument(self.given.arguments)]
        is_file = self.given.tool in (READ, EDIT, WRITE)
        self.paths = (
            [names.name(path) for path in paths if path and URL not in path] if is_file else []
        )

    @cached_property
    def done(self) -> bool:
        """True if the call neither failed nor was refused by the user."""
        text, shell = self.given.text, self.given.tool == SHELL
        if shell and is_failed(verdict(parse_command(self.command), text, None, self.result.error)):
            return False
        nothing = self.result.error or says_file_call_failed(text, self.given.tool == READ)
        return refusal_reason(text, shell) is None and (shell or not nothing)

    @cached_property
    def key(self) -> Key:
        """A pair of strings, equal for calls that use the same file, run the same command, or have
        the same tool and arguments."""
        if self.paths:
            return READ, self.paths[0]
        if self.given.tool == SHELL and self.command:
            return SHELL, parse_command(self.command).key
        return self.call.name, self.call.arguments

    @cached_property
    def lines(self) -> frozenset[str]:
        """The non-blank lines of the result and of the text the call wrote into a file, without
        line numbers."""
        held = self.given.arguments if self.changes else {}
        wrote = [new for _, new in replacement_pairs(held)] or [
            str(held.get(key, "")) for key in CONTENT_KEYS
        ]
        return compared_lines((self.result.text, *wrote))


def compared_lines(texts: Iterable[str]) -> frozenset[str]:
    """Return the set of non-blank lines of some texts, without spaces around a line and line
    numbers."""
    return frozenset(
        line
        for text in texts
        for each in text.split("\n")
        if (line := _NUMBER.sub("", each).strip())
    )


def calls_of(session: Session) -> Sequence[CallWithResult]:
    """Return the tool calls of a session that have a result, in order."""
    return [*_pair_calls(session.events, FileNames())]


def _pair_calls(events: Sequence[Event], names: FileNames) -> Iterator[CallWithResult]:
    """Yield each call that has a result."""
    reply, at = Reply(()), 0
    for number, event in enumerate(events):
        if isinstance(event, Reply):
            reply, at = event, number
        elif isinstance(event, Result):
            calls = {call.id: call for call in reply.calls}
            if (call := calls.get(event.call_id)) is not None:
                yield CallWithResult(at, number, reply, call, event, names)
