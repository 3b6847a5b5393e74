"""Deep Agents' summarisation, whose evicted messages are appended to a file of the backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import unescape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom_bench.strategies.baselines import FULL, RECENT
from loom_bench.strategies.history import MessageGroup
from loom_bench.strategies.peers.langchain import Chat, fake_model


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
