"""The server refuses every broken rule of Anthropic with its status and words.

Each row takes a lawful request of two tool steps (two calls, then a text and one call) and breaks
one thing in it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.kit.cases import all_cases

Request = dict[str, Any]
Change = Callable[[Request], object]
Row = tuple[str, Change, str]
Refusal = Callable[[str, Change], Any]
MARK = {"cache_control": {"type": "ephemeral"}}


def blocks(request: Request, number: int) -> list[dict[str, Any]]:
    """The content blocks of a message."""
    held: list[dict[str, Any]] = request["messages"][number]["content"]
    return held


def said(role: str, *content: dict[str, Any]) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": list(content)}


def text(words: str, **more: Any) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words, **more}


ANTHROPIC: list[Row] = [
    ("unknown field", lambda r: r.update(extra_body={"n": 1}), "n: Extra inputs are not permitted"),
    (
        "no max_tokens",
        lambda r: r.update(extra_body={"max_tokens": None}),
        "max_tokens: Input should be a valid integer",
    ),
    (
        "a missing field",
        lambda r: r["messages"].append(said("user", {"type": "text"})),
        "messages.5.content.0.text.text: Field required",
    ),
    (
        "an unknown role",
        lambda r: r["messages"].insert(0, {"role": "system", "content": "x"}),
        "messages: Unexpected role",
    ),
    (
        "the assistant first",
        lambda r: r["messages"].insert(0, said("assistant", text("Hi."))),
        'messages: first message must use the "user" role',
    ),
    ("no content", lambda r: r["messages"].append(said("user")), "must have non-empty content"),
    (
        "an empty text",
        lambda r: blocks(r, 4).append(text("")),
        "messages: text content blocks must be non-empty",
    ),
    (
        "a blank text",
        lambda r: blocks(r, 4).append(text(" \n")),
        "messages: text content blocks must contain non-whitespace text",
    ),
    ("an empty system", lambda r: r.update(system=[text("")]), "system: text content blocks must"),
    (
        "an empty text in a result",
        lambda r: blocks(r, 2)[0].update(content=[text("")]),
        "text content blocks must be non-empty",
    ),
    (
        "a result is missing",
        lambda r: blocks(r, 2).pop(),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after:"
        " toolu_",
    ),
    (
        "a text before the results",
        lambda r: blocks(r, 2).insert(0, text("Well.")),
        "`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    (
        "no results at all",
        lambda r: r["messages"].pop(),
        "`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    (
        "a result twice",
        lambda r: blocks(r, 2).append(blocks(r, 2)[0]),
        "each tool_use must have a single result. Found multiple `tool_result` blocks with id",
    ),
    (
        "a result without a call",
        lambda r: blocks(r, 4)[0].update(tool_use_id="toolu_zz"),
        "unexpected `tool_use_id` found in `tool_result` blocks: toolu_zz.",
    ),
    (
        "an id twice",
        lambda r: r["messages"].extend(r["messages"][1:3]),
        "`tool_use` ids must be unique",
    ),
    (
        "a bad id",
        lambda r: blocks(r, 1)[1].update(id="call|1"),
        "messages.1.content.1.tool_use.id: String should match pattern",
    ),
    (
        "a call in a user message",
        lambda r: r["messages"].append(said("user", blocks(r, 1)[1])),
        "`tool_use` blocks can only be in `assistant` messages",
    ),
    (
        "thinking last",
        lambda r: r["messages"].extend(
            [said("assistant", blocks(r, 1)[0]), said("user", text("Go."))]
        ),
        "The final block in an assistant message cannot be `thinking`.",
    ),
    (
        "no thinking in the running loop",
        lambda r: blocks(r, 3).pop(0),
        "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.",
    ),
    (
        "forged thinking in the running loop",
        lambda r: blocks(r, 3)[0].update(thinking="Other."),
        "messages.3.content.0: Invalid `signature` in `thinking` block",
    ),
    (
        "earlier thinking after other words",
        lambda r: r["messages"][0].update(content="Other."),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    (
        "thinking without its signature",
        lambda r: blocks(r, 1)[0].pop("signature"),
        "messages.1.content.0.thinking.signature: Field required",
    ),
    (
        "five marks",
        lambda r: r.update(system=[text(f"s{n}", **MARK) for n in range(5)]),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    ("prefill", lambda r: r["messages"].append(said("assistant", text("So"))), "prefill"),
    (
        "a small budget",
        lambda r: r.update(thinking={"type": "enabled", "budget_tokens": 99}),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    (
        "a large budget",
        lambda r: r.update(thinking={"type": "enabled", "budget_tokens": 2_000}),
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    ("no tools", lambda r: r.pop("tools"), "blocks must define tools."),
    ("a tool twice", lambda r: r["tools"].append(r["tools"][0]), "Tool names must be unique."),
    (
        "a tool's name",
        lambda r: r["tools"][0].update(name="read file"),
        "tools.0.name: String should match pattern",
    ),
]


@all_cases(("name", "change", "words"), ANTHROPIC, ids=[row[0] for row in ANTHROPIC])
def test_messages(name: str, change: Change, words: str, refusal: Refusal) -> None:
    """Messages answers a broken rule with a 400 in Anthropic's words."""
    error = refusal("anthropic", change)
    assert error.status_code == 400
    assert error.body["error"]["type"] == "invalid_request_error"
    assert words in error.body["error"]["message"]


def test_the_running_loops_last_thinking_needs_no_prefix(talks: dict[str, Any]) -> None:
    """When all before it changed, the last reply's reasoning is accepted, and no other."""
    ask, lawful = talks["anthropic"]
    request = copy.deepcopy(lawful)
    kept = request["messages"]
    del kept[1:3]
    ask(**request)
