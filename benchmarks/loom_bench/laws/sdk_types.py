"""Requests against the providers' own SDKs: every key and value must be one their types know.

The SDKs describe requests as TypedDicts, which ignore keys they do not know and look into an
iterable only when it is read. So the schema pydantic makes of them is changed: iterables are
lists, and unknown keys are refused at every depth where the SDK does not allow them itself.

The SDKs are needed by nothing but this; without them `available` is False.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from msgspec import json

SDKS = ("openai", "anthropic", "google", "google.genai", "pydantic")
MOST = 3  # errors told of one value: a union tells one for each of its members
# What hosts of Chat Completions add to its messages and calls, beyond the SDK of OpenAI.
ADDED = frozenset({"reasoning_details", "reasoning_content", "reasoning", "extra_content"})

Check = Callable[[Any], list[str]]


class Kind(NamedTuple):
    """How a format is checked: where its messages stand, one message, and all the rest."""

    key: str
    message: Check
    rest: Check


def available() -> bool:
    """True when all SDKs are installed."""
    return all(find_spec(name) is not None for name in SDKS)


class SdkTypes:
    """The types of one format's SDK. Each distinct message, and each distinct rest, once.

    `checked` counts the values validated so far.
    """

    def __init__(self, format: str) -> None:
        """Raises KeyError for a format without types, ImportError without its SDK."""
        self.checked = 0
        self._kind = KINDS[format]()
        self._known: dict[bytes, list[str]] = {}

    def refused(self, request: Mapping[str, Any]) -> list[str]:
        """Return what the types do not accept, each as where and what; nothing when all fits."""
        kind = self._kind
        given = request.get(kind.key)
        messages = given if isinstance(given, list) else []
        # An input of text alone belongs to the rest.
        rest = {**request, kind.key: [] if isinstance(given, list) else given}
        found = self._once(b"rest", rest, kind.rest)
        for number, message in enumerate(messages):
            lines = self._once(b"message", message, kind.message)
            found = [*found, *(f"{kind.key}[{number}]{line}" for line in lines)]
        return found

    def _once(self, what: bytes, value: Any, check: Check) -> list[str]:
        key = what + json.encode(value)
        known = self._known.get(key)
        if known is None:
            self.checked += 1
            known = self._known[key] = check(value)
        return known


def strict(kind: Any) -> Check:
    """A check of a value against a type of an SDK, eager and closed to unknown keys."""
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import SchemaValidator

    validator = SchemaValidator(closed(TypeAdapter(kind).core_schema))

    def check(value: Any) -> list[str]:
        try:
            validator.validate_python(value, strict=True)
        except ValidationError as error:
            return told(error)
        return []

    return check


def closed(schema: Any) -> Any:
    """A core schema whose iterables are lists and whose dicts take no unknown key.

    The SDKs take objects of replies as well, which take any key; a dict is none.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(closed(item) for item in schema)
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "model":
        kept = {key: schema[key] for key in ("cls", "ref") if key in schema}
        return {"type": "is-instance", **kept}
    changed = {key: closed(value) for key, value in schema.items() if key != "metadata"}
    if schema.get("type") == "generator":
        changed["type"] = "list"
    if schema.get("type") == "typed-dict":
        own = schema.get("config") or {}
        if "allow" not in (schema.get("extra_behavior"), own.get("extra_fields_behavior")):
            changed["extra_behavior"] = "forbid"
    return changed


def modelled(kind: Any) -> Check:
    """A check of a value against a model of Google's SDK, which refuses unknown keys itself."""
    from pydantic import ValidationError

    def check(value: Any) -> list[str]:
        try:
            kind.model_validate(value)
        except ValidationError as error:
            return told(error)
        return []

    return check


def told(error: Any) -> list[str]:
    """The first errors of a validation, those of the member of a union that fits best before."""
    errors = error.errors(include_url=False, include_input=False)
    sizes = Counter(one["loc"][:1] for one in errors)
    errors.sort(key=lambda one: sizes[one["loc"][:1]])
    return ["".join(f".{step}" for step in one["loc"]) + f": {one['msg']}" for one in errors[:MOST]]


def _openai() -> Kind:
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    check = strict(ChatCompletionMessageParam)
    return Kind(
        "messages", lambda value: check(_own(value)), strict(CompletionCreateParamsNonStreaming)
    )


def _own(message: Any) -> Any:
    """A message without what other hosts than OpenAI add to it and its calls."""
    if not isinstance(message, dict):
        return message
    kept = {key: value for key, value in message.items() if key not in ADDED}
    if isinstance(kept.get("tool_calls"), list):
        kept["tool_calls"] = [
            {key: value for key, value in call.items() if key not in ADDED}
            if isinstance(call, dict)
            else call
            for call in kept["tool_calls"]
        ]
    return kept


def _responses() -> Kind:
    from openai.types.responses import ResponseInputItemParam
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    return Kind("input", strict(ResponseInputItemParam), strict(ResponseCreateParamsNonStreaming))


def _anthropic() -> Kind:
    from anthropic.types import MessageParam
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    return Kind("messages", strict(MessageParam), strict(MessageCreateParamsNonStreaming))


def _gemini() -> Kind:
    from google.genai import types

    config = modelled(types.GenerateContentConfig)

    def rest(request: Any) -> list[str]:
        alien = [f".{key}: no argument of generate_content" for key in request.keys() - ARGUMENTS]
        lacks = [f".{key}: it is missing" for key in ("contents", "model") if key not in request]
        return alien + lacks + [f".config{line}" for line in config(request.get("config") or {})]

    return Kind("contents", modelled(types.Content), rest)


ARGUMENTS = frozenset({"model", "contents", "config"})
KINDS: dict[str, Callable[[], Kind]] = {
    "openai": cache(_openai),
    "responses": cache(_responses),
    "anthropic": cache(_anthropic),
    "gemini": cache(_gemini),
}
