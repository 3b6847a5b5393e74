"""The parts of the small-window layout that are held on entry."""

from __future__ import annotations

from msgspec.structs import replace

import loom
from loom.compress.parts import part
from loom.policy import policy_of
from loom_partitions.config import Opened
from loom_partitions.limits import Limits
from loom_partitions.window import Window
from tests.kit.cases import all_cases
from tests.kit.opened import opened_with

opened = opened_with()

EAGER = loom.PRESETS["eager"]


@all_cases(("room", "tokens"), [(4_700, 1_500), (9_400, 3_000), (470, 150), (1, 1)], ids=str)
def test_parts_are_shares_of_the_room(room: int, tokens: int) -> None:
    """In another window a part is the same share of what is left beside the reply."""
    limits = Limits(window=room + 100, reply=100)
    assert part(EAGER, limits, EAGER.prompt_tokens) == tokens
    assert part(replace(EAGER, layout_room=0), limits, 1_500) == 1_500
    assert part(EAGER, limits, 0) == 0


def test_the_parts_are_the_whole_room() -> None:
    """Together with the reply the documented parts are 8,192 tokens."""
    parts = ("prompt", "examples", "compacted", "recent", "goal")
    assert sum(getattr(EAGER, f"{name}_tokens") for name in parts) == EAGER.layout_room
    assert EAGER.layout_room + 3_492 == 8_192


def test_a_policy_of_before_has_no_parts() -> None:
    """What was recorded before parts had caps is read as a policy without them."""
    limits = Limits(window=8_192, reply=3_492)
    window = Window(config=Opened(limits, {"preset": "eager", "compacted_tokens": 500}))
    policy = policy_of(window)
    assert (policy.prompt_tokens, policy.recent_tokens, policy.rest_recent) == (0, 0, False)
    assert part(policy, limits, policy.compacted_tokens) == 500
