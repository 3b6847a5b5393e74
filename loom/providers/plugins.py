"""Entry points: what installed distributions add to a table of Loom's, read when it is asked for.

A distribution names an object under the table's group in its `entry_points.txt`. Nothing is read or
imported before a name is asked for that the table does not have, or before the table is listed.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, TypeVar

from loom.errors import LoomError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def bad_plugin_error(group: str, name: str, why: str) -> LoomError:
    """The error for an entry point that leads to nothing that can be used."""
    return LoomError(f"the plug-in {name!r} of {group} cannot be used: {why}")


def plugin_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, none of them loaded; of equals, the first."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in reversed(tuple(entry_points(group=group)))}


def load_plugin(entry: EntryPoint, kind: type[T]) -> T:
    """Load an entry point. Raises LoomError when that fails, or gives anything but a `kind`."""
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise bad_plugin_error(entry.group, entry.name, why) from error
    if not isinstance(found, kind):
        raise bad_plugin_error(entry.group, entry.name, f"{entry.value} is no {kind.__name__}")
    return found


def load_usable_plugins(
    group: str, kind: type[T], known: Container[str]
) -> tuple[dict[str, T], list[LoomError]]:
    """Return the plug-ins of a group whose names are not `known`, and what ails the others."""
    found: dict[str, T] = {}
    bad: list[LoomError] = []
    for name, entry in plugin_entry_points(group).items():
        if name in known:
            continue
        try:
            found[name] = load_plugin(entry, kind)
        except LoomError as error:
            bad.append(error)
    return found, bad
