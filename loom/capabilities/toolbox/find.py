"""The arguments find may be given: starting points, then tests and printing actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.grammar import PATH, TEXT
from loom.errors import near

# find(1): what each word of an expression takes.
_ALONE = (
    "-print -print0 -ls -prune -quit -empty -true -false -executable -readable -writable -nouser"
    " -nogroup -depth -xdev -mount -daystart -noleaf -not -a -and -o -or"
)
_TEXT = (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname"
    " -type -xtype -size -perm -user -group -uid -gid -links -inum -mtime -mmin -atime -amin -ctime"
    " -cmin -used -newermt -newerat -newerct -maxdepth -mindepth -printf"
)
_PATH = "-newer -anewer -cnewer -samefile"
TAKES: dict[str, str] = {
    **dict.fromkeys(_ALONE.split(), ""),
    **dict.fromkeys(_TEXT.split(), TEXT),
    **dict.fromkeys(_PATH.split(), PATH),
    **dict.fromkeys(("(", ")", "!", ","), ""),
}
REFUSED = {
    **dict.fromkeys(("-exec", "-execdir", "-ok", "-okdir"), "it runs a program"),
    **dict.fromkeys(("-fprint", "-fprint0", "-fprintf", "-fls"), "it writes a file"),
    **dict.fromkeys(("-L", "-H", "-follow"), "it follows links, which may lead out"),
    "-delete": "it deletes",
    "-files0-from": "it reads names from a file, where they cannot be checked",
}
_INSTEAD = "let it print the names, and work on those"


def read(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(kind, text) of each starting point and value; raises ToolRefused."""
    rest = iter(words)
    starting = True
    for word in rest:
        if starting and word == "-P":
            continue
        if starting and not word.startswith(("-", "(", ")", "!", ",")):
            yield PATH, word
            continue
        starting = False
        if word in REFUSED:
            raise ToolRefused(f"find {word}", REFUSED[word], _INSTEAD)
        if word not in TAKES:
            why = "not among the tests and actions known to be harmless"
            raise ToolRefused(f"find {word}", why, near(word, TAKES))
        if TAKES[word]:
            value = next(rest, None)
            if value is not None:
                yield TAKES[word], value
