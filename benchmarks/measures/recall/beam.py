"""BEAM, and what counts as brought back: conversations, questions, plain BM25 to compare with.

BEAM's conversations are of about 100,000 tokens, with questions that name the messages which hold
their evidence (`source_chat_ids`).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec import Struct

from loom_bench.errors import BadBench

FOLDER = "beam-100k"
RUN = 8  # words
ENOUGH = 0.5  # of a message's tokens
K1, B = 1.2, 0.75
PASSAGE = 120  # words
WORD = re.compile(r"\w+")


class BeamMessage(Struct, frozen=True):
    """One message: its id, the role of who wrote it, its text."""

    id: int
    role: str
    content: str


class Question(Struct, frozen=True):
    """A question, and the ids of the messages that hold its evidence."""

    text: str
    evidence: tuple[int, ...]


class Conversation(Struct, frozen=True):
    """The messages of one conversation in order, and its questions that name evidence."""

    name: str
    messages: tuple[BeamMessage, ...]
    questions: tuple[Question, ...]


def conversations(folder: Path) -> Iterator[Conversation]:
    """The conversations below a folder, by number. Raises BadBench."""
    root = folder / FOLDER if (folder / FOLDER).is_dir() else folder
    paths = sorted(root.glob("*/chat.json"), key=lambda path: (len(path.parent.name), path))
    for path in paths:
        try:
            batches = json.loads(path.read_text("utf-8"))
            asked = json.loads(path.with_name("probing_questions.json").read_text("utf-8"))
            messages = [
                BeamMessage(int(said["id"]), str(said["role"]), str(said["content"]))
                for batch in batches
                for turn in batch["turns"]
                for said in turn
            ]
            questions = [
                Question(str(one["question"]), tuple(sorted(set(_ids(one["source_chat_ids"])))))
                for kind in asked.values()
                for one in kind
                if one.get("source_chat_ids")
            ]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadBench(f"{path.parent}: not as BEAM writes it ({error!r})") from error
        yield Conversation(path.parent.name, tuple(messages), tuple(questions))


def _ids(value: Any) -> Iterator[int]:
    """The message ids in lists and objects of them."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _ids(one)
    else:
        yield int(value)


class EvidenceMatch:
    """How much of a message an answer holds."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._weights: dict[str, int] = {}

    def enough(self, message: str, answer: str) -> bool:
        """True when at least half of a message's tokens came back."""
        return self.share(message, answer) >= ENOUGH

    def share(self, message: str, answer: str) -> float:
        """Share of a message's tokens, 0 to 1, that stand in the answer in runs of RUN words."""
        words, held = message.split(), answer.split()
        length = min(RUN, len(words))
        if not length:
            return 0.0
        there = {tuple(held[at : at + length]) for at in range(len(held) - length + 1)}
        back: set[int] = set()
        for at in range(len(words) - length + 1):
            if tuple(words[at : at + length]) in there:
                back.update(range(at, at + length))
        total = sum(map(self._weight, words))
        return sum(self._weight(words[at]) for at in back) / total

    def _weight(self, word: str) -> int:
        if word not in self._weights:
            self._weights[word] = self._count(" " + word)
        return self._weights[word]


def passages(texts: Iterable[str], most: int = PASSAGE) -> list[str]:
    """The texts cut into passages of at most so many words; blanks within them stay."""
    made = []
    for text in texts:
        words = [match.span() for match in re.finditer(r"\S+", text)]
        parts = [words[at : at + most] for at in range(0, len(words), most)]
        made += [text[part[0][0] : part[-1][1]] for part in parts]
    return made


class Plain:
    """Plain BM25 over texts, each taken whole."""

    def __init__(self, texts: Sequence[str], count: Callable[[str], int]) -> None:
        self._texts = texts
        self._sizes = [count(f"{text}\n") for text in texts]
        self._counts = [Counter(WORD.findall(text.lower())) for text in texts]
        self._lengths = [sum(words.values()) for words in self._counts]
        self._mean = fmean(self._lengths)
        self._held = Counter(word for words in self._counts for word in words)

    def __call__(self, query: str, budget: int) -> str:
        """The best texts that fit the budget."""
        scores = [self._score(at, query) for at in range(len(self._texts))]
        taken = []
        for at in sorted(range(len(scores)), key=lambda at: -scores[at]):
            if scores[at] > 0 and self._sizes[at] <= budget:
                taken.append(self._texts[at])
                budget -= self._sizes[at]
        return "\n".join(taken)

    def _score(self, at: int, query: str) -> float:
        words = self._counts[at]
        norm = K1 * (1 - B + B * self._lengths[at] / self._mean)
        return sum(
            math.log(1 + (len(self._texts) - n + 0.5) / (n + 0.5)) * f * (K1 + 1) / (f + norm)
            for word in set(WORD.findall(query.lower()))
            if (f := words[word])
            for n in (self._held[word],)
        )
