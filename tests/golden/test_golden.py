"""Every request of known sessions is the same to the byte, whatever was moved in the source.

A change that is meant to change requests renews the digests, in a commit that says why:
`python tests/golden/lives.py > tests/golden/digests.txt`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import loom
from loom.session.archive.restore import restore_entry
from loom_partitions.migrations import MIGRATIONS, SCHEMA, migrate_records
from tests.kit.opened import private_copy

HERE = Path(__file__).parent


def loaded() -> ModuleType:
    """The sessions of the module beside this one."""
    spec = importlib.util.spec_from_file_location("golden_lives", HERE / "lives.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LIVES = loaded()
KNOWN = dict(line.split(": ") for line in (HERE / "digests.txt").read_text().splitlines())


def test_each_session_has_its_digest() -> None:
    """None is left out of the file, and none stands there that is not run."""
    assert list(KNOWN) == list(LIVES.lives())


@pytest.mark.exact
@pytest.mark.parametrize("name", KNOWN)
def test_the_requests_are_what_they_were(name: str, tmp_path: Path) -> None:
    """In four formats: of a generated session, of the demo, of a journal of an earlier Loom."""
    assert LIVES.lives()[name](tmp_path) == KNOWN[name]


@pytest.mark.parametrize("schema", range(1, SCHEMA))
def test_an_earlier_journal_gives_all_back(schema: int, tmp_path: Path) -> None:
    """Every entry of a workspace that an earlier Loom wrote comes back from it."""
    private_copy(HERE / f"schema-{schema}", tmp_path / "w")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        for entry in ctx._engine.workspace.index.commits:
            assert restore_entry(ctx._engine.workspace, entry).name


@pytest.mark.parametrize("schema", range(1, SCHEMA))
def test_an_earlier_journal_goes_on_in_todays_schema(schema: int, tmp_path: Path) -> None:
    """What is added says by which schema it was written; both parts are read again."""
    private_copy(HERE / f"schema-{schema}", tmp_path / "w")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("Go on.")
        ctx.metered(900)
        sha256 = ctx.turn().sha256
    with loom.open(tmp_path / "w", durable=False) as ctx:
        schemas = [commit.schema for commit in ctx._engine.workspace.journal.scan()]
        assert sorted(set(schemas)) == [schema, SCHEMA] and schemas == sorted(schemas)
        assert ctx.turn().sha256 == sha256


def test_a_newer_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A typed error that says what to do, whether the records are known here or not."""
    private_copy(HERE / "schema-99", tmp_path / "w")
    before = {path: path.read_bytes() for path in (tmp_path / "w").rglob("*.jsonl")}
    for _ in range(2):
        with pytest.raises(
            loom.errors.NewerWorkspace, match="schema 99, and this version reads up"
        ):
            loom.open(tmp_path / "w")
    assert {path: path.read_bytes() for path in (tmp_path / "w").rglob("*.jsonl")} == before


def test_migrations_lead_from_each_schema_to_the_next() -> None:
    """Every number below today's has one, and today's needs none."""
    assert list(MIGRATIONS) == list(range(1, SCHEMA))
    assert migrate_records([{"type": "Metered", "prompt_tokens": 9}], 1) == []
    assert migrate_records([{"type": "Metered", "tokens": 8}], 1) == [
        {"type": "Metered", "tokens": 8}
    ]
    assert migrate_records([{"type": "Metered", "prompt_tokens": 9}], SCHEMA) != []
