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
        self.kind = kind
        self.path = path
        self.expected = expected
        self.got = got
        super().__init__(f"{kind} at {path}: expected {expected}, got {got!r}")


def anything(value: Any, path: Path) -> None:
    """No rule."""


def _typed(types: tuple[type, ...], expected: str) -> Spec:
    def check(value: Any, path: Path) -> None:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise Wrong("type", path, expected, value)

    return check


text = _typed((str,), "a string")
integer = _typed((int,), "an integer")
number = _typed((int, float), "a decimal")
flag = _typed((bool,), "a boolean")
mapping = _typed((dict,), "an object")
array = _typed((list,), "an array")


def nullable(spec: Spec) -> Spec:
    """The spec, or null."""

    def check(value: Any, path: Path) -> None:
        if value is not None:
            spec(value, path)

    return check


def listof(spec: Spec) -> Spec:
    """A list of it, perhaps empty."""

    def check(value: Any, path: Path) -> None:
        if not isinstance(value, list):
            raise Wrong("type", path, "an array of objects", value)
        for number, item in enumerate(value):
            spec(item, (*path, number))

    return check


def text_or(spec: Spec) -> Spec:
    """A plain text, or else the spec."""

    def check(value: Any, path: Path) -> None:
        if isinstance(value, list):
            spec(value, path)
        elif not isinstance(value, str):
            raise Wrong("type", path, "one of a string or array of objects", value)

    return check


def choice(*values: str) -> Spec:
    """One of these texts."""

    def check(value: Any, path: Path) -> None:
        text(value, path)
        if value not in values:
            raise Wrong("value", path, ", ".join(map(repr, values)), value)

    return check


def pattern(expression: str) -> Spec:
    """A text that matches all of the expression."""

    def check(value: Any, path: Path) -> None:
        text(value, path)
        if not re.fullmatch(expression, value):
            raise Wrong("pattern", path, expression, value)

    return check


def record(required: Mapping[str, Spec], optional: Mapping[str, Spec] | None = None) -> Spec:
    """An object with these fields and no others."""
    known = {**required, **(optional or {})}

    def check(value: Any, path: Path) -> None:
        if not isinstance(value, dict):
            raise Wrong("type", path, "an object", value)
        for name in value:
            if name not in known:
                raise Wrong("unknown", (*path, name))
        for name, spec in known.items():
            if name in value:
                spec(value[name], (*path, name))
            elif name in required:
                raise Wrong("missing", (*path, name))

    return check


def tagged(specs: Mapping[str, Spec], field: str = "type") -> Spec:
    """One of several objects, told apart by a field."""

    def check(value: Any, path: Path) -> None:
        if not isinstance(value, dict):
            raise Wrong("type", path, "an object", value)
        if field not in value:
            raise Wrong("missing", (*path, field))
        choice(*specs)(value[field], (*path, field))
        specs[value[field]](value, path)

    return check
