"""What a request is for, told from its headers, its tools and its list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loom.serve.dialects import RESPONSES, WireApi
from loom.serve.request_purpose import SUMMARY, Purpose, classify_request
from loom.serve.running import proxied_command

CODEX = {"thread-id": "t"}
TOOLS = {"type": "additional_tools", "tools": [{"type": "function", "name": "exec_command"}]}
SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]}


def purpose(body: dict[str, Any], kind: str = "", has_tools: bool = False) -> Purpose:
    """The purpose of a Responses request of Codex, with the kind its metadata says."""
    api: WireApi = RESPONSES
    taken = api.take(body)
    assert taken is not None
    told = {"x-codex-turn-metadata": json.dumps({"request_kind": kind})} if kind else {}
    return classify_request({**CODEX, **told}, api, body, taken, has_tools).kind


@pytest.mark.parametrize("kind", ["turn", "compaction", ""])
def test_a_client_s_own_word_goes_before_its_tools(kind: str) -> None:
    """Tools that Codex declares in its list are tools; without its word a bare request is aside."""
    expected = Purpose.MAIN if kind == "turn" else Purpose.SIDE
    assert purpose({"input": [TOOLS, SAID]}, kind) is expected


def test_a_question_for_a_summary_is_told_by_its_words() -> None:
    """It is taken off the list, whatever tools come with it."""
    ask = {"type": "message", "role": "user", "content": SUMMARY[1]}
    assert purpose({"input": [SAID, ask], "tools": [{"type": "function"}]}) is Purpose.SUMMARY


def test_codex_keeps_its_login() -> None:
    """Only the address of its own provider is another: no provider and no key are named."""
    words, env = proxied_command(["codex", "exec", "Go."], "http://127.0.0.1:1")
    assert words == ["codex", "-c", 'openai_base_url="http://127.0.0.1:1/v1"', "exec", "Go."]
    assert not any("KEY" in name for name in env)
