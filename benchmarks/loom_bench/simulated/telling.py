"""What a reading tells of runs, of what failed in them, and of what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from loom.reduce.aliases import SHELL
from loom_bench.simulated.cues import dropped, parts, ruling, segments, times, verdict
from loom_bench.simulated.reading import UNTOLD, MadeCall, Mention, Reading, TextLine, settled
from loom_bench.simulated.state import FAIL, LIFTED, PASS, RunKey, Truth

CLOSED, OPEN = "closed", "open"

_REST = re.compile(r"\s*(?:2>&1|\|\s*(?:tail|head)\b(?:\s+-?\w*\d+)*|>\s*\S+)")
_INTO = re.compile(r"^cd (\S+?)/?\s*(?:&&|;)\s*(.*)$")
_MAKE = re.compile(r"\bmake -C (\S+?)/? ")
_NEXT = re.compile(r"→|->|`|: ")  # what follows is about something else
_NAMED = re.compile(r"\b[a-z]+_(\d{3,})\b")
_ARGUMENT = re.compile(r"\s+(?:-|\S*[./:]\w)")  # what follows a command as one more argument


def command(call: MadeCall) -> str:
    """The command of a shell call, "" for any other."""
    given = call.arguments.get("command") or call.arguments.get("cmd")
    return given if call.tool == SHELL and isinstance(given, str) else ""


def key_of(text: str) -> RunKey:
    """The folder and the command of a spelling."""
    text = _REST.sub("", text).strip()
    if found := _INTO.match(text):
        return found[1], found[2].strip()
    if found := _MAKE.search(text):
        return found[1], _MAKE.sub("make ", text)
    return "", text


def runs(reading: Reading, key: RunKey, folders: Iterable[str]) -> Iterator[tuple[Mention, int]]:
    """What every place says of the outcome of a command in a folder, and of how many runs."""
    for call in reading.calls:
        if (text := command(call)) and key_of(text) == key:
            said = verdict(call.result) or (FAIL if call.error else "")
            yield Mention(call.block, said), 1
    folder, core = key
    spelled = core.replace("make ", "make -C \x00 ", 1)
    cores = re.escape(core), re.escape(spelled).replace("\x00", rf"{re.escape(folder)}/?")
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(cores)})(?![\w-])")
    known = sorted(folders)
    for line in reading.lines:
        if line.quoted or not pattern.search(line.text):
            continue
        for text in parts(line.text, pattern, _NEXT):
            found = pattern.search(text)
            after = _REST.sub("", text[found.end() :]) if found else ""
            if not found or _ARGUMENT.match(after) or _folder(text, line, known) != folder:
                continue
            said = verdict(f"{text[: found.start()]} it {after}")
            said = said or line.inherited(verdict)
            if said:
                yield Mention(line.block, said, order=order_of(after)), times(after)


def order_of(text: str) -> int:
    """The highest number of the names in a text (`step_0041`), 0 for none: they tell the order."""
    return max((int(number) for number in _NAMED.findall(text)), default=0)


def _folder(part: str, line: TextLine, known: Iterable[str]) -> str:
    """The folder a part of a line is about, itself or by a heading; "" for the project's own."""
    for text in (part, *reversed(line.under)):
        for folder in known:
            it = re.escape(folder)
            where = (
                rf"(?:(?<!\w)(?:in|at|cd|-C|under|from|folder|cwd)[\s:`\"']+|[(\[]){it}(?![\w-])"
            )
            if re.search(rf"{where}|^[\s*•-]*{it}/?:", text):
                return folder
    return ""


def shown(key: RunKey) -> str:
    """A command with its folder, as a question names it."""
    folder, core = key
    return f"{core} (in {folder})" if folder else core


def _runs(reading: Reading, truth: Truth, about: str) -> list[tuple[Mention, int]]:
    key = next(key for key in truth.runs if shown(key) == about)
    return [*runs(reading, key, folders(truth))]


def folders(truth: Truth) -> set[str]:
    """The folders that commands run in."""
    return {folder for folder, _ in truth.scenes if folder}


# What a reading answers: of what is true, for the members to look for; about what.


def outcome(reading: Reading, truth: Truth, about: str) -> str:
    """PASS or FAIL: how the last run of a command in a folder ended.

    UNTOLD when a call shows that it ran again, and not how that ended.
    """
    return settled(mention for mention, _ in _runs(reading, truth, about)) or UNTOLD


def run_count(reading: Reading, truth: Truth, about: str) -> str:
    """How often a command was run."""
    return str(sum(count for _, count in _runs(reading, truth, about)) or UNTOLD)


def failure(reading: Reading, truth: Truth, id: str) -> str:
    """OPEN or CLOSED: a failure, or what a later success of its command leaves of it."""
    short, message = id.rpartition("::")[2], truth.failures[id].message
    told = [
        Mention(call.block, OPEN)
        for call in reading.calls
        if short in call.result and message in call.result and verdict(call.result) != PASS
    ]
    pattern = re.compile(rf"(?<![\w-]){re.escape(short)}(?![\w-])")
    for line in reading.lines:
        if line.quoted or not (pattern.search(line.text) or message in line.text):
            continue
        said = verdict(line.text.replace(message, "")) or line.inherited(verdict)
        if said or message in line.text:
            value = CLOSED if said == PASS else OPEN
            told.append(Mention(line.block, value, order=order_of(line.text)))
    told += [
        Mention(mention.block, CLOSED, order=mention.order)
        for key in truth.failures[id].closers
        for mention, _ in runs(reading, key, folders(truth))
        if mention.value == PASS
    ]
    return settled(told)


def said_by_failure(reading: Reading, truth: Truth, id: str) -> str:
    """What an open failure says, if it stands anywhere."""
    message = truth.failures[id].message
    texts = [line.text for line in reading.lines] + [call.shown for call in reading.calls]
    return message if any(message in text for text in texts) else UNTOLD


_CHANGE = re.compile(
    r"\b(?:now|no longer|instead|rather|replaces|revert\w*|not|was|changed?)\b", re.I
)
_NUMBER = re.compile(r"(?<![\w.#-])\d+(?![\w-]|\.\d)")
_NOW = re.compile(r"\b(?:now|to|→|->)\W{0,3}(?:is |be )?(\d+)\b")


def rule(reading: Reading, truth: Truth, about: str) -> str:
    """The state of the rule about something: FORBIDDEN, REQUIRED, LIFTED."""
    return settled(
        Mention(line.block, said, said == LIFTED)
        for line, sentence in reading.about(about)
        if (said := ruling(sentence) or line.inherited(ruling))
    )


def decision(reading: Reading, truth: Truth, topic: str) -> str:
    """What was decided on a topic."""
    return _choice(reading, topic, [one for made in truth.decisions.values() for one in made])


def correction(reading: Reading, truth: Truth, topic: str) -> str:
    """The right name of a topic."""
    return _choice(reading, topic, truth.corrections[topic])


def _choice(reading: Reading, topic: str, choices: Iterable[str]) -> str:
    """The one of some choices that holds for a topic now."""
    told = []
    patterns = {each: re.compile(rf"(?<!\w){re.escape(each)}(?!\w)") for each in choices}
    for line, sentence in reading.about(topic):
        named = [each for each, pattern in patterns.items() if pattern.search(sentence)]
        holding = [each for each in named if not dropped(each, sentence)]
        if len(holding) == 1:
            changed = len(named) > 1 or _CHANGE.search(sentence) is not None
            told.append(Mention(line.block, holding[0], changed))
    return settled(told)


def value(reading: Reading, truth: Truth, name: str) -> str:
    """The value of a setting now."""
    told = []
    for line, sentence in reading.about(name):
        part = next((part for part in segments(sentence) if name in part), sentence)
        text = part.partition(name)[2]
        numbers = _NUMBER.findall(text)
        now = _NOW.search(text)
        left = [now[1]] if now else [one for one in numbers if not dropped(one, text)]
        if left:
            changed = len(numbers) > 1 or _CHANGE.search(sentence) is not None
            told.append(Mention(line.block, left[-1], changed))
    return settled(told)


def in_order(reading: Reading, parts: Sequence[str]) -> str:
    """The parts of a text that stand in one block in their order, parted by bars."""
    patterns = {
        part: re.compile(rf"(?<![\w-]){re.escape(part.strip())}(?![\w-])") for part in parts
    }
    best: list[str] = []
    for _, lines in groupby(reading.lines, lambda line: line.block):
        text, at, found = "\n".join(line.text for line in lines), 0, list[str]()
        for part, pattern in patterns.items():
            if match := pattern.search(text, at):
                found.append(part)
                at = match.end()
        best = max(best, found, key=len)
    return " | ".join(best) if best else UNTOLD
