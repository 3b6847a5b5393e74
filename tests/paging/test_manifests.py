"""Manifests that no purge made: a folder that comes from somebody else changes nothing outside."""

import json
from pathlib import Path

import pytest

from loom_paging import PagingError
from loom_paging.rewriting import MANIFEST, STAGING, FileChanges, carry_out
from tests.kit.cases import all_cases


def planted(folder: Path, manifest: str) -> tuple[Path, Path]:
    """A root with a manifest and bytes staged beside it, and a file outside."""
    root, outside = folder / "root", folder / "outside.txt"
    (root / STAGING).mkdir(parents=True)
    (root / "inside.txt").write_text("inside\n")
    (root / STAGING / "0").write_text("planted\n")
    (root / STAGING / MANIFEST).write_text(manifest)
    (root / "link").symlink_to(folder)
    outside.write_text("precious\n")
    return root, outside


@all_cases("how", [{}, {"staged": f"{STAGING}/0"}, {"moved": "inside-now.txt"}])
def test_a_path_that_leads_out(tmp_path: Path, how: dict[str, str]) -> None:
    """Absolute, by dots or by a link: refused before anything was done, also what stood first."""
    outside = tmp_path / "0/outside.txt"
    for number, path in enumerate((str(outside), "../outside.txt", "link/outside.txt", "link/..")):
        changes = [{"path": "inside.txt"}, {"path": path, **how}]
        root, precious = planted(tmp_path / str(number), json.dumps(changes))
        with pytest.raises(PagingError, match="leads out"):
            carry_out(root)
        assert precious.read_text() == outside.read_text() == "precious\n"
        assert (root / "inside.txt").read_text() == "inside\n"


@all_cases("manifest", ["", "{", '[{"staged": "x"}]', '{"path": "inside.txt"}'])
def test_a_manifest_that_cannot_be_read(tmp_path: Path, manifest: str) -> None:
    """It is told, with what to do."""
    root, _ = planted(tmp_path, manifest)
    with pytest.raises(PagingError, match=f"cannot be read.*remove {STAGING}"):
        carry_out(root)
    assert (root / "inside.txt").exists()


def test_a_folder_beside_that_was_named(tmp_path: Path) -> None:
    """A file beside the root is removed where its folder was given; no staging is left."""
    root, beside = tmp_path / "root", tmp_path / "memory"
    for folder in (root, beside):
        folder.mkdir()
        (folder / "a").write_text("secret")
        (folder / "b").write_text("secret")
    changes = FileChanges(root, [beside])
    changes.gone.add(beside / "a")
    changes.new[root / "a"] = b"clean"
    changes.moved[beside / "b"] = beside / "c"
    changes.carry_out()
    assert sorted(one.name for one in beside.iterdir()) == ["c"]
    assert {one.name: one.read_text() for one in root.iterdir()} == {"a": "clean", "b": "secret"}


def test_litter_in_the_staging(tmp_path: Path) -> None:
    """A foreign file there does not stop the end."""
    root, _ = planted(tmp_path, json.dumps([{"path": "inside.txt"}]))
    carry_out(root)
    assert not (root / "inside.txt").exists() and not (root / STAGING).exists()
