"""What was said and taken back later: values set anew, decisions and rules that no longer hold.

General language only: a later line that sets the same name, or that turns away from something
("instead of", "no longer", "revert") and names what an earlier line chose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache

from loom.lazy import lazy_re
from loom_partitions.message import Fact

SPOKEN = ("user", "rule", "question")
WORDS = ("decision", *SPOKEN, "plan")
LINES = 4_096  # whose words are remembered: digests are made of the same lines again and again

_VALUE = r"(?:-?\d[\w.,%]*|true|false|on|off|none|null|`[^`]{1,60}`|\"[^\"]{1,60}\"|'[^']{1,60}')"
_SET = lazy_re(
    rf"\b([A-Za-z_][\w.-]{{1,60}}) ?= ?{_VALUE}"
    rf"|^(?:[-*] )?([A-Za-z_][\w.-]{{1,60}}): ?{_VALUE}$"
    rf"|\b(?:set|setting|change[ds]?|changing|bump(?:ed|ing)?|raise[ds]?|raising|lower(?:ed|ing)?"
    rf"|increase[ds]?|reduce[ds]?|keep|make)\s+(?:the |our |its )?([\w .`-]{{2,60}}?)`? "
    rf"(?:from \S+ )?(?:to|at) {_VALUE}"
    r"|\b(?:the |our )?([\w`-]{2,40}(?: [\w`-]{2,40})?) "
    r"(?:is|should be|must be|will be) (?:now )?-?\d[\w.,%]*",
    re.IGNORECASE,
)
_INSTEAD = lazy_re(
    r"\b(?:instead of|rather than|replac(?:e|es|ed|ing)|switch(?:ed|ing)? (?:away )?from"
    r"|dropp?(?:ed|ing)?|scrap(?:ped|ping)?|no longer(?: use| using| need)?|abandon(?:ed|ing)?"
    r"|not any ?more|statt|anstelle von|au lieu de|en lugar de)\s+(.{3,120})",
    re.IGNORECASE,
)
_REVOKED = lazy_re(
    r"\b(?:forget(?: about| what I said about)?|never ?mind|scratch|ignore what I said about"
    r"|t(?:ake|ook) back|undo|undid|revert(?:ed|ing)?|roll(?:ed|ing)? back)\s+(.{3,120})",
    re.IGNORECASE,
)
_CHANGE = lazy_re(
    r"\b(?:now|instead|no longer|any ?more|actually|after all|turn(?:s|ed) out|back to|rather"
    r"|reconsider(?:ed)?|chang(?:e|ed|ing)|switch(?:ed|ing)?|mov(?:e|ed|ing)|revert(?:ed|ing)?"
    r"|revis(?:e|ed|it)|replac(?:e|ed|es|ing)|dropp?(?:ed|ing)?|scrapp?(?:ed|ing)?|takes? over"
    r"|gave up|wrong|in favou?r of|ruled out|over to|did(?:n['’]t| not))\b",
    re.IGNORECASE,
)
SUBJECT = 2  # words two decisions on one subject have in common, at least
_END = lazy_re(r"[,;.:—(]\s|[,;.:—(]$| and | as | because | for | in ")
_TERM = lazy_re(r"[A-Za-z_][\w-]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_COMMON = frozenset((
    "the", "and", "for", "with", "that", "this", "from", "into", "will", "use", "using", "used",
    "instead", "rather", "than", "because", "was", "were", "are", "have", "has", "not", "but",
    "you", "your", "our", "they", "them", "then", "now", "later", "after", "before", "when",
    "where", "which", "what", "all", "any", "can", "should", "must", "never", "always", "only",
    "just", "also", "more", "most", "some", "such", "via", "per", "its", "let", "make", "made",
    "need", "needs", "keep", "going", "decided", "decision", "chose", "choose", "chosen",
    "actually", "longer", "revert", "reverted", "switch", "switched", "replace", "replaced",
    "drop", "dropped", "scrap", "undo", "please", "don",
))  # fmt: skip
_NOT = lazy_re(r"\b(?:not|never|no|don['’]?t|avoid|without|instead|rather)\b", re.IGNORECASE)
# What forbids is not a value that is set: a ban on one more thing takes nothing from the first.
_FORBIDS = lazy_re(
    r"\b(?:not|never|no|cannot|\w{2,9}n['’]t|dont|without|nicht|kein\w*|nie|niemals|pas|jamais"
    r"|nunca|não|non|mai|не|нельзя|никогда)\b|[不勿禁別别]|ない|않|말",
    re.IGNORECASE,
)
SHARED = (
    0.7  # of three words and more of what is turned away from, that an earlier line has to hold
)
CONSIDERED = 200  # rules, the latest, that are looked at for having been laid down anew
# A value as it is written: with a digit, in quotes or code, or a name of several words.
_WRITTEN = lazy_re(
    r"`[^`]{1,60}`|\"[^\"]{1,60}\"|(?<![\w.:/-])[\w.:/-]*\d[\w.,:/%-]*"
    r"|(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)+"
)
# What a setting is laid down with, and says nothing of what it is about.
_SETTING = frozenset((
    "set", "setting", "take", "go", "goes", "going", "have", "has", "had", "become", "becomes",
    "change", "changed", "changes", "mind", "talked", "agreed", "decide", "from", "of", "as", "at",
    "to", "is", "be", "it", "we", "let", "lets", "in", "on", "or", "by", "no", "an", "a", "so",
    "do", "please", "again", "now", "not", "anymore", "any", "longer", "back", "new", "fixed",
    "want", "would", "like", "better", "still", "up", "down", "over", "raise", "lower", "bump",
    "increase", "reduce", "wird", "jetzt", "doch", "statt", "est", "maintenant",
    "es", "ahora", "ist", "nun", "behalte", "verwende", "nimm", "immer", "nur", "für", "ab",
    "der", "die", "das", "den", "dem", "des", "le", "la", "les", "el", "los", "las", "du", "de",
    "auf", "mit", "bei", "von", "und", "et", "y", "il", "lo", "o", "os",
)) | _COMMON  # fmt: skip
_ANEW = lazy_re(
    rf"{_CHANGE.pattern}|\b(?:becomes?|from now on|from here on|henceforth|make (?:it|that)"
    r"|updated?|corrections?|sorry|better|jetzt|nun|ab sofort|doch|nicht mehr|désormais|maintenant"
    r"|plutôt|dorénavant|ahora|mejor|desde ahora|a partir de (?:ahora|agora)|agora|adesso"
    r"|d['’]ora in poi|теперь|отныне)\b",
    re.IGNORECASE,
)
_PART = lazy_re(r"[^\W\d_]{2,}")


def restated(facts: Sequence[Fact]) -> set[int]:
    """Numbers of the rules that a later one lays down anew with another value.

    The later one says that something is other than it was, and names all that the older is about.
    Nothing is said to be withdrawn: the older only gives way where not both fit. What the older
    forbids stands beside what the later does.
    """
    rules = [at for at, fact in enumerate(facts) if fact.kind == "rule"][-CONSIDERED:]
    open_ones: dict[str, list[int]] = {}  # by one word of what they are about
    gone: set[int] = set()
    for at in rules:
        about, values, anew = _about(facts[at].text)
        for word in about if anew else ():
            left = []
            for before in open_ones.get(word, ()):
                old, held, _ = _about(facts[before].text)
                same = facts[before].at == facts[at].at or _FORBIDS.search(facts[before].text)
                if old <= about and held != values and not same:
                    gone.add(before)
                else:
                    left.append(before)
            if word in open_ones:
                open_ones[word] = left
        if len(about) >= SUBJECT and values:
            open_ones.setdefault(min(about), []).append(at)
    return gone


@lru_cache(maxsize=4_096)
def _about(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """The words of what a rule is about, its values, and whether it says that they are new."""
    values = frozenset(value.rstrip(".,:") for value in _WRITTEN.findall(text))
    words = map(str.lower, _PART.findall(_WRITTEN.sub(" ", text)))
    about = frozenset(word for word in words if word not in _SETTING)
    return about, values, _ANEW.search(text) is not None


def standing_words(facts: list[Fact]) -> list[Fact]:
    """The facts without decisions and plans that were taken back; what the user said stays."""
    gone = taken_back(facts)
    return [fact for at, fact in enumerate(facts) if at not in gone]


def taken_back(facts: Sequence[Fact]) -> set[int]:
    """Numbers of the decisions and plans that a later one, or the user, takes back.

    What the user said stays in its order, and is never said to be withdrawn: only the user knows.
    """
    spoken = [(at, fact) for at, fact in enumerate(facts) if fact.kind in WORDS]
    gone = set(_set_anew(spoken))
    own: list[tuple[int, Fact]] = []  # the agent's so far
    for at, fact in spoken:
        turned, changes = _turned(fact.text)
        changes = changes and fact.kind == "decision"
        for before, old in own if turned or changes else ():
            if before in gone or old.at == fact.at:
                continue
            terms = _terms(old.text)
            if (changes and _changed(old, terms, _terms(fact.text))) or any(
                _means(words, terms) and (revoked or not _NOT.search(old.text))
                for words, revoked in turned
            ):
                gone.add(before)
        if fact.kind not in SPOKEN:
            own.append((at, fact))
    return gone


def _set_anew(spoken: Iterable[tuple[int, Fact]]) -> Iterator[int]:
    """The lines that set a name to a value it was given another of later."""
    values: dict[tuple[str, bool], tuple[int, str]] = {}
    for at, fact in spoken:
        for name in settings(fact.text):
            key = name, fact.kind in SPOKEN
            before = values.get(key)
            if before is not None and before[1] != fact.text and fact.kind not in SPOKEN:
                yield before[0]
            values[key] = at, fact.text


def _changed(old: Fact, terms: Set[str], later: Set[str]) -> bool:
    """True when a later decision, which says that something changes, is about the same thing."""
    shared = len(terms & later)
    return old.kind == "decision" and shared >= SUBJECT and shared >= len(terms) / 2


def _means(turned: Set[str], said: Set[str]) -> bool:
    """True when what is turned away from is what was said: all of few words, most of many."""
    return len(turned & said) >= (len(turned) if len(turned) < 3 else SHARED * len(turned))


@lru_cache(maxsize=LINES)
def settings(text: str) -> tuple[str, ...]:
    """The names a line sets to a value, in one spelling."""
    found = []
    for match in _SET.finditer(text):
        name = next(group for group in match.groups() if group)
        words = [word for word in _TERM.findall(name.lower()) if word not in _COMMON]
        if words:
            found.append(" ".join(words[-2:]))
    return tuple(found)


@lru_cache(maxsize=LINES)
def _turned(text: str) -> tuple[tuple[tuple[frozenset[str], bool], ...], bool]:
    """The words of what a line turns away from, each with whether it only takes back what was said;
    and whether the line says that something changes."""
    found = []
    for pattern, revoked in ((_INSTEAD, False), (_REVOKED, True)):
        for match in pattern.finditer(text):
            first = _END.split(match[1], maxsplit=1)[0]
            if terms := _terms(first):
                found.append((terms, revoked))
    return tuple(found), _CHANGE.search(text) is not None


@lru_cache(maxsize=LINES)
def _terms(text: str) -> frozenset[str]:
    words = map(str.lower, _TERM.findall(text))
    return frozenset(word for word in words if word not in _COMMON)
