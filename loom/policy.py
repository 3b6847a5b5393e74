"""The policy of a workspace: the numbers by which the engine decides. They are recorded when the
workspace is first opened. There are three presets. The design documents' numbers are only here."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from loom.errors import BadInput, LoomError
from loom.retention import Retention, check_retention
from loom_partitions.window import Window

# What a unit of history is, by which K weighs it (`loom.compress.worth.entry_units`).
Kind = Literal[
    "user", "said", "old", "new", "argument", "read", "search", "shell", "edit", "write", "error",
    "other",
]  # fmt: skip


class Layout(Struct, frozen=True, kw_only=True):
    """The parts of a small window, and the tokens of each. `steps=0` turns the layout off.

    steps, tokens, calls: a cut is made if more than `steps` steps are shown in full, if the history
        has more than `tokens` tokens, or `calls` turns after the last cut.
    compacted_tokens, recent_tokens, goal_tokens: the most tokens for the compacted history, for the
        last steps, and for the goal. 0: no limit (for the goal: 200).
    prompt_tokens: the most tokens for instructions and all tools. 0: no limit.
    examples_tokens: the most tokens for instructions with the key "examples". 0: no limit. A text
        over prompt_tokens or examples_tokens raises OverCapacity.
    room: the window minus the reply, in tokens, for which the numbers above are meant. In another
        window they are scaled in proportion. 0: they are never scaled.
    rest_recent: True shortens texts in the last steps, except the newest step, to one line: what
        the model wrote to files, and results that are not files it read.

    Memory and skills keep their shares of the capacity. If the window gets full, the last steps are
    shortened instead.

        >>> loom.PRESETS["eager"].layout.recent_tokens
        2000"""

    steps: int = 0
    tokens: int = 0
    calls: int = 0
    compacted_tokens: int = 0
    prompt_tokens: int = 0
    examples_tokens: int = 0
    recent_tokens: int = 0
    goal_tokens: int = 0
    room: int = 0
    rest_recent: bool = False


class Tuning(Struct, frozen=True, kw_only=True):
    """Numbers that few hosts change. A share is of the capacity (window minus reply).

    served: a cut frees room for this many turns, if necessary by going below low water.
    plenty: a cut stops when there is room for this many turns, so that a large window keeps more.
    least_freed: the share that a level must free. A level that frees less makes no cut.
    priced: True delays a cut that can wait until it saves more than it costs. The cost is to write
        the rest of the request into the provider's cache again.
    recent_share: the last steps are not shortened while they take at most this share.
    ahead_tokens, ahead_share: the most that Loom reads ahead (brings back unasked) in one turn.
    back_share: the most that Loom brings back in the turn of a cut.
    digest_tokens, digest_share: the most for the facts of a digest in a small window. digest_large
        is the share in a large window.
    index_tokens, index_share, index_large: the same for the index of a digest.
    first: the number of entries at the start that the level "collapse" does not change.
    step_share: the most for one text, or for the results of one step, when they come in.
    snip_chars, reactive_chars: the levels "snip" and "reactive" shorten texts with more characters.
    memory_share, skill_share, catalogue_share, working_share: the most for AGENTS.md files, for
        the texts of skills, for the list of skills, and for C_working (goal, plan, …).

        >>> loom.Policy(tuning=loom.Tuning(first=2)).tuning.first
        2"""

    served: int = 4
    # From 12: +5 points of `benchmarks needs --interleave 10` at 200,000 for no more tokens. Up to
    # 0.85 of the capacity instead of just below the first mark: -5 and +3 points at 128,000 and
    # 200,000 for a quarter more cost.
    plenty: int = 5
    least_freed: float = 0.05
    priced: bool = True
    recent_share: float = 0.50
    # From 8,000, .12 and .10: +4 points of `benchmarks needs` at 16,000 on both sets of recorded
    # sessions, for 6-9 % of cost.
    ahead_tokens: int = 16_000
    ahead_share: float = 0.25
    back_share: float = 0.25
    digest_tokens: int = 4_500
    digest_share: float = 0.5
    # A long task has more to say: with these all that a user laid down in one stands at 100,000.
    digest_large: float = 0.2
    index_tokens: int = 1_800
    index_share: float = 0.12
    index_large: float = 0.03
    first: int = 1
    step_share: float = 0.25
    snip_chars: int = 2_000
    reactive_chars: int = 500
    memory_share: float = 0.15  # this and the next two are judgements
    skill_share: float = 0.15
    catalogue_share: float = 0.03
    working_share: float = 0.15


class Policy(Struct, frozen=True, kw_only=True):
    """When to compress, how much, what to keep. A share is of the capacity (window minus reply).

    preset: "lazy", "graduated" or "eager". `PRESETS` has the other values of each.
    encoding: the encoding in which tokens are counted. "" is the model's own. A workspace keeps its
        first encoding.
    compact_above: a result with more characters is shortened to this many. 0: only to make it fit.
    own_tools: True gives the model Loom's tools, False none, a tuple those it names. Tools that
        were declared once stay in a workspace.
    reads_files: True if a tool of the host can read files on this machine. The model is then told
        in which folder pages are. None: True if the context has a `project`.
    retention: the pages that a renewal deletes. None: none. The five fields from `encoding` to
        `retention` are given at each opening. The others are recorded at the first opening.
    snip_at, micro_at, collapse_at, auto_at, renew_at: the fullness ρ from which the level with this
        name acts. If ρ has reached several, the level with the highest number acts.
    low_water: the share of the capacity to which a cut goes down.
    ageing: how the score K·rel·e^(−λ·age) of a unit falls. With "steps", age is the number of steps
        since its last use. For "log" see `loom.compress.worth.worth`. decay: λ. kind_weights: K for
        each kind of unit. A kind or λ not given here has its fitted value.
    recent: how many of the last steps are not shortened while ρ is below 1.0.
    read_price, write_price: the price of a cached token and of a newly written token, relative to
        a plain token. None: the provider's.
    layout: the parts of a small window. tuning: all other numbers.

        >>> loom.Policy(snip_at=0.75, retention=loom.Retention()).micro_at
        0.8"""

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
    # The documents'. From .60 to .73 recorded sessions show no difference beyond noise: `served`
    # and `plenty` decide how deep a cut goes.
    low_water: float = 0.60
    ageing: Literal["log", "steps"] = "log"
    decay: float | None = None
    kind_weights: dict[Kind, float] = {}
    recent: int = 3
    read_price: float | None = None
    write_price: float | None = None
    layout: Layout = Layout()
    tuning: Tuning = Tuning()


PRESETS = {
    "lazy": Policy(),
    "graduated": Policy(
        preset="graduated", ageing="steps", tuning=Tuning(served=0, plenty=0, priced=False)
    ),
    "eager": Policy(
        preset="eager",
        ageing="steps",
        # A cut goes down to low water, as the documents have it.
        tuning=Tuning(recent_share=1.0, plenty=0, ahead_tokens=0),
        # The documented 8,192, of which 3,492 are the reply's.
        layout=Layout(
            steps=5,
            tokens=2_000,
            calls=1,
            compacted_tokens=500,
            prompt_tokens=1_500,
            examples_tokens=500,
            recent_tokens=2_000,
            goal_tokens=200,
            room=4_700,
            rest_recent=True,
        ),
    ),
}

# The least and the most a number may be; what is not named is a count, from 0 on.
MARKS = ("snip_at", "micro_at", "collapse_at", "auto_at", "renew_at")  # none before the one before
SHARE, PRICE, COUNT = (0.0, 1.0), (0.0, 1_000.0), (0, 10**9)
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(MARKS, (0.01, 1.0)),
    **dict.fromkeys(("low_water", "least_freed", "digest_large", "index_large"), SHARE),
    **{name: SHARE for name in Tuning.__struct_fields__ if name.endswith("_share")},
    **dict.fromkeys(("read_price", "write_price", "decay", "kind_weights"), PRICE),
    **dict.fromkeys(("snip_chars", "reactive_chars"), (1, 10**9)),
}

# How workspaces of earlier versions name the fields of `Layout`.
FLAT = {
    **{f"eager_{name}": name for name in ("steps", "tokens", "calls")},
    **{name: name for name in Layout.__struct_fields__ if name.endswith("_tokens")},
    "layout_room": "room",
    "rest_recent": "rest_recent",
}
SAID_ANEW = ("encoding", "compact_above", "own_tools", "reads_files", "retention")
LEAST_COMPACT = 200  # characters: with fewer a text cannot say what it leaves out and where
SUMMARY = 4_000  # characters a large result is made short to, where it is summarized


def choose_policy(policy: str | Policy) -> Policy:
    """Return the preset with this name, or the given Policy after a check of its fields. Raises
    BadInput for an unknown name or a number out of range."""
    if isinstance(policy, Policy):
        made = _convert_fields(policy)
        if made.preset not in PRESETS:
            raise BadInput(f"no preset {made.preset!r}; there are {', '.join(PRESETS)}")
        lacking = PRESETS[made.preset].layout.steps and not made.layout.steps
        if made.preset != Policy().preset and (lacking or made == Policy(preset=made.preset)):
            raise BadInput(
                f"preset={made.preset!r} alone has the values of another: give policy="
                f"{made.preset!r}, or msgspec.structs.replace(loom.PRESETS[{made.preset!r}], …)"
            )
        for part in (made, made.layout, made.tuning):
            for name in part.__struct_fields__:
                value = getattr(part, name)
                for number in value.values() if isinstance(value, dict) else (value,):
                    _check_range(name, number)
        for before, after in pairwise(MARKS):
            low, high = getattr(made, before), getattr(made, after)
            if low > high:
                raise BadInput(f"{before}={low} is above {after}={high}: levels act in this order")
        if made.low_water >= made.snip_at:
            raise BadInput(
                f"low_water={made.low_water} is not below snip_at={made.snip_at}: a cut would end"
                " where the next is called for"
            )
        return made
    if not isinstance(policy, str) or policy not in PRESETS:
        raise BadInput(f"no policy {policy!r:.80}; there are {', '.join(PRESETS)}, loom.Policy")
    return PRESETS[policy]


def _convert_fields(policy: Policy) -> Policy:
    """Return the policy, each field converted to its type. Raises BadInput for a wrong value."""
    for name, kind in (("layout", Layout), ("tuning", Tuning)):
        if not isinstance(getattr(policy, name), kind):
            raise BadInput(f"this is no policy: {name} is to be a loom.{kind.__name__}")
    try:
        return msgspec.convert(msgspec.to_builtins(policy), Policy)
    except (msgspec.ValidationError, TypeError) as error:
        if "kind_weights" in str(error) and isinstance(policy.kind_weights, dict):
            known = ", ".join(get_args(Kind))
            raise BadInput(
                f"this is no policy: kind_weights are a number for each of {known}"
            ) from error
        raise BadInput(f"this is no policy: {error}") from error


def _check_range(name: str, value: object) -> None:
    """Raise BadInput if `value` is a number out of the range of the field `name`."""
    if isinstance(value, Retention):
        check_retention(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    least, most = RANGES.get(name, COUNT)
    if not least <= value <= most:
        raise BadInput(f"{name}={value}: give a number from {least:,} to {most:,}")
    if name == "compact_above" and 0 < value < LEAST_COMPACT:
        raise BadInput(f"{name}={value}: give {LEAST_COMPACT} characters or more")


def recorded_fields(policy: Policy) -> dict[str, Any]:
    """Return the fields of a policy that a workspace records, as a dict: all but SAID_ANEW."""
    made = msgspec.to_builtins(policy)
    return {key: value for key, value in made.items() if key not in SAID_ANEW}


def recorded_policy(window: Window, given: Policy | None = None) -> Policy:
    """Return the policy that a workspace recorded when it was new. The fields in SAID_ANEW have the
    values of `given`, or their defaults. Raises LoomError if this version of Loom cannot read the
    recorded policy."""
    anew = {key: getattr(given or Policy(), key) for key in SAID_ANEW}
    kept = window.config.policy
    # Earlier workspaces record the numbers of both beside the policy's own.
    tuning = {key: value for key, value in kept.items() if key in Tuning.__struct_fields__}
    layout = {to: kept[name] for name, to in FLAT.items() if name in kept}
    parts = {"tuning": tuning, "layout": layout} if "tuning" not in kept else {}
    try:
        return msgspec.convert({**kept, **parts, **anew}, Policy)
    except msgspec.ValidationError as error:
        raise LoomError(f"the workspace's policy cannot be read: {error}") from error
