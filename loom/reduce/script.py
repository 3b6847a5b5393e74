"""A script in its simple commands: what joins them, where each stands, what hides its status.

That is a pipe behind it, a `;`, a `||`, a `&`, or a condition or loop around it.
"""

from __future__ import annotations

from msgspec import Struct, field

from loom.reduce.tokens import GROUP, HERE, JOINT, REDIRECT, WORD, Token, each_token

PIPES = ("|", "|&")
MOST = 200  # commands of one script that are told apart
DEEP = 40  # brackets within brackets
_OPENS = frozenset(("if", "while", "until", "for", "case", "select"))
_INNER = frozenset(("then", "do", "else"))
_CLOSES = frozenset(("fi", "done", "esac"))
_HEADS = frozenset(("for", "case", "select", "function"))  # their words are no command


class Part(Struct):
    """One simple command.

    `joint` is what stands before it, `after` what hides its status behind it. `sent` are its
    redirections with what they go to, `bodies` its heredocs. `group`: the brackets it stands in, by
    number. `header`: its words are no command's.
    """

    joint: str = ""
    words: list[Token] = field(default_factory=list)
    sent: list[tuple[str, Token]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    group: tuple[int, ...] = ()
    after: set[str] = field(default_factory=set)
    header: bool = False


class _Level(Struct):
    """The part read since a bracket: the and-or list so far, and its last pipeline element."""

    joint: str = ""
    chain: list[Part] = field(default_factory=list)
    unit: list[Part] = field(default_factory=list)
    brace: bool = False


class _Reading(Struct):
    parts: list[Part] = field(default_factory=list)
    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    group: tuple[int, ...] = ()
    groups: int = 0
    inner: int = 0  # conditions and loops that are open
    asked: bool = False  # within what a condition asks
    part: Part | None = None
    sent: str = ""


def parts(line: str) -> list[Part]:
    """The first `MOST` simple commands of a script, in order. Never raises; linear."""
    now = _Reading()
    for token in each_token(line):
        if len(now.parts) > MOST:
            break
        if token.kind == JOINT:
            _join(now, token.text)
        elif token.kind == GROUP:
            _open(now) if token.text == "(" else _close(now, ")")
        elif token.kind == REDIRECT:
            now.sent = token.text
        elif token.kind == WORD:
            _take(now, token)
        elif token.kind == HERE:
            _give(now, token.value)
    return [part for part in now.parts if part.words or part.sent]


def _take(now: _Reading, token: Token) -> None:
    """A word: of a redirection, of the shell's own language, or of a command."""
    if now.sent:
        unit = now.levels[-1].unit
        closed = now.part is None and not now.levels[-1].joint and unit
        (unit[-1] if closed else _part(now)).sent.append((now.sent, token))
        now.sent = ""
        return
    head = now.part is None or not now.part.words
    if head and token.bare and _word_of_shell(now, token.value):
        return
    _part(now).words.append(token)


def _word_of_shell(now: _Reading, word: str) -> bool:
    """Take a word of the shell's language; False for any other."""
    if word in _OPENS:
        now.inner, now.asked = now.inner + 1, word not in _HEADS
        if word in _HEADS:
            _part(now).header = True
            return False
    elif word in _INNER:
        now.asked = False
    elif word == "elif":
        now.asked = True
    elif word in _CLOSES:
        now.inner = max(now.inner - 1, 0)
    elif word == "{":
        _open(now, brace=True)
    elif word == "}":
        _close(now)
    elif word == "!":
        _part(now).after.add("!")
    else:
        return False
    return True


def _part(now: _Reading) -> Part:
    """The command that is being read; a new one, behind what joins it, where there is none."""
    if now.part is None:
        level = now.levels[-1]
        now.part = Part(level.joint, group=now.group)
        if now.asked or now.inner:  # a branch not taken, a round before the last one
            now.part.after.add("if")
        _follow(level)
        level.unit = [now.part]
        level.chain.append(now.part)
        now.parts.append(now.part)
    return now.part


def _follow(level: _Level) -> None:
    """Note with what stands before a joint that something comes behind it."""
    if level.joint in PIPES:
        _hide(level.unit, "|")
    elif level.joint == "||":
        _hide(level.chain, "||")
    elif level.joint and level.joint != "&&":
        _hide(level.chain, ";")
        level.chain = []
    level.joint = ""


def _hide(some: list[Part], joint: str) -> None:
    for part in some:
        part.after.add(joint)


def _join(now: _Reading, joint: str) -> None:
    level = now.levels[-1]
    now.part, now.sent = None, ""
    if joint == "&":
        _hide(level.chain, "&")
    joint = joint if joint in ("&&", "||", *PIPES) else ";"
    if not level.joint or level.joint == ";":  # a line may break behind `&&`
        level.joint = joint


def _open(now: _Reading, brace: bool = False) -> None:
    if len(now.levels) > DEEP:
        return
    if now.part is not None and now.part.words and not brace:
        now.part.words, now.part.header = [], True  # `name()`: the body runs when it is called
        now.inner += 1
    outer = now.levels[-1]
    first = _Level(outer.joint, brace=brace)
    _follow(outer)
    first.joint = "" if first.joint == ";" else first.joint
    now.levels.append(first)
    now.groups += 1
    now.group = now.group if brace else (*now.group, now.groups)
    now.part = None


def _close(now: _Reading, sign: str = "}") -> None:
    if sign == ")" and not now.group and now.part is not None:
        now.part.words = []  # the pattern of a `case`
    now.part = None
    if len(now.levels) == 1 or now.levels[-1].brace is (sign == ")"):
        return
    inner = now.levels.pop()
    now.group = now.group if inner.brace else now.group[:-1]
    outer = now.levels[-1]
    outer.unit = list(inner.chain)
    outer.chain += inner.chain
    outer.joint = ""


def _give(now: _Reading, body: str) -> None:
    """The body of a heredoc goes to the first command that waits for one."""
    for part in reversed(now.parts[-8:]):
        waits = sum(sign.lstrip("0123456789") in ("<<", "<<-") for sign, _ in part.sent)
        if waits > len(part.bodies):
            part.bodies.append(body)
            return
