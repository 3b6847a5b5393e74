"""The upstream itself: it refuses what a provider refuses, and streams and breaks as told."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("httpx2")

import httpx2

from tests.kit.scripted_server import said
from tests.serve.upstream import Answer, Upstream, limited, overloaded, too_long

HELLO = {"role": "user", "content": "Hello."}
MESSAGES = {"model": "m", "max_tokens": 9, "messages": [HELLO]}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/messages": MESSAGES,
    "/v1/chat/completions": {"model": "m", "messages": [HELLO]},
    "/v1/responses": {"model": "m", "input": [HELLO]},
}
ENDS = {
    "/v1/messages": "message_stop",
    "/v1/chat/completions": "[DONE]",
    "/v1/responses": "response.completed",
}


@pytest.mark.parametrize("path", BODIES)
def test_answers_whole_and_streamed(path: str) -> None:
    """The three APIs say what is scripted, in one piece and as events, and record the request."""
    with Upstream(lambda request, n: f"Reply {n}.") as up:
        whole = httpx2.post(up.url + path, json=BODIES[path])
        streamed = httpx2.post(up.url + path, json={**BODIES[path], "stream": True})
    assert "Reply 0." in whole.text
    assert "Reply 1." in streamed.text
    assert ENDS[path] in streamed.text
    assert [request.body for request in up.asked] == [
        BODIES[path],
        {**BODIES[path], "stream": True},
    ]


def test_unpaired_call_is_refused() -> None:
    """A call without its result gets the provider's 400, and is noted."""
    call = {"type": "tool_use", "id": "a", "name": "ls", "input": {}}
    body = {**MESSAGES, "messages": [HELLO, {"role": "assistant", "content": [call]}, HELLO]}
    with Upstream(lambda request, n: "Yes.") as up:
        answer = httpx2.post(f"{up.url}/v1/messages", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert up.faults == ["message 2: no result of 'a'"]


def test_errors_as_told() -> None:
    """A limit with its header, an overload, and a prompt too long."""
    told = [limited(7), overloaded(), too_long(9, 8)]
    with Upstream(lambda request, n: told[n]) as up:
        answers = [httpx2.post(f"{up.url}/v1/messages", json=MESSAGES) for _ in told]
    assert [answer.status_code for answer in answers] == [429, 529, 400]
    assert answers[0].headers["retry-after"] == "7"
    assert answers[2].json()["error"]["message"] == "prompt is too long: 9 tokens > 8 maximum"


def test_cut_stream() -> None:
    """The connection ends after so many events, and the client sees that it was cut."""
    seen: list[str] = []
    body = {**MESSAGES, "stream": True}
    with (
        Upstream(lambda request, n: Answer(said("One two three."), cut=3)) as up,
        pytest.raises(httpx2.RemoteProtocolError),
        httpx2.stream("POST", f"{up.url}/v1/messages", json=body) as answer,
    ):
        seen += (line for line in answer.iter_lines() if line.startswith("event: "))
    assert seen == ["event: message_start", "event: ping", "event: content_block_start"]


def test_counts_and_head() -> None:
    """`count_tokens` counts, HEAD of the root is answered, and neither is a request for a reply."""
    with Upstream(lambda request, n: "Yes.") as up:
        count = httpx2.post(f"{up.url}/v1/messages/count_tokens", json=MESSAGES)
        assert httpx2.head(up.url).status_code == 200
    assert count.json()["input_tokens"] > 0
    assert [request.method for request in up.requests] == ["POST", "HEAD"]
    assert up.asked == []
