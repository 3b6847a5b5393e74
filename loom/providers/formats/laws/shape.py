"""Reading a request nobody has vouched for: any key may be missing, any value of any type."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from loom.lazy import lazy_re

Object = Mapping[str, Any]
# (where it stands, its name, its schema; None is a schema left out)
Tool = tuple[str, object, object]

NAME = lazy_re(r"[a-zA-Z0-9_-]{1,64}")


def objects(value: object) -> list[Object]:
    """The objects of a list; nothing when it is none."""
    if not isinstance(value, list | tuple):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def blank(value: object) -> bool:
    """True for any value but a text that is not blank."""
    return not isinstance(value, str) or not value.strip()


def repeated(values: Iterable[str]) -> list[str]:
    """The values that stand there more than once."""
    return [value for value, times in Counter(values).items() if times > 1]


def limit(request: Object, *keys: str, required: bool = False) -> list[str]:
    """The reply's limit, under one of `keys` at most: a whole number above 0."""
    given = [key for key in keys if request.get(key) is not None]
    if len(given) > 1:
        return [f"{' and '.join(given)}: one of them only"]
    if not given:
        return [f"{keys[0]}: it is missing"] if required else []
    value = request[given[0]]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return [f"{given[0]}: {value!r} is no whole number above 0"]
    return []


def unnamed(where: str, name: object, lawful: re.Pattern[str]) -> list[str]:
    """Return the fault of a function's name."""
    if isinstance(name, str) and lawful.fullmatch(name):
        return []
    return [f"{where}: the name {name!r} is not of the form {lawful.pattern}"]


def unidentified(where: str, id: object, most: int) -> list[str]:
    """Return the fault of an id of any characters."""
    if isinstance(id, str) and 0 < len(id) <= most:
        return []
    return [f"{where}: the id {id!r} is not a text of 1 to {most} characters"]


def ill_argued(where: str, id: object, arguments: object) -> list[str]:
    """Return the fault of a call's arguments, which are the text of a JSON object (RFC 8259).

    Servers that put them into a template read them: one that is none has the request refused.
    """
    if not isinstance(arguments, str):
        return [f"{where}: the arguments of {id!r} are no text"]
    try:
        value = json.loads(arguments)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # no NaN, no half character
    except (ValueError, RecursionError):
        value = None
    return [] if isinstance(value, dict) else [f"{where}: the arguments of {id!r} are no object"]


def ill_declared(tools: Iterable[Tool], lawful: re.Pattern[str]) -> list[str]:
    """Return the faults of declarations: names, repeated names, schemas."""
    held = list(tools)
    found = [line for where, name, _ in held for line in unnamed(where, name, lawful)]
    names = [name for _, name, _ in held if isinstance(name, str)]
    found += [f"tools: two have the name {name!r}" for name in repeated(names)]
    for where, name, schema in held:
        if schema is None:
            continue
        kind = schema.get("type") if isinstance(schema, Mapping) else None
        if not isinstance(kind, str) or kind.lower() != "object":
            found.append(f"{where}: the schema of {name!r} describes no object")
    return found
