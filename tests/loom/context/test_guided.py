"""A project's guides in C_memory, as a session sees them: followed, joined, excerpted."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom.redact import SECRETS
from tests.kit.audited import Audited
from tests.kit.guides import repository
from tests.kit.opened import PLAIN
from tests.kit.step import step

Opened = Callable[..., "Session"]
Files = dict[str, str]
OUTPUT = "".join(f"line {n} of an ordinary output\n" for n in range(30))
TOPICS = ("deployment", "testing", "database", "logging", "security", "typography")


def guide(name: str, lines: int) -> str:
    """A guide of six sections with so many lines each."""
    return f"# Guide of {name}\n\n" + "\n".join(
        f"## About {topic}\n" + "".join(f"- {name} says {n} of {topic}.\n" for n in range(lines))
        for topic in TOPICS
    )


class Session(Audited):
    """A context on a project, whose requests are held against the laws."""

    def __init__(self, path: Path, folder: Path | None, **given: Any) -> None:
        usual = {"window": 8_192, "policy": PLAIN, "goal": "Mend the parser."}
        super().__init__(path, secrets=SECRETS, project=folder, **{**usual, **given})

    def said(self) -> list[dict[str, Any]]:
        """The messages of a turn."""
        messages: list[dict[str, Any]] = self.turn().request()["messages"]
        return messages

    def go(self, text: str = "go on") -> list[dict[str, Any]]:
        """Something comes in, and a turn."""
        self.ctx.user(text)
        return self.said()

    def call(self, name: str, result: str = "ok", **arguments: str) -> list[dict[str, Any]]:
        """A step of one call, and a turn."""
        step(self.ctx, result, tool=name, args=arguments)
        return self.said()

    def held(self) -> Files:
        """Path → what the memory shelf holds of it."""
        return {held.key: self.shown(held.key) for held in self.ctx.window.memory.current}

    def shown(self, key: str) -> str:
        """What the memory shelf holds under a key."""
        text = self.ctx.window.memory.get(key)
        return text.body if text.body is not None else self.ctx.page_in(text.page).text

    @property
    def commits(self) -> int:
        """How many lines the journal has."""
        return self.ctx._engine.workspace.commits


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with guides in its root, in `sub`, and in `deep/er`."""
    guides = {"AGENTS.md": "root", "sub/AGENTS.md": "sub", "deep/er/AGENTS.md": "deep"}
    return repository(tmp_path, {name: f"{text} rule\n" for name, text in guides.items()})


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Open the workspace at `tmp_path / "w"` on a folder."""
    made: list[Session] = []

    def make(folder: Path | None, **given: Any) -> Session:
        made.append(Session(tmp_path / "w", folder, **given))
        return made[-1]

    yield make
    for session in made:
        session.ctx.close()


def said(messages: list[dict[str, Any]]) -> str:
    """All of a request's words."""
    return json.dumps(messages, ensure_ascii=False)


# On the shelf
@pytest.mark.parametrize("window", [8_192, 32_000])
def test_each_under_its_path(repo: Path, opened: Opened, window: int) -> None:
    """Each guide of the chain stands on the shelf, and in the head of the first request."""
    one = opened(repo / "sub", window=window)
    assert one.held() == {"AGENTS.md": "root rule", "sub/AGENTS.md": "sub rule"}
    assert one.ctx.memory.text == "root rule\n\nsub rule"
    origins = [(one.path, one.line) for one in one.ctx.memory.merged.origins]
    assert origins == [("AGENTS.md", 1), ("", 0), ("sub/AGENTS.md", 1)]
    head = one.said()[0]["content"]
    assert head.index("root rule") < head.index("sub rule")
    assert "deep rule" not in head


# Too large for the room
def test_one_made_further_up_stands_before(repo: Path, opened: Opened) -> None:
    """At once and after a renewal, as the closest is read last; without one nothing moves."""
    (repo / "AGENTS.md").unlink()
    one = opened(repo / "deep" / "er")
    one.go()
    (repo / "deep" / "AGENTS.md").write_text("between\n")
    (repo / "AGENTS.md").write_text("root rule, again\n")
    one.go()
    guides = ["AGENTS.md", "deep/AGENTS.md", "deep/er/AGENTS.md"]
    assert list(one.held()) == guides
    one.ctx.renew()
    assert list(one.held()) == guides
    text = said(one.go())
    places = [text.index(rule) for rule in ("root rule, again", "between", "deep rule")]
    assert places == sorted(places)
    before = one.commits
    one.ctx.renew()
    assert list(one.held()) == guides and one.commits == before + 1


# Opened again
def test_a_secret_opened_again(repo: Path, opened: Opened) -> None:
    """An excerpt of a guide with a secret in it stays as it is, and the secret out of it."""
    secret = "sk-ant-api03-" + "qT7zLm2XvR9cWk4HdN8sJf5Yb" * 4
    (repo / "AGENTS.md").write_text(f"{guide('root', 32)}\n## Key\nuse {secret}\n")
    one = opened(repo, goal="Improve the typography of the reports.")
    assert secret not in said(one.go())
    one.ctx.working.set_goal("Look after logging.")
    one.go()
    held = one.held()
    one.ctx.close()
    two = opened(repo, goal="")
    two.go()
    assert two.held() == held


def test_what_joined_stays_joined(repo: Path, opened: Opened) -> None:
    """A guide that joined before a close is there after it, unless its file went."""
    one = opened(repo)
    one.call("Read", path="deep/er/x.py")
    held, commits = one.held(), one.commits
    one.ctx.close()
    two = opened(repo)
    two.turn()
    assert two.held() == held
    assert two.commits == commits + 1  # the request is sent again
    two.ctx.close()
    (repo / "deep" / "er" / "AGENTS.md").unlink()
    three = opened(repo)
    three.go()
    assert three.held() == {"AGENTS.md": "root rule"}


ACTS = st.sampled_from(
    ["user", "read", "large", "edit", "grow", "delete", "create", "override", "renew"]
)


@given(st.lists(ACTS, max_size=14), st.sampled_from([8_192, 32_000]))
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_any_session(
    tmp_path_factory: pytest.TempPathFactory, acts: list[str], window: int
) -> None:
    """Whatever happens to the files between turns, every request is lawful and tells the newest."""
    repo = repository(tmp_path_factory.mktemp("any"), {"sub/a.py": ""})
    one = Session(repo.parent / "w", repo, window=window)
    try:
        for number, act in enumerate(acts):
            root, sub = repo / "AGENTS.md", repo / "sub" / "AGENTS.md"
            {
                "user": lambda: None,
                "read": lambda: one.call("Read", path="sub/x.py"),
                "large": lambda: one.call("Bash", OUTPUT * 6, command="make"),
                "edit": lambda n=number, p=root: p.write_text(f"rule {n}"),
                "grow": lambda n=number, p=root: p.write_text(guide(f"g{n}", 70)),
                "delete": lambda p=root: p.unlink(missing_ok=True),
                "create": lambda n=number, p=sub: p.write_text(guide(f"s{n}", 30)),
                "override": lambda n=number: (repo / "AGENTS.override.md").write_text(f"over {n}"),
                "renew": one.ctx.renew,
            }[act]()
            one.go(f"go {number}")
            assert set(one.held()) <= {"AGENTS.md", "AGENTS.override.md", "sub/AGENTS.md"}
            if (repo / "AGENTS.override.md").exists():
                over = (repo / "AGENTS.override.md").read_text()
                assert one.held()["AGENTS.override.md"] == over
            elif root.exists() and "Guide" not in root.read_text():
                assert one.held()["AGENTS.md"] == root.read_text()
    finally:
        one.ctx.close()
