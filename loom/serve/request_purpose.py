"""The purpose of a request, and the conversation and the client that the request names.

A request has the purpose MAIN (it is a step of the conversation), SIDE (it is made beside it) or
SUMMARY (it asks for a summary of the list, for its client's compaction). A request for a title, for
a router's decision or for a count is SIDE: it declares no tools where its conversation has some, or
asks for a reply of a few tokens only. It is passed on unchanged and not recorded. A SUMMARY is sent
with the window, and the client's question at the end.

The first of these names the conversation: the header `x-loom-session`, which a user may have any
client send; the client's own headers, with the sub-agent's; the session in the body's metadata. A
request without a name is recognized by its list (`loom.serve.chains`). A key of the provider's
prompt cache is no name, for applications share one among their users. A name is no proof: a
conversation is known by its name and its owner (`loom.serve.conversation_owners`)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct, json

from loom.providers.formats.wire import Wire, content_parts, parse_json_object
from loom.serve.dialects import TakenRequest, WireApi, declared_tools, is_leading

EXPLICIT = "x-loom-session"
# Of each client: the headers that together name a conversation; what is not sent is left out.
HEADERS = (
    ("claude", ("x-claude-code-session-id", "x-claude-code-agent-id")),
    ("codex", ("thread-id",)),
    ("opencode", ("x-session-id",)),
)


def conversation_name(headers: Mapping[str, str], body: Wire) -> str:
    """Return the name of the conversation that a request belongs to; "" if it names none."""
    if given := headers.get(EXPLICIT, "").strip():
        return _joined_name("given", given)
    for client, names in HEADERS:
        if headers.get(names[0]):
            return _joined_name(client, *(headers[name] for name in names if headers.get(name)))
    user = _metadata_session(body.get("metadata"))
    return _joined_name("user", user) if user else ""


def client_name(headers: Mapping[str, str]) -> str:
    """Return the name of the client that sends a request: "claude", "codex", "opencode" or ""."""
    return next((client for client, names in HEADERS if headers.get(names[0])), "")


def _joined_name(kind: str, *parts: str) -> str:
    """Return a conversation's name: `kind-part`, or for several parts `kind-["part","part"]`."""
    # Two parts are written so that no one part reads as they do.
    return f"{kind}-{parts[0] if len(parts) == 1 else json.encode(parts).decode()}"


def _metadata_session(metadata: Any) -> str:
    """Return the session id in a request's metadata, where Claude Code writes it as JSON into the
    text `user_id`. Return "" for any other text, which names a person, not a conversation."""
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    return _text_member(user, "session_id") if isinstance(user, str) else ""


def _text_member(text: str, name: str) -> str:
    """Return the text under `name` in the JSON object in `text`; "" if there is no such text."""
    held = (parse_json_object(text) or {}).get(name)
    return held if isinstance(held, str) else ""


FEW = 32  # tokens of a reply that nobody goes on with
REPLY_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
# How clients begin the question for a summary (Claude Code 2.1, Codex 0.169).
SUMMARY = ("CRITICAL: Respond with TEXT ONLY", "You are performing a CONTEXT CHECKPOINT COMPACTION")
TURN_METADATA, TURN = "x-codex-turn-metadata", "turn"


class Purpose(Enum):
    """The purpose of a request; the docstring of this module explains each value."""

    MAIN = "main"
    SIDE = "side"
    SUMMARY = "summary"


class ListedRequest(Struct, frozen=True):
    """A request with a message list: the `api` it uses, the list in two parts (`taken`), and its
    purpose (`kind`). For a summary, `question` is the message that asks for it, and `items` the
    list without this message; otherwise `question` is None."""

    api: WireApi
    body: Wire
    taken: TakenRequest
    kind: Purpose
    items: list[Wire]
    question: Wire | None = None


def classify_request(
    headers: Mapping[str, str], api: WireApi, body: Wire, taken: TakenRequest, has_tools: bool
) -> ListedRequest:
    """Return a request with its purpose. `has_tools` is True if an earlier request of its
    conversation declared tools."""
    items, question = _split_summary_question(taken.items)
    if question is not None:
        return ListedRequest(api, body, taken, Purpose.SUMMARY, items, question)
    few = any(isinstance(body.get(key), int) and body[key] <= FEW for key in REPLY_KEYS)
    bare = not declared_tools(body) and (has_tools or bool(client_name(headers)))
    # Where a client says it, it need not be told from tools.
    said = _text_member(headers.get(TURN_METADATA, ""), "request_kind")
    beside = few or (said != TURN if said else bare)
    return ListedRequest(api, body, taken, Purpose.SIDE if beside else Purpose.MAIN, taken.items)


def _split_summary_question(items: list[Wire]) -> tuple[list[Wire], Wire | None]:
    """Return (the list without the client's question for a summary at its end, that question), or
    (the list, None)."""
    # Claude Code may list a reminder, a system message, behind the question.
    at = next((at for at in range(len(items) - 1, -1, -1) if not is_leading(items[at])), -1)
    last = items[at] if at >= 0 else {}
    if last.get("role") != "user":
        return items, None
    blocks: list[Any] = content_parts(last.get("content"))
    said = str(blocks[-1].get("text") or "") if blocks else ""
    if not said.lstrip().startswith(SUMMARY):
        return items, None
    question = {**last, "content": blocks[-1:]}
    rest = [{**last, "content": blocks[:-1]}] if blocks[:-1] else []
    return [*items[:at], *rest, *items[at + 1 :]], question
