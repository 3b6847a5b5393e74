"""Why a reply ended, in its provider's word, and replies without the calls that Loom answered,
which a host must not see."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from msgspec.structs import replace

from loom.inputs import Reply, Speech, ToolCall
from loom.providers.formats import (
    anthropic,
    decode,
    gemini,
    openai,
    plugin_for_reply,
    reply_for_plugins,
    responses,
)
from loom.providers.formats.format import unknown_reply_error
from loom.providers.formats.wire import Wire, plain_reply
from loom.providers.reasoning import separate

# By the documentation of each provider, in small letters: the limit of the reply, or of the window.
CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete"}
)
PAUSED = "pause_turn"  # Anthropic's: the turn goes on when it is sent back as it is
UNSAID = frozenset({"", "none", "finish_reason_unspecified"})
_BLOCKED = frozenset({"candidates", "promptFeedback", "prompt_feedback"})
_OWN = (anthropic, responses, openai, gemini)
_PLACES = ("finish_reason", "finishReason", "stop_reason")


def is_cut_off(given: object, reply: Reply) -> bool:
    """Tell whether a reply without calls was cut off before it answered, or within its answer.

    Without an end reason from the provider, a reply of unfinished reasoning is taken as cut off.
    `given` is the reply as it came, `reply` the same reply as read; a `loom.Reply` given by the
    host is never cut off."""
    if reply.calls or isinstance(given, Reply):
        return False
    value = given if isinstance(given, str) else reply_for_plugins(given)
    if isinstance(value, dict) and not _BLOCKED.isdisjoint(value) and not value.get("candidates"):
        return True  # the prompt was blocked: no answer came
    said = "" if isinstance(value, str) else end_reason(value)
    if said not in UNSAID:
        return said in CUT
    if any(isinstance(part, Speech) and part.text.strip() for part in reply.parts):
        return False
    return any(separate(text).unclosed for text in _all_texts(value))


def is_paused(given: object) -> bool:
    """Tell whether the provider paused the reply because its own tools are still at work."""
    return not isinstance(given, str | Reply) and end_reason(reply_for_plugins(given)) == PAUSED


def end_reason(value: Any) -> str:
    """Return the provider's word for why a reply ended, such as "stop", in small letters; "" if the
    reply does not say."""
    if not isinstance(value, dict) or not any(one.accepts(value) for one in _OWN):
        plug = plugin_for_reply(value)
        return plug.ended(value) if plug is not None else ""
    first = next(iter(value.get("choices") or value.get("candidates") or [value]), None)
    found = next((first[name] for name in _PLACES if first.get(name)), "") if first else ""
    if not found and value.get("object") == "response":
        found = value.get("status") or ""
    return str(found).rpartition(".")[2].lower()


def _all_texts(value: object) -> Iterable[str]:
    """Yield every text in a reply given as dicts, lists and texts, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _all_texts(one)


KNOWN = "a reply of a known provider"
# The members that lead to calls, and the lists they stand in.
_LEADS = frozenset({"choices", "message", "candidates", "content"})
_LISTS = frozenset({"tool_calls", "content", "output", "parts"})
_BODIES = ("function", "custom", "function_call", "functionCall")
_TYPES = frozenset({"tool_use", *responses.CALLS})
# How a reply says that it ended with calls, and how that it did not.
_ENDS = {"finish_reason": ("tool_calls", "stop"), "stop_reason": ("tool_use", "end_turn")}


def reply_without_calls(reply: object, names: Collection[str]) -> Any:
    """Return a reply without its calls of the tools named in `names`. The result is a plain dict in
    the provider's shape; for a plug-in's format, a `loom.Reply`. Raises BadInput."""
    if isinstance(reply, Reply):
        parts = (p for p in reply.parts if not (isinstance(p, ToolCall) and p.name in names))
        return replace(reply, parts=tuple(parts))
    try:
        value = plain_reply(reply)
        if any(format.accepts(value) for format in _OWN):
            return _without_calls(value, names)
        if plugin_for_reply(reply) is not None:
            return reply_without_calls(decode(reply), names)
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        # A member of another type than any provider sends, or one nested without end.
        raise unknown_reply_error(reply, KNOWN) from error
    raise unknown_reply_error(reply, KNOWN)


def _without_calls(value: Any, names: Collection[str]) -> Any:
    """Return a plain reply without its calls of the tools named in `names`, with the end reason
    "stop" instead of "tool_calls" if no call is left."""
    if isinstance(value, list):
        return [_without_calls(one, names) for one in value]
    if not isinstance(value, dict):
        return value
    left = {key: _without_calls(one, names) if key in _LEADS else one for key, one in value.items()}
    for key in _LISTS & left.keys():
        if isinstance(left[key], list):
            left[key] = [one for one in left[key] if _called_name(one) not in names]
    if not left.get("tool_calls", True):
        del left["tool_calls"]
    for key, (called, ended) in _ENDS.items():
        if left.get(key) == called and not _has_calls(left):
            left[key] = ended
    return left


def _has_calls(value: Wire) -> bool:
    """Tell whether a Chat Completions choice or an Anthropic message still has calls."""
    message = value.get("message") or value
    listed = message.get("tool_calls") or message.get("content")
    return isinstance(listed, list) and any(map(_called_name, listed))


def _called_name(part: object) -> str:
    """Return the name of the tool that a part of a reply calls; "" if the part is no call."""
    if not isinstance(part, dict):
        return ""
    held = part if part.get("type") in _TYPES else next(filter(None, map(part.get, _BODIES)), {})
    return str(held.get("name") or "") if isinstance(held, dict) else ""
