"""Ablation: every mechanism has a row, can be switched off, and is compared with and without."""

from importlib import import_module
from pkgutil import walk_packages

import pytest

import loom.compress
import loom.reduce
from benchmarks.ablate.command import AblationCount, AblationJob, _noise, _row, counted
from benchmarks.ablate.mechanisms import FRAME, MECHANISMS, NAMES, switched_off
from tests.kit.example_scripts import ROOT

ROOMS = (loom.compress, loom.reduce)


def test_every_module_has_a_row() -> None:
    """A module is of a mechanism that can be switched off, or of what no window does without."""
    rows = [name for one in MECHANISMS for name in one.modules]
    rows += [name for names in FRAME.values() for name in names]
    known = {
        one.name.removeprefix("loom.")
        for room in ROOMS
        for one in walk_packages(room.__path__, f"{room.__name__}.")
        if not one.ispkg
    }
    packages = {name.rpartition(".")[0] for name in known}
    assert set(rows) <= known | packages, "a row names a module that is none"
    assert sorted([one for one in known if not {one, *_above(one)} & set(rows)]) == []


def _above(name: str) -> list[str]:
    """The packages a module is in, below its room."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(2, len(parts))]


@pytest.mark.parametrize("name", NAMES)
def test_a_mechanism_is_off_only_there(name: str) -> None:
    """What stands in its place is looked up by its name, and all is as before behind it."""
    for target in NAMES[name].without:
        module, _, path = target.rpartition(".")
        try:
            owner = import_module(module)
        except ImportError:
            above, _, kind = module.rpartition(".")
            owner = getattr(import_module(above), kind)
        before = getattr(owner, path)
        with switched_off((name,)):
            assert getattr(owner, path) is not before
        assert getattr(owner, path) is before


def test_the_page_says_what_each_is_for() -> None:
    """Each row of its table has the sentence of its mechanism."""
    page = (ROOT / "docs" / "design.md").read_text("utf-8")
    table = page[page.index("| without |") : page.index("## Names in the design documents")]
    rows = [line.strip("| ").split(" | ")[:2] for line in table.strip().splitlines()[3:]]
    assert len(rows) > 10
    assert [(name, NAMES[name].sentence) for name, _ in rows] == [(*row,) for row in rows]


def test_a_judge_counts_with_and_without() -> None:
    """Simulated questions: without what commands printed some are answered wrongly."""
    whole, off = (counted(AblationJob(row, "ask", 4_096, 61)) for row in ((), ("verdict",)))
    assert whole.asked == off.asked > 100 and off.held < whole.held
    row = _row(("verdict",), [("ask", 4_096)], [whole, off])
    assert row["judges"][0]["change"] < 0


def test_a_fact_in_a_long_message_has_a_judge() -> None:
    """Without slices of what came in as a preview, planted facts are gone at the first cut."""
    whole, off = (
        counted(AblationJob(row, "planted", 8_192, "scraps")) for row in ((), ("previews",))
    )
    assert whole.asked == off.asked > 0 and off.held < whole.held


def test_noise_is_that_of_sessions() -> None:
    """Sessions that lose alike have no noise, sessions that differ have."""

    def count(row: tuple[str, ...], session: str, held: int) -> AblationCount:
        return AblationCount(row, "needs", 1, session, held, 10, 0, 0.0)

    base = [count((), str(n), 8) for n in range(9)]
    assert _noise(base, [count(("x",), str(n), 7) for n in range(9)]) == (-10.0, -10.0)
    least, most = _noise(base, [count(("x",), str(n), 8 - n % 3) for n in range(9)])
    assert least < -10.0 < most
