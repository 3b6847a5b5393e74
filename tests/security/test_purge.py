"""A secret that was kept leaves everything Loom wrote, and the workspace goes on.

Each door of a context is gone through with `redact=()`, as one would before anybody knew, and the
bytes of everything that rests are searched after a purge.
"""

from __future__ import annotations

import importlib.util
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

import loom
from loom.cli.app import main
from loom.redact import SECRETS

REST = Path(__file__).resolve().parents[1] / "loom" / "test_secrets_at_rest.py"


def _doors() -> ModuleType:
    """The doors of the test of secrets at rest."""
    about = importlib.util.spec_from_file_location("secrets_at_rest", REST)
    assert about is not None and about.loader is not None
    made = importlib.util.module_from_spec(about)
    sys.modules[about.name] = made
    about.loader.exec_module(made)
    return made


rest = _doors()
ALSO = ("memory", "cache")
UNCHANGED: frozenset[str] = frozenset()


def kept(folder: Path) -> list[Path]:
    """The folders beside the workspace that are there."""
    return [folder / "kept" / name for name in ALSO if (folder / "kept" / name).is_dir()]


def purged(folder: Path, **more: object) -> loom.PurgeReport:
    """Purge the plain secret from a workspace that `rest.opened` made."""
    work = folder / "kept" / "work"
    return loom.purge(work, [rest.PLAIN], also=kept(folder), durable=False, **more)  # type: ignore[arg-type]


def filled(folder: Path, door: str, secret: str = rest.PLAIN) -> None:
    """Go through a door with a secret that is not redacted."""
    doors = rest.DOORS | rest.NAMES
    with rest.opened(folder, secret, redact=()) as ctx, suppress(loom.LoomError):
        made = doors[door](ctx, secret)
        if not ctx.calls:
            ctx.turn()
        if isinstance(made, loom.Context):
            made.close()


@pytest.mark.parametrize("secret", [rest.PLAIN, rest.COLOURED], ids=["plain", "coloured"])
@pytest.mark.parametrize("door", [*rest.DOORS, *rest.NAMES])
def test_a_purged_secret_is_in_no_byte(
    tmp_path: Path, door: str, secret: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Journal, pages, bus, notes, memories, cache: none holds it; it checks, opens and goes on."""
    filled(tmp_path, door, secret)
    before = rest.holding(tmp_path)
    shown = purged(tmp_path, dry_run=True)
    assert rest.holding(tmp_path) == before
    report = purged(tmp_path)
    assert bool(before) <= bool(report.places) and shown.places == report.places
    assert rest.BODY not in repr(report)
    assert rest.holding(tmp_path) == []
    work = tmp_path / "kept" / "work"
    for folder in (work, *work.glob("agents/*"), *work.glob("forks/*")):
        assert main(["check", str(folder)]) == 0, capsys.readouterr().out
    assert not purged(tmp_path).places
    with rest.opened(tmp_path, "nothing") as ctx:
        if not ctx.calls:
            ctx.user("go on")
            ctx.turn()
            ctx.renew()
    assert main(["check", str(work)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("door", ["result", "agent", "emit long", "snapshot", "overflow", "memory"])
def test_rules_purge_what_they_find(tmp_path: Path, door: str) -> None:
    """`--rules` takes out what the rules of today find, under the kind of each."""
    filled(tmp_path, door)
    work = tmp_path / "kept" / "work"
    report = loom.purge(work, rules=SECRETS, also=kept(tmp_path), durable=False)
    assert "api-key" in report.kinds
    assert rest.holding(tmp_path) == []
