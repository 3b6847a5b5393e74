"""The five partitions and C_working of the third document."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.providers.render.dashboard import Dashboard
from loom_partitions.limits import Tokens
from loom_partitions.state import PROTECTION
from tests.kit.opened import PLAIN, Open
from tests.kit.pressed import Life
from tests.kit.requests import request
from tests.kit.standins import TooLong
from tests.kit.step import act, step


def test_partitions(lived: Life) -> None:
    """C = system + memory + skill + history + working: the five make the request, to the token."""
    tokens = lived.ctx.turn().pressure.tokens
    assert Tokens.__struct_fields__ == ("system", "memory", "skill", "history", "working")
    assert all(getattr(tokens, name) > 0 for name in Tokens.__struct_fields__)
    assert tokens.total == sum(getattr(tokens, name) for name in Tokens.__struct_fields__)


@pytest.mark.parametrize("name", ["system", "working"])
def test_never_compressed(lived: Life, name: str) -> None:
    """No cut changes a byte of C_system or C_working; the certificate of each says so."""
    ctx, cuts = lived.ctx, lived.cuts
    assert len(cuts) > 2
    assert all(name in cut.certificate.protected for cut in cuts)
    assert ctx.window.system.current[0].text.body == "You are careful."
    assert [item.text for item in ctx.window.working.plan] == ["read", "port"]


def test_memory_rarely(lived: Life) -> None:
    """No level touches C_memory; it stands word for word after every cut."""
    assert all("memory" in cut.certificate.protected for cut in lived.cuts)
    assert "Never push to main." in request(lived.ctx)


def skilled(opened: Open, folder: Path, **given: Any) -> loom.Context:
    """A context with two skills, each with a body of about 400 tokens, and room for one."""
    said = {"gif-making": "Make animated GIFs from frames.", "log-reading": "Read server logs."}
    for name, text in said.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        body = "".join(f"rule {n} of {name}\n" for n in range(60))
        head = f"---\nname: {name}\ndescription: {text}\n---\n"
        (folder / name / "SKILL.md").write_text(head + body)
    return opened(**{"window": 6_000, "capabilities": [loom.Skills(folder)], **given})


@pytest.mark.exact
def test_skill_on_demand(opened: Open, tmp_path: Path) -> None:
    """Skills are listed; a body comes in when it is used, and the one unused longest leaves."""
    ctx = skilled(opened, tmp_path / "skills")
    assert "gif-making" in request(ctx) and "rule 1 of gif-making" not in request(ctx)
    ctx.skills.use("gif-making")
    assert "rule 1 of gif-making" in request(ctx)
    ctx.skills.use("log-reading")
    ctx.renew()
    assert "rule 1 of log-reading" in request(ctx)
    assert "rule 1 of gif-making" not in request(ctx)


def test_skill_by_description(opened: Open, tmp_path: Path) -> None:
    """A skill whose description fits the goal comes in without being named."""
    goal = "Please make animated GIFs from these frames."
    assert "rule 1 of gif-making" in request(skilled(opened, tmp_path / "skills", goal=goal))


def test_history_first(lived: Life) -> None:
    """Every cut takes its tokens from C_history alone."""
    for cut in lived.cuts:
        before, after = cut.certificate.before, cut.certificate.after
        assert after.history < before.history
        assert (before.system, before.memory, before.skill) == (
            after.system, after.memory, after.skill,
        )  # fmt: skip


@pytest.mark.exact
@pytest.mark.parametrize(
    ("most", "left"), [(2_700, ["memory"]), (1_700, [])], ids=["skills first", "then memory"]
)
def test_protection(opened: Open, most: int, left: list[str]) -> None:
    """What cannot stay leaves in the documented order: history, then skills, then memory."""
    assert PROTECTION == ("system", "working", "memory", "skill", "history")
    roomy = replace(PLAIN, tuning=replace(PLAIN.tuning, memory_share=1.0, skill_share=1.0))
    ctx = opened(window=8_192, reply=4_096, policy=roomy)
    ctx.memory.remember("AGENTS.md", "Mind the memory. " * 250)
    ctx.skills.activate("release", "Mind the skill. " * 250)
    step(ctx, 40)
    ctx.turn()
    ctx.overflowed(TooLong(f"prompt is too long: 2600 tokens > {most} maximum"))
    tokens = ctx.turn().pressure.tokens
    assert [name for name in ("memory", "skill") if getattr(tokens, name)] == left
    assert tokens.history < 400


FIELDS: dict[str, Callable[[loom.Context, Any], bool]] = {
    "rho": lambda ctx, value: abs(value - ctx.pressure.rho) < 0.01,
    "token_budget": lambda ctx, value: abs(value - ctx.pressure.budget) < 100,
    "goal_progress": lambda ctx, value: value == "a third",
    "error_count": lambda ctx, value: value == 1,
    "depth": lambda ctx, value: value == 0,
    "last_hb_ts": lambda ctx, value: abs(value - time.time()) < 600,
    "interrupt_requested": lambda ctx, value: value is True,
}


def test_dashboard(opened: Open) -> None:
    """The dashboard has exactly the seven documented fields, each with the value of now."""
    assert Dashboard.__struct_fields__ == tuple(FIELDS)
    ctx = opened(goal="Port it.")
    act(ctx, "Bash", {"command": "make"}, "boom", error=True)
    ctx.working.progress("a third")
    ctx.events.signal("ci-1", "the build broke", urgency="critical")
    ctx.turn()
    for field, holds in FIELDS.items():
        assert holds(ctx, getattr(ctx.working.dashboard, field)), field


SURFACES = {
    "plan": "plan [>] port the reader",
    "pending events": "event ci-1 (high) build: the build broke",
    "active risks": "risk disk (normal, defer): the disk is full",
    "active questions": "question q1: which encoding?",
    "evidence packs": "evidence v1 (0.8): it is little endian",
    "scratchpad": "scratchpad: look at the tests",
}


def test_working_surface(opened: Open) -> None:
    """Each documented part of C_working stands on the dashboard the model reads."""
    ctx = opened(goal="Port it.")
    ctx.working.plan([("port the reader", "doing")])
    ctx.events.signal("ci-1", "the build broke", kind="build", urgency="high")
    ctx.events.signal("disk", "the disk is full")
    ctx.events.acknowledge("disk", "defer")
    ctx.working.ask("q1", "which encoding?")
    ctx.working.evidence("v1", "it is little endian", confidence=0.8)
    ctx.working.scratch("look at the tests")
    ctx.turn()
    assert [one for one in SURFACES.values() if one not in request(ctx)] == []
