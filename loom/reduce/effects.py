"""The files a shell command touches: by redirecting output, and as files that programs change."""

from __future__ import annotations

from collections.abc import Iterator

from loom.lazy import lazy_re
from loom.reduce.shell_script import SimpleCommand, commands_with_folders, path_from_script_start
from loom.reduce.shell_tokens import Token

LONGEST = 300  # characters of a path
MOST = 64  # files of one line
_NOWHERE = ("/dev/", "/proc/", "$")
_IN_PATCH = lazy_re(
    r"(?m)^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b/)?|--- a/)([^\t\n]{1,300})"
)
# Programs, and words behind `git`, each of whose words is a file that changes.
_EACH = frozenset(("rm", "unlink", "tee", "mv", "git rm", "git mv", "git restore"))  # fmt: skip
_LAST = frozenset(("cp", "ln", "install", "touch", "truncate"))  # … whose last word is, …
_INSIDE = frozenset(("sed", "gsed", "perl"))  # … of these with an option `-i`, behind the script
_PATCHES = frozenset(("patch", "apply_patch", "git apply", "git am"))
_HARMLESS = {"--check", "--dry-run", "-n", "--cached", "--staged"}  # of `patch` and git alone
_ENDING = lazy_re(r"[^/]\.[A-Za-z]\w*$")  # of a file's name: `v1.2` has none
_REWRITES = {"--fix", "--write", "--in-place"}  # of any program: it changes the files it is given
_SCRIPT = lazy_re(r"-\w*[ef]$")  # an option whose word is a script
_IN_PLACE = lazy_re(r"-[^\WeIMm]*i|--in-place")  # not in the word an option takes


def touched_paths(line: str) -> list[str]:
    """Return the paths that a command line may write, move or remove, relative to the folder in
    which the line starts. Never raises."""
    found: dict[str, None] = {}
    for one in commands_with_folders(line):
        if one.name == "[[" or one.perhaps:  # there `>` compares; it may not have run
            continue
        signs = (to for sign, to in one.sent if ">" in sign and not sign.endswith(">&"))
        words = [*_words_for_changed_files(one), *signs]
        found |= dict.fromkeys(filter(None, (_path_of_word(one, word) for word in words)))
    return [*found][:MOST]


def _words_for_changed_files(one: SimpleCommand) -> Iterator[Token]:
    """Yield the words of a command that name files it changes."""
    git = one.name == "git" and len(one.words) > 1
    name = f"git {one.words[1].value}" if git else one.name
    given = one.words[1 + git :]
    words = [word for word in given if not word.value.startswith("-")]
    options = {word.value for word in given}
    if "--help" in options or ((git or name == "patch") and _HARMLESS & options):
        return
    dashes = next((at for at, word in enumerate(given) if word.value == "--"), len(given))
    for body in one.bodies if name in _PATCHES else ():
        yield from (Token("word", path, path.strip()) for path in _IN_PATCH.findall(body))
    if (name == "git stash" and not words) or (name == "git reset" and "--hard" in options):
        yield Token("word", ".", ".")  # all there is
    elif name == "git checkout":  # a word before the dashes may be a branch
        ends = (word for word in given[:dashes] if _ENDING.search(word.value) or word.value == ".")
        yield from given[dashes + 1 :] if dashes < len(given) else ends
    elif name in _EACH:
        yield from words
    elif name in _LAST:
        yield from words[-1:]
    elif name in _INSIDE and any(_IN_PLACE.match(option) for option in options):
        scripts = {at + 1 for at, word in enumerate(given) if _SCRIPT.match(word.value)}
        words = [w for at, w in enumerate(given) if at not in scripts and w in words and w.value]
        yield from words[0 if scripts else 1 :]
    elif _REWRITES & options:
        files = [w for w in words if _ENDING.search(w.value) or w.value == "." or "/" in w.value]
        yield from files or [Token("word", ".", ".")]


def _path_of_word(one: SimpleCommand, word: Token) -> str:
    """Return the path that a word names, relative to the folder in which the command line starts;
    "" for a device or a word with a variable."""
    text = word.value
    if not word.fixed or not text or len(text) > LONGEST or text.startswith(_NOWHERE):
        return ""
    path = path_from_script_start(one.folder, text)
    return "" if path.startswith(_NOWHERE) or "\n" in path else path or "."
