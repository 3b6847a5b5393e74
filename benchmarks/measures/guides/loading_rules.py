"""How other agents load guides, as their documentation has it: small implementations to compare.

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

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measures.guides.ground_truth import read
from benchmarks.measures.guides.rule_text import imports_of
from benchmarks.measures.guides.work import EDIT, READ, WRITE

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
