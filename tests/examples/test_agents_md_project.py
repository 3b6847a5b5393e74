"""The example of a project with guides: rules join and change as it says."""

from __future__ import annotations

from pathlib import Path

from tests.kit.example_scripts import printed


def test_rules_join_and_change(tmp_path: Path) -> None:
    """The folder's guide joins when a file there is read; an edit counts at the next turn."""
    said = printed("agents_md_project", tmp_path)
    root, joined, edited, skills = said.strip().split("\n\n")
    assert "firmware/AGENTS.md:3" not in root and root.count("(sent)") == 2
    assert "firmware/AGENTS.md:3  Indent with tabs.  (sent)" in joined
    assert "firmware/AGENTS.md:3  Indent with two spaces.  (sent)" in edited
    assert "not sent" not in said
    assert "release: Cut a release" in skills and "its text is sent" in skills
    assert printed("agents_md_project", tmp_path) == said
