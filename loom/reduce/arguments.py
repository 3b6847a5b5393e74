"""Arguments and JSON results of tools, whose keys differ from tool to tool, read and made small."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import msgspec

from loom.lazy import lazy_re
from loom.reduce.json_budget import count_label
from loom.text import clip_front, clip_text, encodable, one_line

Scalar = str | int | float | bool | None

ARGUMENT = 100  # characters of a string kept in minimal arguments
ARGUMENTS = 8  # arguments kept
PATH = 72  # characters of a path shown

PATH_KEYS = (
    "path", "file_path", "filepath", "filePath", "filename", "file_name", "target_file", "file",
    "absolute_path", "relative_path", "relative_workspace_path", "notebook_path", "target",
    "directory", "dir", "dir_path", "directory_path", "target_directory", "folder", "dirname",
)  # fmt: skip

OLD_KEYS = ("old_string", "old_str", "oldText", "old_text", "oldString", "search", "old", "find")
NEW_KEYS = (
    "new_string", "new_str", "newText", "new_text", "newString", "replace", "replacement", "new",
    "insert_text", "new_source", "code_edit", "content",
)  # fmt: skip

GATEWAY = "call_tool"  # the tool through which tools are called that are not declared

_OPENS = lazy_re(r"\s*+[\[{]")
_OBJECT = lazy_re(r"\s*+\{")


def _refuse_constant(constant: str) -> NoReturn:
    """Raise ValueError for NaN and Infinity, which are not valid JSON."""
    raise ValueError(constant)


def parse_json(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the JSON object or array in `text`, parsed; None for anything else. Never raises."""
    if not _OPENS.match(text):
        return None
    value: Any = None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        # The standard decoder is slower but takes lone surrogates, which JSON can escape.
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict | list) else None


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in `text` as a dict; {} if the text is anything else."""
    value = parse_json(text) if _OBJECT.match(text) else None  # a long list is not read for nothing
    return value if isinstance(value, dict) else {}


def call_behind_gateway(name: str, arguments: str) -> tuple[str, str]:
    """Return (name, arguments as JSON text) of the tool that a call is really for: the tool named
    in the arguments of a gateway tool, else the called tool."""
    members = json_object(arguments) if name == GATEWAY else {}
    if not isinstance(members.get("name"), str):
        return name, arguments
    inner = members.get("arguments")
    if isinstance(inner, str):
        inner = parse_json(inner) if inner.strip() else {}
    if inner is None:
        inner = {}
    if not isinstance(inner, dict):
        return name, arguments
    return members["name"].strip() or name, json.dumps(inner, ensure_ascii=False)


def first_present(source: Mapping[str, Any], keys: Iterable[str]) -> Any:
    """Return the first value under one of `keys` that is not None; None if there is none."""
    return next((source[key] for key in keys if source.get(key) is not None), None)


def first_text(source: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Return the first value under one of `keys` that is a non-empty string or a number, as text;
    "" if there is none."""
    for key in keys:
        value = source.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(small_scalar(value))
    return ""


def first_list(source: Mapping[str, Any], keys: Iterable[str]) -> list[Any] | None:
    """Return the first value under one of `keys` that is a list; None if there is none."""
    return next((source[key] for key in keys if isinstance(source.get(key), list)), None)


def integer_or_none(value: Any) -> int | None:
    """Return `value` if it is an integer that fits in 64 bits, else None."""
    sound = isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64
    return value if sound else None


def small_scalar(value: Any) -> Scalar:
    """Return `value` as a short scalar: a list becomes "[12 items]", an object "{3 keys}"."""
    if isinstance(value, str):
        return clip_text(encodable(value[: ARGUMENT + 1]), ARGUMENT)
    if isinstance(value, list | dict):
        return count_label(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and value.bit_length() > 63:
        return f"({value.bit_length()}-bit integer)"
    return value if value is None or isinstance(value, int) else clip_text(str(value), ARGUMENT)


def small_scalars(arguments: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return the first `ARGUMENTS` arguments as a dict with short scalars."""
    some = list(arguments.items())[:ARGUMENTS]
    return {one_line(key, ARGUMENT): small_scalar(value) for key, value in some}


def path_argument(arguments: Mapping[str, Any]) -> str:
    """Return the file path in the arguments of a call, as it was given; "" if there is none."""
    return first_text(arguments, PATH_KEYS)


def old_and_new_text(source: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (old text, new text) of the replacement in `source`, the arguments of an edit. A
    missing text is "". None if both are missing."""
    old, new = first_present(source, OLD_KEYS), first_present(source, NEW_KEYS)
    if old is None and new is None:
        # Only together: an insertion uses one of these two keys for its position.
        old, new = source.get("before"), source.get("after")
        return (old, new) if isinstance(old, str) and isinstance(new, str) else None
    if not isinstance(old, str) and not isinstance(new, str):
        return None
    return old if isinstance(old, str) else "", new if isinstance(new, str) else ""


def is_replacement(members: Mapping[str, Any]) -> bool:
    """Return True if the arguments have a file's path, an old text, and a text to replace it."""
    pair = old_and_new_text(members)
    told = first_present(members, (*NEW_KEYS, "after"))
    return bool(pair and pair[0] and path_argument(members)) and isinstance(told, str)


def short_path(path: str) -> str:
    """Return a path on one line, cut at its start if long; "?" for ""."""
    return clip_front(one_line(path[-4 * PATH :], 4 * PATH), PATH) or "?"


def small_path_argument(path: str) -> dict[str, Scalar]:
    """Return `{"path": …}` with the path, cut at its start if long; {} for ""."""
    return {"path": clip_front(encodable(path), ARGUMENT)} if path else {}
