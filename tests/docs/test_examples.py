"""What docs/examples.md shows of each example is what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.example_scripts import BLOCKS, EXAMPLES, printed_as_shown

# Their own tests in `tests/examples` compare what they print with the page.
TESTED = ("embed", "langchain_agent", "researchers", "through_the_proxy")
NAMES = [runs[0][0] for runs in BLOCKS]


@pytest.mark.parametrize("name", sorted({*NAMES} - {*TESTED}))
def test_the_page_shows_what_is_printed(name: str, tmp_path: Path) -> None:
    """The commands of a block run one after another in an empty folder print what it shows."""
    assert printed_as_shown(name, tmp_path)


def test_every_script_is_on_the_page() -> None:
    """Each module of `examples/` that is a program has its block, and no block another name."""
    programs = {
        path.stem
        for path in EXAMPLES.glob("*.py")
        if 'if __name__ == "__main__":' in path.read_text("utf-8")
    }
    assert {*NAMES} == programs
    assert len(BLOCKS) == len(programs) == 6
