"""LangChain's three windows, and that of Deep Agents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom.replay.cost import Meter
from loom_bench.strategies.baselines import FULL, RECENT, MessageGroup, Policy, flat, stub

KEEP = 3  # tool results: the default of ClearToolUsesEdit


class Chat:
    """Messages there and back; what comes back untouched is the message that went in."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._types = import_module("langchain_core.messages")
        self._known: dict[str, tuple[Any, Message]] = {}
        self._given: list[Any] = []

    def all(self, groups: Sequence[MessageGroup]) -> list[Any]:
        """Every message so far, in LangChain's classes; the list is the caller's own."""
        messages = flat(groups)
        for message in messages[len(self._given) :]:
            self._given.append(self._made(message, f"m{len(self._given)}"))
        return list(self._given)

    def back(self, made: Iterable[Any]) -> list[Message]:
        """LangChain's messages as ours."""
        return [self._one(one) for one in made]

    def count(self, made: Iterable[Any], **_: Any) -> int:
        """Tokens of LangChain's messages, by our meter: what it takes as a token counter."""
        return self.meter.messages(self.back(made))

    def extract(self, made: Iterable[Any]) -> str:
        """A summary of messages: the fixed extract."""
        [group] = stub(self.back(made), self.meter)
        return str(group.messages[0].blocks[0].text)  # type: ignore[union-attr]

    def _made(self, message: Message, id: str) -> Any:
        said = "\n\n".join(b.text for b in message.blocks if isinstance(b, TextBlock))
        made: Any
        if message.role == "tool":
            block = message.blocks[0]
            assert isinstance(block, ResultBlock)
            made = self._types.ToolMessage(
                content=block.text, tool_call_id=block.call_id, name=block.name or "tool", id=id
            )
        elif message.role == "assistant":
            calls = [b for b in message.blocks if isinstance(b, CallBlock)]
            made = self._types.AIMessage(
                content=said,
                tool_calls=[{"id": c.id, "name": c.name, "args": arguments(c)} for c in calls],
                id=id,
            )
        else:
            known = {"system": self._types.SystemMessage, "user": self._types.HumanMessage}
            made = known[message.role](content=said, id=id)
        self._known[id] = (made, message)
        return made

    def _one(self, made: Any) -> Message:
        before, message = self._known.get(made.id, (None, None))
        if message is not None and (made is before or _same(made, before)):
            return message
        text = str(made.text) if isinstance(made.text, str) else made.text()
        if made.type == "tool":
            return Message("tool", (ResultBlock(made.tool_call_id, made.name or "", text),))
        blocks: list[Block] = [TextBlock(text)] if text else []
        if made.type == "ai":
            for call in made.tool_calls:
                written = json.dumps(call["args"], ensure_ascii=False)
                blocks.append(CallBlock(call["id"], call["name"], written))
            return Message("assistant", tuple(blocks))
        return Message("system" if made.type == "system" else "user", tuple(blocks))


def _same(made: Any, before: Any) -> bool:
    calls = getattr(made, "tool_calls", None) == getattr(before, "tool_calls", None)
    return bool(calls and made.content == before.content)


def arguments(call: CallBlock) -> dict[str, Any]:
    """The arguments of a call as the object the packages want."""
    try:
        value = json.loads(call.arguments)
    except ValueError:
        value = call.arguments
    return value if isinstance(value, dict) else {"value": value}


def fake_model(capacity: int) -> Any:
    """A chat model that is never asked, with a profile that says how large its window is."""
    models = import_module("langchain_core.language_models.fake_chat_models")
    return models.FakeListChatModel(responses=[""], profile={"max_input_tokens": capacity})


def trim(capacity: int, meter: Meter) -> Policy:
    """`trim_messages`, newest last, from the whole history for every call.

    It may start on a reply as well as on the user: with the documented "human" alone, an agent's
    long run of calls between two messages of the user is cut to nothing.
    """
    chat = Chat(meter)
    trimmed = import_module("langchain_core.messages").trim_messages

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        return chat.back(
            trimmed(
                chat.all(groups),
                strategy="last",
                token_counter=chat.count,
                max_tokens=capacity,
                start_on=("human", "ai"),
                include_system=True,
            )
        )

    return policy


def clear(capacity: int, meter: Meter) -> Policy:
    """`ClearToolUsesEdit` triggered at the capacity, on a copy of the history for every call."""
    chat = Chat(meter)
    editing = import_module("langchain.agents.middleware.context_editing")
    edit = editing.ClearToolUsesEdit(trigger=capacity, keep=KEEP)

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        messages = chat.all(groups)
        edit.apply(messages, count_tokens=chat.count)
        return chat.back(messages)

    return policy


def summary(capacity: int, meter: Meter) -> Policy:
    """`SummarizationMiddleware` at FULL, keeping RECENT; what it leaves is the state that grows."""
    chat = Chat(meter)
    middleware = import_module("langchain.agents.middleware.summarization")
    summariser = middleware.SummarizationMiddleware(
        model=fake_model(capacity),
        trigger=("tokens", int(FULL * capacity)),
        keep=("tokens", int(RECENT * capacity)),
        token_counter=chat.count,
        trim_tokens_to_summarize=None,
        summarizer=chat.extract,
    )
    state: list[Any] = []
    taken = 0

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal state, taken
        messages = chat.all(groups)
        state += messages[taken:]
        taken = len(messages)
        update = summariser.before_model({"messages": state}, None)
        if update is not None:
            state = update["messages"][1:]  # the first says to remove all
        return chat.back(state)

    return policy


class DeepAgents:
    """`wrap_model_call` for every call, its state updates kept, with the package's own defaults.

    The summary names one file for all that left; an agent with file tools could search it, so what
    it holds is not lost.
    """

    def __init__(self, capacity: int, meter: Meter) -> None:
        self._folder = TemporaryDirectory(prefix="loom-retention-")
        self._chat = Chat(meter)
        self._model = fake_model(capacity)
        backends = import_module("deepagents.backends")
        summarization = import_module("deepagents.middleware.summarization")
        self._types = import_module("langchain.agents.middleware.types")
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
        self._sent: list[Any] = []

    def __call__(self, groups: Sequence[MessageGroup]) -> list[Message]:
        """Return the messages that would be sent."""
        messages = [self._replaced.get(one.id, one) for one in self._chat.all(groups)]
        request = self._types.ModelRequest(
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
        exceptions = import_module("langchain_core.exceptions")
        try:
            answer = self._middleware.wrap_model_call(request, self._handle)
        except exceptions.ContextOverflowError:  # it sends nothing; the harness has to
            return self._chat.back(messages)
        command = getattr(answer, "command", None)
        if command is not None:
            update = dict(command.update)
            self._replaced |= {one.id: one for one in update.pop("messages", [])}
            self._state |= update
        return self._chat.back(self._sent)

    def _handle(self, request: Any) -> Any:
        self._sent = list(request.messages)
        return self._types.ModelResponse(result=[])

    def rested(self) -> Iterator[str]:
        """The texts on disk, as they are and without the escapes of XML they are written with."""
        for path in Path(self._folder.name).rglob("*"):
            if path.is_file():
                text = path.read_text("utf-8", "replace")
                yield from (text, unescape(text))

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()
