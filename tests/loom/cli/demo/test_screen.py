import io

import pytest
from rich.console import Console

from loom.cli.demo.proof import Demo, DemoStep
from loom.cli.demo.screen import DemoLines, DemoScreen
from loom.cli.styled import columns_of


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[DemoStep]:
    """The steps of one demo."""
    seen: list[DemoStep] = []
    Demo(tmp_path_factory.mktemp("demo"), seen.append).run()
    return seen


def test_lines_come_once_a_second(frames: list[DemoStep]) -> None:
    """A clock of 0.3 seconds a step: every fourth step, and the one at which a list is full."""
    now = iter(0.3 * at for at in range(len(frames) + 1))
    told: list[str] = []
    lines = DemoLines(told.append, lambda: next(now))
    for frame in frames:
        lines(frame)
    full = [text for text in told if "without Loom" in text]
    assert len(full) == 1 and full[0].startswith(f"step {frames[-1].plain_full_at:3} ")
    assert len(told) - 1 == len(frames) // 4
    assert all(len(text) <= 80 for text in told)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_board_fits(frames: list[DemoStep], width: int) -> None:
    """At any width, on a screen of 24 lines, and it says both ways when there is a difference."""
    screen, board = Console(width=width, record=True, file=io.StringIO()), DemoScreen()
    for frame in frames[::10]:
        screen.print(board(frame, width))
        lines = screen.export_text().splitlines()
        assert len(lines) <= 24 and all(columns_of(line) <= width for line in lines)
        assert ("full at step" in " ".join(lines)) == bool(frame.plain_full_at)
        assert any(line.startswith("with Loom: ") for line in lines)
