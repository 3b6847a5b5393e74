"""The kinds of JSON values, in words for a model: what an argument must be, and what was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# By the type of a JSON Schema: the words, and what Python reads such a value as.
KINDS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "string": ("a text", str),
    "array": ("a list", list),
    "object": ("an object", dict),
    "number": ("a number", (int, float)),
    "integer": ("a whole number", int),
    "boolean": ("true or false", bool),
}
_GIVEN: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "an object"),
    (object, "null"),
)


def expected(schema: Mapping[str, Any]) -> str:
    """The kind of value a schema asks for, "a value" where it names none or several."""
    kind = schema.get("type")
    return KINDS[kind][0] if isinstance(kind, str) and kind in KINDS else "a value"


def kind_of(value: object) -> str:
    """The kind of a value that was given."""
    return next(said for kinds, said in _GIVEN if isinstance(value, kinds))


def wrong_argument(schema: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """The first argument that is missing or of another kind, and what it must be; "" for none.

    What a schema says beyond `required` and one plain `type` is left to the tool. Null is as good
    as left out, and a whole number may be written as 3.0.
    """
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for name in schema.get("required") or ():
        if name not in given:
            return f"`{name}` is missing: it is {_of(known, name)}"
    for name, value in given.items():
        if value is not None and not _fits(known.get(name), value):
            return f"`{name}` is {_of(known, name)}, not {kind_of(value)}"
    return ""


def _of(known: Mapping[str, Any], name: str) -> str:
    schema = known.get(name)
    return expected(schema if isinstance(schema, dict) else {})


def _fits(schema: object, value: object) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        return True
    if kind in ("number", "integer") and isinstance(value, bool):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS[kind][1])
