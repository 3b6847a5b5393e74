"""A project for a replay: AGENTS.md files and skills of three times what their partitions may hold.

Made from the window's size and the number of the turn alone, so a replay can be repeated.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import loom
from loom.policy import Policy
from loom_bench.sessions.material import Material

TIMES = 3  # their budgets
DEEP = ("services", "billing", "ledger")  # the working folder; one further down is edited
SKILLS = 9
PACE, EDITS = 5, 20  # turns between two uses of a skill, and between two edits of a guide
CHARS = 3  # of a token, at least: the texts are English


def make(root: Path, window: int) -> Path:
    """Make the project below `root`, and return the working folder."""
    policy, chance = Policy(), Random(window)
    material = Material(chance)
    whole = window * TIMES * CHARS
    at = root
    (root / ".git").mkdir(parents=True)
    for name in ("", *DEEP):
        at = at / name
        at.mkdir(exist_ok=True)
        size = int(whole * policy.memory_share / (len(DEEP) + 1))
        (at / "AGENTS.md").write_text(_guide(material, name or "project", size), "utf-8")
    for number in range(SKILLS):
        folder = root / ".agents" / "skills" / f"skill-{number}"
        folder.mkdir(parents=True)
        size = int(whole * policy.skill_share / SKILLS)
        text = _guide(material, f"skill {number}", size)
        heading = f"---\nname: skill-{number}\ndescription: {material.sentence()}\n---\n"
        (folder / "SKILL.md").write_text(heading + text, "utf-8")
    return at


def act(ctx: loom.Context, folder: Path, turn: int) -> None:
    """Use a skill, or edit a guide, when the turn is one for it."""
    if turn % PACE == 0:
        ctx.skills.use(f"skill-{turn // PACE * 4 % SKILLS}")
    if turn % EDITS == 0:
        above = turn // EDITS % (len(DEEP) + 1)
        path = [folder, *folder.parents][above] / "AGENTS.md"
        path.write_text(f"{path.read_text('utf-8')}\nAs of turn {turn}: keep the ledger open.\n")


def _guide(material: Material, name: str, size: int) -> str:
    lines = [f"# Working on {name}", ""]
    while sum(map(len, lines)) < size:
        lines += [f"## Part {len(lines) // 4}", "", material.prose(6), ""]
    return "\n".join(lines)
