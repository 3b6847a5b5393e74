"""How providers say "too long", and the limit they name with it."""

from __future__ import annotations

import re

# Each pattern is of a real message; a group named `limit` holds the limit in tokens.
SAID = (
    re.compile(r"context_length_exceeded"),
    re.compile(r"maximum context length is (?P<limit>\d+)"),
    re.compile(r"prompt is too long: \d+ tokens > (?P<limit>\d+) maximum"),
    re.compile(r"prompt is too long"),
    re.compile(r"input token count \(?\d+\)? exceeds the maximum number of tokens allowed"),
)
TOO_LARGE = 413


def overflow(error: BaseException) -> int | None:
    """None when the error is of another kind; else the limit it states, 0 when it states none."""
    text = f"{getattr(error, 'code', '')} {error} {getattr(error, 'body', '')}"
    said = [match for pattern in SAID if (match := pattern.search(text))]
    status = getattr(error, "status_code", getattr(error, "status", None))
    if not said and status != TOO_LARGE:
        return None
    limits = [int(match["limit"]) for match in said if match.groupdict().get("limit")]
    return limits[0] if limits else 0
