"""How a provider says that a reply ended, and which replies were cut off before they answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.inputs import Reply, Speech
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
