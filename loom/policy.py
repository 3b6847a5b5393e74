"""The policy of a workspace: what the engine decides by. Recorded when it is opened.

Two presets, one default configuration for every benchmark. Water marks, levels and caps come
from the design documents; they are named there and here, and nowhere else.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from loom.errors import LoomError, OverCapacity
from loom_partitions.limits import Limits
from loom_partitions.window import Window


class Policy(Struct, frozen=True, kw_only=True):
    """When to compress, how deep, and what stays.

    Shares are of the capacity (window less reply). `recent` steps are never lowered below ρ 1.0.
    """

    preset: str = "lazy"
    # Said anew at each opening, not recorded with the rest: the encoding tokens are counted in (""
    # for the model's own; a workspace keeps its first), the characters over which a result stands
    # in the window as so many (0: only when it has no room), whether the model gets Loom's tools.
    encoding: str = ""
    compact_above: int = 0
    own_tools: bool = True
    # Pressure at which a level may act; the highest crossed one does, inclusive.
    snip_at: float = 0.70
    micro_at: float = 0.80
    collapse_at: float = 0.90
    auto_at: float = 0.95
    # A request over so many tokens is cut early, and deep, when that pays. `benchmarks cache`: at
    # 100,000 tokens that is a third less than to wait for the collapse mark. Judgement.
    lean_at: float = 0.70
    lean_from: int = 64_000
    lean: int = 20_000
    renew_at: float = 1.0
    # On recorded sessions a deeper cut lost what was needed next, a shallower one the cache (judged
    # from `benchmarks needs`, whose shares are flat around it) …
    low_water: float = 0.73
    served: int = 4  # … it makes room for as many turns, or the next cut follows at once …
    enough: int = 50_000  # … and keeps no more than this (judgement: a cut's price grows with it)
    least_freed: float = 0.05  # a level that frees less is no cut
    recent: int = 3
    recent_share: float = 0.50  # … while together they take no more than this
    ahead_tokens: int = 2_500  # what is read ahead in one turn …
    ahead_share: float = 0.12  # … and at most this share
    line_share: float = 0.01  # what the lines of lowered entries may take together …
    index_share: float = 0.12  # … and the index of what was folded …
    index_tokens: int = 1_800  # … and at most this
    first: int = 1  # entries at the start that collapse leaves standing
    step_share: float = 0.25  # what the results of one step, or one text, may take on entry
    snip_chars: int = 2_000
    reactive_chars: int = 500
    memory_share: float = 0.15  # what a project's AGENTS.md files may take (judgement)
    skill_share: float = 0.15  # what the bodies of skills in use may take (judgement) …
    catalogue_share: float = 0.03  # … and what the list of all skills may (judgement)
    working_share: float = 0.15  # what the dashboard's surfaces may take
    digest_share: float = 0.35  # what the facts of a digest may take …
    digest_tokens: int = 3_000  # … and at most
    # Cost of a cached and of a newly written token, against 1 for a plain one; None takes the
    # provider's own (`loom.providers`).
    read_price: float | None = None
    write_price: float | None = None
    # The eager preset's layout (8,192 tokens): 0 switches a trigger off.
    eager_steps: int = 0  # more full steps than this
    eager_tokens: int = 0  # more history than this
    eager_calls: int = 0  # as many replies since the last cut
    compacted_tokens: int = 0


PRESETS = {
    "lazy": Policy(),
    "eager": Policy(
        preset="eager",
        low_water=0.60,
        recent_share=1.0,
        ahead_tokens=0,
        eager_steps=5,
        eager_tokens=2_000,
        eager_calls=1,
        compacted_tokens=500,
    ),
}

SAID_ANEW = ("encoding", "compact_above", "own_tools")
LEAST_COMPACT = 200  # characters: with fewer a text cannot say what it leaves out and where
LEAST_CAPACITY = 512  # tokens: below it not even a dashboard and a line fit
REPLY_SHARE = 4  # without a stated reply, a quarter of the window …
REPLY_MOST = 8_192  # … and at most this
EAGER_LAYOUT = {8_192: 3_492}  # window → reply of the documented small-window layout


def resized(limits: Limits, window: int | None, reply: int | None) -> Limits:
    """The limits after a change; a reply nobody named gives way to a smaller window.

    Raises OverCapacity when the two leave no room for a history.
    """
    size = limits.window if window is None else window
    kept = min(limits.reply, size // REPLY_SHARE) if reply is None and window else reply
    kept = limits.reply if kept is None else kept
    if kept < 1 or size - kept < LEAST_CAPACITY:
        raise OverCapacity(
            "working",
            LEAST_CAPACITY,
            size - kept,
            f"a window of {size:,} less a reply of {kept:,} cannot hold a history",
        )
    return replace(limits, window=size, reply=kept)


def reply_for(window: int, preset: str) -> int:
    """Tokens kept for the reply when the caller names none."""
    if preset == "eager" and window in EAGER_LAYOUT:
        return EAGER_LAYOUT[window]
    return min(REPLY_MOST, window // REPLY_SHARE)


def chosen(policy: str | Policy) -> Policy:
    """The policy of a name, or as it is given. Raises LoomError for what is none."""
    if isinstance(policy, Policy):
        if 0 < policy.compact_above < LEAST_COMPACT:
            raise LoomError(
                f"compact_above={policy.compact_above}: give {LEAST_COMPACT} characters or more"
            )
        if policy.preset not in PRESETS:
            raise LoomError(f"no preset {policy.preset!r}; there are {', '.join(PRESETS)}")
        try:
            return msgspec.convert(msgspec.to_builtins(policy), Policy)
        except (msgspec.ValidationError, TypeError) as error:
            raise LoomError(f"this is no policy: {error}") from error
    if not isinstance(policy, str) or policy not in PRESETS:
        raise LoomError(f"no policy {policy!r}; there are {', '.join(PRESETS)}, and loom.Policy")
    return PRESETS[policy]


def recorded(policy: Policy) -> dict[str, Any]:
    """The fields a workspace records: all but those that are said anew at each opening."""
    made = msgspec.to_builtins(policy)
    return {key: value for key, value in made.items() if key not in SAID_ANEW}


def policy_of(window: Window, given: Policy | None = None) -> Policy:
    """The policy a workspace was opened with, but for what `given` says anew.

    Raises LoomError when this version cannot read it.
    """
    anew = {key: getattr(given or Policy(), key) for key in SAID_ANEW}
    try:
        return msgspec.convert({**window.config.policy, **anew}, Policy)
    except msgspec.ValidationError as error:
        raise LoomError(f"the workspace's policy cannot be read: {error}") from error
