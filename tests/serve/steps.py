"""A model whose steps are told by its users' words, through a proxy that cuts what it is sent.

A prompt says how many steps of which word: "Run 40 steps of amber." Each step is a command that
prints the word and numbers, and keeps what it printed in a file of that name in the client's
folder. So a word in a request tells whose it is, and the files tell what the client must have said.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from tests.kit.scripted_server import said
from tests.serve.scripts import DONE, SHELLS, compacting, listed
from tests.serve.upstream import Recorded

PROMPT = re.compile(r"Run (\d+) steps of (\w+)(?: in part (\d+))?")
DELEGATED = re.compile(r"Take (\d+) steps of (\w+)(?: in part (\d+))?")
NAMES = ("x-claude-code-session-id", "thread-id", "x-session-id")
SUB = ("x-claude-code-agent-id", "x-openai-subagent", "x-parent-session-id")
Odd = Callable[[Recorded], Any]


def session(request: Recorded) -> str:
    """The session a request names, a sub-agent's apart from that of its parent."""
    named = (*NAMES, "x-claude-code-agent-id")
    return " ".join(request.headers[name] for name in named if name in request.headers)


def delegated(request: Recorded) -> bool:
    """Whether a sub-agent asks."""
    return any(name in request.headers for name in SUB)


class Steps:
    """The script: `lines` printed by a step, and what is said in place of a step, by its number
    in a session; where that is None the step is taken."""

    def __init__(self, lines: int, odd: Mapping[int, Odd] | None = None) -> None:
        self.words: dict[str, set[str]] = {}  # by session, whose words may stand in its requests
        self._lines, self._odd = lines, dict(odd or {})
        self._prompt: dict[str, re.Match[str]] = {}
        self._done: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._lock = Lock()

    def __call__(self, request: Recorded, n: int) -> Any:
        """What the model says."""
        shell = next((tool for tool in request.tools if tool in SHELLS), "")
        if not shell or compacting(request):
            return DONE
        name = session(request)
        with self._lock:
            pattern = DELEGATED if delegated(request) else PROMPT
            for found in _prompts(request, pattern):
                self._prompt[name] = max(self._prompt.get(name, found), found, key=_part)
            prompt = self._prompt[name]
            self.words.setdefault(name, set()).add(prompt[2])
            self._asked[name] += 1
            odd = None if delegated(request) else self._odd.get(self._asked[name])
            if odd is not None and (line := odd(request)) is not None:
                return line
            key = f"{name} {prompt[0]}"
            if self._done[key] >= int(prompt[1]):
                return DONE
            self._done[key] += 1
            return self._step(shell, prompt[2], n)

    def _step(self, shell: str, word: str, n: int) -> Any:
        command = f"(echo {word} {n}; seq {n} {n + self._lines}) | tee {word}-{n}.out"
        more = {} if shell == "exec_command" else {"description": "Numbers"}
        return said(f"Step {n} of {word}.", (shell, {SHELLS[shell]: command, **more}))


def mixed(steps: Steps, asked: list[Recorded], known: Mapping[str, str]) -> list[str]:
    """The words found in requests of sessions they are not of; `known` are all words, each with
    the word of its parent's session ("" for none)."""
    found = []
    for request in asked:
        words = steps.words.get(session(request), set())
        also = {word for word, parent in known.items() if parent in words}
        said = json.dumps(request.body)
        found += [word for word in known if word not in words | also and word in said]
    return found


def printed(work: Path) -> list[str]:
    """What the commands printed, less the end of the last line."""
    return [path.read_text().rstrip("\n") for path in sorted(work.glob("*.out"))]


def _prompts(request: Recorded, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """What a pattern finds in the texts of users' messages, results of tools apart."""
    for item in listed(request):
        if item.get("role") == "user":
            content = item.get("content")
            blocks = content if isinstance(content, list) else [{"text": content}]
            yield from pattern.finditer("\n".join(str(block.get("text", "")) for block in blocks))


def _part(prompt: re.Match[str]) -> int:
    """An older prompt may be quoted behind a newer one."""
    return int(prompt[3] or 1)
