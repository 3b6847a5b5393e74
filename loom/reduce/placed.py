"""The commands of a script as they are run: where, by which program, with what set for it.

What only runs another program (`timeout 60`, `uv run`, `sudo`, `python -m`, `bash -c`) is taken
off, and a `cd` moves what stands behind it in the same brackets.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.programs import CHECKS, NAMED, STARTS, WRAPPERS, program
from loom.reduce.script import Part, parts
from loom.reduce.tokens import Token

ASSIGNED = lazy_re(r"[A-Za-z_]\w*\+?=")
SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
LONGEST = 40_000  # characters of a line that are taken apart
NESTED = 3  # scripts within scripts
WRAPPED = 16  # programs that only run the next, and what is set for it
_GIVEN = lazy_re(r"-\w{0,4}c$")
_THERE = ("-C", "--directory", "--prefix", "--cwd")  # options that say where a program runs
_VALUED = ("-W", "-X")  # options of Python that take the next word
_GIVES = Token("word", "{}", "{}", fixed=False)  # what `xargs` puts behind a command


class Placed(Struct):
    """A command in its place: its `words` from the program on; `given` is what is set for it.

    `folder` is "" where the script begins, and is put before paths.
    """

    part: Part
    folder: str
    name: str
    words: list[Token]
    given: tuple[str, ...] = ()

    @property
    def values(self) -> list[str]:
        """Its words without quotes, the program's name as it is known."""
        return [self.name, *(word.value for word in self.words[1:])]


def placed(line: str) -> list[Placed]:
    """The commands of a script in order, and `cd` with them. Never raises; linear."""
    folders: dict[tuple[int, ...], str] = {(): ""}
    before = ""  # the folder that the last `cd` left
    exported: list[str] = []
    found = []
    for part in _spread(parts(line[:LONGEST]), 0):
        folder = _folder(folders, part.group)
        given, words = unwrapped(part.words) if not part.header else ((), part.words)
        name = program(words[0].value) if words else ""
        if name in ("cd", "pushd", "popd") and not part.header:
            back = name == "popd" or [one.value for one in words[1:]] == ["-"]
            to = next((one.value for one in words[1:] if not one.value.startswith("-")), "~")
            folders[part.group] = before if back else joined(folder, to)
            name, before = "cd", folder
        elif name == "export":
            exported += [one.value for one in words[1:WRAPPED] if ASSIGNED.match(one.value)]
        elif name in NAMED:
            folder, words = _there(folder, words)
        found.append(Placed(part, folder, name, words, (*exported[-WRAPPED:], *given)))
    return found


def _folder(folders: dict[tuple[int, ...], str], group: tuple[int, ...]) -> str:
    """The folder in which brackets stand: what is told in them, else that around them."""
    outer = next(group[:at] for at in range(len(group), -1, -1) if group[:at] in folders)
    return folders.setdefault(group, folders[outer])


def _spread(some: Sequence[Part], depth: int) -> list[Part]:
    """The commands, in the place of `bash -c '…'` those of its script."""
    found: list[Part] = []
    for number, part in enumerate(some):
        script = None if depth == NESTED or part.header else _script_of(part)
        if script is None:
            found.append(part)
            continue
        inner = _spread(parts(script), depth + 1)
        for one in inner:
            one.group = (*part.group, -number - 1, *one.group)
            one.after |= part.after
        if inner:
            inner[0].joint = part.joint
            inner[-1].sent += part.sent
        found += inner
    return found


def _script_of(part: Part) -> str | None:
    """The script in the words of `bash -c '…'`, None for another command."""
    _, words = unwrapped(part.words)
    if len(words) < 3 or program(words[0].value).rpartition("/")[2] not in SHELLS:
        return None
    given = (at for at, word in enumerate(words[:6]) if at and _GIVEN.match(word.value))
    at = next(given, len(words))
    return words[at + 1].value if at + 1 < len(words) else None


def unwrapped(words: list[Token]) -> tuple[tuple[str, ...], list[Token]]:
    """The variables set for a program, and its words without those that only run it."""
    given: list[str] = []
    for _ in range(WRAPPED):
        if not words:
            break
        if ASSIGNED.match(words[0].value) and len(words) > 1:
            given.append(words[0].value)
            words = words[1:]
            continue
        less = _unwrapped(words, program(words[0].value))
        if less is None:
            break
        words = less
    return tuple(given), words


def _unwrapped(words: list[Token], name: str) -> list[Token] | None:
    """The words without the first wrapper, None where there is none."""
    if name == "python":
        return _module(words)
    if name in ("yarn", "pnpm", "bun") and len(words) > 1 and words[1].value in CHECKS:
        return words[1:]
    if name not in STARTS:
        return None
    for wrapper in WRAPPERS:
        size = len(wrapper.words)
        if (name, *(word.value for word in words[1:size])) != wrapper.words:
            continue
        at = size
        while at < len(words) and words[at].value.startswith("-"):
            if name == "command" and words[at].value in ("-v", "-V"):
                return None
            at += 2 if words[at].value in wrapper.valued else 1
        left = words[at + wrapper.own :]
        if left:
            return [*left, _GIVES] if name == "xargs" else left
    return None


def _module(words: list[Token]) -> list[Token] | None:
    at = 1
    while at < len(words) and words[at].value.startswith("-"):
        if words[at].value == "-m":
            return words[at + 1 :] or None
        at += 2 if words[at].value in _VALUED else 1
    return None


def _there(folder: str, words: list[Token]) -> tuple[str, list[Token]]:
    """The folder an option names (`make -C web`), and the words without it."""
    near = 2 if words[0].value == "git" else 8  # `git commit -C` is another thing
    for at, word in enumerate(words[1:near], 1):
        name, equals, value = word.value.partition("=")
        if name in _THERE and equals:
            return joined(folder, value), [*words[:at], *words[at + 1 :]]
        if word.value in _THERE and at + 1 < len(words):
            return joined(folder, words[at + 1].value), [*words[:at], *words[at + 2 :]]
    return folder, words


def joined(folder: str, more: str) -> str:
    """A path as it is seen from where a script begins; "" for that place itself."""
    if folder and not more.startswith(("/", "~")):
        more = f"{folder}/{more}"
    path = posixpath.normpath(more)
    return "" if path == "." else path
