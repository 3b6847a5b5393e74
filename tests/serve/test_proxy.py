"""Conversations through the proxy: within the window, lawful, apart from each other, none lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2

import loom
from loom.serve.request_purpose import SUMMARY
from tests.kit.cases import all_cases, each_value
from tests.kit.scripted_server import said
from tests.loom.session.test_attachments import PARTS
from tests.providers.serving import messages_wording
from tests.providers.serving.pictures import coded, png
from tests.providers.serving.script import Line
from tests.serve.proxied import FORMATS, PATHS, ListingAgent, proxy
from tests.serve.upstream import Answer, Recorded, Refused, Upstream, limited, too_long

DONE = "All is booked."
WINDOW = 24_000


def ledger(name: str, arguments: dict[str, Any]) -> str:
    """What a command prints: lines that name it."""
    asked = arguments["command"]
    return "\n".join(f"{asked} line {number} is booked at {number * 7}" for number in range(120))


def worked(calls: int, own: dict[int, Line] | None = None) -> Any:
    """A model that makes so many calls and ends; some of its replies are given."""

    def script(request: Recorded, n: int) -> Line | str:
        if own and n in own:
            return own[n]
        return said("Next.", ("shell", {"command": f"book {n}"})) if n < calls else DONE

    return script


@all_cases(("format", "stream"), each_value(FORMATS, [True, False]))
def test_a_long_conversation_stays_within_the_window(
    tmp_path: Path, format: str, stream: bool
) -> None:
    """Its list grows far beyond; every request is lawful, and what left can be recalled."""
    with Upstream(worked(24)) as up, proxy(tmp_path, up.url, WINDOW) as url:
        agent = ListingAgent(format, url, ledger, stream=stream, headers={"x-loom-session": "a"})
        assert agent.ask("Book all of it.") == DONE
    assert up.faults == [] and len(up.asked) == 25
    listed = len(json.dumps(agent.list))
    assert max(request.size for request in up.asked) < 4 * WINDOW < listed
    names = [one.name for one in tmp_path.iterdir() if one.is_dir()]
    assert names == ["given-a"]
    with loom.open(tmp_path / "given-a") as ctx:
        assert "book 3 line 77 is booked at 539" in ctx.recall("book 3 line 77")
        assert ctx.window.sent.cuts > 0


@pytest.mark.parametrize("format", FORMATS)
def test_a_short_one_is_what_the_client_sent(tmp_path: Path, format: str) -> None:
    """Where all of it fits nothing of the client's is missing: its model, its instructions, its
    tools and members Loom knows nothing of."""
    with Upstream(worked(2)) as up, proxy(tmp_path, up.url) as url:
        agent = ListingAgent(format, url, ledger, headers={"x-loom-session": "a", "x-own": "1"})
        agent.ask("Book all of it.")
        agent.list.append({"role": "user", "content": "And now?"})
        agent.send(temperature=0.25, unheard_of={"a": [1]})
    last = up.asked[-1]
    assert last.body["temperature"] == 0.25 and last.body["unheard_of"] == {"a": [1]}
    assert last.headers["x-own"] == "1" and "x-loom-session" not in last.headers
    assert last.tools[0] == "shell" and "You keep the books." in json.dumps(last.body)
    for words in ("Book all of it.", "book 1 line 119 is booked at 833", "And now?"):
        assert words in json.dumps(last.body)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_recall_is_answered_inside(tmp_path: Path, format: str, stream: bool) -> None:
    """The client sees one message without Loom's call, also where its own stands beside it; the
    next request has the answer, and nothing is doubled."""
    own = {
        3: said("Let me look.", ("recall", {"query": "book 0 line 5"})),
        5: said("Both.", ("recall", {"query": "book 1"}), ("shell", {"command": "book both"})),
        8: said("Last look.", ("recall", {"query": "book both"})),
        9: said("It was line 35."),
    }
    with Upstream(worked(8, own)) as up, proxy(tmp_path, up.url) as url:
        agent = ListingAgent(format, url, ledger, stream=stream, headers={"x-loom-session": "a"})
        assert agent.ask("Book all of it.").endswith("It was line 35.")
        assert "recall" not in json.dumps(agent.list)
        assert agent.ask("Thanks.") == DONE
    assert up.faults == []
    assert json.dumps(up.asked[4].body).count("Let me look.") == 1
    assert "book 0 line 5 is booked at 35" in json.dumps(up.asked[4].body)
    with loom.open(tmp_path / "given-a") as ctx:
        entries = [ctx.history.restore(id) for id in range(1, ctx.window.history.next_id)]
        replies = [str(one.reply) for one in entries]
    for words in ("Let me look.", "It was line 35."):
        assert sum(words in reply for reply in replies) == 1


def test_a_page_in_a_browser_gets_nothing(tmp_path: Path) -> None:
    """Another origin, a name bound anew to this machine, and a cross-site fetch are refused."""
    with Upstream(worked(1)) as up, proxy(tmp_path, up.url) as url, httpx2.Client() as client:
        for headers in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"host": "evil.example"},
            {"host": "127.0.0.1.evil.example:8377"},
            {"sec-fetch-site": "cross-site"},
        ):
            for path in ("/v1/messages", "/loom/health", "/"):
                assert client.get(url + path, headers=headers).status_code == 403
        assert client.get(f"{url}/loom/health").json()["requests"]["main"] == 0
    assert up.requests == []


def test_a_websocket_is_refused_so_that_its_client_asks_by_http(tmp_path: Path) -> None:
    """Codex goes on by HTTP after 426 and after no other answer; the provider is not asked."""
    asked = {"connection": "Upgrade", "upgrade": "websocket"}
    with Upstream(worked(1)) as up, proxy(tmp_path, up.url) as url, httpx2.Client() as client:
        assert client.get(f"{url}/v1/responses", headers=asked).status_code == 426
        assert client.get(f"{url}/loom/health").json()["requests"]["other"] == 0
    assert up.requests == []


def test_requests_beside_the_conversation_pass(tmp_path: Path) -> None:
    """A title, a count, a list of models and what is no JSON go on byte for byte, kept nowhere."""
    with Upstream(worked(1)) as up, proxy(tmp_path, up.url) as url, httpx2.Client() as client:
        agent = ListingAgent("anthropic", url, ledger, headers={"x-loom-session": "a"})
        agent.ask("Book it.")
        folders = sorted(one.name for one in tmp_path.iterdir())
        title = {"model": "claude-haiku-4-5", "max_tokens": 20, "stream": False,
                 "messages": [{"role": "user", "content": "A title, please."}]}  # fmt: skip
        said = {"x-loom-session": "a"}
        assert client.post(url + PATHS["anthropic"], json=title, headers=said).status_code == 200
        assert up.requests[-1].body == title
        count = client.post(f"{url}/v1/messages/count_tokens", json=title)
        assert count.json()["input_tokens"] > 0
        assert client.get(f"{url}/v1/models").status_code == 404  # the provider's own answer
        assert sorted(one.name for one in tmp_path.iterdir()) == folders


def test_images_and_documents_keep_to_what_the_provider_takes(tmp_path: Path) -> None:
    """Of many large screenshots the newest are sent, after a refusal as many as it said; a document
    by its address goes on as the client gave it."""

    def script(request: Recorded, n: int) -> Any:
        count = json.dumps(request.body).count('"type": "image"')
        if count > 5:
            refusal = messages_wording.refused(f"too many images and documents: {count} + 1 > 6")
            return Refused(refusal.status, refusal.body)
        return DONE

    shots = [{**PARTS["anthropic"]["source"], "data": coded(png(2_100, 8, n))} for n in range(24)]
    document = {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}}
    content = [*({"type": "image", "source": shot} for shot in shots), document]
    with Upstream(script) as up, proxy(tmp_path, up.url, 200_000) as url:
        agent = ListingAgent("anthropic", url, ledger, headers={"x-loom-session": "a"})
        agent.list.append({"role": "user", "content": content})
        assert agent.ask("Look.") == DONE
        assert agent.ask("Again.") == DONE
    sent = [json.dumps(request.body) for request in up.asked]
    assert [request.count('"type": "image"') for request in sent] == [20, 5, 5]
    assert all(document["source"]["url"] in request for request in sent)
    assert all(shots[-1]["data"] in request for request in sent)
    assert up.faults == []


def test_errors_come_as_the_provider_gave_them(tmp_path: Path) -> None:
    """Status, body and retry-after; a refusal for length is made smaller and asked again once."""
    refusals: list[Refused | None] = [limited(7), too_long(30_000, 20_000)]

    def script(request: Recorded, n: int) -> Any:
        if n > 3 and refusals and (found := refusals.pop(0)):
            return found
        return said("Next.", ("shell", {"command": f"book {n}"})) if n < 10 else DONE

    with Upstream(script) as up, proxy(tmp_path, up.url, 60_000) as url, httpx2.Client() as client:
        agent = ListingAgent("anthropic", url, ledger, headers={"x-loom-session": "a"})
        agent.list.append({"role": "user", "content": "Book all of it."})
        with pytest.raises(AssertionError, match="rate_limit_error"):
            agent.ask("Go on.")
        body, headers = agent.body(), agent.headers
        answer = client.post(url + PATHS["anthropic"], json=body, headers=headers)
        assert answer.status_code == 200
    assert up.faults == []
    assert up.asked[-1].size < up.asked[-2].size


def test_a_window_too_small_for_the_client_is_refused_with_the_figure(tmp_path: Path) -> None:
    """Nothing is sent, and the text says what to start with: a window that works, with room."""
    rules = {"role": "system", "content": "rule " * 5_000}
    with Upstream(worked(1)) as up, proxy(tmp_path, up.url, 8_000) as url:
        agent = ListingAgent("openai", url, ledger)
        agent.list = [rules]
        with pytest.raises(AssertionError, match="more than half of a window of 8,000") as told:
            agent.ask("Begin.")
    assert up.requests == []
    advised = re.search(r"--window (\d+)` \(([\d,]+) of it for what is said", str(told.value))
    assert advised is not None
    window, left = int(advised[1]), int(advised[2].replace(",", ""))
    assert 0.7 * window < left < window
    with Upstream(worked(30)) as up, proxy(tmp_path / "more", up.url, window) as url:
        agent = ListingAgent("openai", url, ledger, headers={"x-loom-session": "a"})
        agent.list = [rules]
        agent.ask("Book all of it.")
    with loom.open(tmp_path / "more" / "given-a") as ctx:
        assert ctx.window.sent.generation <= 3


def test_a_cut_connection_and_a_proxy_killed_lose_nothing(tmp_path: Path) -> None:
    """A stream that breaks is asked for again; another proxy on the same folder goes on."""
    cuts = {4: Answer(said("Half of a", ("shell", {"command": "never"})), cut=4)}
    with Upstream(lambda request, n: cuts.get(n) or worked(9)(request, n)) as up:
        with proxy(tmp_path, up.url) as url:
            agent = ListingAgent("anthropic", url, ledger, headers={"x-loom-session": "a"})
            with pytest.raises((httpx2.HTTPError, loom.LoomError)):
                agent.ask("Book all of it.")
        with proxy(tmp_path, up.url) as url:
            agent.url = url
            assert agent.ask("Go on.") == DONE
    assert up.faults == []
    assert "never" not in json.dumps(up.asked[-1].body)


@pytest.mark.parametrize("format", FORMATS)
def test_conversations_without_a_name_are_known_by_their_lists(tmp_path: Path, format: str) -> None:
    """Two that begin alike stay apart from their first replies on, also over a restart."""
    with Upstream(lambda request, n: said(f"Reply {n}.")) as up:
        with proxy(tmp_path, up.url) as url:
            one, two = (ListingAgent(format, url, ledger) for _ in range(2))
            one.ask("Begin.")
            two.ask("Begin.")
            one.ask("The secret word of the first is kingfisher.")
            two.ask("The secret word of the second is lapwing.")
        with proxy(tmp_path, up.url) as url:
            one.url = two.url = url
            one.ask("What was it?")
            two.ask("What was it?")
    assert up.faults == []
    last, before = (json.dumps(request.body) for request in (up.asked[-1], up.asked[-2]))
    assert "kingfisher" in before and "lapwing" not in before
    assert "lapwing" in last and "kingfisher" not in last
    assert sum(path.is_dir() for path in tmp_path.iterdir()) == 2


@pytest.mark.parametrize("kept", [0, 3])
def test_a_client_s_own_compaction_undoes_nothing(tmp_path: Path, kept: int) -> None:
    """The question for a summary goes behind the window with all tools, and is no message of the
    session; the shorter list after it is a compaction, whatever it keeps."""
    ask = {"role": "user", "content": [{"type": "text", "text": f"{SUMMARY[0]}. Sum it up."}]}
    with Upstream(worked(8)) as up, proxy(tmp_path, up.url) as url, httpx2.Client() as client:
        agent = ListingAgent("anthropic", url, ledger, headers={"x-loom-session": "a"})
        agent.ask("Book all of it.")
        body = {**agent.body(), "messages": [*agent.list, ask]}
        given = client.post(url + PATHS["anthropic"], json=body, headers=agent.headers, timeout=60)
        assert given.status_code == 200
        assert up.asked[-1].tools == up.asked[-2].tools
        told = {"role": "user", "content": "Continued from before. All was booked but shard 7."}
        agent.list = [told, *agent.list[len(agent.list) - kept :]]
        agent.ask("Go on.")
    assert up.faults == []
    last = json.dumps(up.asked[-1].body)
    assert "shard 7" in last and "undone" not in last and "Sum it up" not in last
    with loom.open(tmp_path / "given-a") as ctx:
        assert "book 2 line 77 is booked at 539" in ctx.recall("book 2 line 77")


@pytest.mark.parametrize("stream", [True, False])
def test_a_call_of_loom_s_in_a_summary_is_not_shown(tmp_path: Path, stream: bool) -> None:
    """The client has no such tool: it is given what the model said beside it, and asked once."""
    ask = {"role": "user", "content": [{"type": "text", "text": f"{SUMMARY[0]}. Sum it up."}]}
    lines = {3: said("All is booked but shard 7.", ("recall", {"query": "shard 7"}))}
    with Upstream(worked(2, lines)) as up, proxy(tmp_path, up.url) as url:
        headers = {"x-loom-session": "a"}
        agent = ListingAgent("anthropic", url, ledger, headers=headers, stream=stream)
        agent.ask("Book all of it.")
        agent.list.append(ask)
        summary = agent.send()
    assert [block["type"] for block in summary["content"]] == ["text"]
    assert summary["content"][0]["text"] == "All is booked but shard 7."
    assert up.faults == [] and len(up.asked) == 4
