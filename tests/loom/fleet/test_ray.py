"""A real Ray cluster of two workers: agents whose machines are killed go on elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from tests.loom.fleet import works

pytest.importorskip("obstore", reason="needs obstore")
ray = pytest.importorskip("ray", reason="needs ray")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of Ray itself


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cluster on this machine, begun once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(
            num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80 << 20
        )
        yield
        ray.shutdown()


def test_each_agent_of_a_map_goes_on_elsewhere(tmp_path: Path) -> None:
    """Workers killed at their first agent: each result is there once, each step once."""
    from loom.fleet.on_ray import RayExecutor

    places = [f"file://{tmp_path}/runs/{number}" for number in range(3)]
    with RayExecutor() as pool:
        runs = list(loom.fleet.each(works.dies_once, places, executor=pool, workers=2))
        (failed,) = loom.fleet.each(works.raises, [f"file://{tmp_path}/no"], executor=pool)
        (again,) = loom.fleet.each(works.dies, places[:1], executor=pool)
    assert {(run.address, run.error, run.runs) for run in runs} == {(at, "", 2) for at in places}
    assert failed.error.startswith("ValueError: nothing stands") and failed.result is None
    assert again.runs == 0 and again.result is not None and again.result.summary == "4 steps"
