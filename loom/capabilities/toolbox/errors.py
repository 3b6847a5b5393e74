"""Errors of tools: a name that is unknown, a command that is not run."""

from __future__ import annotations

from collections.abc import Iterable

from loom.errors import BadInput, LoomError, near, shown_name
from loom.text import one_line

SHOWN = 200  # characters of what was refused


def tool_refused(what: str, why: str, instead: str = "") -> LoomError:
    """The error for a command or a script that was not run; nothing was started.

    `what` was refused, `why`, and what to do `instead`: three texts an agent can act on.
    """
    refused = one_line(what, SHOWN)
    return LoomError(f"refused {refused!r}: {why}{f'; {instead}' if instead else ''}")


def unknown_tool(name: str, known: Iterable[str], more: str = "") -> BadInput:
    """The error for a name of no tool; `more` says how to find others."""
    said = f"no tool {shown_name(name)}; {near(name, known)}"
    return BadInput(f"{said}; {more}" if more else said)
