"""How Google refuses a request: status, body and wording."""

from __future__ import annotations

from tests.providers.serving.api import dotted
from tests.providers.serving.fields import Refusal, Wrong

TYPES = {
    "a string": "TYPE_STRING",
    "an integer": "TYPE_INT32",
    "a boolean": "TYPE_BOOL",
    "an object": "type.googleapis.com/google.protobuf.Struct",
}


def refused(message: str, code: int = 400, status: str = "INVALID_ARGUMENT") -> Refusal:
    """A refusal in Google's shape."""
    return Refusal(code, {"error": {"code": code, "message": message, "status": status}})


def worded(wrong: Wrong) -> Refusal:
    """A fault of the request's shape, as Google says it."""
    *rest, name = wrong.path or ("",)
    at = f" at '{dotted(tuple(rest))}'" if rest else ""
    path = dotted(wrong.path).replace("inlineData", "inline_data")
    kind = TYPES.get(wrong.expected, wrong.expected)
    texts = {
        "unknown": f'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.',
        "missing": f"* GenerateContentRequest.{path}: {name} is not specified\n",
        "type": f"Invalid value at '{path}' ({kind}), {wrong.got!r}",
        "value": f"Invalid value at '{path}' ({kind}), \"{wrong.got}\"",
        "base64": (
            f"Invalid value at '{path}' (TYPE_BYTES), Base64 decoding failed for \"{wrong.got}\""
        ),
        "empty": f"* GenerateContentRequest.{path}: must not be empty\n",
        "mime": f"Unsupported MIME type: {wrong.got}",
        "media": "Unable to process input image. Please retry or report in"
        " https://developers.generativeai.google/guide/troubleshooting",
        "pattern": (
            f"* GenerateContentRequest.{path}: Invalid function name. Must start with a letter or"
            " an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.),"
            " colons (:), or dashes (-), with a maximum length of 64.\n"
        ),
    }
    return refused(texts[wrong.kind])
