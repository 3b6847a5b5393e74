"""The three clients by one set of verbs: a first prompt, a further one, a fork."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.serve.clients import Run, claude, codex, opencode
from tests.serve.scripts import SHELLS


class Agent(NamedTuple):
    """A client, the window it is served with, and how many lines a step of it prints.

    `on` and `fork` take the URL, the home, the session and a prompt; `session` tells it of a run.
    `workspace` begins the name of a session's folder.
    """

    name: str
    window: int
    lines: int
    first: Callable[[str, Path, str], Run]
    on: Callable[[str, Path, str, str], Run]
    fork: Callable[[str, Path, str, str], Run]
    session: Callable[[Run], str]
    well: Callable[[Run], bool]
    shell: str

    def command(self, line: str) -> tuple[str, dict[str, str]]:
        """A call of its shell."""
        more = {} if self.shell == "exec_command" else {"description": "Numbers"}
        return self.shell, {SHELLS[self.shell]: line, **more}


CLAUDE = Agent(
    "claude",
    128_000,
    2_000,
    claude,
    lambda url, home, session, prompt: claude(url, home, prompt, "--resume", session),
    lambda url, home, session, prompt: claude(
        url, home, prompt, "--resume", session, "--fork-session"
    ),
    lambda run: str(run.lines[0]["session_id"]),
    lambda run: not run.code and run.lines[0]["is_error"] is False,
    "Bash",
)
CODEX = Agent(
    "codex",
    48_000,
    800,
    codex,
    lambda url, home, session, prompt: codex(url, home, "resume", session, prompt),
    lambda url, home, session, prompt: codex(url, home, "fork", session, prompt),
    lambda run: str(run.lines[0]["thread_id"]),
    lambda run: not run.code and run.lines[-1]["type"] == "turn.completed",
    "exec_command",
)
OPENCODE = Agent(
    "opencode",
    48_000,
    800,
    opencode,
    lambda url, home, session, prompt: opencode(url, home, prompt, "--session", session),
    lambda url, home, session, prompt: opencode(url, home, prompt, "--session", session, "--fork"),
    lambda run: str(run.lines[0]["sessionID"]),
    lambda run: not run.code and all(line["type"] != "error" for line in run.lines),
    "bash",
)
AGENTS = (CLAUDE, CODEX, OPENCODE)
