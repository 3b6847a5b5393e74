"""The upstream itself refuses what a provider refuses: `faults == []` says something."""

from __future__ import annotations

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("httpx2")

import httpx2

from tests.serve.upstream import Upstream

HELLO = {"role": "user", "content": "Hello."}
MESSAGES = {"model": "m", "max_tokens": 9, "messages": [HELLO]}


def test_unpaired_call_is_refused() -> None:
    """A call without its result gets the provider's 400, and is noted."""
    call = {"type": "tool_use", "id": "a", "name": "ls", "input": {}}
    body = {**MESSAGES, "messages": [HELLO, {"role": "assistant", "content": [call]}, HELLO]}
    with Upstream(lambda request, n: "Yes.") as up:
        answer = httpx2.post(f"{up.url}/v1/messages", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert up.faults == ["message 2: no result of 'a'"]
