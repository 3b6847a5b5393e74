"""No word of one agent stands with another, but through goal, grants and result.

Every text an agent is given or makes carries a token of its own. After a run each token is looked
for in every byte of every agent's folder and in every request it sent, however it is escaped. Who
may hold a token is written down where it is planted, and who must.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import loom
from loom.providers.formats import FORMATS
from loom_partitions.limits import Budget
from tests.kit.step import last_step

DEEPEST = 3
LEFT_OUT = Budget(steps=0, step_tokens=0, files=0, bytes=0, seconds=0, agents=0)
HALF = re.compile(rb"zq[0-9a-f]{12}|qz[0-9a-f]{8}")  # of a token
PATIENCE = 120.0  # seconds until a child that does not come counts as hung

Holders = dict[str, tuple[str, list[Path]]]  # token → its kind, the agents that must hold it, alone


class Agent:
    """One agent of a run: it is given texts, works, spawns others, and delivers."""

    def __init__(self, ctx: loom.Context, folder: Path, seed: int, told: Holders) -> None:
        self.ctx, self.folder, self.random, self.told = ctx, folder, Random(seed), told
        self.sent, self.below = "", list[Agent]()

    def token(self, kind: str, *others: Path) -> str:
        """A new token, which this agent and `others` are to hold."""
        made = f"zq{self.random.getrandbits(48):012x}界öqz{self.random.getrandbits(32):08x}"
        self.told[made] = kind, [self.folder, *others]
        return made

    def work(self, depth: int) -> None:
        """A life: texts of every kind, steps, cuts, renewals, and children while it may."""
        self.furnish()
        for _ in range(self.random.randint(1, 2)):
            self.step()
        if depth < DEEPEST and (depth == 0 or self.random.random() < 0.6):
            self.raise_children(depth)
        for _ in range(self.random.randint(1, 2)):
            self.step()
        if self.random.random() < 0.6:
            self.ctx.renew()
        self.look()

    def furnish(self) -> None:
        """One text of each kind an agent can be given."""
        ctx, token = self.ctx, self.token
        ctx.system(f"You are careful. {token('system')}")
        ctx.user(f"The user says {token('user')}")
        ctx.user(f"A long one {token('long user')} " + "and more of it " * 300)
        ctx.memory.remember("lesson", f"Learnt: {token('memory')}")
        ctx.skills.activate("way", f"How to: {token('skill')}")
        ctx.working.plan([f"first {token('plan')}", (f"then {token('plan')}", "doing")])
        ctx.working.note(f"jotted {token('note')}")
        ctx.working.note(f"jotted at length {token('long note')} " + "with words " * 300)
        ctx.working.ask("q1", f"Is it {token('question')}?")
        ctx.working.evidence("e1", f"It is {token('evidence')}", facts=[token("fact")])
        ctx.events.signal("s1", f"It rings {token('event')}", urgency="high")
        ctx.working.progress(f"begun {token('progress')}")
        ctx.memory.save(f"kept for good {token('long-term')}")

    def step(self, *others: Path) -> str:
        """A step: said, called with arguments, answered; with `others` it has a page, whose name is
        returned, and they hold its token too."""
        ctx, token, id = self.ctx, self.token, f"c{self.ctx.window.history.next_id}"
        escaped = self.random.random() < 0.5
        arguments = json.dumps({"path": token("arguments")}, ensure_ascii=escaped)
        call = loom.ToolCall(id, "read_file", arguments)
        ctx.reply(loom.Reply((loom.Speech(f"I look: {token('speech')}"), call)))
        lines = max(100 if others else 1, self.random.choice((1, 60, 300)))
        ctx.result(id, f"{token('result', *others)}\n" + "a line of the output\n" * lines)
        self.look()
        return str(last_step(ctx).outcomes[0].reduction.outcome_ref)

    def look(self) -> None:
        """A request in each format; the opaque bytes of a signature as Python writes them."""
        turn = self.ctx.turn()
        for one in FORMATS:
            self.sent += json.dumps(turn.request(one), ensure_ascii=False, default=repr)

    def raise_children(self, depth: int) -> None:
        """Spawn some, let them live at once, and join them."""
        for number in range(self.random.choice((1, 1, 2)) if depth == 0 else 1):
            home = self.folder / "agents" / f"child-{number}"
            child = self.ctx.agents.spawn(
                f"Find it. {self.token('goal', home)}",
                name=home.name,
                pages=[self.step(home)],
                budget=LEFT_OUT,
                capabilities=[loom.Memory(Path(f"{home}-beside") / "memory")],
                window=8_192,
            )
            self.below.append(Agent(child, home, self.random.getrandbits(32), self.told))
        with ThreadPoolExecutor(len(self.below)) as pool:
            list(pool.map(lambda one: one.live(depth + 1, self.folder), self.below))
        for result in self.ctx.agents.wait(timeout=PATIENCE):
            assert result.ok, result
        self.look()

    def live(self, depth: int, parent: Path) -> None:
        """Live a child's life, up to its result: a summary and a page for its parent."""
        with self.ctx as ctx:
            self.work(depth)
            page = self.step(parent)
            # The summary is not in the child's journal, but its result lies in the child's folder.
            ctx.agents.deliver(f"It is {self.token('summary', parent)}", artefacts=[page])

    def everybody(self) -> list[Agent]:
        """This agent and all below it."""
        return [self, *(one for child in self.below for one in child.everybody())]


def held(agent: Agent) -> set[bytes]:
    """Halves of tokens in the files of one agent, not those of the agents below it, and in what it
    sent: what stands between the two halves may be escaped."""
    found = set(HALF.findall(agent.sent.encode()))
    for path in agent.folder.rglob("*"):
        inside = path.relative_to(agent.folder)
        if path.is_file() and inside.parts[0] != "agents":
            found.update(HALF.findall(str(inside).encode() + b"\0" + path.read_bytes()))
    return found


def leaks(first: Agent) -> list[str]:
    """Who holds what is not his, and who lacks what he was given. What is kept beside the workspace
    need not stand in it."""
    found = []
    for agent in first.everybody():
        halves = held(agent)
        for token, (kind, holders) in first.told.items():
            stands = any(half.encode() in halves for half in token.split("界ö"))
            if stands != (agent.folder in holders) and (stands or kind != "long-term"):
                verb = "holds" if stands else "lacks"
                found.append(f"{agent.folder} {verb} the {kind} of {holders[0]}")
    return found


def test_nothing_leaks_in_a_family(tmp_path: Path) -> None:
    """Agents that live at once, three deep: each token stands where it may, and where it must."""
    with loom.open(
        tmp_path / "w", capabilities=[loom.Memory(tmp_path / "m")], window=8_192, durable=False
    ) as ctx:
        agent = Agent(ctx, tmp_path / "w", 3, {})
        agent.work(0)
        assert agent.below and leaks(agent) == []
