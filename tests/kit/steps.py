"""A script for the loopback server of `tests/providers` that says, step by step, what is wanted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.providers.serving.script import Call, Line, Tool
from tests.providers.serving.server import Server

Said = tuple[Any, ...]  # a text, then calls: each a name and its arguments


class Steps:
    """What the model says at each step: a text, and calls by name; after the last it answers."""

    def __init__(self, steps: Sequence[Said], *, thinks: bool = False, last: str = "Done.") -> None:
        self.steps, self.thinks, self.last = steps, thinks, last

    def line(self, step: int, tools: Sequence[Tool], *, broken: bool) -> Line:
        """Step `step` (from 0), whatever the tools are."""
        thought = f"Thought {step}." if self.thinks else ""
        if step >= len(self.steps):
            return Line(thought, self.last, (), True)
        text, *calls = self.steps[step]
        made = [
            Call(f"{step}x{number}", name, json.dumps(arguments))
            for number, (name, arguments) in enumerate(calls)
        ]
        return Line(thought, text, tuple(made))


def scripted(steps: Sequence[Said], *, thinks: bool = False, **given: Any) -> Server:
    """A server whose model follows the steps; stop it at last."""
    server = Server(**given)
    server.script = Steps(steps, thinks=thinks)  # type: ignore[assignment]
    return server


def survey(many: int) -> list[Said]:
    """Steps of an agent that reads: alone, two at once, with notes of its own, and notes alone."""
    steps: list[Said] = []
    for at in range(many):
        read = ("read_file", {"path": f"src/a{at}.py"})
        note = ("note", {"text": f"note {at}"})
        if at % 7 == 3:
            steps.append(("A note.", note))
        elif at % 7 == 5:
            steps.append(("", note, read))
        elif at % 5 == 1:
            steps.append(("Two of them.", read, ("read_file", {"path": f"src/b{at}.py"})))
        else:
            steps.append((f"Step {at}.", read))
    return steps
