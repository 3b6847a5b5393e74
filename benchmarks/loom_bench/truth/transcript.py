"""The calls of a session, by what kind of tool they used, and what came of them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from loom.inputs import Event, Reply, Result, ToolCall
from loom_bench.sessions.needle import PATHS, arguments

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


class Replacement(Struct, frozen=True):
    """One replacement of an edit."""

    old: str
    new: str
    every: bool = False


class CallMade(Struct, frozen=True):
    """A call with its result. `path` is as the call gave it, "" when it is about no file."""

    call: ToolCall
    given: Mapping[str, Any]
    result: Result
    kind: str
    path: str

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
        given = self.given.get("command", self.given.get("cmd", ""))
        return " ".join(str(given).split()) if self.kind == "shell" else ""


class Transcript:
    """The events of a session so far."""

    def __init__(self) -> None:
        self._open: dict[str, ToolCall] = {}

    def take(self, event: Event) -> CallMade | None:
        """Take in the next event; returns the call it completes."""
        if isinstance(event, Reply):
            self._open = {call.id: call for call in event.calls}
        if not isinstance(event, Result) or event.call_id not in self._open:
            return None
        call = self._open[event.call_id]
        given = arguments(call.arguments)
        return CallMade(call, given, event, kind_of(call.name), path_of(given))


@lru_cache(maxsize=1024)
def kind_of(tool: str) -> str:
    """The kind of a tool by its name, "" when it is none of TOOLS."""
    name = re.sub(r"[\s_-]", "", tool.rsplit(":", 1)[-1].rsplit("__", 1)[-1]).lower()
    return next((kind for kind, names in TOOLS.items() if name in names), "")


def path_of(given: Mapping[str, Any]) -> str:
    """The file a call is about, "" for none."""
    return next((posixpath.normpath(given[key]) for key in PATHS if _text(given.get(key))), "")


def replacements(given: Mapping[str, Any]) -> Iterator[Replacement]:
    """The replacements an edit asks for, in order."""
    several = given.get("edits")
    for one in several if isinstance(several, list) else [given]:
        if isinstance(one, dict):
            old = next((one[key] for key in OLD if isinstance(one.get(key), str)), None)
            new = next((one[key] for key in NEW if isinstance(one.get(key), str)), None)
            if old is not None and new is not None:
                yield Replacement(old, new, bool(one.get("replace_all")))


def body_of(given: Mapping[str, Any]) -> str | None:
    """The content a write gives its file."""
    return next((given[key] for key in BODY if isinstance(given.get(key), str)), None)


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


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
            same = [one for one in base if _same(one, path)]
            self._known[path] = same[0] if len(same) == 1 else path
            if len(same) != 1:
                base.append(path)
        return self._known[path]


def _same(one: str, other: str) -> bool:
    if one.startswith("/") == other.startswith("/"):
        return False
    long, short = (one, other) if one.startswith("/") else (other, one)
    return long.endswith("/" + short.removeprefix("./"))
