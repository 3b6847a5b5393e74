"""No word of one agent stands with another, but through goal, grants and capsule.

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
from typing import Any

import loom
from loom.providers.formats import FORMATS
from loom_partitions.limits import Budget
from loom_partitions.message import Step

DEEPEST = 3
LEFT_OUT = Budget(steps=0, step_tokens=0, files=0, bytes=0, seconds=0, agents=0)
HALF = re.compile(rb"zq[0-9a-f]{12}|qz[0-9a-f]{8}")  # of a token
PATIENCE = 120.0  # seconds until a child that does not come counts as hung


class Told:
    """What all agents of a run tell: its requests, and who may hold which token."""

    def __init__(self) -> None:
        self.sent: dict[str, str] = {}  # agent → all its requests
        self.holders: dict[str, list[str]] = {}  # token → the agents that must hold it, alone
        self.whence: dict[str, str] = {}


class Agent:
    """One agent of a run: it is given texts, works, spawns others, and delivers."""

    def __init__(self, ctx: loom.Context, folder: Path, seed: int, told: Told) -> None:
        self.ctx = ctx
        self.folder = folder
        self.path = str(folder)
        self.random = Random(seed)
        self.told = told
        self.sent: list[str] = []

    def token(self, kind: str, *others: str) -> str:
        """A new token, which this agent and `others` are to hold."""
        made = f"zq{self.random.getrandbits(48):012x}界ö"
        made += f"qz{self.random.getrandbits(32):08x}"
        self.told.holders[made] = [self.path, *others]
        self.told.whence[made] = f"{kind} of {self.path}"
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
        self.told.sent[self.path] = "\n".join(self.sent)

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

    def step(self, least: int = 1) -> str:
        """A step: said, called with arguments, answered, large or small; the result's token."""
        ctx, token = self.ctx, self.token
        id = f"c{ctx.window.history.next_id}"
        arguments = json.dumps(
            {"path": token("arguments")}, ensure_ascii=self.random.random() < 0.5
        )
        call = loom.ToolCall(id, "read_file", arguments)
        ctx.reply(loom.Reply((loom.Speech(f"I look: {token('speech')}"), call)))
        made = token("result")
        lines = self.random.choice((1, 60, 300))
        ctx.result(id, f"{made}\n" + "a line of the output\n" * max(least, lines))
        self.look()
        return made

    def look(self) -> None:
        """A request in each format."""
        turn = self.ctx.turn()
        self.sent += [_said(turn.request(one)) for one in FORMATS]

    def paged(self) -> tuple[str, str]:
        """A page of this agent and the token in it."""
        made = self.step(least=100)
        last = next(
            item for item in self.ctx.window.history.stream.entries_back if isinstance(item, Step)
        )
        return last.outcomes[0].reduction.outcome_ref, made

    def raise_children(self, depth: int) -> None:
        """Spawn some, let them live at once, and join them: some here, some after a reopening."""
        born = []
        for number in range(self.random.choice((1, 1, 2)) if depth == 0 else 1):
            name = f"child-{number}"
            home = self.folder / "agents" / name
            page, granted = self.paged()
            self.told.holders[granted].append(str(home))
            goal = f"Find it. {self.token('goal', str(home))}"
            memory = loom.Memory(Path(f"{home}-beside") / "memory")
            child = self.ctx.agents.spawn(
                goal,
                name=name,
                pages=[page],
                budget=LEFT_OUT,
                durable=False,
                capabilities=[memory],
                window=8_192,
            )
            born.append((child, home, self.random.getrandbits(32), self.told, depth + 1))
        with ThreadPoolExecutor(len(born)) as pool:
            list(pool.map(lambda one: lived(*one), born))
        for capsule in self.ctx.agents.wait(timeout=PATIENCE):
            assert capsule.ok, capsule
        self.look()


def lived(ctx: loom.Context, home: Path, seed: int, told: Told, depth: int) -> None:
    """Live a child's life on a thread, up to its result: a summary and a page for its parent."""
    with ctx:
        agent = Agent(ctx, home, seed, told)
        agent.work(depth)
        parent = str(home.parent.parent)
        page, handed = agent.paged()
        told.holders[handed].append(parent)
        # The summary is not in the child's journal, but its capsule lies in the child's folder.
        ctx.agents.deliver(f"It is {agent.token('summary', parent)}", artefacts=[page])
        told.sent[agent.path] = "\n".join(agent.sent)


def _said(request: dict[str, Any]) -> str:
    """A request as a text; the opaque bytes of a signature as Python writes them."""
    return json.dumps(request, ensure_ascii=False, default=repr)


def files(folder: Path) -> bytes:
    """Every byte of one agent: of its files, not of those of the agents below it."""
    own = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return b"\0".join(
        str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes()
        for path in own
        if path.relative_to(folder).parts[0] != "agents"
    )


def leaks(told: Told) -> list[str]:
    """Who holds what is not his, and who lacks what he was given.

    Either half of a token is looked for, as what stands between them may be escaped. What is kept
    beside the workspace need not stand in it.
    """
    found = []
    for agent in told.sent:
        held = set(HALF.findall(files(Path(agent)) + told.sent[agent].encode()))
        for token, holders in told.holders.items():
            stands = any(half.encode() in held for half in token.split("界ö"))
            beside = told.whence[token].startswith("long-term")
            if stands != (agent in holders) and (stands or not beside):
                verb = "holds" if stands else "lacks"
                found.append(f"{agent} {verb} the {told.whence[token]}")
    return found


def test_nothing_leaks_in_a_family(tmp_path: Path) -> None:
    """Agents that live at once, three deep: each token stands where it may, and where it must."""
    with loom.open(
        tmp_path / "w", capabilities=[loom.Memory(tmp_path / "m")], window=8_192, durable=False
    ) as ctx:
        agent = Agent(ctx, tmp_path / "w", 3, Told())
        agent.work(0)
        assert len(agent.told.sent) > 1 and leaks(agent.told) == []
