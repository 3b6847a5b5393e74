"""The policy of a workspace: what the engine decides by. Recorded when it is opened.

Three presets. Water marks, levels and caps come from the design documents, and stand only here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from loom.errors import LoomError, OverCapacity
from loom.retention import Retention, checked
from loom_partitions.limits import Limits
from loom_partitions.window import Window

# What a unit of history is, by which K weighs it (`loom.compress.worth.units`).
Kind = Literal[
    "user", "said", "old", "new", "argument", "read", "search", "shell", "edit", "write", "error",
    "other",
]  # fmt: skip


class Policy(Struct, frozen=True, kw_only=True):
    """When to compress, how deep, and what stays. Shares are of the capacity (window less reply).

    preset: "lazy", "graduated" or "eager", whose other values `PRESETS` holds.
    encoding: what tokens are counted in, "" for the model's own; a workspace keeps its first.
    compact_above: characters over which a result stands as so many; 0: only when it has no room.
    own_tools: whether the model gets Loom's tools; or the names of those it gets.
    reads_files: whether a tool of the agent's own reads files here, so that the model is told where
        pages lie; None: where it has a `project`.
    retention: which pages a renewal lets go; None: none. These five are said anew at each opening.
    snip_at, micro_at, collapse_at, auto_at, renew_at: the pressure ρ from which a level may act,
        inclusive; the highest crossed one does.
    low_water: the share a cut goes down to; served: the turns it makes room for, if need be below
        that; plenty: the turns after which it need go no deeper: a large window keeps more, below
        the first mark.
    least_freed: the share a level has to free, or it makes no cut; priced: whether what can wait
        also has to pay for what it makes a provider's cache write anew.
    ageing: how the score K·rel·e^(−λ·age) falls: "steps" since the last use, as documented, or
        "log" (see `loom.compress.worth.worth`); decay: λ; kind_weights: K by kind of unit; what is
        not given here is fitted.
    recent, recent_share: the last steps that are not lowered below ρ 1.0, while together they take
        no more than the share.
    ahead_tokens, ahead_share: what may be read ahead in a turn: tokens, and at most this share;
        back_share: the share in the turn of a cut, when all that left before may come back.
    index_share, index_tokens: the index of what was folded; digest_share, digest_tokens: the facts
        of a digest; in a large window at most index_large and digest_large, in a small one the
        tokens.
    first: entries at the start that collapse leaves; step_share: what one text, or the results of
        a step, may take when they come in.
    snip_chars, reactive_chars: characters over which snip, and the reactive level, shorten a text.
    memory_share, skill_share, catalogue_share, working_share: what AGENTS.md files, bodies of
        skills, the list of skills and the surfaces of the dashboard may take.
    read_price, write_price: cost of a cached and of a newly written token, against 1 for a plain
        one; None for the provider's own.
    eager_steps, eager_tokens, eager_calls: triggers of the eager layout: more full steps, more
        tokens of history, as many turns since the last cut; without `eager_steps` there is none.
    compacted_tokens: what the compacted history may take in that layout.
    prompt_tokens, examples_tokens, recent_tokens, goal_tokens: the other parts of that layout:
        instructions and tools (Loom's own too), the instructions "examples", the last steps, the
        goal; 0: none (the goal: 200). Over the first two a text is refused (OverCapacity). Memory
        and skills have no part there: they keep their shares, and where the window gets full the
        last steps give way to them.
    layout_room: window less reply these are stated for, and grow or shrink with; 0: as stated.
    rest_recent: whether results that rest on a page, but files that were read, and written content
        stand as one line in the last steps too, the newest aside."""

    preset: str = "lazy"
    encoding: str = ""
    compact_above: int = 0
    own_tools: bool | tuple[str, ...] = True
    reads_files: bool | None = None
    retention: Retention | None = None
    snip_at: float = 0.70
    micro_at: float = 0.80
    collapse_at: float = 0.90
    auto_at: float = 0.95
    renew_at: float = 1.0
    # The documents'. From .60 to .73 recorded sessions show no difference beyond noise: the two
    # below decide how deep a cut goes.
    low_water: float = 0.60
    served: int = 4
    # From 12: +5 points of `benchmarks needs --interleave 10` at 200,000 for no more tokens. Up to
    # 0.85 of the capacity instead of just below the first mark: -5 and +3 points at 128,000 and
    # 200,000 for a quarter more cost.
    plenty: int = 5
    least_freed: float = 0.05
    priced: bool = True
    ageing: Literal["log", "steps"] = "log"
    decay: float | None = None
    kind_weights: dict[Kind, float] = {}
    recent: int = 3
    recent_share: float = 0.50
    # From 8,000, .12 and .10: +4 points of `benchmarks needs` at 16,000 on both sets of recorded
    # sessions, for 6-9 % of cost.
    ahead_tokens: int = 16_000
    ahead_share: float = 0.25
    back_share: float = 0.25
    index_share: float = 0.12
    index_tokens: int = 1_800
    first: int = 1
    step_share: float = 0.25
    snip_chars: int = 2_000
    reactive_chars: int = 500
    memory_share: float = 0.15  # this and the next two are judgements
    skill_share: float = 0.15
    catalogue_share: float = 0.03
    working_share: float = 0.15
    digest_share: float = 0.5
    digest_tokens: int = 4_500
    # A long task has more to say: with these all that a user laid down in one stands at 100,000.
    digest_large: float = 0.2
    index_large: float = 0.03
    read_price: float | None = None
    write_price: float | None = None
    eager_steps: int = 0
    eager_tokens: int = 0
    eager_calls: int = 0
    compacted_tokens: int = 0
    prompt_tokens: int = 0
    examples_tokens: int = 0
    recent_tokens: int = 0
    goal_tokens: int = 0
    layout_room: int = 0
    rest_recent: bool = False


PRESETS = {
    "lazy": Policy(),
    "graduated": Policy(
        preset="graduated",
        low_water=0.60,
        served=0,
        plenty=0,
        priced=False,
        ageing="steps",
    ),
    "eager": Policy(
        preset="eager",
        low_water=0.60,
        recent_share=1.0,
        plenty=0,  # a cut goes down to low water, as the documents have it
        ahead_tokens=0,
        ageing="steps",
        eager_steps=5,
        eager_tokens=2_000,
        eager_calls=1,
        compacted_tokens=500,
        # The documented 8,192, of which 3,492 are the reply's.
        prompt_tokens=1_500,
        examples_tokens=500,
        recent_tokens=2_000,
        goal_tokens=200,
        layout_room=4_700,
        rest_recent=True,
    ),
}

# The least and the most a number may be; what is not named is a count, from 0 on.
MARKS = ("snip_at", "micro_at", "collapse_at", "auto_at", "renew_at")  # none before the one before
SHARE, PRICE, COUNT = (0.0, 1.0), (0.0, 1_000.0), (0, 10**9)
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(MARKS, (0.01, 1.0)),
    **dict.fromkeys(("low_water", "least_freed", "digest_large", "index_large"), SHARE),
    **{name: SHARE for name in Policy.__struct_fields__ if name.endswith("_share")},
    **dict.fromkeys(("read_price", "write_price", "decay", "kind_weights"), PRICE),
    **dict.fromkeys(("snip_chars", "reactive_chars"), (1, 10**9)),
}

WINDOW = 128_000
BELOW = 0.01  # of the capacity: a cut ends so far below the first mark, or lower
SAID_ANEW = ("encoding", "compact_above", "own_tools", "reads_files", "retention")
LEAST_COMPACT = 200  # characters: with fewer a text cannot say what it leaves out and where
LEAST_CAPACITY = 512  # tokens: below it not even a dashboard and a line fit
REPLY_SHARE = 4  # without a stated reply, a quarter of the window …
REPLY_MOST = 8_192  # … and at most this
EAGER_LAYOUT = {8_192: 3_492}  # window → reply of the documented small-window layout


def resized(limits: Limits, window: int | None, reply: int | None, preset: str) -> Limits:
    """The limits after a change. A reply nobody named is that of the preset for each window; one
    that was named stays, and gives way to a smaller window. Raises OverCapacity when the two leave
    no room for a history."""
    size = limits.window if window is None else window
    named, usual = limits.named, reply_for(limits.window, preset)
    if not named and limits.reply != usual:
        named = limits.reply  # a workspace that was made before this was recorded
    if reply is not None:
        kept, named = reply, named if reply == limits.reply else reply
    elif window is None:
        kept = limits.reply
    elif named:
        kept = min(named, max(size // REPLY_SHARE, reply_for(size, preset)))
    else:
        kept = reply_for(size, preset)
    if kept < 1 or size - kept < LEAST_CAPACITY:
        raise OverCapacity(
            "working",
            LEAST_CAPACITY,
            size - kept,
            f"a window of {size:,} less a reply of {kept:,} cannot hold a history",
        )
    return replace(limits, window=size, reply=kept, named=named)


def reply_for(window: int, preset: str) -> int:
    """Tokens kept for the reply when the caller names none."""
    if preset == "eager" and window in EAGER_LAYOUT:
        return EAGER_LAYOUT[window]
    return min(REPLY_MOST, window // REPLY_SHARE)


def limits_of(policy: Policy, window: int | None, reply: int | None) -> Limits:
    """The limits of a new workspace; without a window it has 128,000 tokens."""
    size = WINDOW if window is None else window
    kept = reply_for(size, policy.preset) if reply is None else reply
    limits = Limits(
        window=size,
        reply=kept,
        named=0 if reply is None else kept,
        low_water=policy.low_water,
        served=policy.served,
        plenty=policy.plenty,
        most=max(policy.low_water, policy.snip_at - BELOW),
    )
    return resized(limits, size, kept, policy.preset)


def chosen(policy: str | Policy) -> Policy:
    """The policy of a name, or as it is given. Raises LoomError for what is none, and for a number
    out of its range."""
    if isinstance(policy, Policy):
        try:
            made = msgspec.convert(msgspec.to_builtins(policy), Policy)
        except (msgspec.ValidationError, TypeError) as error:
            if "kind_weights" in str(error) and isinstance(policy.kind_weights, dict):
                known = ", ".join(get_args(Kind))
                raise LoomError(
                    f"this is no policy: kind_weights are a number for each of {known}"
                ) from error
            raise LoomError(f"this is no policy: {error}") from error
        if made.preset not in PRESETS:
            raise LoomError(f"no preset {made.preset!r}; there are {', '.join(PRESETS)}")
        if made.preset != Policy().preset and made == Policy(preset=made.preset):
            raise LoomError(
                f"preset={made.preset!r} alone has the values of another: give policy="
                f"{made.preset!r}, or msgspec.structs.replace(loom.PRESETS[{made.preset!r}], …)"
            )
        for name in Policy.__struct_fields__:
            value = getattr(made, name)
            for number in value.values() if isinstance(value, dict) else (value,):
                _check(name, number)
        for before, after in pairwise(MARKS):
            low, high = getattr(made, before), getattr(made, after)
            if low > high:
                raise LoomError(f"{before}={low} is above {after}={high}: levels act in this order")
        if made.low_water >= made.snip_at:
            raise LoomError(
                f"low_water={made.low_water} is not below snip_at={made.snip_at}: a cut would end"
                " where the next is called for"
            )
        return made
    if not isinstance(policy, str) or policy not in PRESETS:
        raise LoomError(f"no policy {policy!r:.80}; there are {', '.join(PRESETS)}, loom.Policy")
    return PRESETS[policy]


def _check(name: str, value: object) -> None:
    """Raise LoomError for a number that is out of its range."""
    if isinstance(value, Retention):
        checked(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    least, most = RANGES.get(name, COUNT)
    if not least <= value <= most:
        raise LoomError(f"{name}={value}: give a number from {least:,} to {most:,}")
    if name == "compact_above" and 0 < value < LEAST_COMPACT:
        raise LoomError(f"{name}={value}: give {LEAST_COMPACT} characters or more")


def recorded(policy: Policy) -> dict[str, Any]:
    """The fields a workspace records: all but those that are said anew at each opening."""
    made = msgspec.to_builtins(policy)
    return {key: value for key, value in made.items() if key not in SAID_ANEW}


def policy_of(window: Window, given: Policy | None = None) -> Policy:
    """The policy a workspace was opened with, but for what `given` says anew. Raises LoomError when
    this version cannot read it."""
    anew = {key: getattr(given or Policy(), key) for key in SAID_ANEW}
    try:
        return msgspec.convert({**window.config.policy, **anew}, Policy)
    except msgspec.ValidationError as error:
        raise LoomError(f"the workspace's policy cannot be read: {error}") from error
