"""The parts of the small-window layout that are held on entry: no compression makes them smaller.

Instructions and tools have a part together, examples another. What Loom adds is counted, and never
refused: its words at the end of the head and the tools that are answered here leave so much less to
the host. Memory and skills have no part in the documents and are not counted (see `Policy`).
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from loom.compress.parts import part
from loom.errors import OverPart
from loom.policy import Policy
from loom_partitions.window import Window

EXAMPLES = "example"  # what the keys of instructions begin with that are examples


class Filled(Struct, frozen=True):
    """One part and its content: `tokens`, of which `ours` came from Loom, and `answered` of these
    are of tools it answers; `most` is 0 where there is no such part."""

    name: str
    field: str
    partition: str
    tokens: int
    ours: int
    answered: int
    most: int

    @property
    def over(self) -> int:
        """Tokens the host's texts take beyond the part, or what Loom left of it."""
        return self.tokens - max(self.most, self.ours) if self.most else 0


def check_parts(policy: Policy, own: Iterable[str], before: Window, after: Window) -> None:
    """Raise OverPart where a change makes a part larger than it may be.

    `own` names the tools that are answered here. What stood over its part before, as after a
    provider named a smaller window, may stay and shrink.
    """
    names = frozenset(own)
    for was, now in zip(_filled(policy, names, before), _filled(policy, names, after), strict=True):
        if now.over > max(was.over, 0):
            raise OverPart(now.partition, now.name, now.tokens, now.most, now.field, now.answered)


def _filled(policy: Policy, own: frozenset[str], window: Window) -> tuple[Filled, Filled]:
    """The two parts as a window fills them, or will once its changes joined the head."""
    limits, tools = window.limits, window.skill.tools.current
    shown, texts = 0, 0
    for held in window.system.current:
        if held.key.startswith(EXAMPLES):
            shown += held.text.tokens
        else:
            texts += held.text.tokens
    answered = sum(held.text.tokens for held in tools if held.key in own)
    hosts = sum(held.text.tokens for held in tools if held.key not in own)
    prompt = Filled(
        name="instructions and tools",
        field="prompt_tokens",
        partition="system" if texts >= hosts else "skill",
        tokens=limits.head + texts + hosts + answered,
        ours=limits.head + answered,
        answered=answered,
        most=part(policy, limits, policy.prompt_tokens),
    )
    most = part(policy, limits, policy.examples_tokens)
    return prompt, Filled("examples", "examples_tokens", "system", shown, 0, 0, most)
