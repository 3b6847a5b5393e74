"""The arguments of a program, read by a table of the options it may be given.

Theory of operation
-------------------
Options are allowed, not forbidden: one that the table does not name is refused, so a program's
newer versions and stranger corners stay out by themselves. GNU's shortened long options
(`--out` for `--output`) are among what the table does not name.

Reading the words right is what safety hangs on, since a value taken for a flag would hide a path.
So the table says of each option what it takes: nothing, a text, or paths; what stands attached
(`-fPATH`, `--file=PATH`) is read as what stands apart. Whatever is left is an operand, and an
operand is a path, but for the pattern or script that stands first in grep's and sed's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from loom.capabilities.toolbox.errors import ToolRefused
from loom.errors import near
from loom.lazy import lazy_re

TEXT, PATH, NAME, SCRIPT = "text", "path", "name", "script"
_NUMBER = lazy_re(r"-[0-9]+")


class Program(Struct, frozen=True):
    """The options a program may be given; short ones as letters, long ones as words of a text.

    `flags` and `long` take nothing (a long one may have an attached `=text`, a letter of `optional`
    an attached text); `texts`, `paths` and `scripts` take a value. An `operands` of "name" is
    a path or what only the program can resolve, as git does revisions. `first` is what the first
    operand is, unless one of `instead` is given. At most `most` operands, none without one of
    `lists`, where those are named. `always` is put before what is given; `refused` has reasons.
    """

    flags: str = ""
    long: str = ""
    optional: str = ""
    texts: str = ""
    long_texts: str = ""
    paths: str = ""
    long_paths: str = ""
    scripts: str = ""
    pairs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: bool = False
    operands: str = PATH
    first: str = ""
    instead: frozenset[str] = frozenset()
    most: int = 1_000
    lists: frozenset[str] = frozenset()
    always: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[str], None] | None = None

    def takes(self) -> dict[str, tuple[str, ...] | None]:
        """The values each option takes; None where a text may only be attached."""
        table: dict[str, tuple[str, ...] | None] = {f"-{one}": () for one in self.flags}
        table |= {f"-{one}": None for one in self.optional}
        table |= {f"--{one}": None for one in self.long.split()}
        for letters, words, kind in (
            (self.texts, self.long_texts, TEXT),
            (self.paths, self.long_paths, PATH),
        ):
            table |= {f"-{one}": (kind,) for one in letters}
            table |= {f"--{one}": (kind,) for one in words.split()}
        return {**table, **dict.fromkeys(self.scripts.split(), (SCRIPT,)), **self.pairs}


def read(program: Program, name: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(kind, text) of each value and operand among the words; raises ToolRefused."""
    takes = program.takes()
    operands: list[str] = []
    given: set[str] = set()
    rest = iter(words)
    for word in rest:
        if word == "--":
            operands += rest
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
        elif program.numbers and _NUMBER.fullmatch(word):
            continue
        else:
            for option, attached in _options(word, takes):
                given.add(option)
                kinds = _taken(program, name, option, takes)
                for kind in kinds or ():
                    value = attached if attached is not None else next(rest, None)
                    attached = None
                    if value is not None:  # a program says itself that a value is missing
                        yield kind, value
    yield from _operands(program, name, operands, given)


def _options(
    word: str, takes: Mapping[str, tuple[str, ...] | None]
) -> Iterator[tuple[str, str | None]]:
    """(option, what is attached to it) for each option of a word: one, or a bundle of letters."""
    if word.startswith("--"):
        option, equals, value = word.partition("=")
        yield option, value if equals else None
        return
    for at, letter in enumerate(word[1:], 2):
        option, attached = f"-{letter}", word[at:]
        if takes.get(option, ()) == ():
            yield option, None
        else:
            yield option, attached or None
            return


def _taken(
    program: Program, name: str, option: str, takes: Mapping[str, tuple[str, ...] | None]
) -> tuple[str, ...] | None:
    if option in takes:
        return takes[option]
    why = program.refused.get(option)
    if why is not None:
        raise ToolRefused(f"{name} {option}", why, "leave it out")
    unknown = "not among the options known to be harmless"
    raise ToolRefused(f"{name} {option}", unknown, near(option, takes))


def _operands(
    program: Program, name: str, operands: Sequence[str], given: set[str]
) -> Iterator[tuple[str, str]]:
    if program.lists and operands and program.lists.isdisjoint(given):
        needed = " or ".join(sorted(program.lists))
        raise ToolRefused(f"{name} {operands[0]}", "it would change something", f"add {needed}")
    first = program.first if program.instead.isdisjoint(given) else ""
    if len(operands) > program.most:
        why = f"it takes at most {program.most} operands here, as it may write to others"
        raise ToolRefused(f"{name} {operands[program.most]}", why, "leave the others out")
    for at, operand in enumerate(operands):
        yield (first if first and at == 0 else program.operands), operand
