"""What a client sets down stays; conversations, cookies and tools of one never reach another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2

from tests.kit.scripted_server import said
from tests.serve.proxied import FORMATS, PATHS, ListingAgent, proxy, served
from tests.serve.test_proxy import DONE, WINDOW, ledger, worked
from tests.serve.upstream import Recorded, Upstream, overloaded

OBJECT = {"type": "object", "properties": {}}
RULE = "RULE-7: never push to main."
GUIDE = f"<system-reminder>\n# claudeMd\n{RULE}\n</system-reminder>"


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_client_sets_down_stays_through_cuts(tmp_path: Path, format: str) -> None:
    """Guides that a client writes into the user's first message stand in every request, once."""
    with Upstream(worked(24)) as up, proxy(tmp_path, up.url, WINDOW) as url:
        agent = ListingAgent(format, url, ledger, headers={"x-loom-session": "a"})
        kind = "input_text" if format == "responses" else "text"
        texts = [{"type": kind, "text": text} for text in (GUIDE, "The ledger is ours.")]
        agent.list.append({"role": "user", "content": texts})
        assert agent.ask("Book all of it.") == DONE
    assert up.faults == [] and len(up.asked) == 25
    assert [json.dumps(request.body).count(RULE) for request in up.asked] == [1] * 25


def test_a_guide_that_comes_later_is_history(tmp_path: Path) -> None:
    """One that a client brings later leaves with what is old, and recall brings it back; the proxy
    reads none from the disk."""
    later = GUIDE.replace(RULE, "RULE-8: handlers return a Result. " * 160)

    def script(request: Recorded, n: int) -> Any:
        if n < 40:
            return said("Next.", ("shell", {"command": f"cat {tmp_path}/api/{n}.txt"}))
        return said("", ("recall", {"query": "RULE-8 handlers"})) if n == 40 else "Done."

    (tmp_path / "AGENTS.md").write_text("RULE-9: on the disk.\n")
    with Upstream(script) as up, proxy(tmp_path, up.url, 16_000) as url:
        agent = ListingAgent("anthropic", url, ledger, headers={"x-loom-session": "a"})
        agent.list += [
            {
                "role": "user",
                "content": [{"type": "text", "text": one} for one in (GUIDE, "Hello.")],
            },
            {"role": "assistant", "content": "What shall I do?"},
            {"role": "user", "content": [{"type": "text", "text": later}]},
        ]
        assert agent.ask("Read all of it.") == "Done."
    told = [json.dumps(request.body) for request in up.asked]
    assert all(RULE in text and "RULE-9" not in text for text in told)
    assert [("RULE-8" in text) for text in (told[0], told[39], told[-1])] == [True, False, True]


@pytest.mark.parametrize("key", ["", "shared-v1"])
def test_lists_that_go_on_otherwise_are_apart(tmp_path: Path, key: str) -> None:
    """Two that begin alike, replies too, share nothing: not by recall, and not by a cache key."""

    def script(request: Recorded, n: int) -> Any:
        asks = "What was it?" in json.dumps(request.body)
        found = "CANARY" in json.dumps(request.body)
        return said("", ("recall", {"query": "CANARY"})) if asks and not found else "Hello!"

    more = {"prompt_cache_key": key} if key else {}
    with Upstream(script) as up, proxy(tmp_path, up.url) as url:
        one, two = (ListingAgent("openai", url, ledger) for _ in range(2))
        for agent, words in ((one, "hi"), (two, "hi"), (one, "My secret is CANARY-A.")):
            agent.list.append({"role": "user", "content": words})
            agent.list.append({"role": "assistant", "content": "Hello!"})
            body = {**agent.body(**more), "messages": agent.body()["messages"][:-1]}
            assert httpx2.post(url + PATHS["openai"], json=body).status_code == 200
        two.list.append({"role": "user", "content": "What was it?"})
        body = two.body(**more)
        httpx2.post(url + PATHS["openai"], json=body, timeout=60)
    assert "CANARY-A" not in json.dumps(up.asked[-1].body)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"x-loom-session": "s" * 600 + "A"}, {"x-loom-session": "s" * 600 + "B"}),
        (
            {"x-claude-code-session-id": "a-b"},
            {"x-claude-code-session-id": "a", "x-claude-code-agent-id": "b"},
        ),
    ],
)
def test_names_do_not_run_together(
    tmp_path: Path, one: dict[str, str], two: dict[str, str]
) -> None:
    """Long names, and names of two parts, have a folder each."""
    with Upstream(worked(0)) as up, proxy(tmp_path, up.url) as url:
        for headers in (one, two):
            ListingAgent("anthropic", url, ledger, headers=headers).ask("Begin.")
    assert sum(path.is_dir() for path in tmp_path.iterdir()) == 2


def test_a_client_s_own_tool_of_that_name_is_its_own(tmp_path: Path) -> None:
    """Nothing is offered beside it, also where it stands in a namespace of Codex's, and its calls
    reach the client."""
    call = said("", ("recall", {"query": "x"}))
    with Upstream(lambda request, n: call) as up, proxy(tmp_path, up.url) as url:
        spaced = {"type": "function", "name": "recall", "parameters": OBJECT}
        codex = ListingAgent("responses", url, ledger)
        codex.list.append({"role": "user", "content": "Begin."})
        codex.send(tools=[{"type": "namespace", "name": "mem", "tools": [spaced]}])
        assert up.asked[-1].tools == ["mem"]
        agent = ListingAgent("openai", url, ledger)
        tool = {"type": "function", "function": {"name": "recall", "parameters": OBJECT}}
        agent.list.append({"role": "user", "content": "Begin."})
        reply = agent.send(tools=[tool])
    assert reply["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "recall"
    assert up.asked[-1].tools == ["recall"]


class Odd:
    """A provider that answers with given bytes, and notes the headers it gets."""

    def __init__(self, content: bytes, **headers: str) -> None:
        from starlette.applications import Starlette
        from starlette.requests import Request
        from starlette.responses import Response
        from starlette.routing import Route

        self.headers: list[dict[str, str]] = []

        async def answer(request: Request) -> Response:
            self.headers.append(dict(request.headers))
            return Response(content, headers={"content-type": "application/json", **headers})

        self.app = Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])


@pytest.mark.parametrize(
    "content",
    [b"{}", b'{"choices":[]}', b'{"choices":5}', b'{"error":{"code":502}}', b"<html>", b"[1]"],
)
def test_an_odd_answer_is_handed_on_once(tmp_path: Path, content: bytes) -> None:
    """A 200 that is no reply goes to the client as it came; the provider is asked once, and its
    cookie goes to nobody."""
    odd = Odd(content, **{"set-cookie": "__cf=SECRET; Path=/"})
    with served(odd.app) as upstream, proxy(tmp_path, upstream) as url:
        for _ in range(2):
            body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}
            answer = httpx2.post(url + PATHS["openai"], json=body)
            assert (answer.status_code, answer.content) == (200, content)
    assert len(odd.headers) == 2
    assert not any("cookie" in one for one in odd.headers)


@pytest.mark.parametrize("wrong", [5, [None]])
@pytest.mark.parametrize("member", ["system", "tools", "messages", "metadata", "max_tokens"])
def test_members_of_other_types_are_the_provider_s_to_judge(
    tmp_path: Path, member: str, wrong: Any
) -> None:
    """Whatever a member is, the provider is asked, and never a 500 is the answer."""
    odd = Odd(b'{"type":"message","role":"assistant","content":[]}')
    with served(odd.app) as upstream, proxy(tmp_path, upstream) as url:
        body = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]}
        answer = httpx2.post(url + PATHS["anthropic"], json={**body, member: wrong})
    assert answer.status_code == 200 and len(odd.headers) == 1


def test_what_a_call_is_given_tells_lists_apart(tmp_path: Path) -> None:
    """Two that differ in the input of a call alone are two conversations."""

    def listed(id: str) -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {"id": id}}
        told = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
        return [
            {"role": "user", "content": "Begin."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [told]},
        ]

    with Upstream(worked(0)) as up, proxy(tmp_path, up.url) as url:
        for id in ("CANARY-A", "B"):
            agent = ListingAgent("anthropic", url, ledger)
            agent.list = listed(id)
            agent.send()
    assert sum(path.is_dir() for path in tmp_path.iterdir()) == 2


@pytest.mark.parametrize("stream", [True, False])
def test_an_error_behind_a_call_of_loom_s_is_told(tmp_path: Path, stream: bool) -> None:
    """The client is not given half an answer for a whole one; asked again, it gets all of it."""

    def script(request: Recorded, n: int) -> Any:
        if n == 0:
            return said("Let me look.", ("recall", {"query": "x"}))
        return overloaded() if n == 1 else DONE

    with Upstream(script) as up, proxy(tmp_path, up.url) as url:
        agent = ListingAgent(
            "anthropic", url, ledger, stream=stream, headers={"x-loom-session": "a"}
        )
        agent.list.append({"role": "user", "content": "Begin."})
        with pytest.raises((AssertionError, httpx2.HTTPError)):
            agent.send()
        assert agent.send()["content"][-1]["text"] == DONE
    assert up.faults == []
