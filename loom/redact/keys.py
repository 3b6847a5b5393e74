"""Keys of a JSON object that became the same mark are told apart, so that none is lost."""

from __future__ import annotations

import re

_PART = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?|[{}]')


def apart(text: str) -> str:
    """The JSON text with a number behind each key of one object that a mark made like another."""
    if "[redacted:" not in text:
        return text
    objects: list[set[str]] = [set()]

    def tell(found: re.Match[str]) -> str:
        if found[0] == "{":
            objects.append(set())
        elif found[0] == "}" and len(objects) > 1:
            objects.pop()
        elif found[2] is not None:
            key, number = found[1], 1
            while "[redacted:" in found[1] and key in objects[-1]:
                number += 1
                key = f"{found[1]}#{number}"
            objects[-1].add(key)
            return f'"{key}"{found[2]}'
        return found[0]

    return _PART.sub(tell, text)
