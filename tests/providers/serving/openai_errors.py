"""How both OpenAI APIs refuse a request: status, body and wording."""

from __future__ import annotations

from tests.providers.serving.api import dotted
from tests.providers.serving.fields import Refusal, Wrong, kind_of

PATTERN = (
    "Invalid '{path}': string does not match pattern. Expected a string that matches the pattern"
    " '{expected}'."
)

EXAMPLES = {
    "image": "data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=",
    "application/pdf": "data:application/pdf;base64,aGVsbG8=",
}


def refused(
    message: str, param: str | None = None, code: str | None = None, status: int = 400
) -> Refusal:
    """A refusal in OpenAI's shape."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Refusal(status, {"error": error})


def worded(wrong: Wrong) -> Refusal:
    """A fault of the request's shape, as OpenAI says it."""
    path = dotted(wrong.path)
    texts = {
        "unknown": (f"Unknown parameter: '{path}'.", "unknown_parameter"),
        "missing": (f"Missing required parameter: '{path}'.", "missing_required_parameter"),
        "type": (
            f"Invalid type for '{path}': expected {wrong.expected}, but got {kind_of(wrong.got)}.",
            "invalid_type",
        ),
        "value": (
            f"Invalid value: '{wrong.got}'. Supported values are: {wrong.expected}.",
            "invalid_value",
        ),
        "url": (
            f"Invalid '{path}'. Expected a base64-encoded data URL with an"
            f" {'image' if wrong.expected == 'image' else wrong.expected} MIME type (e.g."
            f" '{EXAMPLES.get(wrong.expected, '')}'), but got {wrong.got}.",
            "invalid_value",
        ),
        "base64": (f"Invalid '{path}'. Invalid base64 data.", "invalid_base64"),
        "empty": (f"Invalid '{path}'. Invalid base64 data.", "invalid_base64"),
        "media": (
            "The image data you provided does not represent a valid image. Please check your input"
            " and try again with one of the following supported image formats: ['image/jpeg',"
            " 'image/png', 'image/gif', 'image/webp'].",
            "image_parse_error",
        ),
        "pattern": (PATTERN.format(path=path, expected=wrong.expected), "invalid_value"),
    }
    message, code = texts[wrong.kind]
    return refused(message, path, code)


def empty(path: str) -> Refusal:
    """An array that must hold something."""
    return refused(
        f"Invalid '{path}': empty array. Expected an array with minimum length 1, but got an empty"
        " array instead.",
        path,
        "empty_array",
    )


def longest(path: str, value: str, most: int) -> None:
    """Refuse a text longer than `most`."""
    if len(value) > most:
        raise refused(
            f"Invalid '{path}': string too long. Expected a string with maximum length {most}, but"
            f" got a string with length {len(value)} instead.",
            path,
            "string_above_max_length",
        )


def checked_schema(name: str, schema: object, path: str) -> None:
    """The schema of a function's parameters must be of an object."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind != "object":
        raise refused(
            f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type:"
            f' "object"\', got \'type: "{kind}"\'.',
            path,
            "invalid_function_parameters",
        )


UNSTATED = (
    "Your input exceeds the context window of this model. Please adjust your input and try again."
)
