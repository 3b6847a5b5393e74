"""Other agents load guides as their documentation says."""

from __future__ import annotations

from loom.bench.guides.loading_rules import (
    CODEX_BYTES,
    PEERS,
    ClaudeCode,
    Codex,
    GeminiCli,
    GeminiScan,
    LoadingRules,
)
from loom.bench.guides.peer_window import PeerWindow
from loom.bench.guides.work import READ, RUN, WorkCall
from tests.kit.cases import all_cases
from tests.loom.bench.guides.conftest import Project

FILES = {
    "AGENTS.md": "- The root rule.\n\n@docs/a.md\n",
    "docs/a.md": "- The imported rule.\n",
    "sub/AGENTS.md": "- The sub rule.\n",
    "sub/x.py": "pass\n",
    "made/AGENTS.md": "- The ignored rule.\n",
    ".gitignore": "/made/\n",
}


@all_cases("kind", PEERS)
def test_without_guides_nothing_is_loaded(project: Project, kind: type[LoadingRules]) -> None:
    """An empty project loads nothing, at launch or later."""
    root = project({"sub/x.py": "pass\n"})
    rules = kind(root, root)
    assert rules.touched(READ, root / "sub" / "x.py") == {}
    assert rules.loaded == rules.nested == {}


@all_cases(
    ("kind", "launch", "nested"),
    [
        (ClaudeCode, ["AGENTS.md"], ["sub/AGENTS.md"]),
        (Codex, ["AGENTS.md"], []),
        (GeminiCli, ["AGENTS.md"], ["sub/AGENTS.md"]),
        (GeminiScan, ["AGENTS.md", "sub/AGENTS.md"], []),
    ],
)
def test_guides_are_loaded_at_launch_or_with_a_read(
    project: Project, kind: type[LoadingRules], launch: list[str], nested: list[str]
) -> None:
    """A command of the shell loads nothing; a file read twice loads once."""
    root = project(FILES)
    rules = kind(root, root)
    file = root / "sub" / "x.py"
    assert rules.touched(RUN, file) == {}
    assert [*rules.touched(READ, file)] == nested
    assert rules.touched(READ, file) == {}
    assert sorted(rules.loaded) == launch
    assert ("imported" in rules.loaded["AGENTS.md"]) == (kind is not Codex)


def test_an_edit_is_not_seen_until_a_compaction(project: Project) -> None:
    """Claude Code reads the files of launch again then, and loses the nested ones."""
    root = project(FILES)
    for kind, again in ((ClaudeCode, True), (Codex, False), (GeminiCli, False)):
        rules = kind(root, root)
        rules.touched(READ, root / "sub" / "x.py")
        (root / "AGENTS.md").write_text("- The new rule.\n")
        assert "root rule" in rules.loaded["AGENTS.md"]
        rules.compacted()
        assert ("new rule" in rules.loaded["AGENTS.md"]) == again
        assert bool(rules.nested) == (kind is GeminiCli)
        (root / "AGENTS.md").write_text(FILES["AGENTS.md"])


def test_codex_reads_so_many_bytes_from_the_root_down(project: Project) -> None:
    """What the root takes is not there for the closest."""
    root = project({"AGENTS.md": "x" * CODEX_BYTES, "sub/AGENTS.md": "- The sub rule.\n"})
    assert [*Codex(root, root / "sub").loaded] == ["AGENTS.md"]


def test_a_full_window_is_summed_up_before_a_call(project: Project) -> None:
    """The nested guide is gone, then there again with a read; the front of the request stays."""
    root = project(FILES)
    peer = PeerWindow(ClaudeCode(root, root), "system", "goal", 500, lambda text: len(text.split()))
    call = WorkCall(READ, '{"file_path": "sub/x.py"}', root / "sub" / "x.py", "word " * 50)
    away = WorkCall(RUN, '{"command": "true"}', root / "x.py", "word " * 200)
    seen = []
    for one in (call, away, away, call):
        peer.take(one)
        seen.append("sub/AGENTS.md" in peer.request(changed=False).texts)
    assert seen == [True, True, False, True]
    assert peer.compactions > 0 and peer.over == 0
    assert 0 < peer.cost["reused"] < peer.cost["sent"]
