from loom.cli.jobs import live
from loom.engine.pressure import Pressure
from loom_partitions.limits import Tokens


def test_the_live_line_shows_every_partition() -> None:
    """One short line: ρ, a share for each partition, the level that fired."""
    told = live(Pressure(0.83, Tokens(20, 0, 10, 780, 20), 1_000, "snip"))
    assert told.endswith("snip") and "0.83" in told and ".78" in told and len(told) < 80
