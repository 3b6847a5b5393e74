"""The server accepts what the SDKs' documentation says to send, and streams what it would send."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tests.kit.cases import all_cases
from tests.providers.serving import dialogue

APIS = ("openai", "responses", "anthropic", "gemini")
SEED = 2935  # two calls; a text and a call; two calls after redacted thinking; …
Serve = Callable[..., Any]


@all_cases("api", APIS)
def test_a_dialogue_sent_back_as_it_came_is_accepted(
    api: str, serve: Serve, clients: ModuleType
) -> None:
    """Eight tool steps, the answer, another word of the user: nothing is refused."""
    server = serve(seed=SEED, steps=8)
    with clients.connected(server, api) as (ask, _):
        request = dialogue.grown(ask, api, 8)
        listed = dialogue.turns(api, request)
        listed += dialogue.plain(api, ask(**request))
        listed.append(dialogue.spoken(api, "And now?"))
        assert dialogue.asked(api, dialogue.plain(api, ask(**request))) == []
    assert [exchange.status for exchange in server.exchanges] == [200] * 10
    assert server.reuse > 0 or api == "anthropic" or server.exchanges[-1].tokens < 1_100


@all_cases("api", APIS)
def test_a_tool_loop_goes_on_after_a_word_of_the_user(
    api: str, serve: Serve, clients: ModuleType
) -> None:
    """What the user says after results is accepted beside them, and does not end the loop."""
    with clients.connected(serve(seed=SEED), api) as (ask, _):
        request = dialogue.grown(ask, api, 2)
        dialogue.turns(api, request).append(dialogue.spoken(api, "Mind the tests."))
        assert dialogue.asked(api, dialogue.plain(api, ask(**request)))


def collected(api: str, client: Any, request: dict[str, Any]) -> Any:
    """A streamed reply, put together by the SDK's own helper."""
    if api == "openai":
        with client.chat.completions.stream(**request) as stream:
            return dialogue.plain(api, stream.get_final_completion())
    if api == "responses":
        with client.responses.stream(**request) as stream:
            return dialogue.plain(api, stream.get_final_response())
    if api == "anthropic":
        with client.messages.stream(**request) as stream:
            return dialogue.plain(api, stream.get_final_message())
    parts: list[dict[str, Any]] = []
    for chunk in client.models.generate_content_stream(**request):
        for part in chunk.model_dump(exclude_none=True)["candidates"][0]["content"]["parts"]:
            same = parts and part.get("thought") == parts[-1].get("thought")
            if same and "text" in part and "text" in parts[-1]:
                parts[-1] = {**parts[-1], **part, "text": parts[-1]["text"] + part["text"]}
            elif part.get("text") != "":
                parts.append(part)
    return [{"role": "model", "parts": parts}]


def bare(api: str, said: list[dict[str, Any]]) -> Any:
    """A reply without what a helper leaves out or adds: parsed arguments, numbers of parts."""
    if api != "openai":
        return said
    message = {key: said[0].get(key) for key in ("content", "reasoning")}
    calls = said[0].get("tool_calls", ())
    return message, [(call["id"], call["function"]["arguments"]) for call in calls]


@all_cases("api", APIS)
def test_a_stream_says_what_the_whole_reply_says(
    api: str, serve: Serve, clients: ModuleType
) -> None:
    """For each of five steps the streamed reply, put together, equals the one that came whole."""
    whole, cut = serve(seed=SEED, steps=4), serve(seed=SEED, steps=4)
    with (
        clients.connected(whole, api) as (ask, _),
        clients.connected(cut, api) as (_, client),
    ):
        request = dialogue.opening(api)
        for _ in range(5):
            said = dialogue.plain(api, ask(**request))
            assert bare(api, collected(api, client, request)) == bare(api, said)
            answers = dialogue.results(api, dialogue.asked(api, said))
            dialogue.turns(api, request).extend([*said, *answers])
    assert not whole.refused
    assert not cut.refused


@all_cases("api", APIS)
def test_the_asynchronous_clients_work_too(api: str, serve: Serve, clients: ModuleType) -> None:
    """A whole and a streamed reply through the asynchronous SDK."""
    server = serve(seed=SEED)

    async def both() -> int:
        async with clients.aconnected(server, api) as (ask, _):
            await ask(**dialogue.opening(api))
            return len([chunk async for chunk in await ask(**dialogue.opening(api), stream=True)])

    assert asyncio.run(both()) > 3
    assert [exchange.streamed for exchange in server.exchanges] == [False, True]


@all_cases("api", APIS)
def test_usage_is_the_servers_count(api: str, serve: Serve, clients: ModuleType) -> None:
    """Ratio and hidden tokens show in the usage, whole and streamed."""
    plain, dear = serve(seed=SEED), serve(seed=SEED, ratio=1.25, hidden=900)
    for server in (plain, dear):
        with clients.connected(server, api) as (ask, _):
            request = dialogue.opening(api, "word " * 2_000)
            reported = [_reported(api, ask(**request)), *_streamed(api, ask, request)]
            assert set(reported) == {server.exchanges[0].tokens}
    assert dear.exchanges[0].tokens == 900 + round(1.25 * plain.exchanges[0].tokens)


def _reported(api: str, reply: Any) -> int:
    usage = reply.usage_metadata if api == "gemini" else reply.usage
    if api == "anthropic":
        cached = usage.cache_read_input_tokens + usage.cache_creation_input_tokens
        return int(usage.input_tokens + cached)
    names = {"openai": "prompt_tokens", "responses": "input_tokens", "gemini": "prompt_token_count"}
    return int(getattr(usage, names[api]))


def _streamed(api: str, ask: Any, request: dict[str, Any]) -> list[int]:
    chunks = list(ask(**request, stream=True))
    if api == "responses":
        return [_reported(api, chunks[-1].response)]
    last = next(c for c in reversed(chunks) if getattr(c, "usage", None) or api == "gemini")
    return [_reported(api, last)]


def test_anthropic_reads_its_cache_from_marks(serve: Serve, clients: ModuleType) -> None:
    """A marked prefix is written once and read by the next request; an unmarked one never."""
    server = serve(seed=SEED)
    mark = {"cache_control": {"type": "ephemeral"}}
    with clients.connected(server, "anthropic") as (ask, _):
        request = dialogue.opening("anthropic")
        request["system"] = [{"type": "text", "text": "word " * 2_000, **mark}]
        first = ask(**request).usage
        request["messages"].append({"role": "user", "content": "And this."})
        second = ask(**request).usage
    assert first.cache_read_input_tokens == 0
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens > 2_000
    assert second.cache_creation_input_tokens == 0
