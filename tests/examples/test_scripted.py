"""The scripted provider of the examples: the providers' own libraries take what it answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from tests.kit.example_scripts import EXAMPLES

CALLS = [("read", {"path": "a"}), ("read", {"path": "b"})]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A provider whose model makes two calls, and then says how many it sees."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def script(seen: Any) -> Any:
        return (f"I see {len(seen.calls)}: {seen.text}", []) if seen.calls else ("Two.", CALLS)

    with import_module("scripted").ScriptedProvider(script) as running:
        yield running
    for name in ("scripted", "replies"):  # names as plain as these are not to stay
        sys.modules.pop(name)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_chat_completions(provider: Any, streamed: bool) -> None:
    """OpenAI's client reads text and calls, and sends them back."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    asked: list[Any] = [{"role": "user", "content": "Go."}]
    with openai.OpenAI(base_url=provider.url, api_key="any", max_retries=0) as client:
        if streamed:
            with client.chat.completions.stream(model="m", messages=asked) as stream:
                message = stream.get_final_completion().choices[0].message
        else:
            made = client.chat.completions.create(model="m", messages=asked)
            message = made.choices[0].message
        assert message.content == "Two."
        assert [call.function.arguments for call in message.tool_calls] == [
            '{"path": "a"}', '{"path": "b"}',
        ]  # fmt: skip
        asked.append(message.model_dump(exclude_none=True))
        asked += [{"role": "tool", "tool_call_id": call.id, "content": "text"}
                  for call in message.tool_calls]  # fmt: skip
        said = client.chat.completions.create(model="m", messages=asked).choices[0].message
        assert said.content == "I see 2: Go.\nTwo.\ntext\ntext"


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_messages(provider: Any, streamed: bool) -> None:
    """Anthropic's client reads text and calls, and sends them back."""
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    base = provider.url.removesuffix("/v1")
    asked: Any = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Go."}]}
    with anthropic.Anthropic(base_url=base, api_key="any", max_retries=0) as client:
        if streamed:
            with client.messages.stream(**asked) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**asked)
        text, *uses = message.content
        assert (text.text, message.stop_reason) == ("Two.", "tool_use")
        assert [(one.name, one.input) for one in uses] == CALLS
        results = [{"type": "tool_result", "tool_use_id": one.id, "content": "text"}
                   for one in uses]  # fmt: skip
        content = [block.model_dump(exclude_none=True) for block in message.content]
        asked["messages"] += [{"role": "assistant", "content": content},
                              {"role": "user", "content": results}]  # fmt: skip
        [said] = client.messages.create(**asked).content
        assert said.text.startswith("I see 2: Go.")
