"""What a request may hold, as data: small specs that raise `Wrong` with the path of the fault.

A spec is a callable of a value and its path. Each API words the faults in its own way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Path = tuple[str | int, ...]
Spec = Callable[[Any, Path], None]


class Refusal(Exception):
    """A request the provider refuses: an HTTP status and the body of its error."""

    def __init__(self, status: int, body: dict[str, Any] | str) -> None:
        self.status = status
        self.body = body
        super().__init__(f"{status} {body}")


class Wrong(Exception):
    """A field that is `unknown`, `missing`, of a wrong `type`, or has a wrong `value`.

    Or it is no `base64`, is `empty`, is not of the `media` type it is said to be, is no data `url`.
    """

    def __init__(self, kind: str, path: Path, expected: str = "", got: Any = None) -> None:
        super().__init__(f"{kind} at {path}: expected {expected}, got {got!r}")


def anything(value: Any, path: Path) -> None:
    """No rule."""


def _typed(*types: type) -> Spec:
    def check(value: Any, path: Path) -> None:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise Wrong("type", path, str(types), value)

    return check


text, integer, flag = _typed(str), _typed(int), _typed(bool)
mapping, array = _typed(dict), _typed(list)


def nullable(spec: Spec) -> Spec:
    """The spec, or null."""
    return lambda value, path: None if value is None else spec(value, path)


def text_or(spec: Spec) -> Spec:
    """A plain text, or else the spec."""
    return lambda value, path: None if isinstance(value, str) else spec(value, path)


def listof(spec: Spec) -> Spec:
    """A list of it, perhaps empty."""

    def check(value: Any, path: Path) -> None:
        array(value, path)
        for number, item in enumerate(value):
            spec(item, (*path, number))

    return check


def pattern(expression: str) -> Spec:
    """A text that matches all of the expression."""

    def check(value: Any, path: Path) -> None:
        text(value, path)
        if not re.fullmatch(expression, value):
            raise Wrong("value", path, expression, value)

    return check


def choice(*values: str) -> Spec:
    """One of these texts."""
    return pattern("|".join(map(re.escape, values)))


def record(required: Mapping[str, Spec], optional: Mapping[str, Spec] | None = None) -> Spec:
    """An object with these fields and no others."""
    known = {**required, **(optional or {})}

    def check(value: Any, path: Path) -> None:
        mapping(value, path)
        if wrong := {*value} - {*known}:
            raise Wrong("unknown", (*path, *wrong))
        if missing := {*required} - {*value}:
            raise Wrong("missing", (*path, *missing))
        for name, item in value.items():
            known[name](item, (*path, name))

    return check


def tagged(specs: Mapping[str, Spec], field: str = "type") -> Spec:
    """One of several objects, told apart by a field."""

    def check(value: Any, path: Path) -> None:
        mapping(value, path)
        choice(*specs)(value.get(field), (*path, field))
        specs[value[field]](value, path)

    return check
