"""What entries are called for people: the tool and what it was asked about, or the first words."""

from __future__ import annotations

from typing import NamedTuple

from loom.compress.worth.units import path_of
from loom.reduce.arguments import object_of
from loom.reduce.shell import command_of
from loom.text import one_line, printable
from loom_partitions.message import Call, Said, Step, UserTurn

WORDS = 90  # characters of a title
PATH = 36  # … of a path that stands whole in one


class Named(NamedTuple):
    """A title, the tool that was called and the file it was called for, "" for none."""

    title: str
    tool: str = ""
    file: str = ""


def of_call(call: Call) -> Named:
    """The name of a call: its tool with the file, the command, or its first text."""
    arguments = object_of(call.arguments)
    path = path_of(call)
    about = _tail(path) or command_of(arguments) or _first(arguments)
    title, tool = one_line(f"{call.name} {about}", WORDS), one_line(call.name, WORDS)
    return Named(title, tool, printable(path))  # JSON can escape what is no character


def of_user(turn: UserTurn) -> Named:
    """The name of a message: its first words."""
    if turn.source:
        about = turn.about or turn.source
        shown = _tail(about)
        return Named(one_line(f"{'read ahead' if turn.ahead else 'of'} {shown}", WORDS), "", about)
    return Named(one_line(turn.text.body or turn.text.page or turn.line, WORDS))


def of_step(step: Step) -> Named:
    """The name of a step: its calls, else what it says."""
    calls = [of_call(call) for call in step.calls]
    if not calls:
        said = next((p.text.body or p.text.page for p in step.parts if isinstance(p, Said)), "")
        return Named(one_line(said, WORDS))
    title = " · ".join(call.title for call in calls[:3])
    more = f" · +{len(calls) - 3}" if len(calls) > 3 else ""
    return Named(one_line(title, 2 * WORDS) + more, calls[0].tool, calls[0].file)


def _tail(path: str) -> str:
    """The end of a long path, which tells one from another."""
    parts = path.replace("\\", "/").split("/")
    return path if len(path) <= PATH or len(parts) < 3 else "…/" + "/".join(parts[-2:])


def _first(arguments: dict[str, object]) -> str:
    """The first text among arguments."""
    return next((value for value in arguments.values() if isinstance(value, str) and value), "")
