"""A long coding session, made up from a seed: what the prompt cache is priced on.

Reads, commands, searches and listings, every fifth step two of them at once; every 25 steps the
user lays down a rule and a constraint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from loom.inputs import Event, Reply, Result, Session, Speech, System, ToolCall, User
from loom_bench.sessions.grammar import Grammar
from loom_bench.sessions.material import Material

CALLS = 300
EVERY = 25  # steps between what the user lays down
PARALLEL = 5  # every so many steps two calls at once

Work = Callable[[Material], tuple[dict[str, str], str]]


def _read(material: Material) -> tuple[dict[str, str], str]:
    lines = material.code(material.rng.randint(40, 146))
    return {"path": material.path()}, "\n".join(lines)


def _shell(material: Material) -> tuple[dict[str, str], str]:
    lines = material.log(material.rng.randint(10, 43))
    return {"command": f"make {material.noun()} 2>&1 | tail"}, "\n".join(lines)


def _search(material: Material) -> tuple[dict[str, str], str]:
    lines = [
        f"{material.path()}:{material.rng.randint(1, 900)}:{material.code_line()}"
        for _ in range(material.rng.randint(13, 66))
    ]
    return {"pattern": material.name()}, "\n".join(lines)


def _list(material: Material) -> tuple[dict[str, str], str]:
    lines = [material.path() for _ in range(material.rng.randint(70, 182))]
    return {"path": material.path().rpartition("/")[0]}, "\n".join(lines)


WORK: dict[str, Work] = {"read": _read, "shell": _shell, "search": _search, "list": _list}


def trajectory(seed: int, calls: int = CALLS) -> Session:
    """A session of `calls` replies; of 300 it has some 690 messages and 310,000 tokens."""
    rng = Random(f"cache:{seed}")
    material, grammar = Material(rng), Grammar(rng)
    events: list[Event] = [System(f"You are a careful engineer.\n\n{material.prose(12)}")]
    for step in range(calls):
        if step % EVERY == 0:
            events.append(User(f"{material.sentence()} {grammar.constraint()}"))
            around = [material.sentence() for _ in range(5)]
            events.append(User(grammar.talk(grammar.constraint(), around)))
        asked, results = [], []
        for number in range(2 if step % PARALLEL == PARALLEL - 1 else 1):
            name = rng.choice(sorted(WORK))
            arguments, text = WORK[name](material)
            id = f"call_{step:04d}_{number}"
            asked.append(ToolCall(id, name, json.dumps(arguments)))
            results.append(Result(id, text))
        events += [Reply((Speech(material.sentence()), *asked)), *results]
    return Session(f"made-up-{seed}", tuple(events), "generated")
