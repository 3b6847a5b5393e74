"""How Anthropic refuses a request."""

from __future__ import annotations

from tests.providers.serving.api import Refusal


def refused(message: str, kind: str = "invalid_request_error", status: int = 400) -> Refusal:
    """A refusal in Anthropic's shape."""
    error = {"type": kind, "message": message}
    return Refusal(status, {"type": "error", "error": error, "request_id": "req_loopback"})
