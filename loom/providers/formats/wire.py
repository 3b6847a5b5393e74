"""Plain values: dicts, lists and atoms made from providers' objects, and the text of content parts.

Gemini's own JSON is converted to the names of its Python library: snake_case, base64 as bytes."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Collection
from enum import Enum
from functools import lru_cache
from typing import Any

from loom.lazy import lazy_re

MARKS = frozenset({"cache_control", "cachePoint"})  # of a part: they steer a provider's cache
EDITABLE = 4  # messages: as many as a provider takes marks for
Wire = dict[str, Any]

_ATOMS = str | int | float | bool | None

# An object that has none of these attributes is no reply.
_REPLY_KEYS = frozenset(
    {"choices", "content", "role", "tool_calls", "output", "candidates", "parts"}
)

# Objects nest in a streamed response: response, item, part, annotation.
_DEEPEST = 16

# The key that holds the text of a content part, by the type of the part.
_TEXT_KEYS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}


def plain_reply(value: object) -> Any:
    """Return a reply as dicts, lists and atoms, with bytes as base64 text. An object with no
    attribute of a reply gives {}."""
    names = _public_attributes(value)
    if names and _REPLY_KEYS.isdisjoint(names):
        return {}
    return plain_value(value, lambda data: b64encode(data).decode())


def plain_value(value: object, data: Callable[[bytes], Any] = bytes, depth: int = 0) -> Any:
    """Return a value as dicts, lists and atoms. `data` converts bytes. `depth` is how deeply the
    value is nested; an object nested too deeply becomes its `str`."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, _ATOMS):
        return value
    if isinstance(value, dict):
        return {str(key): plain_value(item, data, depth) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item, data, depth) for item in value]
    if isinstance(value, bytes | bytearray):
        return data(bytes(value))
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return plain_value(_without_unset(_dump_object(dump), value), data, depth)
    names = _public_attributes(value)
    if not names or depth > _DEEPEST:
        return str(value)
    return {name: plain_value(getattr(value, name), data, depth + 1) for name in names}


def _dump_object(dump: Callable[..., object]) -> object:
    """Return what an object's `model_dump` returns, with warnings off."""
    try:
        return dump(warnings=False)  # servers add members that would cause warnings
    except TypeError:
        return dump()


def _without_unset(dumped: Any, value: object) -> Any:
    """Return the dump of the object `value` without the null members that were never set."""
    given = getattr(value, "model_fields_set", None)
    if isinstance(dumped, dict) and given is not None:
        return {
            key: _without_unset(one, getattr(value, key, None))
            for key, one in dumped.items()
            if one is not None or key in given
        }
    if isinstance(dumped, list) and isinstance(value, list | tuple) and len(dumped) == len(value):
        return [*map(_without_unset, dumped, value)]
    return dumped


def _public_attributes(value: object) -> list[str]:
    """Return an object's public attribute names; [] for plain values or with `model_dump`."""
    if isinstance(value, _ATOMS | dict | list | tuple) or hasattr(value, "model_dump"):
        return []
    fields = getattr(value, "__struct_fields__", ()) or getattr(value, "__dict__", ())
    return [name for name in fields if not name.startswith("_")]


def compact_json(value: object) -> str:
    """Return a value as JSON text without optional spaces. Keys keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def parse_json_object(text: str) -> Wire | None:
    """Return the dict that a JSON text stands for; None if the text is no object, or holds a value
    that JSON cannot carry: NaN, an infinity, an unpaired surrogate."""
    try:
        value = json.loads(text)
        if isinstance(value, dict):
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
            return value
    except (ValueError, RecursionError):
        pass
    return None


def content_parts(content: object) -> list[Wire]:
    """Return a message's content (None, a text, a part, or a list) as a list of parts."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list):
        return [part for item in content for part in content_parts(item)]
    if isinstance(content, dict) and "type" in content:
        return [content]
    return [{"type": "text", "text": compact_json(content)}]


def content_text(content: object, joint: str = "\n\n") -> str:
    """Return the content of a message as one text, its parts joined by `joint`. An image or a
    document becomes a line that describes it."""
    return joint.join(text for part in content_parts(content) if (text := part_text(part)))


def is_text_part(part: Wire) -> bool:
    """Tell whether a content part, of any format, is a text."""
    return str(part.get("type")) in _TEXT_KEYS


def without_cache_marks(value: Any) -> Any:
    """Return a content part without its cache marks."""
    if isinstance(value, dict):
        return {
            str(key): without_cache_marks(one) for key, one in value.items() if key not in MARKS
        }
    if isinstance(value, list | tuple):
        return [without_cache_marks(one) for one in value]
    return value


def part_text(part: Wire) -> str:
    """Return one content part as text. An image or a document becomes a line that describes it; a
    part of an unknown type becomes its JSON."""
    kind = str(part.get("type"))
    key = _TEXT_KEYS.get(kind)
    if key is not None:
        return str(part.get(key) or "")
    left_out = _omission_line(kind, part)
    return compact_json(part) if left_out is None else left_out


def reported_tokens(value: object) -> int:
    """Return a token count that a provider reported; 0 if the value is not a positive int."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def model_and_prompt_size(
    value: Wire, usage: str, *names: str, model: str = "model"
) -> dict[str, Any]:
    """Return {"model": name, "prompt_tokens": size} for a reply. `model` is the member that holds
    the name. The size is the sum of the counts `names` in the member `usage`."""
    used = value.get(usage)
    size = sum(reported_tokens(used.get(name)) for name in names) if isinstance(used, dict) else 0
    return {"model": str(value.get(model) or ""), "prompt_tokens": size}


def _omission_line(kind: str, part: Wire) -> str | None:
    """Return a line that stands for a part's image or document, such as `[image omitted: image/png,
    812 bytes]`. For a source that is a text, the text; for any other part, None."""
    source = part.get("source")
    if isinstance(source, dict):
        if source.get("type") == "text":
            return str(source.get("data") or "")
        data = source.get("data")
        if isinstance(data, str):
            return _binary_line(kind, str(source.get("media_type") or ""), data)
        return f"[{kind} omitted: {source.get('url') or source.get('file_id') or 'no source'}]"
    if kind != "image_url":
        return None
    image = part.get("image_url")
    url = str(image.get("url") if isinstance(image, dict) else image)
    if not url.startswith("data:"):
        return f"[image omitted: {url}]"
    head, _, data = url.removeprefix("data:").partition(",")
    return _binary_line("image", head.partition(";")[0], data)


def _binary_line(kind: str, media_type: str, data: str) -> str:
    """Return a line that stands for binary content: its kind, its type and its size in bytes.
    `data` is the content as base64."""
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f"[{kind} omitted: {media_type or 'unknown type'}, {max(size, 0)} bytes]"


def copies_for_request(messages: list[Wire], editable: Collection[int] = ()) -> list[Wire]:
    """Return a new list of the messages for one request. The last few messages and those with an
    index in `editable` are deep copies; all others are the same objects as in `messages`."""
    request = [*messages[:-EDITABLE], *map(_deep_copy, messages[-EDITABLE:])]
    for number in editable:
        if 0 <= number < len(messages) - EDITABLE:
            request[number] = _deep_copy(messages[number])
    return request


def _deep_copy(value: Any) -> Any:
    """Return a deep copy of a plain value."""
    if isinstance(value, dict):
        return {key: _deep_copy(one) for key, one in value.items()}
    return [*map(_deep_copy, value)] if isinstance(value, list) else value


def without_nulls(value: Any, kept: Collection[str] = (), whole: Collection[str] = ()) -> Any:
    """Return a JSON value without null members, except members named in `kept` and null members
    inside members named in `whole`."""
    if isinstance(value, list):
        return [without_nulls(item, kept, whole) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: item if key in whole else without_nulls(item, kept, whole)
        for key, item in value.items()
        if item is not None or key in kept
    }


# What lies under these names is the host's and the model's: it keeps its names and its nulls.
FOREIGN = frozenset({"args", "response", "part_metadata"})

_HUMP = lazy_re(r"(?<=[a-z0-9])([A-Z])")


def snake_names(value: object) -> Any:
    """Return a value with all keys of its dicts in snake_case, except inside the values of keys in
    FOREIGN."""
    if isinstance(value, list):
        return [snake_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {_snake_name(str(name)): item for name, item in value.items()}
    return {name: item if name in FOREIGN else snake_names(item) for name, item in named.items()}


@lru_cache(maxsize=256)
def _snake_name(name: str) -> str:
    return _HUMP.sub(lambda hump: f"_{hump[1].lower()}", name)
