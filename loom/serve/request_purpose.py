"""The purpose of a request, and the conversation and the client it names.

A request has the purpose MAIN (the conversation), SIDE (beside it) or SUMMARY (its client's
compaction). A title, a router's question, a count are SIDE: such a request has no tools where its
conversation has some, or room for a few tokens of a reply. It goes on as it came, and is kept
nowhere. A compaction asks for a summary of the list: it goes on with the window, and the question
behind it.

The conversation is named by the first of these: the header `x-loom-session`, which a user may have
any client send; the client's own headers, that of a sub-agent with it; the session in the body's
metadata. A request that names none is known by its list (`loom.serve.chains`). A key of the
provider's prompt cache is no name, for applications share one among their users. A name is no
proof: the owner of the conversation is known beside it (`loom.serve.conversation_owners`)."""

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
    """Return the name of the conversation a request belongs to, "" where the request names none."""
    if given := headers.get(EXPLICIT, "").strip():
        return _joined_name("given", given)
    for client, names in HEADERS:
        if headers.get(names[0]):
            return _joined_name(client, *(headers[name] for name in names if headers.get(name)))
    user = _metadata_session(body.get("metadata"))
    return _joined_name("user", user) if user else ""


def client_name(headers: Mapping[str, str]) -> str:
    """Return the client that sends a request ("claude", "codex", "opencode"), or ""."""
    return next((client for client, names in HEADERS if headers.get(names[0])), "")


def _joined_name(kind: str, *parts: str) -> str:
    """Return a conversation's name: its kind, and its one part, or its parts as a JSON list."""
    # Two parts are written so that no one part reads as they do.
    return f"{kind}-{parts[0] if len(parts) == 1 else json.encode(parts).decode()}"


def _metadata_session(metadata: Any) -> str:
    """Return the session in a request's metadata, which Claude Code writes as JSON in a text; ""
    for any other text, which names a person and so many conversations."""
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    return _text_member(user, "session_id") if isinstance(user, str) else ""


def _text_member(text: str, name: str) -> str:
    """Return the member `name` of a JSON object (`text`) where it is a text, else ""."""
    held = (parse_json_object(text) or {}).get(name)
    return held if isinstance(held, str) else ""


FEW = 32  # tokens of a reply that nobody goes on with
REPLY_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
# How clients begin the question for a summary (Claude Code 2.1, Codex 0.169).
SUMMARY = ("CRITICAL: Respond with TEXT ONLY", "You are performing a CONTEXT CHECKPOINT COMPACTION")
TURN_METADATA, TURN = "x-codex-turn-metadata", "turn"


class Purpose(Enum):
    """The purposes a request can have, as the head of this file tells them."""

    MAIN = "main"
    SIDE = "side"
    SUMMARY = "summary"


class ListedRequest(Struct, frozen=True):
    """A request with a list: its wire API, its body, its list taken apart, and its purpose
    (`kind`). For a summary, `question` is the client's question and `items` the list without it."""

    api: WireApi
    body: Wire
    taken: TakenRequest
    kind: Purpose
    items: list[Wire]
    question: Wire | None = None


def classify_request(
    headers: Mapping[str, str], api: WireApi, body: Wire, taken: TakenRequest, has_tools: bool
) -> ListedRequest:
    """Return the request with its purpose; `has_tools`: its conversation is known to have tools."""
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
    """Return the list without a question for a summary at its end, and that question, or None."""
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
