"""The rule for any tool without one of its own, and the rule for the weather."""

from __future__ import annotations

from typing import Any

from loom.reduce.arguments import Scalar, kept, scalar, text_at
from loom.reduce.lines import count_lines, counted, human
from loom.reduce.rule import Observation, ToolResult
from loom.text import one_line

ARGUMENT = 40  # characters of an argument in a compact line
SHOWN = 2  # arguments in a compact line
KEYS = 5  # members of an object named in its shape
VALUE = 40  # characters of a scalar member shown
BRIEF = 100  # characters of a result short enough to be its own shape

LOCATION_KEYS = ("location", "city", "place", "address", "query", "q", "where", "zip")


def rule(given: ToolResult) -> Observation:
    """Trimmed arguments and the shape of the result."""
    args = minimal(given)
    name = one_line(given.name, 60) or "tool"
    first = [one_line(str(value), ARGUMENT) for value in list(args.values())[:SHOWN]]
    subject = f"{name}({', '.join(first)})"
    return Observation(
        subject=subject,
        text=f"{subject}: {shape(given)}",
        args=args,
        fields={"tool": name, "args": ", ".join(first)},
    )


def weather(given: ToolResult) -> Observation:
    """The place, and the shape of the report."""
    location = text_at(given.arguments, LOCATION_KEYS)
    subject = f"Checked weather for {one_line(location, 60) or '?'}"
    return Observation(
        subject=subject,
        text=f"{subject}: {shape(given)}",
        args=minimal(given),
        fields={"location": location or "?"},
    )


def minimal(given: ToolResult) -> dict[str, Scalar]:
    """The first arguments as small scalars; `_raw`, their text, when they are not an object."""
    raw = given.raw.strip() not in ("", "{}")
    return kept(given.arguments or ({"_raw": given.raw} if raw else {}))


def shape(given: ToolResult) -> str:
    """Describe a result by its members, items, or lines, and its size."""
    payload = given.payload
    size = human(given.size)
    if isinstance(payload, list):
        return f"list of {counted(len(payload), 'item')}, {size}" + _of(payload)
    if isinstance(payload, dict):
        members = [_member(key, payload[key]) for key in list(payload)[:KEYS]]
        more = ", …" if len(payload) > KEYS else ""
        return f"object of {counted(len(payload), 'key')}, {size} ({', '.join(members)}{more})"
    brief = one_line(given.text, BRIEF + 1)
    if len(brief) <= BRIEF and len(given.text) <= 2 * BRIEF:
        return brief or "no output"
    return (
        f"text of {counted(count_lines(given.text), 'line')}, {size}: {one_line(given.text, BRIEF)}"
    )


def _of(items: list[Any]) -> str:
    if not items or not isinstance(items[0], dict):
        return ""
    keys = [one_line(key, VALUE) for key in list(items[0])[:KEYS]]
    return f" ({', '.join(keys)})" if keys else ""


def _member(key: str, value: Any) -> str:
    name = one_line(key, VALUE)
    if isinstance(value, str) and len(value) > VALUE:
        return name
    return f"{name} {one_line(str(scalar(value)), VALUE)}"
