"""How Gemini answers, whole and as a stream of partial replies.

The signature stands on the first function call, or on the last part of a text; in a stream that
part may be blank ("Thought signatures", streaming). Ids of calls come with Gemini 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.providers.serving.api import Turn, Usage, pieces, sse
from tests.providers.serving.prompt import Unit, canonical, seal

BROKEN = False  # args are an object


def reply(turn: Turn) -> dict[str, Any]:
    """The reply."""
    return _response(turn, _parts(turn), "STOP", turn.usage)


def _parts(turn: Turn) -> list[dict[str, Any]]:
    line, prompt = turn.line, turn.asked.prompt
    wants = turn.asked.body.get("generationConfig", {}).get("thinkingConfig", {})
    parts: list[dict[str, Any]] = []
    if line.thought and wants.get("includeThoughts"):
        parts.append({"text": line.thought, "thought": True})
    if line.text:
        parts.append({"text": line.text})
        if line.calls:
            prompt = prompt.extended(Unit("text", "model", line.text, ()))
        elif line.thought:
            parts[-1]["thoughtSignature"] = seal(canonical(line.text), prompt.end)
    for number, call in enumerate(line.calls):
        held = {"name": call.name, "args": json.loads(call.arguments)}
        if turn.asked.model.startswith("gemini-3"):
            held["id"] = call.id[:8]
        parts.append({"functionCall": held})
        if line.thought and not number:
            value = [held.get("id"), held["name"], held["args"]]
            parts[-1]["thoughtSignature"] = seal(canonical(value), prompt.end)
    return parts


def _response(
    turn: Turn, parts: list[dict[str, Any]], finish: str, usage: Usage | None
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    response = {
        "candidates": [candidate],
        "modelVersion": turn.asked.model,
        "responseId": turn.name,
    }
    if usage:
        response["usageMetadata"] = {
            "promptTokenCount": usage.total,
            "cachedContentTokenCount": usage.read,
            "candidatesTokenCount": usage.output,
            "thoughtsTokenCount": 0,
            "totalTokenCount": usage.total + usage.output,
        }
    return response


def events(turn: Turn) -> Iterator[str]:
    """The reply in pieces: texts cut, calls whole, a text's signature on a blank part."""
    for part in _parts(turn):
        if "text" not in part:
            yield sse(_response(turn, [part], "", turn.usage))
            continue
        rest = {key: value for key, value in part.items() if key == "thought"}
        for piece in pieces(part["text"]):
            yield sse(_response(turn, [{"text": piece, **rest}], "", turn.usage))
        if sign := part.get("thoughtSignature"):
            blank = [{"text": "", "thoughtSignature": sign}]
            yield sse(_response(turn, blank, "", turn.usage))
    yield sse(_response(turn, [{"text": ""}], "STOP", turn.usage))
