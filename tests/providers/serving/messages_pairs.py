"""What Anthropic asks of the order of turns: who begins, who answers, where thinking stands.

A turn is a role and its blocks, each with its path; messages of one role in a row are one turn.
"""

from __future__ import annotations

from typing import Any

from tests.providers.serving.messages_wording import refused

Placed = tuple[str, list[tuple[str, dict[str, Any]]]]
THOUGHTS = ("thinking", "redacted_thinking")
ONLY = {
    "tool_use": "assistant",
    **dict.fromkeys(("tool_result", "image", "document"), "user"),
    **dict.fromkeys(THOUGHTS, "assistant"),
}


def check_pairs(turns: list[Placed], tools: bool) -> None:
    """Every tool_use has its one tool_result at the head of the next turn, and the reverse."""
    if not turns or turns[0][0] != "user":
        raise refused('messages: first message must use the "user" role')
    used: set[str] = set()
    waiting: list[str] = []
    at = ""
    for role, placed in turns:
        for path, block in placed:
            if ONLY.get(block["type"], role) != role:
                at = path.partition(".content")[0]
                kind = block["type"]
                raise refused(f"{at}: `{kind}` blocks can only be in `{ONLY[kind]}` messages")
        if role == "user":
            _answered(placed, waiting, at)
            waiting = []
            continue
        at = placed[-1][0].partition(".content")[0]
        waiting = []
        for path, block in placed:
            if block["type"] == "tool_use":
                if block["id"] in used:
                    raise refused(f"{path}: `tool_use` ids must be unique")
                used.add(block["id"])
                waiting.append(block["id"])
    if waiting:
        raise _unanswered(at, waiting)
    if used and not tools:
        raise refused(
            "Requests which include `tool_use` or `tool_result` blocks must define tools."
        )


def _unanswered(at: str, ids: list[str]) -> Exception:
    return refused(f"{at}: no tool_result right after tool_use {ids}")


def _answered(placed: list[tuple[str, dict[str, Any]]], waiting: list[str], at: str) -> None:
    """The results come first; then whatever else the user says."""
    found: list[str] = []
    spoken = False
    for path, block in placed:
        if block["type"] != "tool_result":
            spoken = True
            continue
        id = block["tool_use_id"]
        if id not in waiting:
            raise refused(f"{path}: no tool_use {id} in the message before")
        if id in found:
            raise refused(f"{path}: a second tool_result of {id}")
        if spoken:
            break
        found.append(id)
    missing = [id for id in waiting if id not in found]
    if missing:
        raise _unanswered(at, missing)


def check_thinking(turns: list[Placed], enabled: bool, *, demanded: bool) -> None:
    """Thinking never ends a turn; where it is demanded, a running loop's last reply starts with it.

    Where the loop's results end and the user goes on in words, the loop goes on too.
    """
    for role, placed in turns:
        path, block = placed[-1]
        if role == "assistant" and block["type"] in THOUGHTS:
            at = path.partition(".content")[0]
            kind = block["type"]
            raise refused(f"{at}: The final block in an assistant message cannot be `{kind}`.")
    role, placed = turns[-1]
    if role == "assistant":
        text = placed[-1][1].get("text", "")
        if enabled:
            raise refused("the conversation must end with a user message: no prefill")
        if text != text.rstrip():
            raise refused("messages: final assistant content cannot end with trailing whitespace")
        return
    loop = any(block["type"] == "tool_result" for _, block in placed)
    if enabled and demanded and loop:
        path, block = turns[-2][1][0]
        if block["type"] not in THOUGHTS:
            raise refused(f"{path}: the running loop must start with thinking")
