"""Members of JSON values by their paths, and what most recorders keep under the same names."""

from __future__ import annotations

from typing import Any


def member_at(value: Any, *paths: str) -> Any:
    """The first that holds something of what stands at paths of members, such as
    `info.time.created`; where none does, the first empty value, None for nothing at all."""
    kept = None
    for path in paths:
        found = value
        for name in path.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        if found:
            return found
        kept = found if kept is None else kept
    return kept


def object_at(value: Any, path: str) -> dict[str, Any]:
    """The object at a path; {} where there is none."""
    found = member_at(value, path)
    return found if isinstance(found, dict) else {}


def list_at(value: Any, path: str) -> list[Any]:
    """The list at a path; [] where there is none."""
    found = member_at(value, path)
    return found if isinstance(found, list) else []


def text_at(value: Any, *paths: str) -> str:
    """The text at the first of some paths; "" for none."""
    return str(member_at(value, *paths) or "")
