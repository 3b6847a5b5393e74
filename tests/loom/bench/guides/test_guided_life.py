"""The benchmark of projects with AGENTS.md: lives are repeatable, its command tells all it saw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.agents_md import agents_md
from loom.bench.guides.guide_report import COLUMNS, missed, report_of
from loom.bench.guides.guided_life import OURS, GuidedLife, LifeFigures, lived
from loom.bench.guides.loading_rules import PEERS
from loom.bench.guides.made_tree import made_tree
from loom.bench.guides.project_tree import trees_in
from loom.replay.audit import BROKEN

STEPS = 8
AGENTS = [OURS, *(kind.name for kind in PEERS)]


@pytest.fixture(scope="module")
def life() -> LifeFigures:
    """A short life in a project that is made."""
    return lived(GuidedLife(None, 0, 32_000, STEPS))


def test_no_life_is_an_empty_report() -> None:
    """Nothing is missed where nothing was lived."""
    report = report_of([], 0.0)
    assert (report["lives"], report["windows"], missed(report)) == (0, {}, [])


def test_every_agent_is_asked_at_every_request(life: LifeFigures) -> None:
    """One request before the first call, one after each, for the same rules."""
    assert [*life.counts] == AGENTS
    assert {counts["requests"] for counts in life.counts.values()} == {STEPS + 1}
    assert len({counts["rules"] for counts in life.counts.values()}) == 1


def test_a_life_is_the_same_twice(life: LifeFigures) -> None:
    """Counts of rules, edits and faults come from the seed; bytes hold clocks and marks."""
    again = lived(GuidedLife(None, 0, 32_000, STEPS))
    for name in ("rules", "in_force", "edits", "stale", "new_guides", "guide_tokens"):
        assert [counts.get(name) for counts in life.counts.values()] == [
            counts.get(name) for counts in again.counts.values()
        ]
    assert life.faults.keys() == again.faults.keys()


def test_what_is_missed_is_told_and_decides_the_exit_code(life: LifeFigures) -> None:
    """A rule missed where it fits, one stale, a law broken: each is named."""
    report = report_of([life], 1.0)
    ours = report["windows"]["32000"][OURS]
    whole = dict.fromkeys(("fit_rules_missed", "fit_edits_missed", "stale"), 0)
    laws = dict.fromkeys(BROKEN, 0)
    sound = {**laws, "windows": {"32000": {OURS: {**ours, **whole}}}}
    assert missed(sound) == []
    for name in whole:
        one = {**sound, "windows": {"32000": {OURS: {**ours, **whole, name: 1}}}}
        assert missed(one) == [f"1 {name} at 32000"]
    assert missed({**sound, "standing": 1}) == ["standing"]


def test_the_command_tells_all_agents_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The last line is the report; exit 1 when something was missed."""
    code = agents_md(seeds=1, steps=2, windows="16000", workers=1, json=True)
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == int(bool(missed(report)))
    assert [*report["windows"]["16000"]] == AGENTS
    assert set(COLUMNS) <= set(report["windows"]["16000"][OURS])


def test_a_folder_without_projects_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is measured there."""
    (tmp_path / "empty").mkdir()
    assert agents_md(trees=tmp_path) == 2
    assert agents_md(trees=tmp_path / "none") == 2
    assert "--trees" in capsys.readouterr().err


def test_real_trees_are_copied_with_their_links(tmp_path: Path) -> None:
    """A link that git left as text is a link in the copy; the original stays as it is."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "AGENTS.md").write_text("- The rule of this tree.\n")
    (source / "CLAUDE.md").write_text("AGENTS.md")
    assert trees_in(tmp_path) == [source]
    found = lived(GuidedLife(source, 0, 32_000, 3))
    assert found.tree == "source"
    assert found.counts["Claude Code"]["in_force"] == found.counts[OURS]["in_force"] > 0
    assert sorted(path.name for path in source.iterdir()) == ["AGENTS.md", "CLAUDE.md"]


def test_a_made_tree_is_the_same_for_a_seed(tmp_path: Path) -> None:
    """Its folders, conflicts and texts come from the seed alone."""
    roots = [tmp_path / name / "repo" for name in ("one", "two")]
    trees = []
    for root in roots:
        root.mkdir(parents=True)
        trees.append(made_tree(5, root))
    assert trees[0].folders == trees[1].folders and trees[0].conflicts == trees[1].conflicts
    texts = [{path.relative_to(root): path.read_bytes() for path in root.rglob("*.md")
              if path.is_file()} for root in roots]  # fmt: skip
    assert texts[0] == texts[1]
