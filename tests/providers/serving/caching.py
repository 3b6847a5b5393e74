"""A prompt cache: the longest prefix of units a session has sent before, byte for byte.

OpenAI and Google find it by themselves (from 1,024 tokens, in steps of 128); Anthropic writes at
cache marks, and looks for what it wrote up to 20 blocks before each mark ("Prompt caching").
"""

from __future__ import annotations

from tests.providers.serving.prompt import Prompt

LEAST = 1_024
STEP = 128
BACK = 20


class Cache:
    """The digests of the prefixes one session has sent."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def used(self, prompt: Prompt, *, marks: bool) -> tuple[int, int]:
        """Tokens read from the cache and written to it, of this prompt; it is learned."""
        return self._marked(prompt) if marks else (self._found(prompt), 0)

    def _found(self, prompt: Prompt) -> int:
        tokens = 0
        for digest, total in zip(prompt.digests, prompt.sums, strict=True):
            if digest not in self._known:
                break
            tokens = total
        self._known.update(prompt.digests)
        return tokens // STEP * STEP if tokens >= LEAST else 0

    def _marked(self, prompt: Prompt) -> tuple[int, int]:
        marks = [number for number, unit in enumerate(prompt.units) if unit.marked]
        read = 0
        for mark in marks:
            for number in range(mark, max(mark - BACK, 0) - 1, -1):
                if prompt.digests[number] in self._known:
                    read = max(read, prompt.sums[number])
                    break
        marks = [mark for mark in marks if prompt.sums[mark] >= LEAST]
        self._known.update(prompt.digests[mark] for mark in marks)
        return read, max(0, prompt.sums[marks[-1]] - read) if marks else 0
