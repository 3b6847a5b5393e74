"""A script as simple commands: in which folder each runs, by which program, with which variables.

A program that only runs another (`timeout 60`, `uv run`, `sudo`, `python -m`, `bash -c`) is taken
off, and a `cd` moves the commands behind it in the same brackets. Each command has with it what
hides its exit code: a pipe behind it, a `;`, a `||`, a `&`, or a condition or loop around it."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from msgspec import Struct, field

from loom.lazy import lazy_re
from loom.reduce.programs import CHECKS, NAMED, STARTS, WRAPPERS, program_name
from loom.reduce.shell_tokens import GROUP, HERE, JOINT, REDIRECT, Token, shell_tokens

PIPES = ("|", "|&")
MOST = 200  # commands of one script that are told apart
DEEP = 40  # brackets within brackets
LONGEST = 100_000  # characters of a line that are taken apart
NESTED = 3  # scripts within scripts
WRAPPED = 16  # programs that only run the next, and what is set for it
SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
_LOOPS = frozenset(("for", "while", "until", "select"))
_OPENS = _LOOPS | {"if", "case"}
_CLOSES = frozenset(("fi", "done", "esac"))
_HEADS = frozenset(("for", "case", "select", "function"))  # their words are no command
_ASSIGNED = lazy_re(r"[A-Za-z_]\w*\+?=")
_GIVEN = lazy_re(r"-\w{0,4}c$")
_THERE = ("-C", "--directory", "--prefix", "--cwd")  # options that say where a program runs
_VALUED = ("-W", "-X")  # options of Python that take the next word
_GIVES = Token("word", "{}", "{}", fixed=False)  # what `xargs` puts behind a command


class SimpleCommand(Struct):
    """One simple command of a script.

    `joint` is the operator before the command (`&&`, `|`, `;`). `after` has the operators that hide
    its exit code. `sent` are its redirections as (operator, target), `bodies` its heredocs, `group`
    the numbers of the brackets around it. A `header` is the head of a loop (`for x in …`).
    `perhaps` means that the command may not run, as in a branch. `folder` is where the command
    runs, "" for where the script starts, `name` its program, `given` the variables set for it."""

    joint: str = ""
    words: list[Token] = field(default_factory=list)
    sent: list[tuple[str, Token]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    group: tuple[int, ...] = ()
    after: set[str] = field(default_factory=set)
    header: bool = False
    perhaps: bool = False
    folder: str = ""
    name: str = ""
    given: tuple[str, ...] = ()

    @property
    def values(self) -> list[str]:
        """Return the words of the command without quotes, first the program's name."""
        return [self.name, *(word.value for word in self.words[1:])]


class _ScriptReader(Struct):
    """The state while a script is read. `found` are the commands read. `starts` and `unit` are
    indexes in `found` of the first command in each open bracket, and in the last pipeline element.
    """

    found: list[SimpleCommand] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    unit: int = 0
    braces: list[bool] = field(default_factory=list)
    group: tuple[int, ...] = ()
    groups: int = 0
    around: list[str] = field(default_factory=list)  # conditions and loops that are open
    now: SimpleCommand | None = None
    joint: str = ""
    sent: str = ""


def simple_commands(line: str) -> list[SimpleCommand]:
    """Return the first `MOST` simple commands of a script. Never raises; takes linear time."""
    now = _ScriptReader()
    for token in shell_tokens(line, LONGEST):
        if len(now.found) > MOST:
            break
        if token.kind == JOINT:
            _end_command(now, token.text)
        elif token.kind == GROUP:
            _open_bracket(now) if token.text == "(" else _close_bracket(now)
        elif token.kind == REDIRECT:
            now.sent = token.text
        else:
            _take_word(now, token)
    return [part for part in now.found if part.words or part.sent]


def _take_word(now: _ScriptReader, token: Token) -> None:
    """Add a word to the state: a redirection's target, a keyword, or a word of a command."""
    if now.sent:
        closed = now.now is None and not now.joint and now.found
        part = now.found[-1] if closed else _current_command(now)
        part.sent.append((now.sent, token))
        part.bodies += [token.value] * (token.kind == HERE)
        now.sent = ""
    elif (now.now and now.now.words) or not token.bare or not _take_keyword(now, token.value):
        _current_command(now).words.append(token)


def _take_keyword(now: _ScriptReader, word: str) -> bool:
    """Apply a shell keyword (`if`, `do`, `{`, `!`) to the state. Return False for other words."""
    if word in _OPENS:
        now.around.append(word)
        if word in _HEADS:
            _current_command(now).header = True
            return False
    elif word in _CLOSES:
        now.around = now.around[:-1]
    elif word in ("{", "}"):
        _open_bracket(now, brace=True) if word == "{" else _close_bracket(now, brace=True)
    elif word == "!":
        _current_command(now).after.add("!")
    else:
        return word in ("then", "do", "else", "elif")
    return True


def _current_command(now: _ScriptReader) -> SimpleCommand:
    """Return the command being read, a new command if there is none."""
    if now.now is None:
        perhaps = not _LOOPS.issuperset(now.around)
        now.now = SimpleCommand(now.joint, group=now.group, perhaps=perhaps)
        if now.around:  # a branch not taken, a round before the last one
            now.now.after.add("if")
        _note_joint(now)
        now.found.append(now.now)
    return now.now


def _note_joint(now: _ScriptReader) -> None:
    """Record in earlier commands which operator hides their exit code, as a command follows."""
    start = now.starts[-1]
    if now.joint in PIPES:
        _hide_status(now.found[now.unit :], "|")
    elif now.joint == "||":
        _hide_status(now.found[start:], "||")
    elif now.joint == ";":
        _hide_status(now.found[start:], ";")
        now.starts[-1] = len(now.found)
    now.joint, now.unit = "", len(now.found)


def _hide_status(some: list[SimpleCommand], joint: str) -> None:
    for part in some:
        part.after.add(joint)


def _end_command(now: _ScriptReader, joint: str) -> None:
    now.now, now.sent = None, ""
    if joint == "&":
        _hide_status(now.found[now.starts[-1] :], "&")
    joint = joint if joint in ("&&", "||", *PIPES) else ";"
    if not now.joint or now.joint == ";":  # a line may break behind `&&`
        now.joint = joint


def _open_bracket(now: _ScriptReader, brace: bool = False) -> None:
    if len(now.braces) > DEEP:
        return
    if now.now is not None and now.now.words and not brace:
        now.now.words, now.now.header = [], True  # `name()`: the body runs when it is called
        now.around.append("function")
    first = "" if now.joint == ";" else now.joint
    _note_joint(now)
    now.joint, now.now = first, None
    now.starts.append(len(now.found))
    now.braces.append(brace)
    now.groups += 1
    now.group = now.group if brace else (*now.group, now.groups)


def _close_bracket(now: _ScriptReader, brace: bool = False) -> None:
    if not brace and not now.group and now.now is not None:
        now.now.words = []  # the pattern of a `case`
    now.now = None
    if now.braces and now.braces[-1] is brace:
        now.braces.pop()
        now.group = now.group if brace else now.group[:-1]
        now.unit, now.joint = now.starts.pop(), ""


def commands_with_folders(line: str) -> list[SimpleCommand]:
    """Return a script's simple commands with folder, program and variables. Never raises."""
    folders: dict[tuple[int, ...], str] = {(): ""}
    before = ""  # the folder that the last `cd` left
    exported: list[str] = []
    found = _expand_nested(simple_commands(line), 0)
    for part in found:
        outer = next(
            g for at in range(len(part.group), -1, -1) if (g := part.group[:at]) in folders
        )
        folder = folders.setdefault(part.group, folders[outer])
        given, words = ((), part.words) if part.header else _strip_wrappers(part.words)
        name = program_name(words[0].value) if words else ""
        if name in ("cd", "pushd", "popd") and not part.header:
            back = name == "popd" or [one.value for one in words[1:]] == ["-"]
            to = next((one.value for one in words[1:] if not one.value.startswith("-")), "~")
            folders[part.group] = before if back else path_from_script_start(folder, to)
            name, before = "cd", folder
        elif name == "export":
            exported += [one.value for one in words[1:WRAPPED] if _ASSIGNED.match(one.value)]
        elif name in NAMED:
            folder, words = _apply_folder_option(folder, words)
        part.folder, part.name, part.words = folder, name, words
        part.given = (*exported[-WRAPPED:], *given)
    return found


def _expand_nested(some: Sequence[SimpleCommand], depth: int) -> list[SimpleCommand]:
    """Return the commands, with each `bash -c '…'` replaced by the commands of its script."""
    found: list[SimpleCommand] = []
    for number, part in enumerate(some):
        script = None if depth == NESTED or part.header else _nested_script(part)
        inner = [part] if script is None else _expand_nested(simple_commands(script), depth + 1)
        if script is not None and inner:
            for one in inner:
                one.group = (*part.group, -number - 1, *one.group)
                one.after |= part.after
                one.perhaps |= part.perhaps
            inner[0].joint = part.joint
            inner[-1].sent += part.sent
        found += inner
    return found


def _nested_script(part: SimpleCommand) -> str | None:
    """Return the script of a `bash -c '…'` command; None for any other command."""
    _, words = _strip_wrappers(part.words)
    if len(words) < 3 or program_name(words[0].value).rpartition("/")[2] not in SHELLS:
        return None
    given = (at for at, word in enumerate(words[:6]) if at and _GIVEN.match(word.value))
    at = next(given, len(words))
    return words[at + 1].value if at + 1 < len(words) else None


def _strip_wrappers(words: list[Token]) -> tuple[tuple[str, ...], list[Token]]:
    """Return (variables set, words) of a command, without programs such as `sudo` at its start."""
    given: list[str] = []
    for _ in range(WRAPPED):
        if len(words) > 1 and _ASSIGNED.match(words[0].value):
            given.append(words[0].value)
            words = words[1:]
        elif words and (less := _without_first_wrapper(words, program_name(words[0].value))):
            words = less
        else:
            break
    return tuple(given), words


def _without_first_wrapper(words: list[Token], name: str) -> list[Token]:
    """Return the words without a first program that only runs the next (`sudo`), else []."""
    if name in ("yarn", "pnpm", "bun") and len(words) > 1 and words[1].value in CHECKS:
        return words[1:]
    if name == "python":
        at = _end_of_options(words, 1, _VALUED, "-m")
        return words[at + 1 :] if at < len(words) and words[at].value == "-m" else []
    for wrapper in WRAPPERS if name in STARTS else ():
        size = len(wrapper.words)
        if (name, *(word.value for word in words[1:size])) != wrapper.words:
            continue
        if name == "command" and len(words) > 1 and words[1].value in ("-v", "-V"):
            return []
        if left := words[_end_of_options(words, size, wrapper.valued) + wrapper.own :]:
            return [*left, _GIVES] if name == "xargs" else left
    return []


def _end_of_options(words: list[Token], at: int, valued: Sequence[str], end: str = "") -> int:
    """Return the index after the options that begin at `at`, or the index of option `end`."""
    while at < len(words) and words[at].value.startswith("-") and words[at].value != end:
        at += 2 if words[at].value in valued else 1
    return at


def _apply_folder_option(folder: str, words: list[Token]) -> tuple[str, list[Token]]:
    """Return (folder, words). An option such as `make -C web` sets the folder and is removed."""
    near = 2 if words[0].value == "git" else 8  # `git commit -C` is another thing
    for at, word in enumerate(words[1:near], 1):
        name, equals, value = word.value.partition("=")
        if name in _THERE and (equals or at + 1 < len(words)):
            behind = at + (1 if equals else 2)
            to = value if equals else words[at + 1].value
            return path_from_script_start(folder, to), [*words[:at], *words[behind:]]
    return folder, words


def path_from_script_start(folder: str, more: str) -> str:
    """Return the path `more` in `folder`, relative to where the script starts ("" for there)."""
    absolute = not folder or more.startswith(("/", "~"))
    path = posixpath.normpath(more if absolute else f"{folder}/{more}")
    return "" if path == "." else path
