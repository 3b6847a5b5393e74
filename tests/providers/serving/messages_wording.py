"""How Anthropic refuses a request: status, body and wording."""

from __future__ import annotations

from tests.providers.serving.fields import Refusal, Wrong

TYPES = {
    "a string": "string",
    "an integer": "integer",
    "a decimal": "number",
    "a boolean": "boolean",
    "an object": "dictionary",
    "an array": "list",
    "an array of objects": "list",
    "one of a string or array of objects": "string",
}


def refused(message: str, kind: str = "invalid_request_error", status: int = 400) -> Refusal:
    """A refusal in Anthropic's shape."""
    error = {"type": kind, "message": message}
    return Refusal(status, {"type": "error", "error": error, "request_id": "req_loopback"})


def worded(wrong: Wrong) -> Refusal:
    """A fault of the request's shape, as Anthropic says it."""
    path = ".".join(map(str, wrong.path))
    texts = {
        "unknown": "Extra inputs are not permitted",
        "missing": "Field required",
        "type": f"Input should be a valid {TYPES.get(wrong.expected, wrong.expected)}",
        "value": f"Input should be {wrong.expected}",
        "base64": "Invalid base64 data",
        "empty": "Content cannot be empty",
        "media": f"Image does not match the provided media type {wrong.expected}",
        "pattern": f"String should match pattern '{wrong.expected}'",
    }
    return refused(f"{path}: {texts[wrong.kind]}")
