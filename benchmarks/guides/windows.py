"""The windows of a life: Loom's, and those of agents that load guides as they document it.

Claude Code (https://code.claude.com/docs/en/memory, /docs/en/context-window): CLAUDE.md from the
root to the working folder is loaded at launch, in full; one of a folder further down when a file
there is read; `@path` imports are expanded as they load, four hops deep. After a compaction the
files of launch are read from disk again; a nested one is lost until a file there is read again.

Codex (https://developers.openai.com/codex/guides/agents-md): once per run, from the root to the
working folder, of AGENTS.override.md, AGENTS.md and the configured fallback names the first that is
not empty; files are added until they have 32 KiB together. Nothing is loaded later.

Gemini CLI (https://geminicli.com/docs/cli/gemini-md, /docs/reference/memport): the working folder
and those above it at start; when a tool accesses a file, its folder and those above it; what was
found is sent with every prompt, and read again at `/memory` commands alone. Imports go five deep.

The trees have few files of each agent's own name, so each is given AGENTS.md under the name it is
configured to read; Claude Code and Gemini CLI know no AGENTS.override.md. Where the documentation
does not say that a changed file is read again, it is not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import json

import loom
from benchmarks.guides.disk import imports_of, read
from benchmarks.guides.shown import ShownGuides, shown_by_loom
from benchmarks.guides.work import EDIT, READ, WRITE, WorkCall
from loom.compress.prefix import common
from loom.context import Context
from loom.providers.counts import counter_for
from loom.providers.counts.sizes import CALL, MESSAGE, RESULT
from loom.redact import Redactor
from loom.replay.audit import Audit

CODEX_BYTES = 32 * 1024


class LoadingRules:
    """The guides one agent has loaded: at launch and since (`nested`); path → text."""

    name = ""
    names: tuple[str, ...] = ()
    hops = 0
    tools: frozenset[str] = frozenset()  # whose calls load guides of the folder of their file

    def __init__(self, root: Path, cwd: Path) -> None:
        self.root, self.cwd = root, cwd
        self.loaded: dict[str, str] = {}
        self.nested: dict[str, str] = {}
        self.launch()

    def launch(self) -> None:
        """Load what is loaded at launch."""
        self.loaded = dict(self._guides(self._down(self.cwd)))

    def touched(self, tool: str, file: Path) -> dict[str, str]:
        """Load what a call leads to; returns it."""
        if tool not in self.tools:
            return {}
        found = dict(self._guides(self._down(file.parent)))
        known = self.loaded.keys() | self.nested.keys()
        new = {path: text for path, text in found.items() if path not in known}
        self.nested |= new
        return new

    def compacted(self) -> None:
        """Hear that the history was summed up."""

    def _down(self, folder: Path) -> list[Path]:
        """The folders from the root down to one; [] for one elsewhere."""
        if folder != self.root and self.root not in folder.parents:
            return []
        parts = folder.relative_to(self.root).parts
        return [self.root.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]

    def _guides(self, folders: list[Path]) -> Iterator[tuple[str, str]]:
        """Path and text of the guide of each folder, the files it imports in it."""
        for folder in folders:
            for name in self.names:
                path = folder / name
                if path.is_file() and read(path).strip():
                    text = self._whole(path, self.hops, set())
                    yield path.relative_to(self.root).as_posix(), text
                    break

    def _whole(self, path: Path, hops: int, known: set[Path]) -> str:
        real = path.resolve()
        known.add(real)
        texts = [read(path)]
        for name in imports_of(texts[0]) if hops else ():
            target = (real.parent / name).resolve()
            # One that leads out of the project waits for the user's approval.
            if target.is_file() and self.root in target.parents and target not in known:
                texts.append(self._whole(target, hops - 1, known))
        return "\n\n".join(texts)


class ClaudeCode(LoadingRules):
    """Loads nested guides with what it reads, and loses them in a compaction."""

    name = "Claude Code"
    names = ("CLAUDE.md", "AGENTS.md")
    hops = 4
    tools = frozenset({READ, EDIT, WRITE})

    def compacted(self) -> None:
        """Read the files of launch again; what came with the history is gone."""
        self.launch()
        self.nested = {}


class Codex(LoadingRules):
    """Loads the chain once, up to 32 KiB."""

    name = "Codex"
    names = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")

    def launch(self) -> None:
        """Load the chain, the last file cut where the bytes end."""
        left = CODEX_BYTES
        for path, text in self._guides(self._down(self.cwd)):
            data = text.encode()[:left]
            if data:
                self.loaded[path] = data.decode("utf-8", "ignore")
            left -= len(data)


class GeminiCli(LoadingRules):
    """Loads nested guides as tools access files, and keeps them."""

    name = "Gemini CLI"
    names = ("GEMINI.md", "AGENTS.md", "CLAUDE.md")
    hops = 5
    tools = frozenset({READ, EDIT, WRITE})


PEERS: tuple[type[LoadingRules], ...] = (ClaudeCode, Codex, GeminiCli)


SUMMARY = "The work so far was summed up here. " * 12  # it holds no rule: favourable to none


class PeerWindow:
    """The requests an agent with some loading rules would send, in at most `capacity` tokens.

    `over` counts those that are larger all the same, as guides are loaded whatever the window;
    `sent` and `reused` are bytes.
    """

    def __init__(
        self,
        rules: LoadingRules,
        system: str,
        goal: str,
        capacity: int,
        count: Callable[[str], int],
    ) -> None:
        self.rules = rules
        self.capacity = capacity
        self.over = self.sent = self.reused = 0
        self._count = count
        self._first = [system, goal]
        self._history: list[str] = []
        self._before: list[bytes] = []

    def take(self, call: WorkCall) -> None:
        """A call is made, with what it loads; before it the history is summed up where it must."""
        new = [call.arguments, call.result]
        if self._tokens(new) > self.capacity:
            self.rules.compacted()
            self._history = [SUMMARY, *_headed(self.rules.nested)]
        self._history += [*new, *_headed(self.rules.touched(call.tool, call.file))]

    def request(self) -> ShownGuides:
        """The guides of the next request, which is compared with the one before."""
        self.over += self._tokens() > self.capacity
        self._compare()
        shown = ShownGuides()
        for path, text in (self.rules.loaded | self.rules.nested).items():
            shown.add(path, text)
        return shown

    def _messages(self) -> list[str]:
        return [*self._first, *_headed(self.rules.loaded), *self._history]

    def _tokens(self, more: Sequence[str] = ()) -> int:
        over = MESSAGE + (CALL + RESULT) // 2
        return sum(self._count(text) + over for text in (*self._messages(), *more))

    def _compare(self) -> None:
        now = [json.encode(text) for text in self._messages()]
        for old, new in zip(self._before, now, strict=False):
            self.reused += len(common(old, new))
            if old != new:
                break
        self.sent += sum(map(len, now))
        self._before = now


def _headed(guides: dict[str, str]) -> list[str]:
    return [f"Contents of {path}:\n\n{text}" for path, text in guides.items()]


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
