"""How providers say "too long", and the limit they name with it."""

from __future__ import annotations

import re

NUMBER = r"(?P<limit>\d[\d,_]*)"
# Each pattern is of a real message; a group named `limit` holds the limit in tokens.
SAID = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum context length (?:is|of) {NUMBER}",
        rf"prompt is too long: [\d,]+ tokens > {NUMBER} maximum",
        rf"exceed context limit: [\d,]+ \+ [\d,]+ > {NUMBER}",
        rf"exceeds the maximum number of tokens allowed \(?{NUMBER}",
        r"context_length_exceeded",
        r"prompt is too long",
        r"input is too long for (?:the )?requested model",
        r"exceeds the (?:available )?context (?:window|size|length)",
    )
)
TOO_LARGE = 413


def overflow(error: BaseException) -> int | None:
    """None when the error is of another kind; else the limit it states, 0 when it states none."""
    text = f"{getattr(error, 'code', '')} {error} {getattr(error, 'body', '')}"
    said = [match for pattern in SAID if (match := pattern.search(text))]
    status = getattr(error, "status_code", getattr(error, "status", None))
    if not said and status != TOO_LARGE:
        return None
    limits = [match["limit"] for match in said if match.groupdict().get("limit")]
    return int(re.sub(r"[,_]", "", limits[0])) if limits else 0
