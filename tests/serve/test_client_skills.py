"""Skills that a client of the proxy brings by its own tool stay in what the provider receives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from tests.kit.cases import all_cases, each_value
from tests.kit.scripted_server import said
from tests.providers.serving.script import Line
from tests.serve.proxied import FORMATS, ListingAgent, proxy
from tests.serve.upstream import Recorded, Upstream

STEPS = 20
RULES = "\n".join(f"{n}. RULE-{n}: never tag before step {n} is green" for n in range(24))
BODY = f"Base directory for this skill: /home/u/.claude/skills/release\n\n{RULES}"


def script(request: Recorded, n: int) -> Line | str:
    """A model that calls a skill, works on, and ends."""
    if n == 0:
        return said("", ("skill", {"name": "release"}))
    return said("Next.", ("shell", {"command": f"book {n}"})) if n < STEPS else "Done."


def run(name: str, arguments: dict[str, Any]) -> str:
    """What a tool answers: the skill's text, or lines that name the command."""
    if name == "skill":
        return f'<skill_content name="release">\n{RULES}\n</skill_content>'
    return "\n".join(f"{arguments['command']} line {number}" for number in range(200))


@all_cases(("format", "stream"), each_value(FORMATS, [True, False]))
def test_a_result_that_is_a_skill(tmp_path: Path, format: str, stream: bool) -> None:
    """In each request the provider receives it stands once, as a tool's result."""
    with Upstream(script) as up, proxy(tmp_path, up.url, 16_000) as url:
        agent = ListingAgent(format, url, run, stream=stream, headers={"x-loom-session": "a"})
        assert agent.ask("Release it.") == "Done."
    assert up.faults == []
    told = [str(request.body) for request in up.asked[1:]]
    assert [text.count("RULE-23:") for text in told] == [1] * STEPS
    assert "> 23. RULE-23:" in told[-1]


def test_a_text_behind_a_call_that_is_a_skill(tmp_path: Path) -> None:
    """It stands as the client's message gave it; what the user typed beside it is the user's."""
    typed = "Mind this:\n" + "\n".join(f"MINE-{n}: never push on day {n}." for n in range(12))
    with Upstream(script) as up, proxy(tmp_path, up.url, 16_000) as url:
        agent = ListingAgent("anthropic", url, run, headers={"x-loom-session": "a"})
        call = {"type": "tool_use", "id": "s", "name": "Skill", "input": {"skill": "release"}}
        receipt = {"type": "tool_result", "tool_use_id": "s", "content": "Launching skill: release"}
        texts = [{"type": "text", "text": text} for text in (BODY, typed)]
        agent.list += [
            {"role": "user", "content": "Release it."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [receipt, *texts]},
        ]
        up.script = lambda request, n: script(request, n + 1)
        assert agent.ask("Go on.") == "Done."
    assert up.faults == []
    told = [str(request.body) for request in up.asked]
    assert [text.count("RULE-23:") for text in told] == [1] * STEPS
    assert "> 23. RULE-23:" not in told[-1]
    assert [f"MINE-{n}:" in told[-1] for n in range(12)] == [True] * 12
