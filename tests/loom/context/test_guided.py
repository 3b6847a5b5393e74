"""A project's guides in C_memory, as a session sees them: followed, joined, excerpted."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom.capabilities.memory.fitting import page_of
from loom.policy import Policy
from loom.providers.counts import counter_for
from loom.providers.formats.laws import broken
from loom.redact import SECRETS, Redactor
from loom.replay.audit import Audit
from loom_partitions import laws
from tests.kit.cases import all_cases, each_value, some
from tests.kit.opened import plain

Opened = Callable[..., "Session"]

Files = dict[str, str]
COUNT = counter_for()
OUTPUT = "".join(f"line {n} of an ordinary output\n" for n in range(30))
TOPICS = ("deployment", "testing", "database", "logging", "security", "typography")


def guide(name: str, lines: int) -> str:
    """A guide of six sections with so many lines each."""
    return f"# Guide of {name}\n\n" + "\n".join(
        f"## About {topic}\n" + "".join(f"- {name} says {n} of {topic}.\n" for n in range(lines))
        for topic in TOPICS
    )


class Session:
    """A context on a project, and the laws held after every turn."""

    def __init__(self, path: Path, folder: Path | None, **given: Any) -> None:
        self.audit = Audit(COUNT, Redactor(SECRETS))
        usual = {
            "window": 8_192,
            "policy": loom.Policy(own_tools=False),
            "durable": False,
            "goal": "Mend the parser.",
        }
        self.ctx = loom.open(path, project=folder, on_cut=self.audit.cut, **{**usual, **given})
        self.wire: list[bytes] = []
        self.cuts = -1
        self.broken_prefixes = 0

    def turn(self) -> list[dict[str, Any]]:
        """A turn; its messages, which continue those of the one before until a cut."""
        self.audit.before(self.ctx)
        turn = self.ctx.turn()
        self.audit.after(self.ctx, turn)
        messages: list[dict[str, Any]] = turn.request()["messages"]
        assert broken("openai", {"messages": messages}) == []
        wire = [json.dumps(message).encode() for message in messages]
        cuts, window = self.ctx.window.sent.cuts, self.ctx.window
        if wire[: len(self.wire)] != self.wire:
            assert cuts != self.cuts
            self.broken_prefixes += 1
        self.wire, self.cuts = wire, cuts
        # A look and a cut fall into one turn: what the files changed, no cut did. What is counted
        # has its own test below.
        found = self.audit.findings
        assert found.broken == 0, found.details
        assert [*laws.counted(window), *laws.paired(window), *laws.ordered(window)] == []
        assert turn.pressure.rho <= 1.0
        return messages

    def go(self, text: str = "go on") -> list[dict[str, Any]]:
        """Something comes in, and a turn."""
        self.ctx.user(text)
        return self.turn()

    def call(self, name: str, result: str = "ok", **arguments: str) -> list[dict[str, Any]]:
        """A step of one call, and a turn."""
        id = f"c{self.ctx.window.history.next_id}"
        self.ctx.reply(loom.Reply((loom.ToolCall(id, name, json.dumps(arguments)),)))
        self.ctx.result(id, result)
        return self.turn()

    def held(self) -> Files:
        """Path → what the memory shelf holds of it."""
        return {held.key: self.shown(held.key) for held in self.ctx.window.memory.current}

    def shown(self, key: str) -> str:
        """What the memory shelf holds under a key."""
        text = self.ctx.window.memory.get(key)
        assert text is not None
        return text.body if text.body is not None else self.ctx.page_in(text.page).text

    @property
    def commits(self) -> int:
        """How many lines the journal has."""
        return self.ctx._engine.workspace.commits


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with guides in its root, in `sub`, and in `deep/er`."""
    root = tmp_path.resolve() / "repo"
    for name, text in {
        "AGENTS.md": "root rule\n",
        "sub/AGENTS.md": "sub rule\n",
        "deep/er/AGENTS.md": "deep rule\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".git").mkdir()
    return root


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


# Without a project


def test_without_a_project_nothing(repo: Path, opened: Opened) -> None:
    """No guide is read, whatever is named, and `memory` says nothing."""
    one = opened(None)
    one.call("Read", path=str(repo / "AGENTS.md"))
    one.go()
    assert one.held() == {}
    assert one.ctx.memory.text == ""
    assert one.ctx.memory.warnings == ()
    assert "root rule" not in said(one.go())


def test_a_project_without_guides(tmp_path: Path, opened: Opened) -> None:
    """It is as if there was none: the same records are written."""
    (tmp_path / "p").mkdir()
    one = opened(tmp_path / "p")
    one.go()
    commits = one.commits
    one.ctx.close()
    with plain(tmp_path / "other", window=8_192, goal="Mend the parser.") as two:
        two.user("go on")
        two.turn()
        assert two._engine.workspace.commits == commits
    assert one.ctx.memory.text == ""


# On the shelf


@pytest.mark.parametrize("window", [8_192, 32_000])
def test_each_under_its_path(repo: Path, opened: Opened, window: int) -> None:
    """Each guide of the chain stands on the shelf, and in the head of the first request."""
    one = opened(repo / "sub", window=window)
    assert one.held() == {"AGENTS.md": "root rule", "sub/AGENTS.md": "sub rule"}
    assert one.ctx.memory.text == "root rule\n\nsub rule"
    assert [(o.path, o.line) for o in one.ctx.memory.origins] == [
        ("AGENTS.md", 1), (one.ctx.memory.origins[1].path, 0), ("sub/AGENTS.md", 1)]  # fmt: skip
    head = one.turn()[0]["content"]
    assert head.index("root rule") < head.index("sub rule")
    assert "deep rule" not in head


def test_a_warning_is_told(repo: Path, opened: Opened) -> None:
    """A link that leads out is no guide, and named among the warnings."""
    (repo.parent / "out.md").write_text("outside")
    (repo / "sub" / "AGENTS.md").unlink()
    (repo / "sub" / "AGENTS.md").symlink_to("../../out.md")
    with pytest.warns(loom.RefusedFiles, match=r"sub/AGENTS\.md: a link that leads out"):
        one = opened(repo / "sub")
    assert one.held() == {"AGENTS.md": "root rule"}
    assert "sub/AGENTS.md" in str(one.ctx.memory.warnings)


# What changes on disk


def replaced(path: Path) -> None:
    """An editor's save: another file in the place of the old one."""
    (path.parent / "new").write_text("root rool\n")
    (path.parent / "new").replace(path)


def folded(path: Path) -> None:
    """The file becomes a folder."""
    path.unlink()
    path.mkdir()


CHANGES: list[tuple[str, Callable[[Path], object], Files]] = [
    ("edit", lambda path: path.write_text("other rule\n"), {"AGENTS.md": "other rule"}),
    ("replace", replaced, {"AGENTS.md": "root rool"}),
    ("delete", Path.unlink, {}),
    ("folder", folded, {}),
    ("override", lambda path: (path.parent / "AGENTS.override.md").write_text("over"),
     {"AGENTS.override.md": "over"}),
    ("rename", lambda path: path.rename(path.parent / "CLAUDE.md"), {"CLAUDE.md": "root rule"}),
    ("truncate", lambda path: path.write_bytes(b""), {}),
    ("no text", lambda path: path.write_bytes(b"\xff\x00\xfe"), {"AGENTS.md": "\ufffd\0\ufffd"}),
]  # fmt: skip
PARAMS = [pytest.param(change, left, id=id) for id, change, left in CHANGES]


@all_cases(
    ("window", "change", "left"), [(a, *b.values) for a, b in each_value([8_192, 32_000], PARAMS)]
)
def test_a_change_shows_by_the_next_turn(
    repo: Path, opened: Opened, change: Callable[[Path], object], left: Files, window: int
) -> None:
    """At the tail at once, in the head after a cut; the prefix changes once in all."""
    one = opened(repo / "sub", window=window)
    before = one.go()
    change(repo / "AGENTS.md")
    after = one.go()
    assert one.held() == {**left, "sub/AGENTS.md": "sub rule"}
    assert one.ctx.memory.text == "\n\n".join([*left.values(), "sub rule"])
    tail = said(after[len(before) :])
    for path, text in left.items():
        assert path in tail
        assert text.split("\0")[0] in tail
    if "AGENTS.md" not in left:
        assert f"memory {one.ctx.window.config.mark} gone: AGENTS.md, " in tail
    assert one.broken_prefixes == 0
    for _ in range(3):
        one.call("Bash", OUTPUT, command="make")
    assert one.broken_prefixes == 0
    one.ctx.renew()
    head = one.turn()[0]["content"]
    assert "sub rule" in head
    assert ("root rule" in head) == ("root rule" in left.values())
    for _ in range(3):
        one.go()
    assert one.broken_prefixes == 1


def test_a_change_alone_makes_a_turn(repo: Path, opened: Opened) -> None:
    """The next turn after a change on disk tells of it, with no input; then it is the same."""
    one = opened(repo)
    one.turn()
    same = one.ctx.turn()
    assert one.ctx.turn().sha256 == same.sha256
    (repo / "AGENTS.md").write_text("other rule\n")
    assert "other rule" in said(one.turn())
    turn = one.ctx.turn()
    assert turn.number == same.number + 1
    assert one.ctx.turn().sha256 == turn.sha256


def test_not_changed_by_a_touch(repo: Path, opened: Opened) -> None:
    """A file written again with the same rules, or with another comment, tells nothing."""
    one = opened(repo)
    one.turn()
    commits = one.commits
    (repo / "AGENTS.md").write_text("<!-- note -->\nroot rule  \r\n\n")
    os.utime(repo / "AGENTS.md", (1, 1))
    one.turn()
    assert one.commits == commits


def test_created_and_gone_and_created(repo: Path, opened: Opened) -> None:
    """Every state of the folder shows, and no request forgets what one before it said."""
    (repo / "AGENTS.md").unlink()
    one = opened(repo)
    states: list[tuple[str, str | None]] = [
        ("CLAUDE.md", "claude"), ("AGENTS.md", "agents"), ("AGENTS.override.md", "over"),
        ("AGENTS.override.md", None), ("AGENTS.md", None), ("CLAUDE.md", None),
        ("AGENTS.md", "agents"),
    ]  # fmt: skip
    shown = ["claude", "agents", "over", "agents", "claude", "", "agents"]
    for (name, text), expected in zip(states, shown, strict=True):
        (repo / name).unlink() if text is None else (repo / name).write_text(text)
        one.go()
        assert list(one.held().values()) == [expected] * bool(expected)
        assert one.ctx.memory.text == expected
    assert one.broken_prefixes == 0


def test_a_file_that_may_not_be_read(repo: Path, opened: Opened) -> None:
    """Without permission the next turn is made all the same."""
    one = opened(repo)
    one.turn()
    (repo / "AGENTS.md").chmod(0)
    one.go()
    assert one.held() in ({}, {"AGENTS.md": "root rule"})  # root may read it still


def test_a_project_that_goes(repo: Path, opened: Opened) -> None:
    """The folder removed whole: turns go on without guides."""
    one = opened(repo / "sub")
    one.turn()
    shutil.rmtree(repo)
    one.go()
    assert one.held() == {}


def test_a_folder_whose_name_is_no_text(tmp_path: Path, opened: Opened) -> None:
    """Neither opening nor a turn raises for a name that is no UTF-8."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    (folder / "e").mkdir(parents=True)
    (folder / ".git").mkdir()
    at = Path(os.fsdecode(os.fsencode(folder) + b"/\xfe"))
    at.mkdir()
    (at / "AGENTS.md").write_text("odd rule")
    one = opened(at)
    assert "odd rule" in said(one.go())


# What joins

NAMING: list[tuple[str, dict[str, str]]] = [
    ("Read", {"path": "../deep/er/x.py"}),
    ("Read", {"file_path": "{repo}/deep/er/x.py"}),
    ("Edit", {"file_path": "../deep/er/new/file.py", "old_string": "a", "new_string": "b"}),
    ("Bash", {"command": "cat ../deep/er/x.py | head"}),
    ("Bash", {"command": "cd .. && grep -rn 'a b' {repo}/deep/er/"}),
]


@all_cases("window", [8_192, 32_000])
@all_cases(("tool", "arguments"), NAMING)
def test_a_path_that_is_named(
    repo: Path, opened: Opened, tool: str, arguments: dict[str, str], window: int
) -> None:
    """The guide comes once, at the tail; with the next cut it is in the head."""
    one = opened(repo / "sub", window=window)
    before = one.go()
    named = {key: value.format(repo=repo) for key, value in arguments.items()}
    after = one.call(tool, **named)
    assert "deep rule" in said(after[len(before) :])
    assert one.held()["deep/er/AGENTS.md"] == "deep rule"
    again = one.call(tool, **named)
    assert "deep rule" not in said(again[len(after) :])
    assert one.broken_prefixes == 0
    one.ctx.renew()
    head, found = (one["content"] for one in one.turn()[:2])
    assert "deep rule" not in head and "deep/er/AGENTS.md" in found and "> deep rule" in found


ODD = ["..", "../..", "../../x", "/etc/passwd", "/", "a\0b", "\0", "x" * 9_000,
       "y/" * 3_000, "", "~/x",
       "../sub/x.py", "\ud800/x"]  # fmt: skip


@pytest.mark.parametrize("tool", ["Read", "Bash"])
def test_paths_of_no_use(repo: Path, opened: Opened, tool: str) -> None:
    """Outside, above, or no path at all: nothing joins and nothing raises."""
    (repo.parent / "AGENTS.md").write_text("outside rule")
    one = opened(repo / "sub", window=32_000)
    for name in ODD:
        arguments = {"path": name} if tool == "Read" else {"command": f"cat {name}"}
        messages = one.call(tool, **arguments)
        assert set(one.held()) == {"AGENTS.md", "sub/AGENTS.md"}, name[:20]
        assert "outside rule" not in said(messages)


@all_cases("arguments", ["", "[]", "{", '"deep/er/x"', '{"path": 7}', '{"path": null}'])
def test_arguments_of_no_use(repo: Path, opened: Opened, arguments: str) -> None:
    """Arguments that are no object of texts never raise."""
    one = opened(repo)
    one.ctx.reply(loom.Reply((loom.ToolCall("c", "Read", arguments),)))
    one.ctx.result("c", "no")
    one.turn()
    assert "AGENTS.md" in one.held()


def test_an_agent_that_makes_a_guide(repo: Path, opened: Opened) -> None:
    """A guide written in a folder that was named before joins by the next turn."""
    one = opened(repo)
    (repo / "new").mkdir()
    one.call("Write", path="new/x.py", content="pass")
    (repo / "new" / "AGENTS.md").write_text("new rule")
    assert "new rule" in said(one.go())
    assert one.held()["new/AGENTS.md"] == "new rule"


# Too large for the room


def tokens(one: Session) -> int:
    """Tokens of the memory partition."""
    return one.ctx.window.tokens.memory


@pytest.mark.parametrize("window", [8_192, 32_000])
def test_an_excerpt(repo: Path, opened: Opened, window: int) -> None:
    """Headings, what the goal speaks of, and the page of the whole, within the share."""
    whole = guide("root", window // 250)
    (repo / "AGENTS.md").write_text(whole)
    one = opened(repo, window=window, goal="Improve the typography of the reports.")
    one.go()
    shown = one.held()["AGENTS.md"]
    assert [topic for topic in TOPICS if f"## About {topic}" in shown] == list(TOPICS)
    assert "root says 0 of typography" in shown
    assert shown.count("of typography.") > shown.count("of security.")
    page = page_of(shown)
    assert page in shown.split("\n")[-1]
    assert one.ctx.page_in(page).text == whole.rstrip("\n")
    assert tokens(one) <= Policy().memory_share * one.ctx.pressure.capacity
    assert one.ctx.memory.text == whole.rstrip("\n")


@pytest.mark.parametrize("window", [8_192, 32_000])
def test_an_excerpt_is_stable(repo: Path, opened: Opened, window: int) -> None:
    """It stays while neither file nor generation changes, also under another goal."""
    (repo / "AGENTS.md").write_text(guide("root", window // 250))
    one = opened(repo, window=window, goal="Improve the typography of the reports.")
    one.go()
    before = one.held()
    one.ctx.working.set_goal("Look after logging, and nothing else but logging.")
    for _ in range(4):
        one.call("Bash", OUTPUT, command="make")
    assert one.ctx.window.sent.generation == 1
    assert one.held() == before


def another_goal(repo: Path, one: Session, renew: Callable[[], object]) -> None:
    """Check that after a renewal an excerpt is of the goal there is then."""
    one.go()
    assert "1 of typography." in one.held()["AGENTS.md"]
    one.ctx.working.set_goal("Look after logging, and nothing else but logging.")
    renew()
    assert one.ctx.window.sent.generation == 2
    one.go()
    assert "1 of logging." in one.held()["AGENTS.md"]
    assert "1 of typography." not in one.held()["AGENTS.md"]


def test_a_renewal_makes_it_anew(repo: Path, opened: Opened) -> None:
    """A renewal that comes by itself makes the excerpts for the goal of the hour."""
    (repo / "AGENTS.md").write_text(guide("root", 32))
    one = opened(repo, goal="Improve the typography of the reports.")

    def fill() -> None:
        for number in range(60):
            if one.ctx.window.sent.generation == 1:
                one.go("please do note that " * 200 + str(number))

    another_goal(repo, one, fill)


def test_a_renewal_at_will_makes_it_anew(repo: Path, opened: Opened) -> None:
    """So does one the host asks for."""
    (repo / "AGENTS.md").write_text(guide("root", 32))
    one = opened(repo, goal="Improve the typography of the reports.")
    another_goal(repo, one, one.ctx.renew)


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


def test_several_guides_are_counted(repo: Path, opened: Opened) -> None:
    """A request takes no more tokens than are measured, however many guides it holds."""
    (repo / "AGENTS.md").write_text(guide("root", 40))
    (repo / "deep" / "er" / "AGENTS.md").write_text(guide("d0", 20))
    one = opened(repo)
    one.go()
    one.call("Read", path="deep/er/x.py")
    one.ctx.renew()
    one.turn()
    assert one.audit.findings.miscounted == 0, one.audit.findings.details


@pytest.mark.parametrize("window", [8_192, 32_000])
def test_one_that_joins_gets_something(repo: Path, opened: Opened, window: int) -> None:
    """A nested guide is shown in part even when the root's took all the room."""
    (repo / "AGENTS.md").write_text(guide("root", window // 100))
    (repo / "deep" / "er" / "AGENTS.md").write_text(guide("deep", window // 250))
    one = opened(repo, window=window)
    one.go()
    one.call("Read", path="deep/er/x.py")
    assert "Guide of deep" in one.held()["deep/er/AGENTS.md"]
    assert "Guide of root" in one.held()["AGENTS.md"]
    assert tokens(one) <= Policy().memory_share * one.ctx.pressure.capacity + 120
    for path, shown in one.held().items():
        whole = one.ctx.page_in(page_of(shown)).text
        assert whole.rstrip() in (repo / path).read_text() or "lines left out" in whole


def test_many_that_join(repo: Path, opened: Opened) -> None:
    """Twenty large guides in 8,192 tokens: lawful requests to the end."""
    (repo / "AGENTS.md").write_text(guide("root", 40))
    for number in range(20):
        (repo / f"d{number}").mkdir()
        (repo / f"d{number}" / "AGENTS.md").write_text(guide(f"d{number}", 20))
    one = opened(repo)
    for number in range(20):
        one.call("Read", OUTPUT, path=f"d{number}/x.py")
    one.ctx.renew()
    one.turn()
    assert tokens(one) <= Policy().memory_share * one.ctx.pressure.capacity


# Opened again

ODD_NAMES = [
    pytest.param(os.fsdecode(b"\xfe"), id="no text"),
    pytest.param("a\nb", id="newline"),
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_opened_again(repo: Path, opened: Opened, name: str) -> None:
    """Unchanged files of folders with any name are no change of memory."""
    (repo / name).mkdir(parents=True)
    (repo / name / "AGENTS.md").write_text("odd rule")
    one = opened(repo / name)
    one.go()
    commits = one.commits
    one.ctx.close()
    assert opened(repo / name).commits == commits


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


@all_cases("window", [8_192, 32_000])
@all_cases("lines", [1, 60])
def test_opened_again_it_is_the_same(repo: Path, opened: Opened, window: int, lines: int) -> None:
    """With unchanged files no record is written, and the request is the same to the byte."""
    (repo / "AGENTS.md").write_text(guide("root", lines))
    one = opened(repo / "sub", window=window)
    one.go()
    held, commits, sha256 = one.held(), one.commits, one.ctx.turn().sha256
    one.ctx.close()
    again = opened(repo / "sub", window=window)
    assert again.commits == commits
    assert again.ctx.turn().sha256 == sha256
    assert again.held() == held
    assert again.commits == commits


def test_changed_while_closed(repo: Path, opened: Opened) -> None:
    """A file deleted meanwhile is gone, an edited one is as it is now."""
    one = opened(repo / "sub")
    one.call("Read", path="../deep/er/x.py")
    one.ctx.close()
    (repo / "AGENTS.md").unlink()
    (repo / "sub" / "AGENTS.md").write_text("sub rule two")
    two = opened(repo / "sub")
    two.go()
    assert "AGENTS.md" not in two.held()
    assert two.held()["sub/AGENTS.md"] == "sub rule two"


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


def test_opened_without_a_project(repo: Path, opened: Opened) -> None:
    """Without `project` the shelf stays as it was left, whatever the files do."""
    one = opened(repo)
    one.go()
    one.ctx.close()
    (repo / "AGENTS.md").write_text("other")
    two = opened(None)
    two.go()
    assert two.held() == {"AGENTS.md": "root rule"}


# The host's own


@pytest.mark.parametrize("lines", [1, 80])
def test_what_the_host_remembers_is_its_own(repo: Path, opened: Opened, lines: int) -> None:
    """No look, change, deletion, renewal or reopen touches a text under the host's key."""
    (repo / "AGENTS.md").write_text(guide("root", lines))
    one = opened(repo)
    one.ctx.memory.remember("style", "Be brief.")
    one.ctx.memory.remember("notes/AGENT.md", "Kept.")
    one.go()
    (repo / "AGENTS.md").write_text(guide("other", lines))
    one.go()
    (repo / "AGENTS.md").unlink()
    one.go()
    one.ctx.renew()
    one.turn()
    one.ctx.close()
    two = opened(repo)
    two.go()
    assert two.held() == {"style": "Be brief.", "notes/AGENT.md": "Kept."}


def test_a_host_key_that_ends_like_a_guide(repo: Path, opened: Opened) -> None:
    """A text the host put under such a key outlives a change of the guides."""
    one = opened(repo)
    one.ctx.memory.remember("notes/AGENTS.md", "The host's.")
    one.go()
    (repo / "AGENTS.md").write_text("other rule")
    one.go()
    assert one.held()["notes/AGENTS.md"] == "The host's."


def test_long_paths_are_told_apart(repo: Path, opened: Opened) -> None:
    """Two guides far down stand both on the shelf."""
    deep = repo / "/".join(["long" * 10] * 8) / "deeper"
    deep.mkdir(parents=True)
    (deep.parent / "AGENTS.md").write_text("deep rule")
    (deep / "AGENTS.md").write_text("deeper rule")
    one = opened(deep)
    head = one.go()[0]["content"]
    assert "deep rule" in head
    assert "deeper rule" in head


def test_a_long_path_that_goes(repo: Path, opened: Opened) -> None:
    """A guide deep down that is deleted is gone by the next turn."""
    deep = repo / "/".join(["long" * 10] * 8)
    deep.mkdir(parents=True)
    (deep / "AGENTS.md").write_text("deep rule")
    one = opened(deep)
    one.go()
    (deep / "AGENTS.md").unlink()
    one.go()
    assert set(one.held()) == {"AGENTS.md"}


# A whole session


@all_cases("window", some([8_192, 32_000], 1))
def test_one_edit_changes_the_prefix_once(repo: Path, tmp_path: Path, window: int) -> None:
    """Over a session one edit breaks the prefix at most once more than the same without it."""
    broken_prefixes = []
    for edited in (False, True):
        (repo / "AGENTS.md").write_text(guide("root", 4))
        one = Session(tmp_path / f"w{edited}", repo, window=window)
        for number in range(40):
            if number == 20 and edited:
                (repo / "AGENTS.md").write_text(guide("edited", 4))
            one.call("Bash", OUTPUT, command=f"make {number}")
        assert ("Guide of edited" in one.held()["AGENTS.md"]) == edited
        one.ctx.close()
        broken_prefixes.append(one.broken_prefixes)
    without, with_it = broken_prefixes
    assert with_it <= without + 1


ACTS = st.sampled_from(
    ["user", "read", "large", "edit", "grow", "delete", "create", "override", "renew"]
)


@given(st.lists(ACTS, max_size=14), st.sampled_from([8_192, 32_000]))
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_any_session(
    tmp_path_factory: pytest.TempPathFactory, acts: list[str], window: int
) -> None:
    """Whatever happens to the files between turns, every request is lawful and tells the newest."""
    top = tmp_path_factory.mktemp("any").resolve()
    repo = top / "repo"
    (repo / "sub").mkdir(parents=True)
    (repo / ".git").mkdir()
    one = Session(top / "w", repo, window=window)
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
