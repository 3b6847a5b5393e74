"""A tree of agents never takes more than its first one's budget, in whatever order things are done.

Every agent spawns, forks, takes steps, hands files over, is closed, opened again and given up. What
all of them have done is counted by the test itself, not asked of Loom.
"""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import loom
from loom.capabilities.agents.child_budget import remaining_figures
from loom.errors import BudgetSpent, LoomError
from loom_partitions.limits import Budget

OWN = Budget(steps=30, step_tokens=900, files=6, bytes=6_000, seconds=0, depth=3, agents=20)
POOLS = ("steps", "files", "bytes", "agents")
ASKED = st.one_of(
    st.none(),
    st.builds(
        Budget,
        steps=st.sampled_from([0, 1, 5, 99]),
        step_tokens=st.sampled_from([0, 100, 9_999]),
        files=st.sampled_from([-1, 0, 2, 99]),
        bytes=st.sampled_from([-1, 0, 2_000, 99_999]),
        seconds=st.just(0),
        depth=st.sampled_from([0, 2, 99]),
        agents=st.sampled_from([-1, 0, 3, 99]),
    ),
)
WHO = st.integers(0, 99)


class TreeOfAgents(RuleBasedStateMachine):
    """The first agent and all below it, by the folders they live in; open or closed."""

    @initialize()
    def begin(self) -> None:
        """Spawn the first agent with a budget, below one that has none."""
        self.folder = Path(tempfile.mkdtemp())
        root = loom.open(self.folder / "w", goal="Survey.", window=16_000, durable=False)
        self.used = dict.fromkeys(POOLS, 0)
        self.root = root
        self.places = [self.folder / "w/agents/first"]
        self.depths = [1]
        self.live = {0: root.agents.spawn("Work.", name="first", budget=OWN)}

    def at(self, who: int) -> tuple[int, loom.Context]:
        """Return an agent, opened again where it was closed."""
        number = who % len(self.places)
        if number not in self.live:
            self.live[number] = loom.open(self.places[number], durable=False)
        return number, self.live[number]

    def joined_in(self, child: loom.Context, place: Path, depth: int) -> None:
        """Count a new agent."""
        self.live[len(self.places)] = child
        self.places.append(place)
        self.depths.append(depth)
        self.used["agents"] += 1

    @rule(who=WHO, asked=ASKED)
    def spawn(self, who: int, asked: Budget | None) -> None:
        """Let an agent spawn one."""
        number, ctx = self.at(who)
        name = f"a{len(self.places)}"
        with suppress(BudgetSpent, LoomError):
            child = ctx.agents.spawn("On.", name=name, budget=asked)
            self.joined_in(child, self.places[number] / "agents" / name, self.depths[number] + 1)

    @rule(who=WHO)
    def fork(self, who: int) -> None:
        """Let an agent be copied."""
        number, ctx = self.at(who)
        name = f"f{len(self.places)}"
        with suppress(BudgetSpent):
            copy = ctx.agents.fork(name)
            self.joined_in(copy, self.places[number] / "forks" / name, self.depths[number])

    @rule(who=WHO, times=st.integers(1, 4))
    def step(self, who: int, times: int) -> None:
        """Let an agent take steps, each with a result that has a page."""
        _, ctx = self.at(who)
        with suppress(BudgetSpent, loom.OverCapacity):
            for _ in range(times):
                id = f"c{ctx.window.history.next_id}"
                ctx.reply(loom.Reply((loom.ToolCall(id, "look", "{}"),)))
                self.used["steps"] += 1
                ctx.result(id, "many words " * 150)

    @rule(who=WHO)
    def deliver(self, who: int) -> None:
        """Let an agent hand over its first page, once."""
        _, ctx = self.at(who)
        pages = [name for name in ctx._engine.workspace.store.names("outputs/") if "look" in name]
        with suppress(BudgetSpent, loom.BadInput):
            made = ctx.agents.deliver("Done.", artefacts=sorted(pages)[:1])
            self.used["files"] += len(made.artefacts)
            self.used["bytes"] += sum(one.size for one in made.artefacts)

    @rule(who=WHO)
    def close(self, who: int) -> None:
        """Close an agent: whoever opens it again has its journal and no more."""
        number = who % len(self.places)
        if number in self.live:
            self.live.pop(number).close()

    @rule(who=WHO)
    def give_up(self, who: int) -> None:
        """Let an agent give up one below it: its share does not come back."""
        _, ctx = self.at(who)
        for name in list(ctx.agents.children)[:1]:
            ctx.agents.give_up(name, "enough")
            ctx.agents.join(name)

    @invariant()
    def within(self) -> None:
        """Hold that what was used and could still be used is within the first one's budget."""
        if not hasattr(self, "used"):
            return
        rest = dict.fromkeys(POOLS, 0.0)
        for ctx in self.live.values():
            budget = ctx.window.config.budget
            assert budget is not None and 0 < budget.step_tokens <= OWN.step_tokens
            assert 0 < budget.depth <= OWN.depth
            for name, value in remaining_figures(ctx._engine).items():
                if name in rest:
                    rest[name] += value
        for name in POOLS:
            assert self.used[name] + rest[name] <= getattr(OWN, name), name
        assert max(self.depths) <= OWN.depth

    def teardown(self) -> None:
        """Close everything."""
        for ctx in self.live.values():
            ctx.close()
        self.root.close()
        shutil.rmtree(self.folder)


TestTreeOfAgents = TreeOfAgents.TestCase
TestTreeOfAgents.settings = settings(max_examples=6, stateful_step_count=25, deadline=None)
