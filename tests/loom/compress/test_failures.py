"""A failed step keeps its error at every level above Digest."""

from __future__ import annotations

from loom.compress.entry_line import line
from loom.compress.snip import shortened
from loom_partitions.message import Detail, Step
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

NOISE = "the build went on and on as builds do\n"
WORDS = "ValueError: the lamp is broken"
PLACES = {
    "short": WORDS,
    "first": f"{WORDS}\n{NOISE * 90}",
    "last": f"{NOISE * 90}{WORDS}",
    "between": f"{NOISE * 45}{WORDS}\n{NOISE * 45}",
}


@all_cases("tool", ["Bash", "weather", "run_tests"])
@all_cases("place", PLACES)
@all_cases("level", ["snipped", "reduced", "compact"])
def test_failures_keep_their_words(opened: Open, tool: str, place: str, level: str) -> None:
    """At every level above Digest a failed step shows its error, wherever it stood."""
    ctx, text = opened(), PLACES[place]
    step(ctx, text, tool=tool, error=True)
    for _ in range(3):
        step(ctx, "ok")
    seen = scene(ctx)
    entry = seen.entries[0]
    assert isinstance(entry, Step)
    if level == "snipped":
        told = str([edit for edit, _ in shortened(seen, entry, 2_000)] or text)
    else:
        told = line(entry, Detail[level.upper()], seen.read)
    assert "the lamp is broken" in told
