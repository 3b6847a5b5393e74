"""The rule for any tool without a rule of its own, and the rule for the weather."""

from __future__ import annotations

from typing import Any

from loom.reduce.arguments import Scalar, first_text, small_scalar, small_scalars
from loom.reduce.lines import count_lines, human_size, plural
from loom.reduce.rule import Observation, ToolResult
from loom.text import one_line

ARGUMENT = 40  # characters of an argument in a compact line
SHOWN = 2  # arguments in a compact line
KEYS = 5  # members of an object named in its shape
VALUE = 40  # characters of a scalar member shown
BRIEF = 100  # characters of a result short enough to be its own shape

LOCATION_KEYS = ("location", "city", "place", "address", "query", "q", "where", "zip")


def any_tool_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) for a tool that has no rule: the first arguments,
    and a description such as "list of 12 items, 3 KB"."""
    args = first_arguments(given)
    name = one_line(given.name, 60) or "tool"
    first = [one_line(str(value), ARGUMENT) for value in list(args.values())[:SHOWN]]
    subject = f"{name}({', '.join(first)})"
    return Observation(
        subject=subject,
        text=f"{subject}: {result_shape(given)}",
        args=args,
        fields={"tool": name, "args": ", ".join(first)},
    )


def weather_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a weather report: place, form and size."""
    location = first_text(given.arguments, LOCATION_KEYS)
    subject = f"Checked weather for {one_line(location, 60) or '?'}"
    return Observation(
        subject=subject,
        text=f"{subject}: {result_shape(given)}",
        args=first_arguments(given),
        fields={"location": location or "?"},
    )


def first_arguments(given: ToolResult) -> dict[str, Scalar]:
    """Return the first arguments as a dict with short scalars; `{"_raw": text}` if the arguments
    are not a JSON object."""
    raw = given.raw.strip() not in ("", "{}")
    return small_scalars(given.arguments or ({"_raw": given.raw} if raw else {}))


def result_shape(given: ToolResult) -> str:
    """Return a short description of a result: "list of 12 items, 3 KB (id, name)". A short text is
    only put on one line."""
    payload = given.payload
    size = human_size(given.size)
    if isinstance(payload, list):
        return f"list of {plural(len(payload), 'item')}, {size}" + _keys_of_first_item(payload)
    if isinstance(payload, dict):
        members = [_member_text(key, payload[key]) for key in list(payload)[:KEYS]]
        more = ", …" if len(payload) > KEYS else ""
        return f"object of {plural(len(payload), 'key')}, {size} ({', '.join(members)}{more})"
    brief = one_line(given.text, BRIEF + 1)
    if len(brief) <= BRIEF and len(given.text) <= 2 * BRIEF:
        return brief or "no output"
    return (
        f"text of {plural(count_lines(given.text), 'line')}, {size}: {one_line(given.text, BRIEF)}"
    )


def _keys_of_first_item(items: list[Any]) -> str:
    """Return the keys of a list's first item: " (id, name)"; "" for an item that is no object."""
    if not items or not isinstance(items[0], dict):
        return ""
    keys = [one_line(key, VALUE) for key in list(items[0])[:KEYS]]
    return f" ({', '.join(keys)})" if keys else ""


def _member_text(key: str, value: Any) -> str:
    """Return the key and value of a member: "count 12"; only the key of a long text."""
    name = one_line(key, VALUE)
    if isinstance(value, str) and len(value) > VALUE:
        return name
    return f"{name} {one_line(str(small_scalar(value)), VALUE)}"
