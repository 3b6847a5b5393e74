"""Griffe extension for the site: the fields that a docstring explains become a list.

Loom's docstrings explain fields as lines `name: what it is`, or `one, other: what they are`, with
what follows indented; Markdown would run them together into one paragraph.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

FIELD = re.compile(r"^([a-z]\w*(?:, [a-z]\w*)*): (?=\S)", re.MULTILINE)
LEAST = 2  # a single line of this form may be a sentence


class FieldLists(griffe.Extension):
    """Rewrites the docstring of each object that explains fields."""

    def on_object(self, *, obj: griffe.Object, **rest: Any) -> None:
        """Called by Griffe for every object it has read."""
        if obj.docstring is None or len(FIELD.findall(obj.docstring.value)) < LEAST:
            return
        first = FIELD.search(obj.docstring.value)
        assert first is not None
        before, listed = obj.docstring.value[: first.start()], obj.docstring.value[first.start() :]
        obj.docstring.value = f"{before.rstrip()}\n\n{FIELD.sub(_item, listed)}"


def _item(found: re.Match[str]) -> str:
    names = ", ".join(f"`{name}`" for name in found[1].split(", "))
    return f"- {names}: "
