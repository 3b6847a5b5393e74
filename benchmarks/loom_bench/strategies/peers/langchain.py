"""LangChain's three windows, and that of Deep Agents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import unescape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loom.providers.render.message import Message
from loom_bench.plain_list import Meter
from loom_bench.strategies.baselines import (
    FULL,
    KEPT,
    RECENT,
    MessageGroup,
    Policy,
    grown,
    stub,
)
from loom_bench.wires import WireReader, wire_of


def arguments(text: str) -> dict[str, Any]:
    """The arguments of a call as the object the packages want."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"value": value}


class Chat:
    """The history in LangChain's classes and back; what comes back as it went in is the message
    that went in."""

    def __init__(self, meter: Meter) -> None:
        self.history: list[Any] = []
        self._meter = meter
        self._types = import_module("langchain_core.messages")
        self._known: dict[str, tuple[Any, Message]] = {}
        self._reader = WireReader()

    def add(self, message: Message) -> None:
        """Take in the next message."""
        wire = {**wire_of(message), "id": f"m{len(self._known)}"}
        for call in wire.get("tool_calls", ()):
            function = call["function"]
            function["arguments"] = arguments(function["arguments"])
        [made] = self._types.convert_to_messages([wire])
        self._known[made.id] = (made, message)
        self.history.append(made)

    def back(self, made: Iterable[Any]) -> list[Message]:
        """LangChain's messages as ours."""
        return [self._one(one) for one in made]

    def _one(self, made: Any) -> Message:
        before, message = self._known.get(made.id, (None, None))
        if message is not None and (made is before or made == before):
            return message
        [read] = self._reader.messages([self._types.convert_to_openai_messages(made)])
        return read

    def count(self, made: Iterable[Any], **_: Any) -> int:
        """Tokens of LangChain's messages, by our meter: what it takes as a token counter."""
        return self._meter.messages(self.back(made))

    def extract(self, made: Iterable[Any]) -> str:
        """A summary of messages: the fixed extract."""
        return stub(self.back(made), self._meter)

    def fake_model(self, capacity: int) -> Any:
        """A chat model that is never asked; its profile says how large its window is."""
        models = import_module("langchain_core.language_models.fake_chat_models")
        return models.FakeListChatModel(responses=[""], profile={"max_input_tokens": capacity})


def trim(capacity: int, meter: Meter) -> Policy:
    """`trim_messages`, newest last, from the whole history for every call.

    It may start on a reply as well as on the user: with the documented "human" alone, an agent's
    long run of calls between two messages of the user is cut to nothing.
    """
    chat = Chat(meter)
    trimmed = partial(
        import_module("langchain_core.messages").trim_messages,
        strategy="last",
        token_counter=chat.count,
        max_tokens=capacity,
        start_on=("human", "ai"),
        include_system=True,
    )
    return grown(chat.add, lambda: chat.back(trimmed(list(chat.history))))


def clear(capacity: int, meter: Meter) -> Policy:
    """`ClearToolUsesEdit` triggered at the capacity, on a copy of the history for every call."""
    chat = Chat(meter)
    editing = import_module("langchain.agents.middleware.context_editing")
    edit = editing.ClearToolUsesEdit(trigger=capacity, keep=KEPT)

    def left() -> list[Message]:
        messages = list(chat.history)
        edit.apply(messages, count_tokens=chat.count)
        return chat.back(messages)

    return grown(chat.add, left)


def summary(capacity: int, meter: Meter) -> Policy:
    """`SummarizationMiddleware` at FULL, keeping RECENT; what it leaves is the state that grows."""
    chat = Chat(meter)
    middleware = import_module("langchain.agents.middleware.summarization")
    summariser = middleware.SummarizationMiddleware(
        model=chat.fake_model(capacity),
        trigger=("tokens", int(FULL * capacity)),
        keep=("tokens", int(RECENT * capacity)),
        token_counter=chat.count,
        trim_tokens_to_summarize=None,
        summarizer=chat.extract,
    )

    def left() -> list[Message]:
        update = summariser.before_model({"messages": chat.history}, None)
        if update is not None:
            chat.history = update["messages"][1:]  # the first says to remove all
        return chat.back(chat.history)

    return grown(chat.add, left)


class DeepAgents:
    """`wrap_model_call` for every call, its state updates kept, with the package's own defaults.

    The summary names one file for all that left; an agent with file tools could search it, so what
    it holds is not lost.
    """

    def __init__(self, capacity: int, meter: Meter) -> None:
        self._folder = TemporaryDirectory(prefix="loom-retention-")
        self._chat = Chat(meter)
        self._policy = grown(self._chat.add, self._left)
        self._model = self._chat.fake_model(capacity)
        backends = import_module("deepagents.backends")
        summarization = import_module("deepagents.middleware.summarization")
        limits = {"trigger": ("fraction", FULL), "keep": ("fraction", RECENT)}
        self._middleware = summarization.SummarizationMiddleware(
            model=self._model,
            backend=backends.FilesystemBackend(root_dir=self._folder.name, virtual_mode=True),
            token_counter=self._chat.count,
            trim_tokens_to_summarize=None,
            truncate_args_settings=limits,
            summarizer=self._chat.extract,
            **limits,
        )
        self._state: dict[str, Any] = {}
        self._replaced: dict[str, Any] = {}

    def __call__(self, groups: Sequence[MessageGroup]) -> list[Message]:
        """Return the messages that would be sent."""
        return self._policy(groups)

    def _left(self) -> list[Message]:
        types = import_module("langchain.agents.middleware.types")
        sent = messages = [self._replaced.get(one.id, one) for one in self._chat.history]
        request = types.ModelRequest(
            model=self._model,
            messages=messages,
            system_message=None,
            tool_choice=None,
            tools=[],
            response_format=None,
            state={**self._state, "messages": messages},
            runtime=None,
            model_settings={},
        )

        def handle(request: Any) -> Any:
            nonlocal sent
            sent = list(request.messages)
            return types.ModelResponse(result=[])

        try:
            answer = self._middleware.wrap_model_call(request, handle)
        except import_module("langchain_core.exceptions").ContextOverflowError:
            return self._chat.back(messages)  # it sends nothing; the harness has to
        if command := getattr(answer, "command", None):
            update = dict(command.update)
            self._replaced |= {one.id: one for one in update.pop("messages", [])}
            self._state |= update
        return self._chat.back(sent)

    def rested(self) -> Iterator[str]:
        """The texts on disk, as they are and without the escapes of XML they are written with."""
        for path in Path(self._folder.name).rglob("*"):
            if path.is_file():
                text = path.read_text("utf-8", "replace")
                yield from (text, unescape(text))

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()
