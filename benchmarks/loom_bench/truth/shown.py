"""The calls of a session, and what a request shows: lines without what a tool puts before them."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from msgspec import Struct, field

from loom.inputs import Event, Reply, Result, Speech, ToolCall
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock
from loom_bench.sessions.needle import PATHS, arguments, strings

# Kind of a tool → names of the field, lower case, without blanks and underscores.
TOOLS: dict[str, frozenset[str]] = {
    "read": frozenset({"read", "readfile", "view", "viewfile", "openfile", "cat"}),
    "write": frozenset({"write", "writefile", "createfile", "create", "savefile"}),
    "edit": frozenset(
        {"edit", "editfile", "multiedit", "strreplace", "replace", "notebookedit", "updatefile"}
    ),
    "shell": frozenset({"bash", "shell", "sh", "terminal", "runcommand", "execcommand", "exec"}),
}
OLD = ("old_string", "oldText", "old_str")
NEW = ("new_string", "newText", "new_str")
BODY = ("content", "file_text", "text")
# How the result of a call that was not carried out begins.
REFUSED = re.compile(r"\s*(?:<tool_use_error>|The user doesn't want to|\[Request interrupted)")


class CallMade(Struct, frozen=True):
    """A call with its result."""

    call: ToolCall
    given: Mapping[str, Any]
    result: Result

    @property
    def kind(self) -> str:
        """The kind of its tool, "" when it is none of TOOLS."""
        return kind_of(self.call.name)

    @property
    def path(self) -> str:
        """The file it is about as it gave it, "" for none."""
        return path_of(self.given)

    @property
    def done(self) -> bool:
        """True when the call did what it says."""
        return not self.result.error and not self.refused

    @property
    def refused(self) -> bool:
        """True when the call was never carried out."""
        return REFUSED.match(self.result.text) is not None

    @property
    def command(self) -> str:
        """The command of a shell call, its blanks single; "" for other calls."""
        return " ".join(command_of(self.given).split()) if self.kind == "shell" else ""


@lru_cache(maxsize=1024)
def kind_of(tool: str) -> str:
    """The kind of a tool by its name, "" when it is none of TOOLS."""
    name = re.sub(r"[\s_-]", "", tool.rsplit(":", 1)[-1].rsplit("__", 1)[-1]).lower()
    return next((kind for kind, names in TOOLS.items() if name in names), "")


def path_of(given: Mapping[str, Any]) -> str:
    """The file a call is about, "" for none."""
    path = _first({key: one for key, one in given.items() if str(one).strip()}, PATHS)
    return posixpath.normpath(path) if path else ""


def command_of(given: Mapping[str, Any]) -> str:
    """The command of a call, "" for none."""
    return str(given.get("command", given.get("cmd", "")))


def replacements(given: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """The replacements an edit asks for, in order: old text, new text, whether of every place."""
    several = given.get("edits")
    found = []
    for one in several if isinstance(several, list) else [given]:
        if isinstance(one, dict):
            old, new = _first(one, OLD), _first(one, NEW)
            if old is not None and new is not None:
                found.append((old, new, bool(one.get("replace_all"))))
    return found


def body_of(given: Mapping[str, Any]) -> str | None:
    """The content a write gives its file."""
    return _first(given, BODY)


def _first(given: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((given[key] for key in keys if isinstance(given.get(key), str)), None)


class PathNames:
    """Paths of a session: a relative one and the absolute one that ends in it are one file."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._by_base: dict[str, list[str]] = {}

    def of(self, path: str) -> str:
        """The one name of a file, however a call gave its path."""
        path = posixpath.normpath(path.strip())
        if path not in self._known:
            base = self._by_base.setdefault(posixpath.basename(path), [])
            same = [
                one
                for one in base
                if one.startswith("/") != path.startswith("/")
                and max(one, path, key=len).endswith("/" + min(one, path, key=len))
            ]
            self._known[path] = same[0] if len(same) == 1 else path
            if len(same) != 1:
                base.append(path)
        return self._known[path]


def spoken(event: Event) -> list[Sequence[str]]:
    """The texts of an event, those of one block together."""
    if not isinstance(event, Reply):
        return [[event.text]]
    speech = [[part.text] for part in event.parts if isinstance(part, Speech)]
    return [*speech, *(strings(call.arguments) for call in event.calls)]


CUT = re.compile(r"(?:…|\.\.\.)$")  # how a line ends that was cut
NUMBER = re.compile(r"^\s*\d{1,6}(?:→|\t|:|\|)\s?")  # what file tools and `grep -n` write
QUOTE = re.compile(r"^\s*(?:[>|]\s)+|^\s*[>|]$")
BULLET = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
TAGGED = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
REMINDER = re.compile(r"<(system-[\w-]+)>.*?</\1>", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'`(*\[]*[A-Z0-9])")
CODE = 5  # word characters of a line of code that says something: brackets alone do not


def bare(line: str) -> str:
    """A line without quote sign, line number and indentation, each blank a single one."""
    line = NUMBER.sub("", QUOTE.sub("", line), count=1)
    return " ".join(line.split())


@lru_cache(maxsize=8192)
def bare_lines(text: str) -> tuple[str, ...]:
    """Every line of a text, bare; "" for an empty one."""
    return tuple(map(bare, unreminded(text).splitlines()))


@lru_cache(maxsize=8192)
def significant(text: str) -> tuple[str, ...]:
    """The bare lines of a text that are more than brackets and blanks."""
    return tuple(line for line in bare_lines(text) if len(re.findall(r"\w", line)) >= CODE)


def unreminded(text: str) -> str:
    """A text without the reminders a client puts into tool results."""
    return REMINDER.sub("", text) if "<system-" in text else text


def untagged(text: str) -> str:
    """A text without blocks in tags: what a client puts beside the words of its user."""
    return TAGGED.sub("", text)


def sentences(line: str) -> Iterator[str]:
    """A bare line without its bullet, sentence by sentence."""
    for one in SENTENCE.split(BULLET.sub("", line)):
        if one:
            yield one


def words(text: str) -> int:
    """How many words a text has: what stands between blanks and has a letter, so a path is one."""
    return sum(any(map(str.isalpha, word)) for word in text.split())


MADE = ("system", "user")  # roles of text that is not the model's and not a tool's


class Piece(Struct, frozen=True):
    """One block of a request: `kind` is text, call or result.

    The text of a call is the values of its arguments a line each, without an edit's old text.
    `given` are the arguments of the call, or of that which a result answers.
    """

    role: str
    kind: str
    text: str
    name: str = ""
    call_id: str = ""
    given: Mapping[str, Any] = {}


def pieces_of(messages: Sequence[Message]) -> list[Piece]:
    """The pieces of a request."""
    pieces = []
    asked: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        role = message.role
        for block in message.blocks:
            if isinstance(block, TextBlock):
                pieces.append(Piece(role, "text", block.text))
            elif isinstance(block, CallBlock):
                given = asked[block.id] = arguments(block.arguments)
                text = "\n".join(_values(given)) if given else block.arguments
                pieces.append(Piece(role, "call", text, block.name, block.id, given))
            elif isinstance(block, ResultBlock):
                given = asked.get(block.call_id, {})
                pieces.append(Piece(role, "result", block.text, block.name, block.call_id, given))
    return pieces


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in OLD:
                yield from _values(inner)


class Ruling(Struct):
    """What judges found in one request: sums by name, and each fault as (kind, text)."""

    sums: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def fault(self, kind: str, text: str) -> None:
        """Count one fault and keep its text."""
        self.sums[kind] += 1
        self.faults.append((kind, text))


class TranscriptJudge(Protocol):
    """A judge that follows the transcript and rules on requests made from it."""

    def take(self, event: Event, made: CallMade | None) -> None:
        """Take in the next event, and the call it completes."""

    def rule(self, pieces: Sequence[Piece], ruling: Ruling) -> None:
        """Hold a request against the transcript so far."""
