"""The seed's `compact_tool_output`, written from its description, without its model step.

JSON is read for the fields of a fixed list: of an object with a list `items`, of a list of objects,
or of one object. Items are dropped from the end of a list until it fits, and a note tells how many
are shown only where the payload itself has a `total_count`. What stays too large, or is none of
these, would go to a model that was shown its first 15,000 characters; here it goes where the
description sends it when the model fails: its head, with a mark.

The described loop drops one item and writes the list again, which is quadratic. This one halves its
way to the same number of items, so that only the outcome is compared.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Any

from loom.reduce.arguments import parse

FIELDS = (
    "name", "full_name", "id", "number", "title", "description", "html_url", "url", "clone_url",
    "ssh_url", "updated_at", "created_at", "pushed_at", "language", "state", "private", "fork",
    "stargazers_count", "open_issues_count", "default_branch", "login", "body",
)  # fmt: skip
BODY = 300  # characters kept of a body
MARK = "\n… [truncated]"


def compact(text: str, limit: int) -> str:
    """At most `limit` characters: the known fields when it is JSON and they fit, else the head."""
    if len(text) <= limit:
        return text
    try:
        extracted = _extracted(parse(text), limit)
    except RecursionError:
        extracted = None
    return extracted if extracted is not None else text[: max(0, limit - len(MARK))] + MARK[:limit]


def _extracted(value: Any, limit: int) -> str | None:
    """The known fields as JSON within `limit`; None when there are none to take or none fit."""
    if isinstance(value, dict):
        items = value.get("items")
        if isinstance(items, list):
            return _fitting(items, limit, value.get("total_count"))
        whole = _written(_fields(value))
        return whole if len(whole) <= limit else None
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return _fitting(value, limit, None)
    return None


def _fitting(items: list[Any], limit: int, total: Any) -> str | None:
    """As many of the first items as fit; None when not even one does."""
    kept = [_fields(item) for item in items if isinstance(item, dict)]

    def written(shown: int) -> str:
        if total is None:
            return _written(kept[:shown])
        note = f"showing {shown} of {total}"
        return _written({"total_count": total, "items": kept[:shown], "note": note})

    # The place of the first number of items that is too many is the number before it.
    most = bisect_left(range(1, len(kept) + 1), True, key=lambda shown: len(written(shown)) > limit)
    return written(most) if most else None


def _fields(item: dict[str, Any]) -> dict[str, Any]:
    """The known fields of an object; another object that has a `login` is that login."""
    kept: dict[str, Any] = {}
    for key, value in item.items():
        if isinstance(value, dict) and "login" in value:
            kept[key] = value["login"]
        elif key in FIELDS:
            kept[key] = value[:BODY] if key == "body" and isinstance(value, str) else value
    return kept


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
