"""The fit: what it counts, that its test is one, and when it writes."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from benchmarks.fit import fit, kept
from loom.compress.worth.fitted import constants_in_force, use_constants
from loom.policy import Policy
from loom_bench.fit.constants import FILE, policy_moved, written
from loom_bench.fit.objective import Gain, gain, objective
from loom_bench.fit.replay import Candidate, ReplaySums
from loom_bench.fit.search import Bench, Climb, Fit, cross_validated
from tests.kit.cases import all_cases
from tests.kit.labelled import labelled_session

# Labels that do not count: they are near, seen nowhere, or of a file that is read again.
NONE = (
    {"distance_tokens": 7_000},
    {"needle": "seen nowhere before"},
    {"kind": "reread", "needle": "p.go"},
)
session = partial(labelled_session, filler=4, more=NONE)
SMALL = 3_000
START = Candidate(constants_in_force(), Policy())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four sessions."""
    folder = tmp_path_factory.mktemp("sessions")
    return [session(folder, name, filler=4 + at) for at, name in enumerate("abcd")]


def found(start: Candidate, chosen: Candidate, gained: Gain) -> Fit:
    """A fit with that outcome."""
    return Fit((), start, (start, chosen), (), (), gained, chosen)


def test_using_restores() -> None:
    """Inside a block other constants are in force, afterwards the ones before, error or not."""
    before = constants_in_force()
    outer, inner = replace(before, gamma=0.11), replace(before, gamma=0.22)
    with use_constants(outer):
        with pytest.raises(RuntimeError), use_constants(inner):
            assert constants_in_force() == inner
            raise RuntimeError
        assert constants_in_force() == outer
    assert constants_in_force() == before


GAINS: list[tuple[str, Callable[[int], int], bool]] = [
    ("the same", lambda _: 1, False),
    ("worse", lambda _: 0, False),
    ("one session of eight", lambda at: 3 if at == 0 else 1, False),
    ("every session", lambda _: 2, True),
]


@all_cases(("after", "sure"), [g[1:] for g in GAINS], ids=[g[0] for g in GAINS])
def test_a_gain_is_sure_when_it_is_no_luck_of_the_draw(
    after: Callable[[int], int], sure: bool
) -> None:
    """The interval is drawn by session, holds the mean, and decides."""
    before = [(ReplaySums(4, 1, 5, 50),)] * 8
    then = [(ReplaySums(4, after(at), 5, 50),) for at in range(8)]
    got = gain(before, then, [100], seed=1)
    assert got.sure is sure
    assert got.low <= got.mean + 1e-9
    assert got.mean <= got.high + 1e-9
    assert got == gain(before, then, [100], seed=1)


def test_judges_count_alike() -> None:
    """The objective is the mean over judges, however many questions each has."""
    needs, takeover = ReplaySums(100, 50, 1), ReplaySums(4, 4, 1, judge="takeover")
    assert objective([(needs,), (needs,)], [100]) == pytest.approx(0.5)
    assert objective([(needs,), (needs,), (takeover,)], [100]) == pytest.approx(0.75)
    assert objective([], [100]) == 0.0


def test_every_judge_of_a_search(made: list[Path]) -> None:
    """Needs and questions are asked in one search, those of one session in one half, and a number
    of the policy may move within its bounds."""
    with Bench([SMALL], 1) as bench:
        found = cross_validated(bench, [*made[:2], 80, 81], START, 1, 1, shares=True)
    assert {row[0].judge for row in found.before} == {"needs", "ask"}
    assert all(row[0].resident <= row[0].needs for row in found.before)
    moved = policy_moved(START.policy, 0.5, Random(3))
    assert moved != START.policy
    assert replace(moved, recent=3, tuning=START.policy.tuning) == START.policy


def test_same_seed_same_result(made: list[Path]) -> None:
    """The search depends on the sessions and the seed alone, not on the number of processes."""
    fits = []
    for workers in (1, 2):
        with Bench([SMALL], workers) as bench:
            fits.append(cross_validated(bench, made[:2], START, 1, 1))
    assert fits[0] == fits[1]
    assert len(fits[0].tested) == 2
    one, other = (Climb(START, (made[0],), Random(seed)).proposed() for seed in ("1 0", "2 0"))
    assert one != other


def test_a_half_never_sees_the_other(made: list[Path], tmp_path: Path) -> None:
    """What is fitted on one half is the same whatever the other half holds."""
    with Bench([SMALL], 1) as bench:
        first = cross_validated(bench, made, START, 2, 1)
        changed = [
            made[0],
            session(tmp_path, "b", filler=9),
            made[2],
            session(tmp_path, "d", filler=2),
        ]
        second = cross_validated(bench, changed, START, 2, 1)
    assert first.fitted[0] == second.fitted[0]


def test_only_a_better_fit_is_written(tmp_path: Path) -> None:
    """A gain that may be noise leaves the file, a sure one writes sorted, rounded constants."""
    file = tmp_path / "fitted.json"
    chosen = replace(START, fitted=replace(START.fitted, gamma=0.4242))
    assert not kept(found(START, chosen, Gain(0.1, -0.01, 0.2)), file)
    assert not kept(found(START, START, Gain(0.0, 0.0, 0.0)), file)
    assert not file.exists()
    assert kept(found(START, chosen, Gain(0.1, 0.01, 0.2)), file)
    plain = json.loads(file.read_text("utf-8"))
    assert list(plain) == sorted(plain)
    assert list(plain["kinds"]) == sorted(plain["kinds"])
    assert plain["gamma"] == 0.42


def test_the_command(made: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables, a sentence, one JSON line; nothing is written when nothing got better."""
    file = tmp_path / "fitted.json"
    code = fit(
        sessions=[made[0].parent],
        capacity=str(SMALL),
        rounds=0,
        workers=1,
        low_water=0.68,
        write=True,
        file=file,
    )
    out = capsys.readouterr().out.splitlines()
    report = json.loads(out[-1])
    assert code == 0
    assert not file.exists()
    assert (report["sessions"], report["gain"], report["written"]) == (4, 0.0, False)
    assert report["tests"]["in force, tested on pooled"] == report["tests"]["chosen, untested"]
    assert "the constants in force stay" in out[-2]


def test_the_file_is_as_a_fit_writes_it() -> None:
    """Sorted names, two digits: not a byte of it is by hand."""
    assert FILE.read_bytes() == written(constants_in_force())
