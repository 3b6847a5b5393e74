"""What docs/examples.md shows of each example is what it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kit.example_scripts import EXAMPLES, ROOT, printed

PAGE = (ROOT / "docs" / "examples.md").read_text("utf-8")
SHOWN = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ python examples/(\w+)\.py\n", re.MULTILINE)
NEEDED = {"langchain_agent": ("langchain", "langchain_openai"), "through_the_proxy": ("uvicorn",)}


def runs_of(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each the name of an example and what it is said to print."""
    _, *parts = COMMAND.split(block)
    return list(zip(parts[::2], parts[1::2], strict=True))


def masked(text: str) -> list[str]:
    """The lines of an output; numbers, and marks of single facts, are left open.

    Each workspace draws the letters of its mark, so counts of tokens differ a little by the run.
    """
    bare = re.sub(r"\d[\d,.]*", "N", re.sub(r"[#+.]{20,}", "MARKS", text.strip()))
    return [" ".join(line.split()) for line in bare.splitlines()]


BLOCKS = [runs_of(block) for block in SHOWN.findall(PAGE)]


@pytest.mark.parametrize("runs", BLOCKS, ids=[runs[0][0] for runs in BLOCKS])
def test_the_page_shows_what_is_printed(runs: list[tuple[str, str]], tmp_path: Path) -> None:
    """The commands of a block run one after another in an empty folder print what it shows."""
    for package in NEEDED.get(runs[0][0], ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    for name, shown in runs:
        assert masked(printed(name, tmp_path)) == masked(shown)


def test_every_script_is_on_the_page() -> None:
    """Each module of `examples/` that is a program has its block, and no block another name."""
    programs = {
        path.stem
        for path in EXAMPLES.glob("*.py")
        if 'if __name__ == "__main__":' in path.read_text("utf-8")
    }
    assert {runs[0][0] for runs in BLOCKS} == programs
    assert len(BLOCKS) == len(programs) == 6
