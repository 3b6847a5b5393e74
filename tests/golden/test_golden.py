"""Every request of known sessions is the same to the byte, whatever was moved in the source.

A change that is meant to change requests renews the digests, in a commit that says why:
`python tests/golden/lives.py > tests/golden/digests.txt`.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import loom

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


@pytest.mark.parametrize("name", KNOWN)
def test_the_requests_are_what_they_were(name: str, tmp_path: Path) -> None:
    """In four formats: of a generated session, of the demo, of a journal of an earlier Loom."""
    assert LIVES.lives()[name](tmp_path) == KNOWN[name]


def test_an_earlier_journal_gives_all_back(tmp_path: Path) -> None:
    """Every entry of a workspace that an earlier Loom wrote comes back from it."""
    shutil.copytree(HERE / "format-1", tmp_path / "w")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        for entry in ctx._engine.workspace.index.commits:
            assert ctx.restore(entry).name
