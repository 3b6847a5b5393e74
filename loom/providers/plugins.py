"""Plug-ins: objects that installed distributions add to one of Loom's tables, loaded on demand.

A distribution names an object under the table's group in its `entry_points.txt`. Entry points are
read, and their modules imported, only when a name is asked for that the table does not have, or
when the table is listed."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, TypeVar

from loom.errors import LoomError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def bad_plugin_error(group: str, name: str, why: str) -> LoomError:
    """Return the error for a plug-in that cannot be used. `why` is the reason, as text."""
    return LoomError(f"the plug-in {name!r} of {group} cannot be used: {why}")


def plugin_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return {name: entry point} for a group, without loading any."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in reversed(tuple(entry_points(group=group)))}


def load_plugin(entry: EntryPoint, kind: type[T]) -> T:
    """Return the object of an entry point. Raises LoomError if loading fails, or if the object is
    not of type `kind`."""
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
    """Load the plug-ins of a group, except names in `known`. Return ({name: plug-in}, errors of the
    plug-ins that cannot be used)."""
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
