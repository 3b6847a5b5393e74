"""What writes a simulated session: its messages, what runners and linters print.

A runner's kind is the first word of its style: `python`, `node`, `go`, `make`. Each style says in
its own way that all is well, or which tests failed, with what message, and how many.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from random import Random
from typing import Any

from msgspec import Struct

from loom.inputs import Event, Reply, Result, Speech, System, ToolCall, User
from loom_bench.sessions.acts import STYLES, Act
from loom_bench.simulated.state import (
    EDITED,
    FAIL,
    PASS,
    REFUSED,
    REVERTED,
    WROTE,
    Failure,
    RunKey,
    Truth,
    Vocabulary,
)
from loom_bench.words import words_of


class OutputStyle(Struct, frozen=True):
    """The output where all is well; where not, a beginning, lines for each failure, an end."""

    fine: str
    begins: str
    each: tuple[str, ...]
    ends: str


OUTPUT_STYLES = words_of("outputs", dict[str, tuple[OutputStyle, OutputStyle]])
EXITS = ("flag", "line", "text")  # how an exit is told: by the error flag, in a line, by the text


def printed(style: OutputStyle, failed: Mapping[str, Failure], passed: int) -> str:
    """The output of a run."""
    packages = [f"ok  \texample.com/m/p{at}\t0.0{at}s" for at in range(1, min(passed, 4))]
    given = {
        "dots": "." * passed,
        "passed": passed,
        "count": len(failed),
        "total": len(failed) + passed,
        "packages": "\n".join(packages),
    }
    if not failed:
        return style.fine.format(**given)
    lines = [
        line.format(at=at, name=name, message=failure.message)
        for line in style.each
        for at, (name, failure) in enumerate(failed.items(), 1)
    ]
    parts = (style.begins.format(**given), *lines, style.ends.format(**given))
    return "\n".join(filter(None, parts))


UPDATED = ("The file {} has been updated.", "Applied the edit to {}.")
MISSING = ("Error: the text to replace was not found in {}", "No match for old text in {}; no edit")
SUFFIXES = ("", " 2>&1 | tail -20", " 2>&1")


class SessionWriter:
    """The session while it is written: files, events, and what is true."""

    def __init__(self, seed: int, *, held_out: bool) -> None:
        self.rng = Random(f"truth:{seed}:{held_out}")
        self.words = Vocabulary(self.rng, held_out=held_out)
        self.held_out = held_out
        self.style = self.rng.choice(sorted(STYLES))
        self.truth = Truth()
        self.truths: list[Truth] = []
        self.events: list[Event] = []
        self.files: dict[str, list[str]] = {}
        self.edited: dict[str, tuple[str, str]] = {}  # the last edit of a file: old, new
        self.places = self.words.some("place", 6)  # folders scenes may still run in
        self.choices = self.words.some("choice", 10)
        self._calls = 0

    def system(self, text: str) -> None:
        """The harness's instructions."""
        self._add(System(text))

    def user(self, text: str) -> None:
        """The user says something; a reply that only waits goes before it, as in a real session."""
        if self.events and not isinstance(self.events[-1], System | User):
            self._add(Reply((Speech("I will go on when you say so."),)))
        self._add(User(text))

    def say(self, text: str) -> None:
        """The agent says something and looks on: a reply without calls."""
        self._add(Reply((Speech(text),)))
        self._add(User(self.words.one("goon")))

    def step(self, said: str, *acts: Act) -> None:
        """One reply with calls, and their results."""
        calls = [self._call(act) for act in acts]
        self._add(Reply((*((Speech(said),) if said else ()), *calls)), known=False)
        for call, act in zip(calls, acts, strict=True):
            self._add(Result(call.id, act.result, act.error))

    def file(self) -> str:
        """A new file of the project."""
        path = self.words.path()
        self.files[path] = self.words.code(self.rng.choice((30, 60, 90)))
        return path

    def read(self, *paths: str, said: str = "") -> None:
        """Reads of whole files, in one reply."""
        acts = []
        for path in paths:
            numbered = enumerate(self.files[path], 1)
            text = "\n".join(f"{at:6}\t{line}" for at, line in numbered)
            acts.append(Act("read", {"path": path}, text))
            if path not in self.truth.deeds and path not in self.truth.seen:
                self.truth.seen.append(path)
        self.step(said, *acts)

    def edit(self, path: str, said: str = "", *, lost: bool = False) -> None:
        """One replacement in a file; `lost`: the old text is not there."""
        lines = self.files[path]
        at = self.rng.randrange(max(len(lines) - 4, 1))
        new = self.words.code(self.rng.randint(1, 4))
        old = lines[at : at + 2]
        if not lost:
            lines[at : at + 2] = new
        self.edited[path] = "\n".join(old), "\n".join(new)
        self._replace(path, *self.edited[path], said, REFUSED if lost else EDITED)

    def lose(self, path: str) -> None:
        """An edit without effect."""
        self.edit(path, lost=True)

    def swap_back(self, path: str) -> None:
        """An edit that takes the last one back."""
        old, new = self.edited[path]
        self._replace(path, new, old, self.words.say("revert", path), REVERTED)

    def _replace(self, path: str, old: str, new: str, said: str, deed: str) -> None:
        lost = deed == REFUSED
        self._did(path, deed)
        result = (MISSING if lost else UPDATED)[self.held_out].format(path)
        self.step(said, Act("edit", {"path": path, "old": old, "new": new}, result, lost))

    def many(self, path: str) -> None:
        """Several replacements in one call: a multi edit, or a patch."""
        pairs = [
            (self.files[path][at], "\n".join(self.words.code(n))) for at, n in ((0, 2), (8, 1))
        ]
        self._did(path, EDITED)
        if self.style == "openai":
            hunks = "\n".join(f"@@\n-{old}\n+{new.splitlines()[0]}" for old, new in pairs)
            body = f"*** Begin Patch\n*** Update File: {path}\n{hunks}\n*** End Patch"
            name = "apply_patch"
            given: dict[str, Any] = {"input": body}
        else:
            name = "MultiEdit" if self.style == "claude-code" else "edit"
            edits = [{"old_string": old, "new_string": new} for old, new in pairs]
            given = {"file_path": path, "edits": edits}
        self.step("", Act(name, given, UPDATED[self.held_out].format(path)))

    def write(self, path: str) -> None:
        """A new file, its whole content in the call."""
        self.files[path] = self.words.code(self.rng.choice((12, 24)))
        content = "\n".join(self.files[path])
        self._did(path, WROTE)
        result = f"Wrote {len(content)} bytes to {path}"
        self.step("", Act("write", {"path": path, "content": content}, result))

    def shell(self, command: str, result: str, said: str = "", *, error: bool = False) -> None:
        """A command that is no test."""
        self.step(said, Act("shell", {"command": command}, result, error))

    def run(self, key: RunKey, runner: str, failed: dict[str, Failure], exit: str) -> None:
        """A run of tests or of a linter; what it closes and opens becomes true."""
        truth = self.truth
        truth.runs.setdefault(key, []).append(FAIL if failed else PASS)
        for failure in truth.failures.values():
            if not failed and key in failure.closers:
                failure.open = False
        for id, failure in failed.items():
            truth.failures[id] = Failure(failure.message, failure.closers)
        style = OUTPUT_STYLES[runner][self.held_out]
        text = printed(style, failed, self.rng.randint(3, 30))
        if exit == "line":
            code = int(bool(failed))
            line = f"{text}\n[exit code: {code}]", f"Exit code {code}\n{text}"
            text = line[not self.held_out]
        self.shell(self._spelled(key), text, error=bool(failed) and exit == "flag")

    def undo(self, path: str) -> None:
        """`git checkout` of a file: what was changed in it is gone."""
        self._did(path, REVERTED)
        said = self.words.say("revert", path)
        self.shell(f"git checkout -- {path}", "Updated 1 path from the index", said)

    def _did(self, path: str, deed: str) -> None:
        self.truth.deeds.setdefault(path, []).append(deed)
        if deed != REFUSED:
            self.truth.changed_last = "" if deed == REVERTED else path
        if path in self.truth.seen:
            self.truth.seen.remove(path)

    def _spelled(self, key: RunKey) -> str:
        folder, core = key
        if folder and core.startswith("make ") and self.rng.random() < 0.5:
            return core.replace("make ", f"make -C {folder} ", 1)
        command = core + self.rng.choice(SUFFIXES)
        return f"cd {folder} && {command}" if folder else command

    def _call(self, act: Act) -> ToolCall:
        name, keys = STYLES[self.style].get(act.tool, (act.tool, {}))
        arguments: dict[str, Any] = {keys.get(key, key): it for key, it in act.arguments.items()}
        self._calls += 1
        return ToolCall(f"call_{self._calls:05d}", name, json.dumps(arguments, ensure_ascii=False))

    def _add(self, event: Event, *, known: bool = True) -> None:
        """Add an event. While a reply's results are missing, what it does is not known yet."""
        self.events.append(event)
        self.truths.append(deepcopy(self.truth) if known or not self.truths else self.truths[-1])
