"""Whose files instruct an agent: the user's own, and those at paths a host trusts."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.capabilities.refused_files import not_loaded_warning
from loom.capabilities.skills.discover import discover_skills
from tests.kit.cases import all_cases
from tests.kit.guides import guides_in, wrote

OTHER = 4_242  # a user who is nobody here


@pytest.fixture
def given_away() -> Callable[[Path], None]:
    """Give a file to another user; only root can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root gives files away")
    return lambda path: os.chown(path, OTHER, OTHER, follow_symlinks=False)


@pytest.fixture
def as_another(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Run as another user, as far as anything asks."""
    if not hasattr(os, "geteuid"):
        pytest.skip("no user ids here")
    monkeypatch.delenv("SUDO_UID", raising=False)
    return lambda user: monkeypatch.setattr(os, "geteuid", lambda: user)


@all_cases("trust", [(), ("*",), ("repo",), ("elsewhere",)])
def test_files_of_another_user(
    repo: Path, as_another: Callable[[int], None], trust: tuple[str, ...]
) -> None:
    """Guides and skills are refused, with path, owner and option, where nobody trusts the path."""
    as_another(repo.stat().st_uid + 1)
    told = [one if one == "*" else str(repo.parent / one) for one in trust]
    found, warnings = guides_in(repo, trust=told)
    skills = discover_skills(repo, trust=told)
    if trust in (("*",), ("repo",)):
        assert [*found] == ["AGENTS.md"] and not warnings
        assert len(skills.skills) == 1 and not skills.warnings
        return
    assert not found and not skills.skills
    for line in (warnings[0], skills.warnings[0].why):
        assert str(repo.stat().st_uid) in line and "belongs to user" in line
        assert f"trust=['{repo}" in line


@pytest.mark.parametrize(("caller", "counts"), [("own", True), ("12345678", False), ("x", False)])
def test_root_under_sudo(
    repo: Path,
    as_another: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
    caller: str,
    counts: bool,
) -> None:
    """Files of the user who called sudo count for root, as with git; for no other user."""
    owner = repo.stat().st_uid
    as_another(0)
    monkeypatch.setenv("SUDO_UID", str(owner) if caller == "own" else caller)
    assert bool(guides_in(repo)[0]) == (counts or owner == 0)
    as_another(owner + 1)
    assert not guides_in(repo)[0]


def test_a_repository_of_another_user_above(repo: Path, given_away: Callable[[Path], None]) -> None:
    """Neither its root nor its guides and skills: the folder stands alone, and says so."""
    folder = repo / "own"
    wrote(folder / "AGENTS.md", "mine")
    given_away(repo / ".git")
    found, warnings = guides_in(folder)
    assert found == {"AGENTS.md": "mine"} and len(warnings) == 1
    assert str(repo) in warnings[0] and str(OTHER) in warnings[0] and "trust=" in warnings[0]
    skills = discover_skills(folder)
    assert not skills.skills and str(OTHER) in skills.warnings[0].why
    assert [*guides_in(folder, trust=[repo])[0]] == ["AGENTS.md", "own/AGENTS.md"]
    assert len(discover_skills(folder, trust=[repo]).skills) == 1


@all_cases("which", ["file", "folder", "link", "target", "import"])
def test_one_file_of_another_user(
    repo: Path, given_away: Callable[[Path], None], which: str
) -> None:
    """One in a folder of one's own is refused, and one's own in a folder of another's."""
    sub = wrote(repo / "sub" / "AGENTS.md", "theirs @more.md").parent
    wrote(repo / "far" / "more.md", "more of it")
    if which in ("link", "target"):
        (sub / "AGENTS.md").unlink()
        (sub / "AGENTS.md").symlink_to(repo / "far" / "more.md")
    if which == "import":
        wrote(sub / "more.md", "imported")
    given_away(
        {
            "file": sub / "AGENTS.md",
            "folder": sub,
            "link": sub / "AGENTS.md",
            "target": repo / "far" / "more.md",
            "import": sub / "more.md",
        }[which]
    )
    found, warnings = guides_in(sub)
    assert [name for name in found if "more.md" in name] == []
    assert ("sub/AGENTS.md" in found) == (which == "import")
    assert any(str(OTHER) in line for line in warnings)
    assert not any(str(OTHER) in line for line in guides_in(sub, trust=str(sub.parent))[1])


def test_a_child_is_not_told_again(repo: Path, tmp_path: Path) -> None:
    """Files that were refused are told of once for all agents of a workspace."""
    wrote(repo / "AGENTS.md", "@.env\n")
    wrote(repo / ".env", "A=b")
    with pytest.warns(loom.LoomWarning, match="not loaded") as told:
        ctx = loom.open(tmp_path / "w", project=repo, durable=False)
    with ctx, ctx.agents.spawn("Read on.") as child:
        child.user("go on")
        child.turn()
    assert len(told) == 1


def test_many_refused_files_are_counted() -> None:
    """The message names the first, a line each, without control signs; it crosses processes."""
    lines = [f"{n}\x1b[2J\n/AGENTS.md: no plain file" for n in range(9)]
    told = not_loaded_warning("a\nb", [*lines, *lines])
    said = str(told).split("\n")
    assert len(said) == 7 and "".join(said).isprintable()
    assert "4 more" in str(told) and "--trust" not in str(told)
    again = pickle.loads(pickle.dumps(told))
    assert (again.kind, str(again)) == ("files", str(told))


@pytest.mark.filterwarnings("ignore::loom.LoomWarning")
def test_a_skill_that_was_refused_is_told_when_asked_for(
    repo: Path, tmp_path: Path, as_another: Callable[[int], None]
) -> None:
    """One all whose skills were refused hears why; one that never had any, that it has none."""
    bare = pytest.raises(loom.LoomError, match=r"^this agent has no skills$")
    with loom.open(tmp_path / "none", durable=False) as ctx, bare:
        ctx.skills.use("one")
    as_another(repo.stat().st_uid + 1)
    told = pytest.raises(loom.LoomError, match=r"no skills: not loaded: .*belongs to.*trust=")
    with loom.open(tmp_path / "w", project=repo, durable=False) as ctx, told:
        ctx.skills.use("one")
