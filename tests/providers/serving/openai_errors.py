"""How both OpenAI APIs refuse a request: status and body."""

from __future__ import annotations

from tests.providers.serving.fields import Refusal


def refused(
    message: str, param: str | None = None, code: str | None = None, status: int = 400
) -> Refusal:
    """A refusal in OpenAI's shape."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Refusal(status, {"error": error})


def empty(path: str) -> Refusal:
    """An array that must hold something."""
    return refused(f"{path}: an empty array")


def longest(path: str, value: str, most: int) -> None:
    """Refuse a text longer than `most`."""
    if len(value) > most:
        raise refused(f"{path}: longer than {most}")


def checked_schema(name: str, schema: object, path: str) -> None:
    """The schema of a function's parameters must be of an object."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind != "object":
        raise refused(f"{path}: the schema of {name} is of {kind}, not of an object")


UNSTATED = (
    "Your input exceeds the context window of this model. Please adjust your input and try again."
)
