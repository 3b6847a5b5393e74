"""Lives of 1,000 and 10,000 steps, each made once for all timings of a run.

A window of `ROOMY` tokens keeps every step resident: what a call costs at length shows there, and
nowhere else. Cuts are then timed on that window under limits that put it under pressure; nothing
of them is applied, so every timing finds the same life, longer only by the steps others gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from msgspec.structs import replace

import loom
from loom.context import Context
from loom.engine import Engine
from loom.inputs import Reply, Speech, ToolCall
from loom.policy import PRESETS
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.feed import feed
from loom_bench.sessions.generate import session
from loom_partitions.window import Window

LENGTHS = (1_000, 10_000)  # steps
ROOMY = 100_000_000
SEED, FLAVOUR = 1, "support"
REREAD = 10
TOLD = (
    "The harbour master keeps the spare key under the quokka statue."  # said first, then recalled
)
RESULT = "\n".join(f"{number:6}\tfor each line of a file there is a number" for number in range(80))


@pytest.fixture(scope="session", params=LENGTHS, ids=lambda steps: f"{steps} steps")
def steps(request: pytest.FixtureRequest) -> int:
    """How long the session before the call was."""
    return int(request.param)


@pytest.fixture(scope="session")
def ctx(
    tmp_path_factory: pytest.TempPathFactory, steps: int, step: Callable[[Context], None]
) -> Iterator[Context]:
    """A context with every step resident, its request made and its units known.

    About each tenth step reads one file again, as agents do: of the others few repeat anything.
    """
    path = tmp_path_factory.mktemp(f"steps-{steps}") / "w"
    policy = loom.Policy(own_tools=False)
    with loom.open(path, window=ROOMY, policy=policy, durable=False) as made:
        made.user(TOLD)
        others = steps - steps // REREAD
        for number, event in enumerate(session(SEED, others, flavour=FLAVOUR).events):
            feed(made, event)  # requests would change nothing here, and only take time
            if number % (2 * REREAD) == 0 and not made.calls:
                step(made)
        made.turn()
        made._engine.survey.catalog()
        yield made


@pytest.fixture(scope="session")
def engine(ctx: Context) -> Engine:
    """The engine of that context."""
    return ctx._engine


@pytest.fixture(scope="session")
def eager(ctx: Context) -> Engine:
    """An engine of the eager preset, over the same workspace."""
    made = Engine(ctx._engine.workspace, PRESETS["eager"], counter_for(), Redactor(), None)
    made.survey.catalog()
    return made


@pytest.fixture(scope="session")
def step() -> Callable[[Context], None]:
    """What gives a context one more step: a reply with a call, and its result of 4 KB."""
    numbers = count()

    def one(ctx: Context) -> None:
        call = ToolCall(f"bench_{next(numbers)}", "Read", '{"file_path": "src/main.py"}')
        ctx.reply(Reply((Speech("Let me look at that."), call)))
        ctx.result(ctx.calls[0], RESULT)

    return one


def squeezed(window: Window, rho: float) -> Window:
    """The same window with a capacity that puts it at pressure `rho`."""
    limits = window.limits
    capacity = int(window.tokens.total / rho)
    return replace(window, limits=replace(limits, window=capacity + limits.reply))
