from msgspec.structs import replace

from loom.cli.demo.proof import DemoResult
from loom.cli.demo.screen import LEVELS, closing
from loom.cli.styled import columns_of
from loom.compress.ladder import LADDER, REACTIVE, STEP
from tests.kit.cases import all_cases
from tests.kit.hostile import EVIL

DONE = DemoResult(
    100, 101, 3, {"step": 9, "renewal": 3}, 8_192, 4_700, 3_900, 0.83, 1.05, 70_000, 500_000,
    94_000, 12, 99, 300_000, "ab" * 32, 99, 300_000, "ab" * 32, 13, 0, 90, 0.3, 7, 2.5, (),
)  # fmt: skip


def told(outcome: DemoResult, width: int = 80) -> list[str]:
    """The lines of an end, as they are printed."""
    return [text.plain for text in closing(outcome, width)]


@all_cases("width", [60, 80, 160])
@all_cases("text", ["x" * 300, EVIL])
def test_no_line_is_wider_than_it_may_be(width: int, text: str) -> None:
    """Whatever failed."""
    lines = told(replace(DONE, failures=(text,)), width)
    assert all(columns_of(line) <= min(width, 80) for line in lines)


def test_a_failure_is_told() -> None:
    """In the heading, and by what did not hold."""
    lines = told(replace(DONE, failures=("step 7: its bytes did not come back",)))
    assert "The proof: it failed" in lines
    assert any("failed: step 7" in line for line in lines)


def test_every_level_has_words() -> None:
    """A new level of compression says what it does in a few words."""
    assert set(LEVELS) == {*(level.name for level in (*LADDER, STEP, REACTIVE)), "renewal"}
