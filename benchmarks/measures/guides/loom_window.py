"""Loom in a project: a real context, audited at every request, and what it shows of guides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import loom
from benchmarks.measures.guides.shown_guides import ShownGuides, shown_by_loom
from benchmarks.measures.guides.work import WorkCall
from loom.context import Context
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit


@contextmanager
def _quietly() -> Iterator[None]:
    """Nothing is warned of: the made projects hold links and imports that lead out of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", loom.RefusedFiles)
        yield


def _opened(workspace: Path, **given: Any) -> Context:
    with _quietly():
        return loom.open(workspace, **given)


class LoomWindow:
    """A context on a project. Use it in a `with` block, which closes it."""

    def __init__(self, workspace: Path, project: Path, window: int, system: str, goal: str) -> None:
        self.audit = Audit(counter_for(), Redactor())
        self._pages: dict[str, str] = {}
        self._open: Callable[..., Context] = partial(
            _opened, workspace, project=project, durable=False, on_cut=self.audit.cut
        )
        self.context = self._open(window=window, goal=goal)
        self.context.system(system)
        self.context.user("Go on.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.context.close()

    def take(self, call: WorkCall, number: int) -> None:
        """A call is made, and has its result."""
        id = f"call_{number}"
        self.context.reply(loom.Reply((loom.ToolCall(id, call.tool, call.arguments),)))
        self.context.result(id, call.result)

    def request(self) -> ShownGuides:
        """The guides the next request shows."""
        messages = self._turn().request("openai")["messages"]
        return shown_by_loom(messages, self.context.window.config.mark)

    def paged(self, name: str) -> str:
        """A page's text; "" for one that cannot be had."""
        if name not in self._pages:
            try:
                self._pages[name] = self.context.page_in(name).text
            except loom.LoomError:
                self._pages[name] = ""
        return self._pages[name]

    def reopen(self) -> None:
        """Close and open again; the next request is as it was. It is not counted a second time."""
        found, tokens = self.audit.findings, list(self.audit.tokens)
        with _quietly():
            before = self.context.turn()
            self.context.close()
            self.context = self._open()
            self.audit.reopened(before, self.context.turn())
        counted = found.turns, found.sent, found.reused
        self._turn()
        found.turns, found.sent, found.reused = counted
        self.audit.tokens[:] = tokens

    def _turn(self) -> loom.Turn:
        with _quietly():
            self.audit.before(self.context)
            turn = self.context.turn()
            self.audit.after(self.context, turn)
        return turn
