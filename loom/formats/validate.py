"""The rules providers hold requests to, checked on wire messages.

Shares no code with the encoders, so that one can vouch for the other. Each function returns what
is wrong in words, nothing when the messages are lawful.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

_TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")


def orphans(messages: list[dict[str, Any]]) -> list[str]:
    """Return the violations in Chat Completions messages.

    Every call is answered exactly once, directly after its message; results follow their call; no
    content is blank.
    """
    found: list[str] = []
    waiting: dict[str, int] = {}
    answered: set[str] = set()
    for number, message in enumerate(messages):
        role = message.get("role")
        found += _blank(number, message)
        if role == "tool":
            call_id = message.get("tool_call_id", "")
            if call_id in waiting:
                del waiting[call_id]
                answered.add(call_id)
            elif call_id in answered:
                found.append(f"message {number}: call {call_id!r} is answered a second time")
            else:
                found.append(f"message {number}: result of {call_id!r}, a call not made before it")
            continue
        found += _unanswered(waiting)
        ids = [call.get("id", "") for call in message.get("tool_calls") or []]
        found += [f"message {number}: two calls have the id {id!r}" for id in _repeated(ids)]
        waiting, answered = dict.fromkeys(ids, number), set()
    return found + _unanswered(waiting)


def _unanswered(waiting: dict[str, int]) -> list[str]:
    return [
        f"message {number}: call {call_id!r} has no result directly after it"
        for call_id, number in waiting.items()
    ]


def _repeated(ids: list[str]) -> list[str]:
    return [id for id, times in Counter(ids).items() if times > 1]


def _blank(number: int, message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    if content is None and message.get("role") == "assistant" and message.get("tool_calls"):
        return []
    texts = [content]
    if isinstance(content, list):
        texts = [part.get("text", "…") for part in content] or [""]
    if all(isinstance(text, str) and text.strip() for text in texts):
        return []
    return [f"message {number}: {message.get('role')} content is blank"]


def orphans_anthropic(messages: list[dict[str, Any]]) -> list[str]:
    """Return the violations in Messages.

    Roles alternate from user on; each message with calls is followed by one whose first blocks
    answer each of them once; ids are lawful and unique; no text is blank, none ends in thinking.
    """
    found: list[str] = []
    waiting: list[str] = []
    seen: set[str] = set()
    role = "assistant"
    for number, message in enumerate(messages):
        blocks = _blocks(message)
        if message.get("role") != ("user" if role == "assistant" else "assistant"):
            found.append(f"message {number}: role {message.get('role')!r} follows {role!r}")
        role = message.get("role", "")
        found += _bad_blocks(number, role, blocks)
        answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        found += _bad_answers(number, answers, waiting)
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for call_id in waiting:
            if call_id in seen:
                found.append(f"message {number}: the id {call_id!r} was used before")
            if not _TOOL_ID.fullmatch(call_id):
                found.append(f"message {number}: the id {call_id!r} has characters not allowed")
            seen.add(call_id)
    return found + [f"call {call_id!r} has no result at the end" for call_id in waiting]


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content or [])


def _bad_answers(number: int, answers: list[str], waiting: list[str]) -> list[str]:
    """Compare the results a message holds with the calls of the message before."""
    missing = [f"message {number}: no result of {id!r}" for id in waiting if id not in answers]
    alien = [
        f"message {number}: result of {id!r}, not a call of the message before"
        for id in answers
        if id not in waiting
    ]
    twice = [f"message {number}: {id!r} is answered twice" for id in _repeated(answers)]
    return missing + alien + twice


def _bad_blocks(number: int, role: str, blocks: list[dict[str, Any]]) -> list[str]:
    kinds = [block["type"] for block in blocks]
    own = {"user": "tool_result", "assistant": "tool_use"}
    found = [
        f"message {number}: a {kind} block in a message of role {role!r}"
        for kind in kinds
        if kind in own.values() and kind != own.get(role)
    ]
    if not blocks:
        found.append(f"message {number}: {role} content is blank")
    if kinds != sorted(kinds, key=lambda kind: kind != "tool_result"):
        found.append(f"message {number}: a result stands after another block")
    if role == "assistant" and kinds and kinds[-1] in ("thinking", "redacted_thinking"):
        found.append(f"message {number}: ends in thinking")
    for block in blocks:
        text = {"text": block.get("text"), "tool_result": block.get("content")}
        if block["type"] in text and not str(text[block["type"]] or "").strip():
            found.append(f"message {number}: a {block['type']} block is blank")
    return found
