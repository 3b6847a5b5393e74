"""The tags that models put around their reasoning, each with where it is documented.

Left out on purpose:
- harmony (`<|channel|>analysis<|message|>`, gpt-oss): a reply there is several messages with
  recipients, calls among them, which its server has to read; it is no pair of tags;
- Granite 3.2 ("Here is my thought process:"): words that any answer may hold;
- what wraps an answer (`<answer>`, `<output>`, `<|begin_of_solution|>`): a prompt asks for it, so
  it is the reader's to take off.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re

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

_STARTS = "<[◁"
_LONGEST = max(map(len, NAMES)) + ATTRIBUTES + 4
_begun = {f"<{slash}{name}"[:end] for name in NAMES for slash in ("", "/") for end in range(1, 14)}
_BEGUN_NAMES = frozenset(_begun)
_BEGUN_TOKENS = frozenset(
    tag[:end] for pair in TOKENS for tag in pair for end in range(1, len(tag))
)
_BEGUN_MORE = lazy_re(rf"</?(?ai:{_names})[ \t]{_ATTRIBUTE}{{0,{ATTRIBUTES}}}+")
_FAMILIES = {tag: pair[0] for pair in TOKENS for tag in pair}


def spelling(tag: re.Match[str]) -> str:
    """Return what a tag has in common with the one that it opens or closes."""
    return (tag["name"] or tag["closed"] or _FAMILIES[tag[0]]).lower()


def begun(text: str, start: int = 0) -> int:
    """Where, at the end of `text`, a tag may have begun; len(text) when none can have."""
    start = max(start, len(text) - _LONGEST)
    at = max(text.rfind(char, start) for char in _STARTS)
    return at if at >= 0 and _begins(text[at:]) else len(text)


def _begins(text: str) -> bool:
    return (
        text in _BEGUN_TOKENS
        or text.lower() in _BEGUN_NAMES
        or _BEGUN_MORE.fullmatch(text) is not None
    )
