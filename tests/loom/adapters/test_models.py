"""Agents whose model is an object with one method, their clients pointed at a scripted server."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.adapters.models import wrap
from tests.kit.scripted_server import ScriptedServer, said

WINDOW = 16_000
OWN = loom.Policy(own_tools=False)


def text_of(path: str) -> str:
    """What stands in a file: some 5,000 characters, the same each time."""
    return "\n".join(f"{path}:{line} = {line * 7919 % 10_007}" for line in range(200))


def opened(folder: Path, **more: Any) -> loom.Context:
    """The workspace of an agent that has its own tools alone."""
    return loom.open(folder, window=WINDOW, durable=False, policy=OWN, **more)


def is_whole(ctx: loom.Context, many: int) -> None:
    """Every message of a list of so many has a standing entry, none of them twice."""
    entries = [one.entry for one in ctx.history.synced if one.role in ("user", "assistant")]
    assert all(entries) and len(set(entries)) == len(entries)
    assert len(ctx.history.synced) == many
    for entry in entries:
        ctx.history.restore(entry)


class Counter:
    """A model of no framework."""

    name = "counter"

    def query(self, messages: list[Any]) -> Any:
        """The number of messages."""
        return {"role": "assistant", "content": str(len(messages))}


def test_what_cannot_be_wrapped(tmp_path: Path) -> None:
    """An object of another kind, and a context that answers tools itself: typed errors."""
    with opened(tmp_path / "one") as ctx, pytest.raises(loom.UnsupportedRun):
        wrap(object(), ctx)
    with loom.open(tmp_path / "two", durable=False) as ctx, pytest.raises(loom.UnsupportedRun):
        wrap(Counter(), ctx)


def test_attributes_are_the_models(tmp_path: Path) -> None:
    """They are read from it, and set on it."""
    model = Counter()
    with opened(tmp_path / "w") as ctx:
        wrapped = wrap(model, ctx)
        assert wrapped.name == "counter"
        wrapped.name = "other"
        assert model.name == "other"
        with pytest.raises(AttributeError):
            _ = wrapped.missing
        assert wrapped.query([{"role": "user", "content": "Hi."}])["role"] == "assistant"
        assert ctx.done


# mini-swe-agent


def mini(server: ScriptedServer, folder: Path, ctx: loom.Context, **more: Any) -> Any:
    """Its agent, in a folder of files to read."""
    os.environ.update(MSWEA_SILENT_STARTUP="1", LITELLM_LOCAL_MODEL_COST_MAP="True")
    os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = str(folder / "config")
    pytest.importorskip("minisweagent", reason="mini-swe-agent is not installed")
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models.litellm_model import BASH_TOOL, LitellmModel

    ctx.tools.declare(BASH_TOOL)
    model = LitellmModel(
        model_name="openai/gpt-5",
        model_kwargs={"api_base": server.v1, "api_key": "key"},
        cost_tracking="ignore_errors",
    )
    files = folder / "files"
    files.mkdir(exist_ok=True)
    for number in range(60):
        (files / f"f{number}.py").write_text(text_of(f"f{number}.py"))
    return DefaultAgent(
        wrap(model, ctx),
        LocalEnvironment(cwd=str(files)),
        system_template="You read.",
        instance_template="{{task}}",
        cost_limit=0,
        **more,
    )


SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo done"


def reading(many: int) -> Any:
    """A script: a file, or two at once, in each of so many steps; then what was done."""

    def script(messages: Any, step: int) -> Any:
        if step >= many:
            return said("Done.", ("bash", {"command": SUBMIT}))
        again = [("bash", {"command": f"cat f{step}.py"})] * (1 + step % 3 // 2)
        return said(f"Step {step}.", *again)

    return script


def test_sixty_steps_of_mini_swe_agent(tmp_path: Path) -> None:
    """Sixty files in a small window: nothing is refused, and its own list is whole."""
    with (
        ScriptedServer(reading(60), limit=WINDOW) as server,
        opened(tmp_path / "w", goal="Read all.") as ctx,
    ):
        agent = mini(server, tmp_path, ctx)
        result = agent.run("Go on.")
        assert result == {"exit_status": "Submitted", "submission": "done\n"}
        assert [one.answer for one in server.refused] == [] and server.faults == []
        assert len(server.bodies) == 61
        assert max(one.tokens for one in server.exchanges) < WINDOW
        said_by_tools = [one["content"] for one in agent.messages if one["role"] == "tool"]
        assert len(said_by_tools) == 80 and all(len(one) > 2_000 for one in said_by_tools)
        is_whole(ctx, sum(one["role"] != "exit" for one in agent.messages) - 2)
