"""Reasoning that models put between tags into their text, separated from the
answer without loss.

Tags that are left out on purpose:

- harmony (`<|channel|>analysis<|message|>`, gpt-oss): a reply there is several messages with
  recipients, calls among them, which its server has to read; it is no pair of tags;
- Granite 3.2 ("Here is my thought process:"): words that any answer may hold;
- tags around an answer (`<answer>`, `<output>`, `<|begin_of_solution|>`): a prompt asks for them,
  so the reader of the reply removes them.
"""

from __future__ import annotations

import re
from itertools import chain

from msgspec import Struct

from loom.lazy import lazy_re

__all__ = ["Separated", "Separator", "separate"]

# Tags, each with where it is documented.
# <name …> and </name …>, in any case, with attributes. `< think >` and `<think/>` are none.
NAMES = {
    "think": "DeepSeek-R1, Qwen3, Granite 4.2 (docs.vllm.ai: Reasoning Outputs, parsers)",
    "thinking": "Reflection Llama-3.1 (model card); Open WebUI, reasoning_tags",
    "thought": "Open WebUI, reasoning_tags",
    "reasoning": "Open WebUI, reasoning_tags",
    "reason": "Open WebUI, reasoning_tags",
    "seed:think": "Seed-OSS (vLLM, seedoss_reasoning_parser)",
}

# Special tokens: to the letter.
TOKENS = {
    ("[THINK]", "[/THINK]"): "Magistral Small 1.1 (model card)",
    ("◁think▷", "◁/think▷"): "Kimi-VL-A3B-Thinking, as programs that evaluate it cut it off",
    ("<|begin_of_thought|>", "<|end_of_thought|>"): "Sky-T1 (card of Sky-T1-32B-Steps); Open WebUI",
    ("<|START_THINKING|>", "<|END_THINKING|>"): "Command A Reasoning (vLLM, cohere_command)",
    ("<|channel>thought", "<channel|>"): "Gemma 4 (ai.google.dev, Prompt Formatting)",
}

ATTRIBUTES = 128  # characters of them; a longer tag is none, so that a look ahead is bounded

_ATTRIBUTE = r"[^<>\[◁\n]"  # so no tag begins inside another
_names = "|".join(sorted(NAMES, key=len, reverse=True))
_opens = "|".join(re.escape(opening) for opening, _ in TOKENS)
_closes = "|".join(re.escape(closing) for _, closing in TOKENS)
_more = rf"(?:[ \t]{_ATTRIBUTE}{{0,{ATTRIBUTES}}})?+(?<!/)>"
PATTERN = (
    rf"(?P<open><(?P<name>(?ai:{_names})){_more}|{_opens})"
    rf"|(?P<close></(?P<closed>(?ai:{_names})){_more}|{_closes})"
)
TAG = lazy_re(PATTERN)

_LONGEST = max(map(len, NAMES)) + ATTRIBUTES + 4
_token = "|".join(re.escape(tag[:end]) for tag in chain(*TOKENS) for end in range(1, len(tag)))
_name = "|".join(f"</?{name[:end]}" for name in NAMES for end in range(len(name) + 1))
_BEGUN = lazy_re(
    rf"(?:{_token}|(?ai:{_name})|</?(?ai:{_names})[ \t]{_ATTRIBUTE}{{0,{ATTRIBUTES}}}+)\Z"
)


def possible_tag_start(text: str, start: int = 0) -> int:
    """Return the index, `start` or higher, at which an unfinished tag may begin at the end of
    `text`: `"so <thi"` → 3. len(text) if no tag can begin there."""
    at = max(text.rfind(char, max(start, len(text) - _LONGEST)) for char in "<[◁")
    return at if at >= 0 and _BEGUN.match(text, at) else len(text)


NEWLINES = lazy_re(r"[\r\n]*")  # behind a block: they leave with it


class Separated(Struct, frozen=True):
    """A text split into its answer and its reasoning.

    `answer` is the whole text, unchanged, if there are no tags. `reasoning` holds the text of each
    block between tags, stripped; blank blocks are left out. `unclosed` is True if the text ended
    inside its reasoning."""

    answer: str
    reasoning: tuple[str, ...] = ()
    unclosed: bool = False


def separate(text: str, *, starts_inside: bool = False) -> Separated:
    """Separate the reasoning in a text from the answer.

    Text between an opening tag and the next closing tag is reasoning, as is all text before a
    closing tag without an opening tag, and all text after an opening tag that is never closed.
    `starts_inside` says that the prompt ended with the opening tag: the text begins with reasoning.

    >>> loom.separate("<think>Two and two.</think>Four.")
    Separated(answer='Four.', reasoning=('Two and two.',), unclosed=False)"""
    answer: list[str] = []
    reasoning: list[str] = []
    inside, at, tagged = starts_inside, 0, starts_inside
    for tag in TAG.finditer(text):
        if tag["open"] and inside:
            continue  # spoken of
        piece = text[at : tag.start()]
        if tag["open"]:
            answer.append(piece)
        elif inside:
            reasoning.append(piece)
        else:
            reasoning.append("".join(answer) + piece)
            answer.clear()
        inside, at, tagged = bool(tag["open"]), tag.end(), True
        if not inside:
            at = NEWLINES.match(text, at).end()  # type: ignore[union-attr]
    (reasoning if inside else answer).append(text[at:])
    said = "".join(answer)
    thought = tuple(block for block in map(str.strip, reasoning) if block)
    return Separated(said.strip() if tagged else said, thought, inside)


class Separator:
    """Separates reasoning from the answer in a text that comes in pieces.

    Each piece of the text is given to `feed`, which returns the next piece of the answer. Joined,
    the returned pieces are the answer of `separate(text, starts_inside=…)`, with two exceptions:
    blanks at the end may differ, and text before a closing tag without an opening tag was already
    returned. `starts_inside` says that the prompt ended with the opening tag, as in the chat
    template of DeepSeek-R1.

    >>> separator = loom.Separator()
    >>> separator.feed("<think>Two and") + separator.feed(" two.</think>Four.") + separator.close()
    'Four.'"""

    def __init__(self, starts_inside: bool = False) -> None:
        self.tagged = starts_inside  # whether a tag has come
        self._starts_inside = starts_inside
        self._depth = int(starts_inside)  # tags within reasoning count until they balance
        self._text: list[str] = []  # all that came
        self._shown: list[str] = []  # all that was given out
        self._lead = ""  # blanks before the answer
        self._behind = False  # a block has just ended
        self._held = ""  # what may be the beginning of a tag
        self._closed = False

    def feed(self, text: str) -> str:
        """Add the next piece of the text. Return the next piece of the answer, which may be "".
        Raises ValueError after `close`."""
        if self._closed:
            raise ValueError("this separator is closed: take a new one for another text")
        self._text.append(text)
        text, at, before = self._held + text, 0, len(self._shown)
        for tag in TAG.finditer(text):
            self._give_out(text[at : tag.start()])
            at, self.tagged = tag.end(), True
            self._depth = max(self._depth + (1 if tag["open"] else -1), 0)
            self._behind = not self._depth
        end = possible_tag_start(text, at)
        self._give_out(text[at:end])
        self._held = text[end:]
        return "".join(self._shown[before:])

    def close(self) -> str:
        """End the text. Return the rest of the answer, which `feed` held back as a possible tag."""
        if self._closed:
            return ""
        self._closed, before = True, len(self._shown)
        if not self._depth:
            self._give_out(self._held)
            if not self.tagged:
                self._shown.append(self._lead)
            return "".join(self._shown[before:])
        # The tags did not balance: an opening one in the reasoning was spoken of.
        shown, whole = "".join(self._shown), self.separated.answer
        if shown.rstrip().endswith(whole.rstrip()):
            return ""  # blanks behind the answer were given out already
        known = min(len(shown), len(whole))
        while not shown.endswith(whole[:known]):
            known -= 1
        return whole[known:]

    @property
    def waiting(self) -> str:
        """The text that `feed` is holding back: blanks before the answer, and a possible unfinished
        tag."""
        return self._lead + self._held

    @property
    def separated(self) -> Separated:
        """The answer and the reasoning in the text so far."""
        return separate("".join(self._text), starts_inside=self._starts_inside)

    def _give_out(self, text: str) -> None:
        """Append text to the answer, unless the text is inside reasoning."""
        if self._depth:
            return
        if self._behind:
            text = text.lstrip("\r\n")
            self._behind = not text
        if not self._shown:
            text, self._lead = self._lead + text, ""
            if not text.strip():
                self._lead = text
                return
            text = text.lstrip() if self.tagged else text
        if text:
            self._shown.append(text)
