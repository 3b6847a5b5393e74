"""Keys of a JSON object that became the same mark are told apart, so that none is lost."""

from __future__ import annotations

import re

from loom.lazy import lazy_re

_PART = lazy_re(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?|[{}]')


def apart(text: str) -> str:
    """The JSON text with a number behind each key of one object that a mark made like another."""
    if "[redacted:" not in text:
        return text
    objects: list[dict[str, int]] = [{}]  # of each that is open: its keys, and how often

    def tell(found: re.Match[str]) -> str:
        if found[0] == "{":
            objects.append({})
        elif found[0] == "}" and len(objects) > 1:
            objects.pop()
        elif found[2] is not None:
            return f'"{_told(found[1], objects[-1])}"{found[2]}'
        return found[0]

    return _PART.sub(tell, text)


def _told(key: str, known: dict[str, int]) -> str:
    """The key, with a number where it is known and holds a mark."""
    made = key
    while "[redacted:" in key and made in known:
        known[key] += 1
        made = f"{key}#{known[key]}"
    known.setdefault(made, 1)
    return made
