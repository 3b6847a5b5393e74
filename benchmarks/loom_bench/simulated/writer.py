"""What writes a simulated session: its messages, what runners and linters print.

A runner's kind is the first word of its style: `python`, `node`, `go`, `make`. Each style says in
its own way that all is well, or which tests failed, with what message, and how many.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

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

Failures = Sequence[tuple[str, str]]  # (id of a test or place, message)
Style = Callable[[Failures, int], str]  # what failed, how many passed → the output


def _quiet_pytest(failed: Failures, passed: int) -> str:
    if not failed:
        return f"{'.' * passed}   [100%]\n{passed} passed in 0.{passed}s"
    body = [f"E   {message}" for _, message in failed]
    tail = [f"FAILED {name} - {message}" for name, message in failed]
    return "\n".join([*body, *tail, f"{len(failed)} failed, {passed} passed in 1.{passed}s"])


def _framed_pytest(failed: Failures, passed: int) -> str:
    head = "============ test session starts ============\ncollected items"
    if not failed:
        return f"{head}\n\n============ {passed} passed in 0.{passed}s ============"
    tail = [f"FAILED {name} - {message}" for name, message in failed]
    end = f"============ {len(failed)} failed, {passed} passed in 2.{passed}s ============"
    return "\n".join([head, "== short test summary info ==", *tail, end])


def _jest(failed: Failures, passed: int) -> str:
    all_of = len(failed) + passed
    if not failed:
        return f"PASS  ./all.test.ts\nTests:       {passed} passed, {all_of} total"
    lines = [f"  ● {name}\n    {message}" for name, message in failed]
    end = f"Tests:       {len(failed)} failed, {passed} passed, {all_of} total"
    return "\n".join(["FAIL  ./all.test.ts", *lines, end])


def _mocha(failed: Failures, passed: int) -> str:
    if not failed:
        return f"  {passed} passing (31ms)"
    lines = [f"  {at}) {name}:\n     {message}" for at, (name, message) in enumerate(failed, 1)]
    return "\n".join([f"  {passed} passing (40ms)", f"  {len(failed)} failing", *lines])


def _go(failed: Failures, passed: int) -> str:
    fine = [f"ok  \texample.com/m/p{at}\t0.0{at}s" for at in range(1, min(passed, 4))]
    if not failed:
        return "\n".join(fine)
    lines = [f"--- FAIL: {name} (0.00s)\n    x_test.go:31: {message}" for name, message in failed]
    return "\n".join([*lines, "FAIL", "FAIL\texample.com/m/x\t0.013s", *fine, "FAIL"])


def _go_verbose(failed: Failures, passed: int) -> str:
    if not failed:
        return "PASS\nok  \texample.com/all\t0.102s"
    lines = [f"    x_test.go:8: {message}\n--- FAIL: {name} (0.01s)" for name, message in failed]
    return "\n".join([*lines, "FAIL", "exit status 1", "FAIL\texample.com/all\t0.044s"])


def _ruff(failed: Failures, passed: int) -> str:
    if not failed:
        return "All checks passed!"
    lines = [f"{name}: {message}" for name, message in failed]
    return "\n".join(
        [*lines, f"Found {len(failed)} errors.", "make: *** [Makefile:7: lint] Error 1"]
    )


def _eslint(failed: Failures, passed: int) -> str:
    if not failed:
        return "✔ 0 problems, everything ok"
    lines = [f"{name}  error  {message}" for name, message in failed]
    count = len(failed)
    return "\n".join([*lines, f"✖ {count} problems ({count} errors, 0 warnings)"])


OUTPUT_STYLES: dict[str, tuple[Style, Style]] = {
    "python": (_quiet_pytest, _framed_pytest),
    "node": (_jest, _mocha),
    "go": (_go, _go_verbose),
    "make": (_ruff, _eslint),
}
EXITS = ("flag", "line", "text")  # how an exit is told: by the error flag, in a line, by the text


def printed(runner: str, failed: Failures, passed: int, *, held_out: bool, exit: str) -> str:
    """The output of a run, its exit code in a line of its own where `exit` is `line`."""
    text = OUTPUT_STYLES[runner][held_out](failed, passed)
    if exit != "line":
        return text
    code = int(bool(failed))
    return f"{text}\n[exit code: {code}]" if held_out else f"Exit code {code}\n{text}"


NUMBERED = 6  # digits of a line number in a file that is read
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

    def file(self, path: str = "", lines: int = 0) -> str:
        """A file of the project, made when it is new."""
        path = path or self.words.path()
        if path not in self.files:
            self.files[path] = self.words.code(lines or self.rng.choice((30, 60, 90)))
        return path

    def read(self, *paths: str, said: str = "") -> None:
        """Reads of whole files, in one reply."""
        acts = []
        for path in paths:
            numbered = enumerate(self.files[path], 1)
            text = "\n".join(f"{at:{NUMBERED}}\t{line}" for at, line in numbered)
            acts.append(Act("read", {"path": path}, text))
            if path not in self.truth.deeds and path not in self.truth.seen:
                self.truth.seen.append(path)
        self.step(said, *acts)

    def edit(self, path: str, said: str = "", *, lost: bool = False) -> tuple[str, str]:
        """One replacement in a file; `lost`: the old text is not there. Returns old and new."""
        lines = self.files[path]
        at = self.rng.randrange(max(len(lines) - 4, 1))
        new = self.words.code(self.rng.randint(1, 4))
        old = lines[at : at + 2]
        if not lost:
            lines[at : at + 2] = new
        return self.replace(path, "\n".join(old), "\n".join(new), said, lost=lost)

    def replace(
        self, path: str, old: str, new: str, said: str = "", *, lost: bool = False, deed: str = ""
    ) -> tuple[str, str]:
        """The call of a replacement."""
        self._did(path, deed or (REFUSED if lost else EDITED))
        result = (MISSING if lost else UPDATED)[self.held_out].format(path)
        arguments = {"path": path, "old": old, "new": new}
        self.step(said, Act("edit", arguments, result, lost))
        return old, new

    def many(self, path: str) -> None:
        """Several replacements in one call: a multi edit, or a patch."""
        olds = [self.files[path][0], self.files[path][8]]
        news = ["\n".join(self.words.code(2)), "\n".join(self.words.code(1))]
        edits = [
            {"old_string": old, "new_string": new} for old, new in zip(olds, news, strict=True)
        ]
        self._did(path, EDITED)
        done = UPDATED[self.held_out].format(path)
        if self.style == "openai":
            hunks = [
                f"@@\n-{old}\n+{new.splitlines()[0]}" for old, new in zip(olds, news, strict=True)
            ]
            body = "\n".join(
                ["*** Begin Patch", f"*** Update File: {path}", *hunks, "*** End Patch"]
            )
            self.step("", Act("apply_patch", {"input": body}, done))
        else:
            name = "MultiEdit" if self.style == "claude-code" else "edit"
            self.step("", Act(name, {"file_path": path, "edits": edits}, done))

    def write(self, path: str, said: str = "") -> None:
        """A new file, its whole content in the call."""
        self.files[path] = self.words.code(self.rng.choice((12, 24)))
        content = "\n".join(self.files[path])
        self._did(path, WROTE)
        result = f"Wrote {len(content)} bytes to {path}"
        self.step(said, Act("write", {"path": path, "content": content}, result))

    def shell(self, command: str, result: str, said: str = "", *, error: bool = False) -> None:
        """A command that is no test."""
        self.step(said, Act("shell", {"command": command}, result, error))

    def run(
        self, key: RunKey, runner: str, failed: dict[str, Failure], *, exit: str, said: str = ""
    ) -> None:
        """A run of tests or of a linter; what it closes and opens becomes true."""
        truth = self.truth
        truth.runs.setdefault(key, []).append(FAIL if failed else PASS)
        for failure in truth.failures.values():
            if not failed and key in failure.closers:
                failure.open = False
        for id, failure in failed.items():
            truth.failures[id] = Failure(failure.message, failure.closers)
        listed = [(id, failure.message) for id, failure in failed.items()]
        text = printed(runner, listed, self.rng.randint(3, 30), held_out=self.held_out, exit=exit)
        self.shell(self._spelled(key, runner), text, said, error=bool(failed) and exit == "flag")

    def undo(self, path: str) -> None:
        """`git checkout` of a file: what was changed in it is gone."""
        self._did(path, REVERTED)
        self.shell(
            f"git checkout -- {path}", "Updated 1 path from the index", self._reverting(path)
        )

    def swap_back(self, path: str, old: str, new: str) -> None:
        """An edit that takes another back."""
        self.replace(path, new, old, self._reverting(path), deed=REVERTED)

    def _reverting(self, path: str) -> str:
        return self.words.say("revert", path)

    def _did(self, path: str, deed: str) -> None:
        self.truth.deeds.setdefault(path, []).append(deed)
        if deed != REFUSED:
            self.truth.changed_last = "" if deed == REVERTED else path
        if path in self.truth.seen:
            self.truth.seen.remove(path)

    def _spelled(self, key: RunKey, runner: str) -> str:
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
        self.truths.append(self.truth.copy() if known or not self.truths else self.truths[-1])
