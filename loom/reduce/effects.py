"""What a shell command changes: files written, moved, removed, taken back; told as far as is known.

A table of programs says which of a command's words are files it changes. What stands in a heredoc
is data, but for a patch, which names the files it is for. Paths are resolved against the `cd` in
the same line; what the shell fills in (`$f`, `*.py`) is not known and not told.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.placed import Placed, joined, placed
from loom.reduce.programs import ENDS
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
_HEADLESS = ("cd", "pushd", "set", "export", "mkdir", "echo", "true", ":", "source", ".")


class Effect(Struct, frozen=True):
    """One thing a command changes: `what` of `path`; `to` is where it was moved.

    `sure`: it happened if the line succeeded, else it may have. `anyway`: it did if it failed, too.
    """

    what: str
    path: str
    to: str = ""
    sure: bool = True
    anyway: bool = False


def effects(line: str, masked: bool) -> list[Effect]:
    """The changes a line makes, in order; `masked`: its success says nothing of its commands."""
    found: list[Effect] = []
    safe = True  # all that stands before, joined by `&&`, cannot fail in earnest
    kept = "pipefail" in line
    first = True  # nothing stands before but what pipes into it
    for one in placed(line):
        joint = one.part.joint
        safe = safe if joint == "&&" else joint != "||"
        sure = (
            not one.part.unsure
            and joint != "||"
            and (safe or not (masked or one.part.after - {"|"}))
        )
        first = first and joint in ("", *PIPES) and not one.part.unsure
        for told in _of(one):
            anyway = first and told.what == WROTE and (one.name == "tee" or one.name not in TABLE)
            found.append(replace(told, sure=sure and told.sure, anyway=anyway))
        piped = not kept and ("|" in one.part.after or (joint in PIPES and one.name in ENDS))
        safe = safe and (piped or one.name in _HEADLESS)
    return found[:MOST]


def _of(one: Placed) -> Iterator[Effect]:
    """The changes one command makes."""
    if one.name in TABLE:
        yield from TABLE[one.name](one)
    for sign, to in one.part.sent:
        if sign in _WRITES and (path := _path(one, to)):
            yield Effect(WROTE, path)


def _path(one: Placed, word: Token) -> str:
    """A word as a path from where the line begins; "" for none that is known and stays."""
    text = word.value
    if not word.fixed or not text or len(text) > LONGEST or text.startswith(_NOWHERE):
        return ""
    path = joined(one.folder, text)
    return "" if path.startswith(_NOWHERE) or "\n" in path else path


def _split(one: Placed, valued: tuple[str, ...] = ()) -> tuple[list[str], list[Token]]:
    """The options of a command, and its other words; `valued` options take the next word."""
    options, words, at, plain = list[str](), list[Token](), 1, False
    while at < len(one.words):
        value = one.words[at].value
        if plain or not value.startswith("-") or value == "-":
            words.append(one.words[at])
        elif value == "--":
            plain = True
        else:
            options.append(value)
            if value in valued and at + 1 < len(one.words):
                at += 1
                options.append(one.words[at].value)
        at += 1
    return options, words


def _each(what: str, valued: tuple[str, ...] = ()) -> Callable[[Placed], Iterator[Effect]]:
    """The effect of a program that does the same to each of its words."""

    def told(one: Placed) -> Iterator[Effect]:
        _, words = _split(one, valued)
        yield from (Effect(what, path) for word in words if (path := _path(one, word)))

    return told


def _sed(one: Placed) -> Iterator[Effect]:
    """`sed -i` and `perl -pi` write the files behind their script."""
    options, words = _split(one, ("-e", "-f", "--expression", "--file"))
    scripted = any(option in ("-e", "-f", "--expression", "--file") for option in options)
    if one.name == "perl":
        inner = [option for option in options if re.match(r"-\w*i", option)]
        skip = 0 if "-e" in options else 1
    else:
        inner = [option for option in options if re.match(r"-[nEruzs]*i|--in-place", option)]
        skip = 0 if scripted else 1
        if words and not words[0].value and not words[0].bare:
            skip += 1  # the suffix that is none, as some systems ask for
    if inner:
        yield from (Effect(WROTE, path) for word in words[skip:] if (path := _path(one, word)))


def _copy(one: Placed) -> Iterator[Effect]:
    """`cp` and `ln` write their last word, or files of the same names in the folder it is."""
    for _, to in _pairs(one):
        yield Effect(WROTE, to)


def _move(one: Placed) -> Iterator[Effect]:
    for path, to in _pairs(one):
        yield Effect(MOVED, path, to)


def _pairs(one: Placed) -> Iterator[tuple[str, str]]:
    """From where to where a command carries files."""
    options, words = _split(one, ("-t", "--target-directory", "-S"))
    if len(words) < 2 or any(option.startswith(("-t", "--target")) for option in options):
        return
    *sources, last = words
    to = _path(one, last)
    into = last.value.endswith("/") or len(sources) > 1 or to == ""
    for word in sources:
        path = _path(one, word)
        name = posixpath.basename(path)
        if path and last.fixed and (to or last.value in (".", "./")):
            yield path, posixpath.join(to, name) if into else to


def _patch(one: Placed) -> Iterator[Effect]:
    """A patch changes the files it names, where it stands in the line itself."""
    for body in one.part.bodies:
        for found in dict.fromkeys(_IN_PATCH.findall(body)):
            if path := _path(one, Token("word", found, found.strip())):
                yield Effect(WROTE, path)


def _git(one: Placed) -> Iterator[Effect]:
    """The changes `git` makes to files that are not committed."""
    values = one.values
    at = 1
    while at < len(values) and values[at].startswith("-"):
        at += 2 if values[at] == "-c" else 1
    if at < len(values) and values[at] in _GIT:
        inner = Placed(one.part, one.folder, values[at], one.words[at:], one.given)
        options, _ = _split(inner)
        dry = {"--dry-run"} if values[at] == "commit" else {"-n", "--dry-run"}
        if not dry & set(options):
            yield from _GIT[values[at]](inner)


def _restore(one: Placed) -> Iterator[Effect]:
    """`git restore` and `git checkout` take back the files they name, or all of them."""
    options, words = _split(one, ("-s", "--source", "-b", "-B"))
    said = set(options)
    staged = {"--staged", "--cached", "-S"} & said and not {"-W", "--worktree"} & said
    if staged or {"-b", "-B", "--orphan"} & said:
        return
    dashes = next((at for at, word in enumerate(one.words) if word.value == "--"), 0)
    behind = one.words[dashes + 1 :] if dashes else words
    sure = not {"-p", "--patch"} & said
    asked = {word.value for word in behind}
    if asked & {".", "./", ":/", ":"}:
        below = one.folder if asked & {".", "./"} else _tree(one)
        yield Effect(TOOK_BACK, below or ALL, sure=sure)
        return
    told = one.name == "restore" or bool(dashes)
    for word in behind:
        path = _path(one, word)
        if path and (told or "." in posixpath.basename(path)[1:]):
            yield Effect(TOOK_BACK, path, sure=sure)
    if one.name == "checkout" and {"-f", "--force"} & set(options) and not behind:
        yield Effect(TOOK_BACK, _tree(one))


def _reset(one: Placed) -> Iterator[Effect]:
    options, _ = _split(one)
    if "--hard" in options:
        yield Effect(TOOK_BACK, _tree(one))


def _tree(one: Placed) -> str:
    """The files of the repository a command runs in: all, but for one in another place."""
    away = one.folder.startswith(("/", "~", "$", "..")) and one.folder.strip("./")
    return one.folder if away else ALL


def _commit(one: Placed) -> Iterator[Effect]:
    yield Effect(COMMITTED, _tree(one).removeprefix(ALL))


def _unkept(one: Placed) -> Iterator[Effect]:
    """`git rm` removes files, but for `--cached`, which leaves them where they are."""
    options, _ = _split(one)
    if "--cached" not in options:
        yield from _each(REMOVED)(one)


_GIT: dict[str, Callable[[Placed], Iterator[Effect]]] = {
    "restore": _restore, "checkout": _restore, "reset": _reset, "commit": _commit,
    "rm": _unkept, "mv": _move, "apply": _patch, "am": _patch,
}  # fmt: skip
TABLE: dict[str, Callable[[Placed], Iterator[Effect]]] = {
    "git": _git, "sed": _sed, "gsed": _sed, "perl": _sed, "mv": _move, "cp": _copy, "ln": _copy,
    "install": _copy, "rm": _each(REMOVED), "unlink": _each(REMOVED), "tee": _each(WROTE),
    "touch": _each(WROTE, ("-d", "-t", "-r")), "truncate": _each(WROTE, ("-s", "-r")),
    "patch": _patch, "apply_patch": _patch,
}  # fmt: skip
