"""What the model of a `ScriptedServer` says, told step by step."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.kit.scripted_server import Scripted, ScriptedServer, said
from tests.providers.serving.script import Line

Serve = Callable[..., ScriptedServer]
WAYS = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
Said = tuple[Any, ...]  # a text, then calls: each a name and its arguments


def stepping(steps: Sequence[Said], *, thinks: bool = False, last: str = "Done.") -> Scripted:
    """A script that takes one step after another, whatever it is sent; then it answers."""

    def script(messages: Sequence[Any], step: int) -> Line:
        text, *calls = steps[step] if step < len(steps) else (last,)
        return said(text, *calls, thought=f"Thought {step}." if thinks else "")

    return script


def survey(many: int) -> list[Said]:
    """Steps of an agent that reads: alone, two at once, with notes of its own, and notes alone."""
    steps: list[Said] = []
    for at in range(many):
        read = ("read_file", {"path": f"src/a{at}.py"})
        note = ("working", {"action": "note", "text": f"note {at}"})
        if at % 7 == 3:
            steps.append(("A note.", note))
        elif at % 7 == 5:
            steps.append(("", note, read))
        elif at % 5 == 1:
            steps.append(("Two of them.", read, ("read_file", {"path": f"src/b{at}.py"})))
        else:
            steps.append((f"Step {at}.", read))
    return steps


def text_of(path: str) -> str:
    """What stands in a file: some 5,000 characters, the same each time."""
    return "\n".join(f"{path}:{line} = {line * 7919 % 10_007}" for line in range(200))


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start scripted servers; all are stopped at last."""
    made: list[ScriptedServer] = []

    def make(steps: Any, *, thinks: bool = False, last: str = "Done.", **given: Any) -> Any:
        made.append(ScriptedServer(stepping(steps, thinks=thinks, last=last), **given))
        return made[-1]

    yield make
    for server in made:
        server.stop()


def no_fault(server: ScriptedServer, *, refused: int = 0) -> None:
    """Nothing was refused, but for so many requests at first, nor broke a rule of the provider's
    documentation."""
    assert ([one.answer for one in server.refused[refused:]], server.faults) == ([], [])
