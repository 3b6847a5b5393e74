"""How both OpenAI APIs refuse a request: status and body."""

from __future__ import annotations

from tests.providers.serving.api import Refusal


def refused(
    message: str, param: str | None = None, code: str | None = None, status: int = 400
) -> Refusal:
    """A refusal in OpenAI's shape."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Refusal(status, {"error": error})


UNSTATED = (
    "Your input exceeds the context window of this model. Please adjust your input and try again."
)
