"""Errors of tools: a name that is taken or unknown, a command that is not run."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from loom.errors import LoomError
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
    """No tool of that name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        super().__init__(f"no tool {name!r}; {near(name, known)}")

    def __str__(self) -> str:
        return str(self.args[0])


def near(given: str, known: Iterable[str]) -> str:
    """A hint at the names most like the one given, or at some of those there are."""
    names = list(known)
    alike = get_close_matches(given, names, 5, 0.5)
    if alike:
        return f"there are {', '.join(alike)}"
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"there are {', '.join(names[:12]) or 'none'}{more}"
