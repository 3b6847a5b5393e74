"""Micro never points at a text that holds less than the one it takes away."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom.compress.duplicates import micro
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

FILE = "".join(f"x = {number}  # of the file\n" for number in range(60))
TAIL = "/" + "deep/" * 30 + "main.py"  # longer than what two cut names would share
texts = st.integers(200, 2_500).map(lambda size: (FILE * 2)[:size])
reads = st.tuples(st.sampled_from(["m.py", "/repoA" + TAIL, "/repoB" + TAIL]), texts)


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(reads, min_size=1, max_size=6))
def test_a_reference_names_a_text_at_least_as_long(
    opened: Open, happened: list[tuple[str, str]]
) -> None:
    """Whatever was read: the step named is newer and no smaller, and of the same file or the same
    text."""
    ctx = opened(window=64_000)
    held = {}
    for path, text in happened:
        held[step(ctx, text, tool="Read", args={"file_path": path})] = (path, text)
    for _ in range(3):
        step(ctx, "done")
    for edit in micro(scene(ctx)):
        path, text = held[edit.entry]
        (named,) = [id for id in held if f"see step_{id:04d}" in str(edit.text.body)]
        assert named > edit.entry
        assert held[named][0] == path or held[named][1] == text
        assert len(held[named][1]) >= len(text)
        assert list(ctx.history.restore(edit.entry).results.values()) == [text]
    ctx.close()
