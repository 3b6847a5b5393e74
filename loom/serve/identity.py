"""Which conversation a request belongs to, as far as the request says it.

In this order: the header `x-loom-session`, which a user may have any client send; the client's own
headers, that of a sub-agent with it; the session its metadata names. A request that names nothing
is known by its list (`loom.serve.chains`). A key of the provider's prompt cache names none, for
applications share one among their users. A name is no proof: whose the conversation is belongs to
what it is known by (`loom.serve.owners`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, json

from loom.providers.formats.wire import Wire

EXPLICIT = "x-loom-session"
# Of each client: the headers that together name a conversation; what is not sent is left out.
HEADERS = (
    ("claude", ("x-claude-code-session-id", "x-claude-code-agent-id")),
    ("codex", ("thread-id",)),
    ("opencode", ("x-session-id",)),
)


def named(headers: Mapping[str, str], body: Wire) -> str:
    """The name of the conversation, "" where the request has none."""
    if given := headers.get(EXPLICIT, "").strip():
        return _name("given", given)
    for client, names in HEADERS:
        if headers.get(names[0]):
            return _name(client, *(headers[name] for name in names if headers.get(name)))
    user = _session(body.get("metadata"))
    return _name("user", user) if user else ""


def client_of(headers: Mapping[str, str]) -> str:
    """The client that sends a request, "" for one that is not known."""
    return next((client for client, names in HEADERS if headers.get(names[0])), "")


def _name(kind: str, *parts: str) -> str:
    # Two parts are written so that no one part reads as they do.
    return f"{kind}-{parts[0] if len(parts) == 1 else json.encode(parts).decode()}"


def _session(metadata: Any) -> str:
    """The session in the metadata of a request, which Claude Code writes as JSON in a text."""
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return ""
    try:
        found = json.decode(user)
    except (DecodeError, RecursionError):
        return ""  # a person's, and so of many conversations
    held = found.get("session_id") if isinstance(found, dict) else None
    return held if isinstance(held, str) else ""
