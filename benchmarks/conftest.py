"""Workspaces of 1,000 and 10,000 steps, made once for all timings of a run.

A window of `ROOMY` tokens keeps every step resident: what a call costs at length shows there, and
nowhere else. Cuts are then timed on that window under limits that put it under pressure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from benchmarks.generate import session
from loom.context import Context
from loom.engine import Engine
from loom.engine.archive.workspace import Workspace
from loom.inputs import Reply
from loom.policy import policy_of
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.feed import feed
from loom_partitions.window import Window

LENGTHS = (1_000, 10_000)  # steps
ROOMY = 100_000_000
SMALL = 32_000
SEED, FLAVOUR = 1, "support"


@pytest.fixture(scope="session", params=LENGTHS, ids=lambda steps: f"{steps} steps")
def steps(request: pytest.FixtureRequest) -> int:
    """How long the session before the call was."""
    return int(request.param)


@pytest.fixture(scope="session")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, int], Path]:
    """Workspaces by steps and window, each made when it is first asked for."""

    @cache
    def made(steps: int, window: int) -> Path:
        path = tmp_path_factory.mktemp(f"steps-{steps}-window-{window}")
        with loom.open(
            path, window=window, policy=loom.Policy(own_tools=False), durable=False
        ) as ctx:
            for event in session(SEED, steps, flavour=FLAVOUR).events:
                # Where all of it fits, requests change nothing and would only take time.
                if isinstance(event, Reply) and window < ROOMY:
                    ctx.turn()
                feed(ctx, event)
            ctx.turn()
        return path

    return made


@pytest.fixture
def ctx(workspaces: Callable[[int, int], Path], steps: int) -> Iterator[Context]:
    """A context with every step resident, its request made."""
    path = workspaces(steps, ROOMY)
    with loom.open(path, policy=loom.Policy(own_tools=False), durable=False) as context:
        context.turn()
        yield context


@pytest.fixture
def engine(workspaces: Callable[[int, int], Path], steps: int) -> Iterator[Engine]:
    """The engine of such a context."""
    workspace = Workspace.at_path(workspaces(steps, ROOMY), durable=False)
    policy = policy_of(workspace.window)
    yield Engine(workspace, policy, counter_for(), Redactor(), None)
    workspace.close()


def squeezed(window: Window, rho: float) -> Window:
    """The same window with a capacity that puts it at pressure `rho`."""
    limits = window.limits
    capacity = int(window.tokens.total / rho)
    return replace(window, limits=replace(limits, window=capacity + limits.reply))
