"""A repository of the user's own with rules and a skill, and a context on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.live import Context
from tests.kit.guides import RULES, rules, wrote


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a guide, and a skill."""
    root = tmp_path.resolve() / "top" / "repo"
    (root / ".git").mkdir(parents=True)
    wrote(root / "AGENTS.md", "\n".join(["# Rules", *RULES, ""]))
    wrote(
        root / ".agents" / "skills" / "one" / "SKILL.md",
        "---\nname: one\ndescription: Do one thing.\n---\nDo it.\n",
    )
    return root


@pytest.fixture
def ctx(repo: Path, tmp_path: Path) -> Iterator[Context]:
    """A context on the repository, all whose rules stand in the window."""
    with loom.open(tmp_path / "w", project=repo, window=16_000, durable=False) as made:
        made.user("go on")
        assert rules(made.turn()) == RULES
        yield made
