"""What is asked for in a few words becomes a plan, or is refused by what would be right."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_bench.asked import lacking, plan_of, seeds_of
from loom_bench.errors import BadBench
from loom_bench.judges import JUDGES
from loom_bench.report.rows import SEEDS, WINDOWS
from loom_bench.scenarios import SCENARIOS
from loom_bench.strategies import DEFAULT, STRATEGIES
from loom_bench.strategies.peers import PEERS
from tests.kit.bench_parts import small_scenario


def test_nothing_asked_is_everything_built_in() -> None:
    """All scenarios, the usual judges, the eight strategies, the windows and seeds of the plan."""
    plan = plan_of()
    assert plan.scenarios == tuple(SCENARIOS.built()) and plan.judges == JUDGES.usual()
    assert set(JUDGES.built()) - set(plan.judges) == {"truth"}
    assert plan.strategies == DEFAULT and len(DEFAULT) == 8
    assert (plan.windows, plan.seeds, plan.half) == (WINDOWS, SEEDS, "public")
    assert len(plan) == len([*plan.jobs()])


def test_what_is_asked_is_in_the_plan(tmp_path: Path) -> None:
    """Each name once, in the order given, those of files too."""
    own = f"{small_scenario(tmp_path)}:small"
    plan = plan_of([own, own], ["tail", "loom", "tail"], ["facts"], "4096", "2", held_out=True)
    assert plan.scenarios == (own,) and plan.strategies == ("tail", "loom")
    assert (plan.judges, plan.windows, plan.seeds) == (("facts",), (4096,), (1, 2))
    assert plan.half == "held_out"


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 20)), min_size=1, max_size=4))
def test_ranges_of_seeds(spans: list[tuple[int, int]]) -> None:
    """Ranges hold both ends, and every seed comes once."""
    found = seeds_of(",".join(f"{first}-{first + more}" for first, more in spans))
    wanted = {seed for first, more in spans for seed in range(first, first + more + 1)}
    assert set(found) == wanted and len(found) == len(wanted)


def test_a_name_of_nothing_is_refused(tmp_path: Path) -> None:
    """Of any kind, with what there is; of a file, with what it lacks or raised."""
    (tmp_path / "bad.py").write_text("1 / 0", "utf-8")
    for given_, why in (
        ({"scenarios": ["no"]}, "no: there are"),
        ({"strategies": ["no"]}, "no: there are"),
        ({"judges": ["no"]}, "no: there are"),
        ({"strategies": [f"{small_scenario(tmp_path)}:other"]}, "has no other"),
        ({"strategies": [f"{tmp_path / 'bad.py'}:make"]}, "ZeroDivisionError"),
    ):
        with pytest.raises(BadBench, match=why):
            plan_of(**given_)


def test_a_strategy_that_is_not_installed_is_refused() -> None:
    """Before anything is run, by the package it needs; built-in ones need none."""
    assert not any(lacking(name) for name in DEFAULT)
    for name, peer in PEERS.items():
        assert lacking(name) == ("" if peer.installed else peer.package)
        if not peer.installed and name in STRATEGIES.names():
            with pytest.raises(BadBench, match=peer.package):
                plan_of(strategies=[name])
