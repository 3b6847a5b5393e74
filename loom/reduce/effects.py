"""What a shell command changes: files written, moved, removed, taken back, committed.

A redirection writes its file, and a short table says which of a program's words are files it
changes. What the shell fills in (`$f`, `*.py`) is not known and not told.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.placed import Placed, joined, placed
from loom.reduce.script import PIPES
from loom.reduce.tokens import Token

WROTE, REMOVED, MOVED = "wrote", "removed", "moved"
TOOK_BACK, COMMITTED = "took back", "committed"
ALL = "*"  # every file that was changed and not committed
LONGEST = 300  # characters of a path
MOST = 64  # effects of one line
_WRITES = (">", ">>", ">|", "1>", "1>>", "2>", "2>>", "&>", "&>>")
_NOWHERE = ("/dev/", "/proc/", "/tmp/", "/var/tmp/", "$")
_IN_PATCH = lazy_re(
    r"(?m)^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b/)?|--- a/)([^\t\n]{1,300})"
)
# What a program, or a word behind `git`, does to each of its files.
_EACH = {
    "rm": REMOVED, "unlink": REMOVED, "git rm": REMOVED, "tee": WROTE, "touch": WROTE,
    "truncate": WROTE,
}  # fmt: skip
_PAIRS = {"mv": MOVED, "git mv": MOVED, "cp": WROTE, "ln": WROTE, "install": WROTE}
_PATCHES = ("patch", "apply_patch", "git apply", "git am")
_VALUED = {
    "truncate": ("-s", "-r"),
    "touch": ("-d", "-t", "-r"),
    "git restore": ("-s", "--source"),
    "sed": ("-e", "-f"),
    "gsed": ("-e", "-f"),
}  # options that take the next word
# Options without which a program writes no file, and those with which it changes none.
_INSIDE = lazy_re(r"-\w*i|--in-place")
_UNDONE = {"git commit": ("--dry-run",), "git rm": ("--cached", "-n", "--dry-run"),
           "git checkout": ("-b", "-B", "--orphan"), "git restore": ("--staged", "--cached", "-S"),
           "git mv": ("-n", "--dry-run")}  # fmt: skip


class Effect(Struct, frozen=True):
    """One thing a command changes: `what` of `path`; `to` is where it was moved.

    `sure`: it happened if the line succeeded, else it may have. `anyway`: it did if it failed, too.
    """

    what: str
    path: str
    to: str = ""
    sure: bool = True
    anyway: bool = False


def effects(line: str) -> list[Effect]:
    """The changes a line makes, in order. Never raises."""
    found: list[Effect] = []
    first = True  # nothing stands before but what pipes into it
    for one in placed(line):
        sure = not one.part.unsure and one.part.joint != "||"
        first = first and sure and one.part.joint in ("", *PIPES)
        name = f"git {one.words[1].value}" if _is_git(one) else one.name
        anyway = first and name == "tee"
        found += (replace(told, sure=sure and told.sure, anyway=anyway) for told in _of(one, name))
        for sign, to in one.part.sent:
            if sign in _WRITES and (path := _path(one, to)):
                found.append(Effect(WROTE, path, sure=sure, anyway=first))
    return found[:MOST]


def _is_git(one: Placed) -> bool:
    return one.name == "git" and len(one.words) > 1


def _of(one: Placed, name: str) -> Iterator[Effect]:
    """The changes one command makes by its table, `name` its program or a word behind `git`."""
    options, words = _split(one.words[1 + _is_git(one) :], _VALUED.get(name, ()))
    if set(options) & set(_UNDONE.get(name, ())):
        return
    if name in ("git commit", "git reset"):
        if name == "git commit":
            yield Effect(COMMITTED, _tree(one).removeprefix(ALL))
        elif "--hard" in options:
            yield Effect(TOOK_BACK, _tree(one))
    elif name in _PATCHES:
        found = dict.fromkeys(path for body in one.part.bodies for path in _IN_PATCH.findall(body))
        files = (Token("word", path, path.strip()) for path in found)
        yield from _each(one, WROTE, files)
    elif name in _PAIRS:
        for path, to in _pairs(one, words):
            yield Effect(MOVED, path, to) if _PAIRS[name] == MOVED else Effect(WROTE, to)
    elif name in ("git restore", "git checkout"):
        yield from _taken_back(one, name, options, words)
    elif name not in ("sed", "gsed", "perl"):
        yield from _each(one, _EACH.get(name, ""), words)
    elif any(map(_INSIDE.match, options)):
        skip = 0 if name != "perl" and set(options) & {"-e", "-f"} else 1
        skip += bool(words) and not words[0].value  # the suffix that is none
        yield from _each(one, WROTE, words[skip:])


def _each(one: Placed, what: str, words: Iterable[Token]) -> Iterator[Effect]:
    """The same change of each of these words that is a known path; none without a `what`."""
    paths = (_path(one, word) for word in words if what)
    yield from (Effect(what, path) for path in paths if path)


def _taken_back(one: Placed, name: str, options: list[str], words: list[Token]) -> Iterator[Effect]:
    """`git restore` and `git checkout` take back the files they name, or all of them."""
    dashes = next((at for at, word in enumerate(one.words) if word.value == "--"), 0)
    named = one.words[dashes + 1 :] if dashes else words
    sure = not {"-p", "--patch"} & set(options)
    if any(word.value in (".", "./", ":/") for word in named):
        yield Effect(TOOK_BACK, one.folder or ALL, sure=sure)
        return
    for word in named:
        path = _path(one, word)  # without `--` a word of `git checkout` may be a branch
        if path and (dashes or name == "git restore" or "." in posixpath.basename(path)[1:]):
            yield Effect(TOOK_BACK, path, sure=sure)


def _tree(one: Placed) -> str:
    """The files of the repository a command runs in: all, but for one in another place."""
    away = one.folder.startswith(("/", "~", "$", "..")) and one.folder.strip("./")
    return one.folder if away else ALL


def _pairs(one: Placed, words: list[Token]) -> Iterator[tuple[str, str]]:
    """From where to where a command carries files: its last word is a file or a folder."""
    *sources, last = words or [Token("word", "", "")]
    to = _path(one, last)
    into = last.value.endswith("/") or len(sources) > 1 or to == ""
    for word in sources:
        path = _path(one, word)
        if path and last.fixed and (to or last.value in (".", "./")):
            yield path, posixpath.join(to, posixpath.basename(path)) if into else to


def _split(given: list[Token], valued: tuple[str, ...]) -> tuple[list[str], list[Token]]:
    """The options among words, and the other words; `valued` options take the next word."""
    options, words, rest = list[str](), list[Token](), iter(given)
    for word in rest:
        if word.value == "--":
            words += rest
        elif re.match(r"-.", word.value):
            options.append(word.value)
            if word.value in valued:
                next(rest, None)
        else:
            words.append(word)
    return options, words


def _path(one: Placed, word: Token) -> str:
    """A word as a path from where the line begins; "" for none that is known and stays."""
    text = word.value
    if not word.fixed or not text or len(text) > LONGEST or text.startswith(_NOWHERE):
        return ""
    path = joined(one.folder, text)
    return "" if path.startswith(_NOWHERE) or "\n" in path else path
