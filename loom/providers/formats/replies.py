"""How a provider says that a reply ended, and which replies were cut off before they answered.

For a host that must not see calls answered here, a reply without them is its plain value in its
provider's shape; where no call is left it says that it ended as one that has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import Reply, Speech, ToolCall
from loom.providers.formats import anthropic, gemini, openai, responses
from loom.providers.formats.format import UnknownReply
from loom.providers.formats.wire import Wire, plain
from loom.providers.reasoning import separate

# By the documentation of each provider, in small letters: the limit of the reply, or of the window.
CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete"}
)
PAUSED = "pause_turn"  # Anthropic's: the turn goes on when it is sent back as it is
UNSAID = frozenset({"", "none", "finish_reason_unspecified"})
_BLOCKED = frozenset({"candidates", "promptFeedback", "prompt_feedback"})
_PLACES = ("finish_reason", "finishReason", "stop_reason")


def cut_off(given: object, reply: Reply) -> bool:
    """True for a reply without a call that ended before it answered, or in its answer.

    The provider said so; or it said nothing, and all there is is a block of reasoning that was
    never closed. Where it said that the model stopped by itself, or that it withheld what the model
    wrote, the reply is all there will be, though it be empty. `given` is the reply as it came,
    `reply` as it was read; a `loom.Reply` that was given is what it is.
    """
    if reply.calls or isinstance(given, Reply):
        return False
    value = given if isinstance(given, str) else plain(given)
    if isinstance(value, dict) and not _BLOCKED.isdisjoint(value) and not value.get("candidates"):
        return True  # the prompt was blocked: no answer came
    said = ended(value) if isinstance(value, dict) else ""
    if said not in UNSAID:
        return said in CUT
    return not any(_texts(reply)) and any(separate(text).unclosed for text in _inside(value))


def is_paused(given: object) -> bool:
    """True for a reply whose provider stopped in the middle of what it does itself."""
    value = None if isinstance(given, str | Reply) else plain(given)
    return isinstance(value, dict) and ended(value) == PAUSED


def ended(value: Wire) -> str:
    """Why a reply ended, in the provider's word and small letters; "" when it does not say."""
    first = next(iter(value.get("choices") or value.get("candidates") or [value]), None)
    found = next((first[name] for name in _PLACES if first.get(name)), "") if first else ""
    if not found and value.get("object") == "response":
        found = value.get("status") or ""
    return str(found).rpartition(".")[2].lower()


def _texts(reply: Reply) -> Iterator[str]:
    return (part.text.strip() for part in reply.parts if isinstance(part, Speech))


def _inside(value: object) -> Iterable[str]:
    """Every text in a reply of any shape: rarely asked, and only for an opening tag."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _inside(one)


Names = Collection[str]
KNOWN = "a reply of a known provider"


def less_calls(reply: object, names: Names) -> Any:
    """The reply less its calls of those names. Raises UnknownReply."""
    if isinstance(reply, Reply):
        parts = (p for p in reply.parts if not (isinstance(p, ToolCall) and p.name in names))
        return replace(reply, parts=tuple(parts))
    try:
        value = plain(reply)
        for accepts, less in _LESS:
            if accepts(value):
                return less(value, names)
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        # A member of another type than any provider sends, or one nested without end.
        raise UnknownReply(reply, KNOWN) from error
    raise UnknownReply(reply, KNOWN)


def _openai(value: Wire, names: Names) -> Wire:
    if "choices" in value:
        return {**value, "choices": [_choice(choice, names) for choice in value["choices"]]}
    left = [call for call in value.get("tool_calls") or () if _name(call) not in names]
    return {**{key: one for key, one in value.items() if key != "tool_calls"}, **_calls(left)}


def _choice(choice: Wire, names: Names) -> Wire:
    message = _openai(choice.get("message") or {}, names)
    ended = choice.get("finish_reason")
    return {
        **choice,
        "message": message,
        "finish_reason": "stop" if ended == "tool_calls" and "tool_calls" not in message else ended,
    }


def _calls(left: list[Wire]) -> Wire:
    return {"tool_calls": left} if left else {}


def _name(call: Wire) -> str:
    body = call.get("function") or call.get("custom") or {}
    return str(body.get("name") or "")


def _anthropic(value: Wire, names: Names) -> Wire:
    content = value.get("content")
    if not isinstance(content, list):
        return value
    left = [one for one in content if one.get("type") != "tool_use" or one.get("name") not in names]
    if any(one.get("type") == "tool_use" for one in left):
        return {**value, "content": left}
    ended = value.get("stop_reason")
    return {**value, "content": left, "stop_reason": "end_turn" if ended == "tool_use" else ended}


def _responses(value: Wire, names: Names) -> Wire:
    output = value.get("output") or []
    left = [
        one
        for one in output
        if one.get("type") not in responses.CALLS or one.get("name") not in names
    ]
    return {**value, "output": left}


def _gemini(value: Wire, names: Names) -> Wire:
    if "candidates" in value:
        candidates = [
            {**one, "content": _gemini(one.get("content") or {}, names)}
            for one in value["candidates"] or ()
        ]
        return {**value, "candidates": candidates}
    return {**value, "parts": [p for p in value.get("parts") or () if _called(p) not in names]}


def _called(part: Wire) -> str:
    call = part.get("function_call") or part.get("functionCall") or {}
    return str(call.get("name") or "")


# In the order replies are told apart: the narrower shape first.
_LESS: tuple[tuple[Callable[[object], bool], Callable[[Wire, Names], Wire]], ...] = (
    (anthropic.accepts, _anthropic),
    (responses.accepts, _responses),
    (openai.accepts, _openai),
    (gemini.accepts, _gemini),
)
