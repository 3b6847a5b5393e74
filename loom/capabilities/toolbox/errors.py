"""Errors of tools: a name that is taken or unknown, a command that is not run."""

from __future__ import annotations

from collections.abc import Iterable

from loom.errors import LoomError, near, shown_name
from loom.text import one_line

SHOWN = 200  # characters of what was refused


class ToolRefused(LoomError):
    """A command or a script that was not run; nothing was started.

    `what` was refused, `why`, and what to do `instead`: three texts an agent can act on.
    """

    def __init__(self, what: str, why: str, instead: str = "") -> None:
        self.what = one_line(what, SHOWN)
        self.why = why
        self.instead = instead
        super().__init__(f"refused {self.what!r}: {why}{f'; {instead}' if instead else ''}")


class DuplicateTool(LoomError):
    """A second tool of a name."""

    def __init__(self, name: str, taken: str) -> None:
        self.name = name
        same = "" if name == taken else f" ({taken!r} is sent to providers under the same name)"
        super().__init__(f"there is a tool {name!r} already{same}: give this one another name")


class UnknownTool(LoomError, KeyError):
    """No tool of that name; `more` says how to find others."""

    def __init__(self, name: str, known: Iterable[str], more: str = "") -> None:
        self.name = name
        said = f"no tool {shown_name(name)}; {near(name, known)}"
        super().__init__(f"{said}; {more}" if more else said)

    def __str__(self) -> str:
        return str(self.args[0])
