"""Obligations read from guides: orders that name a command and a moment, and nothing else."""

from __future__ import annotations

from loom.capabilities.memory.guide_obligations import obligations
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.merging import GuidePart
from tests.kit.cases import all_cases


def part(path: str, text: str) -> GuidePart:
    """A guide as it counts."""
    lines = plain(text.encode())
    return GuidePart(Guide(path, lines), lines)


NONE = [
    "",
    "Do not run `npm run build` before committing.",
    "You can run `make x` before committing.",
    "Never run `make x` after the tests.",
    "CI runs `make x` before deploying.",
    "Read `CONTRIBUTING.md` before committing.",
    "Run the tests before committing.",
    "Run `foo()` before the call.",
    "Run `make test`.",
    "There is no need to run `make x` after edits.",
    "```\nrun make x before y\n```",
    "Do not run before pushing:\n```\nmake x\n```",
    "The hook will run `make x` before each commit.",
]
STATED = [
    ("Always run `make test` before committing.", "run make test", "before committing"),
    ("Before committing, run `make test`.", "run make test", "before committing"),
    ("After changing a model run `make schema`.", "run make schema", "after changing a model"),
    ("Run make lint before you push.", "run make lint", "before you push"),
    ("`ruff check` and `mypy` must pass before merging.", "run ruff check and mypy",
     "before merging"),
    ("- **Before every commit**: `pre-commit run`", "run pre-commit run", "before every commit"),
    ("After editing `schema.sql`, always run `make gen` and `make fmt`.",
     "run make gen and make fmt", "after editing schema.sql"),
    ("When you touch `api/`, run `npm run codegen`.", "run npm run codegen", "when you touch api/"),
    ("## Before committing\n- Run `make a`", "run make a", "before committing"),
    ("Before you push:\n1. run `make d`", "run make d", "before you push"),
    ("Before committing, run:\n\n```bash\nmake lint  # fast\nmake test\n```",
     "run make lint and make test", "before committing"),
    ("Run the suite via `make z` before merging.", "run make z", "before merging"),
]  # fmt: skip


@all_cases("text", NONE)
def test_no_obligation(text: str) -> None:
    """What is forbidden, allowed, told of others, or names no command or moment is none."""
    assert obligations([part("AGENTS.md", text)]) == ()


@all_cases(("text", "do", "when"), STATED)
def test_what_is_to_be_done_and_when(text: str, do: str, when: str) -> None:
    """The command, the moment, and the line it stands on."""
    (one,) = obligations([part("AGENTS.md", f"# Rules\n\n{text}")])
    assert (one.do, one.when, one.path) == (do, when, "AGENTS.md")
    assert one.line in (3, 4) and one.where == f"AGENTS.md:{one.line}"


def test_ids_are_of_the_command() -> None:
    """Short, unique, and the same wherever the line stands; of two equal rules the closest is."""
    text = "Run `make test` before committing.\nRun `make test` after a merge.\n"
    parts = [part("AGENTS.md", text), part("sub/AGENTS.md", "Run `make test` before committing.")]
    found = obligations(parts)
    assert [(one.id, one.where) for one in found] == [
        ("make-test", "sub/AGENTS.md:1"), ("make-test-after-a-merge", "AGENTS.md:2")]  # fmt: skip
    moved = obligations([part("AGENTS.md", f"# More\n\n{text}"), parts[1]])
    assert [one.id for one in moved] == [one.id for one in found]
