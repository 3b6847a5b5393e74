"""What Gemini asks of the order of turns, and which calls must carry a thought signature.

"Thought signatures" (ai.google.dev): the current turn starts at the last user content with a text
in it; the first function call of each of its steps must carry its signature.
"""

from __future__ import annotations

from typing import Any

from tests.providers.serving.fields import Refusal

COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function"
    " call parts of the function call turn."
)


def refused(message: str, code: int = 400, status: str = "INVALID_ARGUMENT") -> Refusal:
    """A refusal in Google's shape."""
    return Refusal(code, {"error": {"code": code, "message": message, "status": status}})


def check_turns(contents: list[dict[str, Any]], signed: bool) -> None:
    """Refuse contents out of order; `signed` says whether the model's calls need signatures."""
    _ordered(contents)
    if signed:
        _complete(contents)


def _held(content: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [part[name] for part in content["parts"] if name in part]


def _role(content: dict[str, Any]) -> str:
    return str(content.get("role", "user"))


def _ordered(contents: list[dict[str, Any]]) -> None:
    """Calls follow a user or a response turn; responses follow their calls, all at once."""
    before: dict[str, Any] = {"role": "none", "parts": []}
    for content in contents:
        calls = _held(before, "functionCall") if _role(before) == "model" else []
        given = _held(content, "functionResponse")
        asked = _held(content, "functionCall")
        if calls and not given:
            raise refused(COUNT)
        if given and not calls:
            raise refused("a function response turn comes after a function call turn")
        if given and _role(content) == "model":
            raise refused("Please ensure that function response parts are in a user turn.")
        if given:
            _answered(calls, given)
        if asked and (_role(content) != "model" or _role(before) != "user"):
            raise refused("a function call turn comes after a user turn")
        before = content
    if _held(before, "functionCall"):
        raise refused(COUNT)
    if _role(before) != "user":
        kind = "single turn requests end" if len(contents) == 1 else "multiturn requests ends"
        raise refused(f"Please ensure that {kind} with a user role or a function response.")


def _answered(calls: list[dict[str, Any]], given: list[dict[str, Any]]) -> None:
    """As many responses as calls, for the same functions, and (where there are ids) the same."""
    asked = [(call.get("id"), call["name"]) for call in calls]
    named = [(response.get("id"), response["name"]) for response in given]
    if not any(id for id, _ in asked):
        asked = [(None, name) for _, name in asked]
        named = [(None, name) for _, name in named]
    if sorted(asked, key=str) != sorted(named, key=str):
        raise refused(COUNT)


def _complete(contents: list[dict[str, Any]]) -> None:
    starts = [
        number
        for number, content in enumerate(contents)
        if _role(content) == "user" and any("text" in part for part in content["parts"])
    ]
    start = starts[-1] if starts else -1
    for number in range(start + 1, len(contents)):
        for part in contents[number]["parts"]:
            if "functionCall" in part:
                _needed(part, number)
                break


def _needed(part: dict[str, Any], number: int) -> None:
    if not part.get("thoughtSignature"):
        raise refused(f"content {number}: its first call has no thought_signature")
